import { constants } from 'node:os';

/** Lets a command end in order at SIGINT and SIGTERM. A second signal ends the process at once. */
export function stopBySignal(): Disposable & {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Exit code for the signal that stopped the command (128 and its number, as shells have it); null without one. */
  readonly exitCode: number | null;
} {
  const controller = new AbortController();
  let exitCode: number | null = null;
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const stop = (signal: NodeJS.Signals): void => {
    exitCode = 128 + constants.signals[signal];
    forget();
    controller.abort();
  };
  const forget = (): void => {
    for (const signal of signals) process.off(signal, stop);
  };
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort();
    },
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: forget,
  };
}
