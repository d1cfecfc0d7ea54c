import { execFile } from 'node:child_process';
import { Loop } from './loop.ts';
import type { Config } from '../settings/config.ts';

/**
 * Tells systemd the state of the service, and that the main thread runs, through the program `systemd-notify`, because
 * Node.js has no datagrams over unix sockets (docs/decisions/0061). Does nothing outside systemd.
 */
export class Systemd implements Disposable {
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
