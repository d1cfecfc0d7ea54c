/** The whole service on the bundled sample, in this process: real import, real pool, real HTTP. */
import { PassThrough } from 'node:stream';
import { createLogger, transports } from 'winston';
import { issueKey } from '../../src/accounts/keys.ts';
import { openKeyStore } from '../../src/accounts/open-key-store.ts';
import { loadAddresses } from '../../src/commands/load-addresses.ts';
import { loadLayers } from '../../src/commands/load-layers.ts';
import { readConfig, type Config } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import { temporaryFolder } from './folder.ts';

export interface SampleServiceOptions {
  readonly tileUrl?: string;
  readonly limitPerHour?: number;
  readonly geocoding?: Config['geocoding'];
}

export interface SampleService extends AsyncDisposable {
  readonly url: string;
  /** A key in force. */
  readonly key: string;
  /** Another key, with a limit of its own. */
  issueKey(limitPerHour: number): Promise<string>;
}

/** Imports the sample once for all tests of the process. */
let imported: Promise<string> | undefined;

export async function startSampleService({
  tileUrl,
  limitPerHour,
  geocoding,
}: SampleServiceOptions = {}): Promise<SampleService> {
  imported ??= importSample();
  const config: Config = {
    ...readConfig({
      DATA_DIR: await imported,
      PORT: '0',
      ADMIN_PORT: '0',
      WORKER_THREADS: '1',
      LOOKUP_DEADLINE_MS: '20000',
    }),
    ...(tileUrl === undefined ? {} : { tileUrl, tileAttribution: 'Test tiles' }),
    ...(geocoding === undefined ? {} : { geocoding }),
    ...(limitPerHour === undefined ? {} : { rateLimitPerHour: limitPerHour }),
  };
  const issue = async (limit: number | null): Promise<string> => {
    await using store = await openKeyStore(config);
    return (await issueKey(store, { name: 'test', limitPerHour: limit, expiresAt: null })).key;
  };
  const key = await issue(1_000_000);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston types an interface for its class
  const logger = createLogger({ transports: [new transports.Stream({ stream: new PassThrough().resume() })] });
  const service = await startService(config, { logger });
  return { url: service.url, key, issueKey: issue, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

async function importSample(): Promise<string> {
  const folder = temporaryFolder();
  process.once('exit', () => {
    folder[Symbol.dispose]();
  });
  const config = readConfig({ DATA_DIR: folder.path });
  const quiet = Object.assign(new PassThrough().resume(), { isTTY: false });
  const layers = await loadLayers(config, { sample: true }, quiet as never);
  const addresses = await loadAddresses(config, { sample: true }, quiet as never);
  if (layers !== 0 || addresses !== 0) throw new Error('the sample was not imported');
  return folder.path;
}
