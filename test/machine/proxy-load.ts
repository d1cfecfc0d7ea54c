/** Lookups through the proxy of a machine, at a steady rate, and what became of each. */
import { LoadClient, openLoop } from '../stress/parts/load-client.ts';
import type { AskedService } from './kept-answers.ts';

export class ProxyLoad {
  /** Ids of all lookups that were answered with 200. */
  readonly received = new Set<string>();
  readonly #client: LoadClient;
  readonly #request: Buffer;
  readonly #perSecond: number;
  #isOver = true;
  #running: Promise<void> = Promise.resolve();
  #statuses = new Map<number, number>();
  #slowestMs = 0;

  constructor({ url, ca, key }: AskedService, perSecond: number) {
    this.#client = new LoadClient(url, { ca, maxConnections: 50 });
    this.#request = LoadClient.lookup(key, '12 Main St W, Sampleton, ON');
    this.#perSecond = perSecond;
  }

  begin(): void {
    this.#isOver = false;
    this.#statuses = new Map();
    this.#slowestMs = 0;
    this.#running = openLoop({ perSecond: this.#perSecond, isOver: () => this.#isOver }, async (_number, dueMs) => {
      const { status, head, ms } = await this.#client.ask(this.#request, dueMs);
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      this.#slowestMs = Math.max(this.#slowestMs, ms);
      const id = /^lookup-id: *(\S+)/im.exec(head)?.[1];
      if (status === 200 && id !== undefined) this.received.add(id);
    });
  }

  /** Resolves when all requests have ended, with a line of figures. */
  async end(): Promise<string> {
    this.#isOver = true;
    await this.#running;
    const all = [...this.#statuses.values()].reduce((sum, count) => sum + count, 0);
    const failed = all - (this.#statuses.get(200) ?? 0);
    const others = [...this.#statuses]
      .filter(([status]) => status !== 200)
      .map(([status, count]) => `${count} x ${status}`);
    return `${all} requests at ${this.#perSecond} per second, ${[`${failed} failed`, ...others].join(', ')}, slowest ${Math.round(this.#slowestMs)} ms`;
  }

  /** Ends it without waiting for answers: the machine is gone. */
  async cut(): Promise<void> {
    this.#isOver = true;
    this.#client[Symbol.dispose]();
    await this.#running;
  }
}
