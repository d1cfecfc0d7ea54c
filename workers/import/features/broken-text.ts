/** Text that was not valid in its encoding: how often, by field, and whether that is too often. */
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Column } from './feature-table.ts';

/** Texts of a field that are not plain ASCII, those of them that could not be decoded, and the first of these. */
interface TextCount {
  readonly accented: number;
  readonly broken: number;
  readonly example: string | null;
}

/** By column. */
export type TextCounts = Readonly<Record<string, TextCount>>;

const isAccented = /[\u0080-\uffff]/;
/** The sign for what could not be decoded, and control characters, which no text has. */
const isBroken = /[\u0080-\u009f\ufffd]/;

/** Counts the texts of features. */
export class TextCounter {
  readonly #columns: readonly Column[];
  readonly #counts: (TextCount | undefined)[] = [];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** Returns the values with null in place of text that could not be decoded: nobody knows it. */
  read(values: readonly Attribute[]): readonly Attribute[] {
    let readable = values;
    values.forEach((value, i) => {
      if (typeof value !== 'string' || !isAccented.test(value)) return;
      const broken = isBroken.test(value);
      const { accented, broken: before, example } = this.#counts[i] ?? none;
      this.#counts[i] = {
        accented: accented + 1,
        broken: before + Number(broken),
        example: example ?? (broken ? value : null),
      };
      if (broken) readable = readable.with(i, null);
    });
    return readable;
  }

  get counts(): TextCounts {
    return Object.fromEntries(
      this.#columns.flatMap(({ name }, i) => (this.#counts[i] ? [[name, this.#counts[i]]] : [])),
    );
  }
}

const none: TextCount = { accented: 0, broken: 0, example: null };

export function addTexts(a: TextCounts, b: TextCounts): TextCounts {
  const sum: Record<string, TextCount> = { ...a };
  for (const [name, count] of Object.entries(b)) {
    const { accented, broken, example } = sum[name] ?? none;
    sum[name] = {
      accented: accented + count.accented,
      broken: broken + count.broken,
      example: example ?? count.example,
    };
  }
  return sum;
}

/** Field -> number of features whose text could not be decoded; without those that have none. */
export function brokenTexts(counts: TextCounts): Readonly<Record<string, number>> {
  const broken = Object.entries(counts).flatMap(([name, count]) => (count.broken > 0 ? [[name, count.broken]] : []));
  return Object.fromEntries(broken) as Record<string, number>;
}

/** Largest share of such texts among those of a field that are not plain ASCII. A few are slips; more mean a wrong encoding. */
const MOST_BROKEN = 0.05;

/** @throws Error when more texts of a field than a few could not be decoded. */
export function checkTexts(counts: TextCounts, encoding: string): void {
  for (const [name, { accented, broken, example }] of Object.entries(counts)) {
    if (broken <= accented * MOST_BROKEN) continue;
    throw new Error(
      `${broken} of ${accented} texts with accents in the field "${name}" are not valid when they are read as ${encoding}, such as ` +
        `${JSON.stringify(example?.slice(0, 40))}: give the right "encoding" in sources.json, such as "CP1252"`,
    );
  }
}
