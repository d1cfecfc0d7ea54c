/** Batches over HTTP, as a client sends them. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface BatchStatus {
  readonly id: string;
  readonly state: string;
  readonly rows: Readonly<Record<'total' | 'done' | 'found', number>>;
  readonly error: string | null;
}

/** What was downloaded. */
export interface Downloaded {
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
}

const LINE_END = 10;

const ENDS: readonly string[] = ['completed', 'failed', 'cancelled', 'expired'];

export class BatchClient {
  readonly #url: () => string;
  readonly #key: string;

  /** @param url of the service, which may change when it starts again. */
  constructor(url: () => string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Sends addresses as CSV. @throws Error with the answer when it is no 202. */
  async send(addresses: readonly string[], { detail = 'plain', idempotencyKey = '' } = {}): Promise<string> {
    const csv = `custom_id,address\n${addresses.map((address, i) => `${i},"${address.replaceAll('"', '""')}"\n`).join('')}`;
    const response = await fetch(`${this.#url()}/api/batches?detail=${detail}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'text/csv',
        ...this.#authorized,
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      body: csv,
    });
    if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
    return ((await response.json()) as BatchStatus).id;
  }

  async status(id: string): Promise<BatchStatus> {
    return (await (await this.#get(id)).json()) as BatchStatus;
  }

  /** Waits for the end of a batch. */
  async ended(id: string, everyMs = 50): Promise<BatchStatus> {
    for (;;) {
      const status = await this.status(id);
      if (ENDS.includes(status.state)) return status;
      await sleep(everyMs);
    }
  }

  /** Downloads the results. `onText` gets them as they come. */
  async download(id: string, onText: (text: string) => void = () => undefined): Promise<Downloaded> {
    const hash = createHash('sha256');
    let [bytes, lines] = [0, 0];
    const decoder = new TextDecoder();
    const { body } = await this.#get(`${id}/results?format=ndjson`);
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++;
      onText(decoder.decode(chunk, { stream: true }));
    }
    return { bytes, lines, sha256: hash.digest('hex') };
  }

  async #get(path: string): Promise<Response> {
    const response = await fetch(`${this.#url()}/api/batches/${path}`, { headers: this.#authorized });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return response;
  }

  get #authorized(): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${this.#key}` };
  }
}
