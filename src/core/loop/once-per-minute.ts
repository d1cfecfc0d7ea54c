import { MINUTE_MS } from '../../messages/time.ts';

/** Reports the first of many faults, and another one after a minute at the earliest. */
export function oncePerMinute<Fault extends readonly unknown[]>(
  report: (...fault: Fault) => void,
  nowMs = (): number => performance.now(),
): (...fault: Fault) => void {
  let lastMs = -Infinity;
  return (...fault) => {
    if (nowMs() - lastMs < MINUTE_MS) return;
    lastMs = nowMs();
    report(...fault);
  };
}
