/** Mean, median and 99th percentile, rounded to three digits after the point. */
export function percentiles(values: readonly number[]): { mean: number; p50: number; p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
  return { mean: values.reduce((sum, value) => sum + value, 0) / values.length, p50: at(0.5), p99: at(0.99) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
