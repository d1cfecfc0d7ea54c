import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Loop } from '../core/loop/loop.ts';
import type { Config } from '../core/settings/config.ts';
import { readConfig } from '../config.ts';
import { type ServiceLogger, createServiceLogger } from '../core/settings/logger.ts';
import type { Service } from '../service.ts';
import { withSourceLines } from '../project/source-lines.ts';
import { execFile } from 'node:child_process';

/** Time after which the process ends even if work is under way; longer than requests get to end. */
const FORCED_EXIT_MS = 10_000;

/** `land-lookup serve` */
export function register(program: Command): void {
  program
    .command('serve')
    .description('answer lookups over HTTP until SIGTERM or SIGINT; SIGHUP puts the current snapshot into service')
    .action(() => serveUntilSignal());
}

const READY_INTERVAL_MS = 1000;

/** Serves until SIGTERM or SIGINT; calls `onServing` with the URL. */
export async function serveUntilSignal(onServing: (url: string) => void = () => undefined): Promise<void> {
  // Listened for from the first moment, so that a signal during the start does not leave half a service behind.
  const signal = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  let service: Service | null = null;
  process.on('SIGHUP', () => void service?.reload());
  // Node.js prints it when it ends the process.
  process.on('uncaughtExceptionMonitor', (cause) => {
    cause.stack = withSourceLines(cause.stack ?? cause.message);
  });
  const config = readConfig();
  requireDescriptors(config);
  const logger = createServiceLogger(config.logLevel);
  service = await start(config, logger);
  using systemd = new Systemd(config.systemd, (cause) => logger.warn('systemd-notify', { detail: String(cause) }));
  const becomingReady = tellWhenReady(service, systemd, logger);
  onServing(service.url);
  await signal;
  logger.info('stopping');
  becomingReady.stop();
  systemd.stopping();
  setTimeout(() => {
    logger.error('the stop took too long, the process is killed', { afterMs: FORCED_EXIT_MS });
    // `process.exit` waits for the threads, and one that is in GEOS or SQLite does not end before its call (docs/decisions/0205).
    process.kill(process.pid, 'SIGKILL');
  }, FORCED_EXIT_MS).unref();
  await service[Symbol.asyncDispose]();
  logger.info('stopped');
}

/** What a process has open before it listens, and a few for connections. A lookup thread has seven. */
const DESCRIPTORS = { process: 128, perThread: 10 };

/** Node.js has raised the limit as far as it may. When a thread gets no descriptor, the start waits for ever. @throws Error when there are too few. */
function requireDescriptors({ workerThreads }: Config): void {
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '';
  const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1]);
  const needed = DESCRIPTORS.process + DESCRIPTORS.perThread * workerThreads;
  if (most < needed)
    throw new Error(
      `a process with WORKER_THREADS=${workerThreads} needs ${needed} open files at least, and may have ${most}: raise the limit (LimitNOFILE, ulimit -n)`,
    );
}

/** Loads the service only for settings that are good: loading it takes longer than all that refuses a start before. */
async function start(config: Config, logger: ServiceLogger): Promise<Service> {
  const { startService } = await import('../service.ts');
  return startService(config, { logger });
}

/**
 * Tells systemd only when lookups are answered: a rolling restart then ends at the first process that would not answer, and the others keep
 * running.
 */
function tellWhenReady(service: Service, systemd: Systemd, logger: ServiceLogger): Loop {
  const loop = new Loop({
    everyMs: READY_INTERVAL_MS,
    turn: async (stop) => {
      if (!(await service.isReady()) || stop.aborted) return;
      systemd.ready();
      loop.stop();
    },
    onFailure: (cause) => logger.warn('readiness could not be told', { detail: String(cause) }),
  });
  return loop;
}

/**
 * Tells systemd the state of the service, and that the main thread runs, through the program `systemd-notify`, because
 * Node.js has no datagrams over unix sockets (docs/decisions/0061). Does nothing outside systemd.
 */
class Systemd implements Disposable {
  readonly #isListening: boolean;
  readonly #watchdog: Loop | null;
  readonly #onFault: (cause: unknown) => void;

  constructor({ isListening, watchdogMs }: Config['systemd'], onFault: (cause: unknown) => void) {
    this.#isListening = isListening;
    this.#onFault = onFault;
    // Half of the limit, as sd_watchdog_enabled(3) advises. A blocked main thread sends nothing.
    this.#watchdog = watchdogMs === null ? null : this.#watch(watchdogMs / 2);
  }

  ready(): void {
    this.#tell('READY=1');
  }

  stopping(): void {
    this.#tell('STOPPING=1');
  }

  [Symbol.dispose](): void {
    this.#watchdog?.stop();
  }

  #watch(everyMs: number): Loop {
    return new Loop({
      everyMs,
      firstMs: everyMs,
      turn: () => {
        this.#tell('WATCHDOG=1');
      },
      onFailure: this.#onFault,
    });
  }

  #tell(state: string): void {
    if (!this.#isListening) return;
    execFile('systemd-notify', [state], { timeout: 5000 }, (cause) => {
      if (cause) this.#onFault(cause);
    });
  }
}
