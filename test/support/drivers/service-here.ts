import { readConfig } from '../../../src/config.ts';
import type { ServicesOptions, Service } from '../../../src/service.ts';
import { capturingLogger, NO_EXAMPLES } from './front-end.ts';
import { startHere } from './start-here.ts';
import { RunningService, SERVICE_ENV } from './running-service.ts';

/**
 * The whole service in this process, on a free port, without the examples of the page: for tests to which a process of its own (`ServiceProcess`) makes no
 * difference but half a second.
 */
export class ServiceHere extends RunningService implements AsyncDisposable {
  readonly #service: Service;

  private constructor(service: Service, lines: RunningService['lines']) {
    super(service.url, lines);
    this.#service = service;
  }

  static async start(
    dataDir: string,
    env: Readonly<Record<string, string>> = {},
    options: Pick<ServicesOptions, 'redisTimeoutMs'> = {},
  ): Promise<ServiceHere> {
    const { lines, logger } = capturingLogger();
    const config = readConfig({ DATA_DIR: dataDir, ...SERVICE_ENV, ...env });
    return new ServiceHere(await startHere(config, { logger, parts: NO_EXAMPLES, ...options }), lines);
  }

  /** As SIGHUP does. */
  reload(): Promise<void> {
    return this.#service.reload();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
  }
}
