/** Reports the first of many faults, and another one after a minute at the earliest. */
export function oncePerMinute(report: (cause: Error) => void): (cause: Error) => void {
  let last = -Infinity;
  return (cause) => {
    if (performance.now() - last < 60_000) return;
    last = performance.now();
    report(cause);
  };
}
