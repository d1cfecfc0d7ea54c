import { collectDefaultMetrics } from 'prom-client';
import { createAdminServer } from './core/admin/admin-server.ts';
import { ownChanges } from './catalogue/read/own-definitions.ts';
import type { Config } from './core/settings/config.ts';
import type { ServedFeature } from './feature.ts';
import { loadFeatures } from './features.ts';
import { createApp } from './core/http/app.ts';
import { earlyRefusal } from './core/http/early-refusal.ts';
import { createHttpServer, listen, stopServer, type StopTimes } from './core/http/server.ts';
import type { Services } from './core/http/services.ts';
import { refusablePaths } from './core/http/routes.ts';
import { readJobs } from './core/snapshots/jobs.ts';
import { openServices, type ServicesOptions } from './open-services.ts';
import { Opened } from './core/parts/opened.ts';

export interface Service extends AsyncDisposable {
  /** URL of the service, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Says whether it can answer lookups of addresses. Never fails. */
  isReady(): Promise<boolean>;
  /** Puts the snapshot that `current` points to into service; a bad one is refused and reported. Never fails. */
  reload(): Promise<void>;
}

/** With the second for connections that have arrived, together less than the 10 s after which the process ends anyway. */
const STOP_TIMES: StopTimes = { lastCallMs: 1500, quietMs: 250, drainMs: 7000 };

/**
 * Opens everything, then listens. Disposing it stops accepting requests, lets those under way end, and closes everything.
 * @throws AppError or Error when something required is missing; whatever was opened until then is closed.
 */
export async function startService(config: Config, options: ServicesOptions): Promise<Service> {
  const opened = new Opened();
  try {
    const features = await loadFeatures(config.features);
    const services = await openServices(config, options, features, opened);
    const urls = await serve(services, features, opened);
    const isReady = async (): Promise<boolean> => (await services.health.check()).ready;
    await isReady();
    const { snapshots, logger } = services;
    const own = ownChanges(config.layersDir, config.ownLayersDir);
    if (own.length > 0) logger.info('definitions in LAYERS_DIR', { own });
    const more = Object.assign({}, ...features.map((feature) => feature.serving?.(services))) as object;
    logger.info('serving', { ...urls, ...more, snapshot: snapshots.manifest.id, threads: config.workerThreads });
    return {
      url: urls.url,
      isReady,
      reload: () => snapshots.reload(),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  } catch (cause) {
    await opened[Symbol.asyncDispose]();
    throw cause;
  }
}

/** Listens on the admin port, and then on the public one. */
async function serve(
  services: Services,
  features: readonly ServedFeature[],
  opened: Opened,
): Promise<{ readonly url: string; readonly adminUrl: string }> {
  const { config, authenticator, billing, countsAlone, health } = services;
  const refuseEarly = earlyRefusal({ ...services, refusable: refusablePaths(features) });
  const server = createHttpServer(createApp(services, features), { refuseEarly });
  const adminUrl = await openAdmin(services, features, opened);
  await authenticator.prepare();
  const url = await listen(server, config);
  for (const feature of features) feature.listens?.(services, url);
  opened.defer(() => {
    health.drain();
    // What follows this process counts from zero anyway, so it need not wait for the requests under way.
    countsAlone?.[Symbol.dispose]();
    for (const feature of features) feature.stop?.(services);
    // At once, because its calls under way may take as long as the requests.
    billing?.reporter.stop();
    return stopServer(server, STOP_TIMES);
  });
  return { url, adminUrl };
}

/** Opens the admin port, which closes after the public one, so that operators can watch a stop. */
async function openAdmin(services: Services, features: readonly ServedFeature[], opened: Opened): Promise<string> {
  const { config, metrics, health } = services;
  collectDefaultMetrics({ register: metrics });
  const { dataDir, adminHost: host, adminPort: port } = config;
  const server = createAdminServer({
    host,
    registry: metrics,
    routers: features.flatMap(({ admin }) => admin?.(services) ?? []),
    // Why a job failed may name places that are nobody's business on the public port.
    state: async () => ({ ...(await health.check()), jobs: readJobs(dataDir) }),
  });
  const url = await listen(server, { host, port, variables: 'ADMIN_HOST and ADMIN_PORT' });
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}
