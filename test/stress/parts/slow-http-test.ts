/** Slow clients by Debian's program `slowhttptest`, which always comes from 127.0.0.1. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';

const PROGRAM = '/usr/bin/slowhttptest';

/** 50 new connections a second, and a byte or two on each every nine seconds. */
const COMMON = ['-r', '50', '-i', '9', '-x', '2', '-p', '3', '-v', '0'];

/** Longest round in seconds: the program does not notice that connections that it does not read have ended, and opens no others. */
const ROUND_S = 100;

/** Options for each kind. The body comes with a good key, in a field that the program has no option for. */
const kinds = {
  'slow header': () => ({ path: '/', options: ['-H'] }),
  'slow body': (key: string) => ({
    path: '/api/lookup',
    options: ['-B', '-s', '4096', '-f', 'application/json', '-j', `slow=1\r\nAuthorization: Bearer ${key}`],
  }),
  'slow reading': () => ({
    path: '/vendor/swagger-ui/swagger-ui-bundle.js',
    options: ['-X', '-k', '3', '-w', '1', '-y', '1', '-z', '1', '-n', '9'],
  }),
} as const;

export type SlowKind = keyof typeof kinds;
export const slowKinds = Object.keys(kinds) as SlowKind[];

export interface Attack {
  readonly url: string;
  readonly key: string;
  readonly clients: number;
  readonly untilMs: number;
}

/** Runs so many slow clients of a kind until a moment. When all have been ended, they begin again. */
export async function attack(kind: SlowKind, { url, key, clients, untilMs }: Attack): Promise<void> {
  if (!existsSync(PROGRAM)) throw new Error('slowhttptest is not there: deploy/install-packages test');
  const { path, options } = kinds[kind](key);
  for (;;) {
    const seconds = Math.min(ROUND_S, Math.floor((untilMs - performance.now()) / 1000));
    if (seconds < 1) return;
    const args = [...options, ...COMMON, '-c', String(clients), '-l', String(seconds), '-u', url + path];
    // Slow clients have processors of their own.
    const child = spawn('nice', ['-n', '19', PROGRAM, ...args], { stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`slowhttptest ${args.join(' ')} ended with ${code ?? 'a signal'}`);
  }
}

/** Watches the connections from 127.0.0.1 to a port, by what the kernel knows: `slowhttptest` does not notice each end. */
export class ConnectionWatch implements Disposable {
  readonly #port: string;
  readonly #sinceMs = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  /** Connections that were open at the same time. */
  most = 0;
  /** Connections that were seen. */
  seen = 0;
  /** Age of the oldest in seconds. */
  oldestS = 0;

  constructor(url: string) {
    this.#port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
    this.#timer = setInterval(() => {
      this.#look();
    }, 1000);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    // The server's side: its address and port, the client's address and port, state 01 (established).
    const line = new RegExp(`: 0100007F:${this.#port} 0100007F:([0-9A-F]{4}) 01 `, 'g');
    const open = new Set([...readFileSync('/proc/net/tcp', 'latin1').matchAll(line)].map(([, port]) => port!));
    for (const port of this.#sinceMs.keys()) if (!open.has(port)) this.#sinceMs.delete(port);
    for (const port of open) {
      const sinceMs = this.#sinceMs.get(port);
      if (sinceMs === undefined) this.seen++;
      else this.oldestS = Math.max(this.oldestS, (nowMs - sinceMs) / 1000);
      this.#sinceMs.set(port, sinceMs ?? nowMs);
    }
    this.most = Math.max(this.most, open.size);
  }
}
