import { CHOSEN_FEATURES, chosenFeatures } from './chosen-features.ts';
import { PATIENT_DEADLINE_MS, until } from './patience.ts';

/** Settings of a service of which a test wants nothing special. */
export const SERVICE_ENV = {
  ...{ PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' },
  LOOKUP_DEADLINE_MS: String(PATIENT_DEADLINE_MS),
  ...CHOSEN_FEATURES,
} as const;

/** What a test asks a service, whatever process it is in. */
export class RunningService {
  readonly url: string;
  /** Log lines so far. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];

  protected constructor(url: string, lines: readonly Readonly<Record<string, unknown>>[]) {
    this.url = url;
    this.lines = lines;
  }

  /** `POST /api/lookup`. */
  lookup(
    key: string | null,
    body: unknown,
    { query = '', headers = {} }: { query?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> {
    return fetch(`${this.url}/api/lookup${query}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Asks until the answer has the status. */
  async untilAnswered(key: string, body: unknown, status: number): Promise<void> {
    let last = 0;
    const isAnswered = async (): Promise<boolean> => (last = (await this.lookup(key, body)).status) === status;
    await until(isAnswered, 100, () => last);
  }

  /** Waits until the examples of the page are made, if there are any: from then on all lookups are those of the test. */
  async examplesMade(): Promise<void> {
    if (!chosenFeatures.includes('examples')) return;
    const made = async (): Promise<number> => {
      const { examples } = (await (await fetch(`${this.url}/api/examples`)).json()) as { examples: readonly unknown[] };
      return examples.length;
    };
    await until(async () => (await made()) > 0);
  }

  /** What Prometheus reads. */
  async metrics(): Promise<string> {
    return (await fetch(`${this.adminUrl}/metrics`)).text();
  }

  get adminUrl(): string {
    return String(this.lines.find(({ message }) => message === 'serving')?.['adminUrl']);
  }
}
