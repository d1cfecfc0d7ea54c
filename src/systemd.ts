import { execFile } from 'node:child_process';
import type { Config } from './config.ts';

/**
 * Tells systemd the state of the service, and that the main thread runs, through the program `systemd-notify`, because
 * Node.js has no datagrams over unix sockets (docs/decisions/0061). Does nothing outside systemd.
 */
export class Systemd implements Disposable {
  readonly #isListening: boolean;
  readonly #watchdog: NodeJS.Timeout | null;
  readonly #onFault: (cause: Error) => void;

  constructor({ isListening, watchdogMs }: Config['systemd'], onFault: (cause: Error) => void) {
    this.#isListening = isListening;
    this.#onFault = onFault;
    // Half of the limit, as sd_watchdog_enabled(3) advises. A blocked main thread sends nothing.
    const alive = (): void => {
      this.#tell('WATCHDOG=1');
    };
    this.#watchdog = watchdogMs === null ? null : setInterval(alive, watchdogMs / 2).unref();
  }

  ready(): void {
    this.#tell('READY=1');
  }

  stopping(): void {
    this.#tell('STOPPING=1');
  }

  [Symbol.dispose](): void {
    if (this.#watchdog) clearInterval(this.#watchdog);
  }

  #tell(state: string): void {
    if (!this.#isListening) return;
    execFile('systemd-notify', [state], { timeout: 5000 }, (cause) => {
      if (cause) this.#onFault(cause);
    });
  }
}
