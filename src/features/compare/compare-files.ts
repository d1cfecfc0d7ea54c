/** Compares the results of two batches row by row, in memory that does not grow with them. */
import { isSameText } from './answer-text.ts';
import { compareAnswers } from './compare-answers.ts';
import type { KeptAnswer } from './kept-answer.ts';
import { answerIn, type Outcome, type RowFile, type RowLine } from './row-file.ts';
import type { Comparison } from './wire.ts';

/** One of each of two files. */
type OfBoth<T> = Readonly<Record<'before' | 'now', T>>;

/** A row that has changed. */
export interface ChangedRow extends Partial<Comparison> {
  readonly row: number;
  readonly custom_id: string | null;
  /** It is in one of the files alone. */
  readonly only?: 'before' | 'now';
  /** Where it has an answer on one side alone, or another failure. */
  readonly status?: OfBoth<Pick<Outcome, 'status' | 'code'>>;
  /** Rules of the law whose outcome differs, where both results have some. Null: they were not judged on that side. */
  readonly rules?: Readonly<Record<string, OfBoth<string | null>>>;
}

/** Each side, and the other one. */
const SIDES = [
  ['before', 'now'],
  ['now', 'before'],
] as const;

/** Yields null for a row that is the same. @throws Error that names the file, the row and what cannot be understood. */
export async function* compareFiles(files: OfBoth<RowFile>): AsyncGenerator<ChangedRow | null> {
  const rows = { before: files.before.rows(), now: files.now.rows() };
  const waiting = { before: new Waiting(), now: new Waiting() };
  for (;;) {
    const [before, now] = [await nextOf(rows.before), await nextOf(rows.now)];
    if (before === null && now === null) break;
    if (before !== null && before.key === now?.key) yield compareRows({ before, now }, files);
    else yield* meet({ before, now }, waiting, files);
  }
  for (const [only] of SIDES)
    for (const place of waiting[only].all()) {
      const { row, customId } = await files[only].at(place);
      yield { row, custom_id: customId, only };
    }
}

/** Rows that differ: in another order, or in one file only. Where a row is stays in memory, not the row. */
async function* meet(
  rows: OfBoth<RowLine | null>,
  waiting: OfBoth<Waiting>,
  files: OfBoth<RowFile>,
): AsyncGenerator<ChangedRow | null> {
  for (const [side, other] of SIDES) {
    const row = rows[side];
    const place = row && waiting[other].takeLike(row);
    if (place) {
      const like = await files[other].at(place);
      yield compareRows(side === 'now' ? { before: like, now: row } : { before: row, now: like }, files);
    } else if (row) waiting[side].add(row);
  }
}

async function nextOf(rows: AsyncGenerator<RowLine>): Promise<RowLine | null> {
  const next = await rows.next();
  return next.done === true ? null : next.value;
}

/** Where the rows are that have not met their like. */
class Waiting {
  readonly #places = new Map<string, RowLine['place'][]>();

  add({ key, place }: RowLine): void {
    const places = this.#places.get(key);
    if (places) places.push(place);
    else this.#places.set(key, [place]);
  }

  /** Takes the place of the first row with the same key. */
  takeLike({ key }: RowLine): RowLine['place'] | undefined {
    const places = this.#places.get(key);
    const first = places?.shift();
    if (places?.length === 0) this.#places.delete(key);
    return first;
  }

  all(): readonly RowLine['place'][] {
    return [...this.#places.values()].flat();
  }
}

function compareRows(rows: OfBoth<RowLine>, files: OfBoth<RowFile>): ChangedRow | null {
  const [then, today] = [answerIn(rows.before), answerIn(rows.now)];
  if (then && today && isSameText(then, today)) return null;
  const [before, now] = [files.before.read(rows.before, then), files.now.read(rows.now, today)];
  const { row, customId: custom_id } = rows.now;
  if (before.answer && now.answer) return compareBoth({ row, custom_id }, [before.answer, now.answer], files);
  const isSame = before.status === now.status && before.code === now.code;
  return isSame ? null : { row, custom_id, status: { before: outcomeOf(before), now: outcomeOf(now) } };
}

function outcomeOf({ status, code }: Outcome): Pick<Outcome, 'status' | 'code'> {
  return { status, code };
}

function compareBoth(
  name: Pick<ChangedRow, 'row' | 'custom_id'>,
  [before, now]: readonly [KeptAnswer, KeptAnswer],
  files: OfBoth<RowFile>,
): ChangedRow | null {
  if ('areaM2' in before !== 'areaM2' in now)
    throw new Error(
      `row ${name.row}: ${files.before.name} has an area and ${files.now.name} has a place, or the other way round`,
    );
  return changedRow({ ...name, ...changedRules(before, now) }, compareAnswers(before, now));
}

/** A distance may pass the limit of a rule where no layer says anything else. */
function changedRules({ rules: then }: KeptAnswer, { rules: today }: KeptAnswer): Pick<ChangedRow, 'rules'> {
  if (then === undefined || today === undefined) return {};
  const outcomeIn = (rules: typeof then, id: string): string | null =>
    Object.hasOwn(rules, id) ? rules[id]!.outcome : null;
  const all = Object.keys({ ...then, ...today }).map(
    (id) => [id, { before: outcomeIn(then, id), now: outcomeIn(today, id) }] as const,
  );
  const changed = all.filter(([, { before, now }]) => before !== now);
  return changed.length === 0 ? {} : { rules: Object.fromEntries(changed) };
}

/** A row with the layers that have changed alone; null: none has, and no rule either. */
export function changedRow(
  name: Pick<ChangedRow, 'row' | 'custom_id' | 'rules'>,
  comparison: Comparison,
): ChangedRow | null {
  const { changed, layers } = comparison;
  if (changed.length === 0 && name.rules === undefined) return null;
  return { ...name, ...comparison, layers: Object.fromEntries(changed.map((key) => [key, layers[key]!])) };
}
