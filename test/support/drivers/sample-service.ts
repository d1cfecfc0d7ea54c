/** The whole service on the bundled sample, in this process: real snapshot, real pool, real HTTP. */
import { chosenFeatures } from './chosen-features.ts';
import { PassThrough } from 'node:stream';
import type { KeyLimits } from '../../../src/core/keys/key-store.ts';
import { issueKey } from '../../../src/core/keys/keys.ts';
import { openKeyStore } from '../../../src/core/keys/open-key-store.ts';
import { readConfig } from '../../../src/config.ts';
import type { Config } from '../../../src/core/settings/config.ts';
import { createServiceLogger } from '../../../src/core/settings/logger.ts';
import { ownSampleFolder } from '../material/served-sample.ts';
import { startHere } from './start-here.ts';
import { oncePerProcess } from './process-end.ts';
import { PATIENT_DEADLINE_MS } from './patience.ts';

export interface SampleServiceOptions {
  readonly baseMap?: string;
  /** Names of features. */
  readonly leftOut?: readonly string[];
  readonly limitPerHour?: number;
  readonly webhookAllow?: readonly string[];
  /** More settings, by their names. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of features, in place of those that the others give. */
  readonly ofFeatures?: Config['ofFeatures'];
}

/** A service on the sample, with a key. */
export interface KeyedService {
  readonly url: string;
  /** A key in force, with an allowance for batches. */
  readonly key: string;
  /** Another key, with limits of its own; with an allowance for batches unless they say otherwise. */
  readonly issueKey: (
    limitPerHour: number,
    limits?: Partial<KeyLimits>,
    customer?: string,
    expiresAt?: string,
  ) => Promise<string>;
}

export interface SampleService extends KeyedService, AsyncDisposable {
  readonly leftOut: readonly string[];
}

const shared = oncePerProcess(
  () => startSampleService({ webhookAllow: ['127.0.0.1'] }),
  async (service) => service[Symbol.asyncDispose](),
);

/**
 * The service that the suites of a process share, with a key of the caller's own, so that limits and usage are apart. For suites to which settings, metrics
 * and the data folder make no difference, and that end nothing. Webhooks may go to this machine.
 */
export async function shareSampleService(): Promise<KeyedService> {
  const { url, issueKey: issue } = await shared();
  return { url, key: await issue(PLENTY_PER_HOUR), issueKey: issue };
}

/** So many that no test reaches them. */
const PLENTY_PER_HOUR = 1_000_000;

const WITH_BATCHES = { batchRowsPerDay: 1_000_000 } as const;

export async function startSampleService({
  baseMap,
  leftOut = [],
  limitPerHour,
  webhookAllow = [],
  env = {},
  ofFeatures = new Map(),
}: SampleServiceOptions = {}): Promise<SampleService> {
  const folder = ownSampleFolder();
  const read = readConfig({
    DATA_DIR: folder.path,
    PORT: '0',
    ADMIN_PORT: '0',
    WORKER_THREADS: '1',
    LOOKUP_DEADLINE_MS: String(PATIENT_DEADLINE_MS),
    ...(chosenFeatures.includes('webhooks') ? { WEBHOOK_ALLOW: webhookAllow.join(',') } : {}),
    ...(baseMap === undefined ? {} : { BASEMAP: baseMap }),
    FEATURES: chosenFeatures.filter((name) => !leftOut.includes(name)).join(','),
    ...env,
  });
  const config: Config = {
    ...read,
    ofFeatures: new Map([...read.ofFeatures, ...ofFeatures]),
    ...(limitPerHour === undefined ? {} : { rateLimitPerHour: limitPerHour }),
  };
  const issue: SampleService['issueKey'] = async (limitPerHour, limits = WITH_BATCHES, customer, expiresAt) => {
    await using store = await openKeyStore(config);
    const key = { name: 'test', limitPerHour, limits, customer: customer ?? null, expiresAt: expiresAt ?? null };
    return (await issueKey(store, key)).key;
  };
  const key = await issue(PLENTY_PER_HOUR);
  const logger = createServiceLogger('info', new PassThrough().resume());
  const service = await startHere(config, { logger });
  return {
    url: service.url,
    key,
    leftOut: config.leftOut,
    issueKey: issue,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
