/** How long to wait after failures in a row. */
export interface Backoff {
  /** About the wait after the first failure. */
  readonly firstMs: number;
  /** About the longest wait. */
  readonly mostMs: number;
  /** Each further wait is so many times as long; twice unless given. */
  readonly growth?: number;
}

/** Most that a wait differs from its plan, as a share of it. */
const SPREAD = 0.25;

/** @param failures failures in a row; at least 1. */
export function backoffMs({ firstMs, mostMs, growth = 2 }: Backoff, failures: number): number {
  return spreadMs(Math.min(mostMs, firstMs * growth ** (failures - 1)), SPREAD);
}

/** Varies a wait by up to a share of it either way, so that many who failed together do not try again together. */
export function spreadMs(waitMs: number, share: number): number {
  return waitMs * (1 - share + 2 * share * Math.random());
}
