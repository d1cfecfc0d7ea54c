/** Lookups over HTTP while the Redis of the serving process goes through one fault after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles } from '../../bench/parts/percentiles.ts';
import { until } from './patience.ts';
import { RedisServer } from './redis.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../material/served-sample.ts';
import { ServiceProcess } from './service-process.ts';

export interface RedisFaultReport {
  readonly fault: string;
  readonly requests: number;
  /** Answers by status; 0 for none. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** From the end of the fault until `/readyz` says that limits are shared again. */
  readonly recoveryMs: number;
}

export interface RedisFaultOptions {
  readonly faultMs: number;
  /** At once; each begins a request at most every 10 ms. */
  readonly clients: number;
}

interface Fault {
  begin(redis: RedisServer, forMs: number): Promise<unknown>;
  end?(redis: RedisServer): Promise<unknown>;
}

/** A Redis that keeps what it knows, as one with keys in it must. */
const PERSISTENT = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

const PACE_MS = 10;
/** Whoever waits so long waits in vain. */
const HANG_MS = 600_000;
const RECOVERY_MS = 600_000;

/** By name, in the order they come; the first is none. */
const faults: Readonly<Record<string, Fault>> = {
  none: { begin: () => Promise.resolve() },
  killed: { begin: (redis) => redis.kill(), end: (redis) => redis.start() },
  frozen: {
    begin: async (redis) => {
      redis.freeze();
      return Promise.resolve();
    },
    end: async (redis) => {
      redis.thaw();
      return Promise.resolve();
    },
  },
  // Ends by itself: a paused server does not take the command that ends it.
  paused: { begin: (redis, forMs) => command(redis, 'CLIENT', 'PAUSE', String(forMs), 'ALL') },
  'writes paused': { begin: (redis, forMs) => command(redis, 'CLIENT', 'PAUSE', String(forMs), 'WRITE') },
  'out of memory': {
    begin: (redis) => command(redis, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1'),
    end: (redis) => command(redis, 'CONFIG', 'SET', 'maxmemory', '0'),
  },
};

/** Goes through all faults on one serving process that is never restarted. @throws Error when it does not share limits again. */
export async function redisFaultLoad({ faultMs, clients }: RedisFaultOptions): Promise<RedisFaultReport[]> {
  await using redis = await RedisServer.start(...PERSISTENT);
  using folder = ownSampleFolder();
  const keys = await issueKeys({ dataDir: folder.path, redisUrl: redis.url }, { count: clients });
  await using service = await ServiceProcess.start(folder.path, { REDIS_URL: redis.url, LOOKUP_DEADLINE_MS: '20000' });
  const load = new Load(service);
  const working = keys.map((key, index) => load.ask(key, index % 2 === 0));
  const reports: RedisFaultReport[] = [];
  // Compiled and cached: the first requests are slower, and a key is remembered.
  await sleep(1000);
  await until(() => load.answered >= 10 * clients);
  for (const [name, fault] of Object.entries(faults)) {
    await recovered(service);
    const measured = load.measure();
    await fault.begin(redis, faultMs);
    await sleep(faultMs);
    await fault.end?.(redis);
    const recoveryMs = await recovered(service);
    reports.push({ fault: name, ...measured(), recoveryMs });
  }
  load.stop();
  await Promise.all(working);
  return reports;
}

interface Answer {
  /** 0 for none. */
  readonly status: number;
  readonly ms: number;
}

class Load {
  readonly #service: ServiceProcess;
  #answers: Answer[] = [];
  #requests = 0;
  #isStopped = false;
  /** Requests that were answered with 200. */
  answered = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  /** One client, until `stop`. With an `Idempotency-Key` a request has more to do in Redis. */
  async ask(key: string, hasIdempotencyKey: boolean): Promise<void> {
    while (!this.#isStopped) {
      const headers = hasIdempotencyKey ? { 'Idempotency-Key': `fault-${this.#requests++}` } : {};
      const start = performance.now();
      const status = await this.#request(key, headers);
      this.#answers.push({ status, ms: performance.now() - start });
      if (status === 200) this.answered++;
      await sleep(PACE_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** From now until the returned function is called. */
  measure(): () => Omit<RedisFaultReport, 'fault' | 'recoveryMs'> {
    const answers: Answer[] = (this.#answers = []);
    return () => {
      const statuses: Record<number, number> = {};
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      const { p50, p99 } = percentiles(answers.map(({ ms }) => ms));
      const worstMs = Math.round(Math.max(...answers.map(({ ms }) => ms)));
      return { requests: answers.length, statuses, p50Ms: Math.round(p50), p99Ms: Math.round(p99), worstMs };
    };
  }

  async #request(key: string, headers: Readonly<Record<string, string>>): Promise<number> {
    try {
      const response = await Promise.race([
        this.#service.lookup(key, SAMPLE_ADDRESS, { headers }),
        sleep(HANG_MS, null, { ref: false }),
      ]);
      await response?.arrayBuffer();
      return response?.status ?? 0;
    } catch {
      return 0;
    }
  }
}

async function recovered(service: ServiceProcess): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { redis } = (await (await fetch(`${service.url}/readyz`)).json()) as { redis: string };
    const ms = Math.round(performance.now() - start);
    if (redis === 'ok') return ms;
    if (ms > RECOVERY_MS) throw new Error(`limits are not shared ${ms} ms after a fault: ${redis}`);
    await sleep(25);
  }
}

async function command(server: RedisServer, name: string, ...args: string[]): Promise<void> {
  await using client = server.client();
  await client.redis.call(name, ...args);
}
