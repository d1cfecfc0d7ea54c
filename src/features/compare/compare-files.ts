/** Compares the results of two batches row by row, in memory that does not grow with them. */
import { compareAnswers } from './compare-answers.ts';
import type { KeptAnswer } from './kept-answer.ts';
import { readDiffering, type Side } from './answer-text.ts';
import { answerIn, type LinePlace, type ReadRow, type RowFile, type RowLine } from './row-file.ts';
import type { Comparison } from './wire.ts';

/** A row that has changed. */
export interface ChangedRow extends Partial<Comparison> {
  readonly row: number;
  readonly custom_id: string | null;
  /** It is in one of the files alone. */
  readonly only?: 'before' | 'now';
  /** Where it has an answer on one side alone, or another failure. */
  readonly status?: Readonly<Record<Side, Pick<ReadRow, 'status' | 'code'>>>;
  /** Rules of the law whose outcome differs, where both results have some. Null: they were not judged on that side. */
  readonly rules?: Readonly<Record<string, { readonly before: string | null; readonly now: string | null }>>;
}

type Files = Readonly<Record<Side, RowFile>>;

/** Yields null for a row that is the same. @throws Error that names the file, the row and what cannot be understood. */
export async function* compareFiles(files: Files): AsyncGenerator<ChangedRow | null> {
  const rows = { before: files.before.rows(), now: files.now.rows() };
  const waiting: Readonly<Record<Side, Waiting>> = { before: new Waiting(), now: new Waiting() };
  for (;;) {
    const [before, now] = [await nextOf(rows.before), await nextOf(rows.now)];
    if (before === null && now === null) break;
    if (before !== null && before.key === now?.key) yield compareRows(before, now, files);
    else yield* meet({ before, now, waiting }, files);
  }
  for (const side of ['before', 'now'] as const)
    for (const place of waiting[side].all()) {
      const { row, customId } = await files[side].at(place);
      yield { row, custom_id: customId, only: side };
    }
}

async function nextOf(rows: AsyncGenerator<RowLine>): Promise<RowLine | null> {
  const next = await rows.next();
  return next.done === true ? null : next.value;
}

/** Rows that differ: in another order, or in one file only. Where a row is stays in memory, not the row. */
async function* meet(
  {
    before,
    now,
    waiting,
  }: Readonly<Record<Side, RowLine | null>> & { readonly waiting: Readonly<Record<Side, Waiting>> },
  files: Files,
): AsyncGenerator<ChangedRow | null> {
  const later = before && waiting.now.take(before, waiting.before);
  if (before && later) yield compareRows(before, await files.now.at(later), files);
  const earlier = now && waiting.before.take(now, waiting.now);
  if (now && earlier) yield compareRows(await files.before.at(earlier), now, files);
}

/** Where the rows are that have not met their like: of those with the same key the first one first. */
class Waiting {
  readonly #places = new Map<string, LinePlace[]>();

  /** Takes the place of a row with this key; where there is none, the row waits on its own side. */
  take({ key, start, line }: RowLine, own: Waiting): LinePlace | undefined {
    const places = this.#places.get(key);
    if (places === undefined) own.#places.set(key, [...(own.#places.get(key) ?? []), { start, length: line.length }]);
    const first = places?.shift();
    if (places?.length === 0) this.#places.delete(key);
    return first;
  }

  *all(): Iterable<LinePlace> {
    for (const places of this.#places.values()) yield* places;
  }
}

function compareRows(before: RowLine, now: RowLine, files: Files): ChangedRow | null {
  const [textBefore, textNow] = [answerIn(before), answerIn(now)];
  const rows = { before, now };
  const differing =
    textBefore && textNow
      ? readDiffering(textBefore, textNow, (side, ...part) => files[side].readPart(rows[side], ...part))
      : undefined;
  if (differing === null) return null;
  const { row, customId: custom_id } = now;
  if (differing) return compareBoth({ row, custom_id }, differing, files);
  const [then, today] = [files.before.read(before), files.now.read(now)];
  if (then.answer !== null && today.answer !== null)
    return compareBoth({ row, custom_id }, [then.answer, today.answer], files);
  const status = { before: outcomeOf(then), now: outcomeOf(today) };
  const isSame = then.status === today.status && then.code === today.code;
  return isSame ? null : { row, custom_id, status };
}

function compareBoth(
  name: Pick<ChangedRow, 'row' | 'custom_id'>,
  [before, now]: readonly [KeptAnswer, KeptAnswer],
  files: Files,
): ChangedRow | null {
  if ('areaM2' in before !== 'areaM2' in now)
    throw new Error(
      `row ${name.row}: ${files.before.name} has an area and ${files.now.name} has a place, or the other way round`,
    );
  return changedRow({ ...name, ...changedRules(before, now) }, compareAnswers(before, now));
}

/** A distance may pass the limit of a rule where no layer says anything else. */
function changedRules(before: KeptAnswer, now: KeptAnswer): Pick<ChangedRow, 'rules'> {
  if (before.rules === undefined || now.rules === undefined) return {};
  const outcomes = [before.rules, now.rules].map(
    (rules) => new Map(Object.entries(rules).map(([id, { outcome }]) => [id, outcome])),
  );
  const ids = [...new Set(outcomes.flatMap((rules) => [...rules.keys()]))];
  const told = ids.map((id) => [id, outcomes.map((rules) => rules.get(id) ?? null)] as const);
  const others = told.filter(([, [then, today]]) => then !== today);
  if (others.length === 0) return {};
  return { rules: Object.fromEntries(others.map(([id, [then, today]]) => [id, { before: then!, now: today! }])) };
}

function outcomeOf({ status, code }: ReadRow): Pick<ReadRow, 'status' | 'code'> {
  return { status, code };
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
