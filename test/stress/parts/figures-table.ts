/** One promise of a stress program, and what was measured. */
export interface Figure {
  readonly what: string;
  readonly measured: string | number;
  readonly promised: string;
  readonly holds: boolean;
}

/** A figure that may not be above `most`. */
export function atMost(what: string, measured: number, most: number, unit = ''): Figure {
  return { what, measured: shown(measured, unit), promised: `≤ ${shown(most, unit)}`, holds: measured <= most };
}

/** A figure that may not be below `least`. */
export function atLeast(what: string, measured: number, least: number, unit = ''): Figure {
  return { what, measured: shown(measured, unit), promised: `≥ ${shown(least, unit)}`, holds: measured >= least };
}

/** Prints the figures, and makes the process end with 1 when one of them breaks its promise. */
export function tell(figures: readonly Figure[]): void {
  console.table(Object.fromEntries(figures.map(({ what, ...figure }) => [what, figure])));
  const isRight = figures.every(({ holds }) => holds);
  console.log(isRight ? 'as promised' : 'NOT as promised');
  if (!isRight) process.exitCode = 1;
}

function shown(value: number, unit: string): string {
  return `${Math.round(value * 100) / 100} ${unit}`.trim();
}
