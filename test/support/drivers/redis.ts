import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { temporaryFolder } from './folder.ts';

/** A real `redis-server` of this test alone, on a unix socket. */
export class RedisServer implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #args: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(args: readonly string[]) {
    this.#args = args;
  }

  /** @param args more arguments of `redis-server`, for example `--maxmemory 2mb`. */
  static async start(...args: string[]): Promise<RedisServer> {
    const server = new RedisServer(args);
    await server.start();
    return server;
  }

  get url(): string {
    return `unix://${this.#socket}`;
  }

  /** @throws Error when it is not running. */
  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error('redis-server is not running');
    return this.#process.pid;
  }

  /** Where it writes. */
  get dir(): string {
    return this.#folder.path;
  }

  async start(): Promise<void> {
    const own = ['--port', '0', '--unixsocket', this.#socket, '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', [...own, ...this.#args], { stdio: 'ignore', cwd: this.#folder.path });
    this.#process = child;
    await using client = this.client();
    while (!(await client.redis.ping().catch(() => null))) {
      if (child.exitCode !== null) throw new Error('redis-server does not start');
      await sleep(50);
    }
  }

  /** Ends it at once, with everything it knew. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** A client of the test's own. */
  client(): AsyncDisposable & { readonly redis: Redis } {
    const redis = new Redis(this.#socket, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    return {
      redis,
      [Symbol.asyncDispose]: () => {
        redis.disconnect();
        return Promise.resolve();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }

  get #socket(): string {
    return join(this.#folder.path, 'redis.sock');
  }
}
