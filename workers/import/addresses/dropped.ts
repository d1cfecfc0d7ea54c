/** The rows of a register that are left out, and when they are too many. */

/** Counts of the register rows that are left out, by reason. */
export class Dropped {
  readonly counts: Record<string, number> = {};
  /** The first of each reason, where one was given. */
  readonly examples: Record<string, string> = {};

  add(reason: string, example?: string): void {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
    if (example !== undefined) this.examples[reason] ??= example;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}

/** Reason for a row whose civic number is something else: "1,050", "12.0", or "3-May" of a spreadsheet. */
const NO_NUMBER = 'civic number that is no number';

/** @throws Error that quotes one when so many civic numbers are no numbers that fewer than this share of the rows are left. */
export function checkCivicNumbers({ counts, examples }: Dropped, rows: number, leastShare: number): void {
  const count = counts[NO_NUMBER] ?? 0;
  if (count <= rows * (1 - leastShare)) return;
  throw new Error(
    `${count} of ${rows} civic numbers are no numbers, such as "${examples[NO_NUMBER]}": was the file saved by a spreadsheet? Take it as it was published`,
  );
}

/** Why a row with this text has no civic number: the reason, and the text where it is an example. */
export function whyNoCivic(text: string): Parameters<Dropped['add']> {
  return text === '' || /^0+$/.test(text) ? ['no civic number'] : [NO_NUMBER, text];
}
