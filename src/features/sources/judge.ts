/** Judges what asking a source showed: against its definition, and against what was there at the last import. */
import type { LayerFacts, SourceCheck } from '../../import/source-fetcher.ts';
import type { DataSetRecord } from '../../messages/manifest.ts';
import { DAY_MS, dayOf } from '../../messages/time.ts';
import { grouped } from '../../words.ts';

/** What a check can find, the least grave first. */
export const findings = [
  'ok',
  'overdue',
  'fewer',
  'words_unknown',
  'names_changed',
  'control_point_wrong',
  'moved',
  'unreachable',
  'gone',
] as const;
export type Finding = (typeof findings)[number];

/** Negative where the first one is the graver. */
export function byGravity(one: Finding, other: Finding): number {
  return findings.indexOf(other) - findings.indexOf(one);
}

/** What a layer was when it was first asked, or first asked after the last import: what changed since then is said. */
export interface Base extends Pick<LayerFacts, 'id' | 'missingFields' | 'list'> {
  /** UTC, ISO 8601. */
  readonly at: string;
  /** The most since then: losses in small steps add up. */
  readonly featureCount: number;
}

export interface Known {
  readonly base: Base | null;
  /** Of the snapshot in service; undefined: it does not have the data set. */
  readonly record: Pick<DataSetRecord, 'asOf' | 'importedAt'> | undefined;
  /** Days after which data that did not change are overdue; null: nobody says. */
  readonly termDays: number | null;
  readonly nowMs: number;
}

/** Loss of features that an import refuses too. */
const MOST_LOST = 0.05;

type Found = readonly [Finding, reason: string];

export function judge(
  check: SourceCheck,
  known: Known,
): {
  readonly finding: Finding;
  /** Empty when all is well. All that was found, the gravest first. */
  readonly reason: string;
  readonly base: Base | null;
} {
  const base = check.layer ? baseOf(check.layer, known) : known.base;
  const found = [
    ...failureOf(check),
    ...(check.layer && base ? driftOf(check.layer, base) : []),
    ...overdue(check.editedOn, known),
  ].toSorted(([one], [other]) => byGravity(one, other));
  return { finding: found[0]?.[0] ?? 'ok', reason: found.map(([, reason]) => reason).join('; '), base };
}

/** What each state of a source is, but for `answers`. */
const failures = {
  gone: 'gone',
  silent: 'unreachable',
  empty: 'fewer',
  names: 'names_changed',
  control: 'control_point_wrong',
} as const;

function failureOf({ state, error, movedTo }: SourceCheck): Found[] {
  const failed: Found[] = state === 'answers' ? [] : [[failures[state], error ?? '']];
  if (movedTo === null) return failed;
  const moved: Found = ['moved', `its server sends requests on to ${movedTo}${error ? ` (${error})` : ''}`];
  // A place to which requests are sent on, and which then does not answer them, has moved.
  return state === 'silent' ? [moved] : [...failed, moved];
}

/** An import that has taken the data since then has accepted what they are now. One of a day to come would do so each night. */
function baseOf({ id, featureCount, missingFields, list }: LayerFacts, { base, record, nowMs }: Known): Base {
  const now: Base = { at: new Date(nowMs).toISOString(), id, featureCount, missingFields, list };
  const importedAt = record?.importedAt ?? '';
  if (base === null || (importedAt > base.at && importedAt <= now.at)) return now;
  return { ...base, featureCount: Math.max(base.featureCount, featureCount), list: base.list ?? list };
}

function driftOf(layer: LayerFacts, base: Base): Found[] {
  const { id, name, isNamed, featureCount, missingFields, unknownWords, list } = layer;
  const found: Found[] = [];
  if (!isNamed) found.push(['names_changed', `its layer is called "${name}" now, which its definition does not know`]);
  if (id !== base.id) found.push(['moved', `its layer "${name}" has the number ${id} now, and had ${base.id}`]);
  const lost = missingFields.filter((field) => !base.missingFields.includes(field));
  if (lost.length > 0) found.push(['names_changed', `it no longer has the fields ${lost.join(', ')}`]);
  const changed = base.list && list ? changeOfList(base.list, list) : null;
  if (changed !== null) found.push(['names_changed', changed]);
  if (unknownWords.length > 0)
    found.push(['words_unknown', `no definition knows the words ${unknownWords.join(', ')}`]);
  if (featureCount < base.featureCount * (1 - MOST_LOST))
    found.push(['fewer', `it has ${grouped(featureCount)} features, and had ${grouped(base.featureCount)}`]);
  return found;
}

/** Entries of a list in a reason. */
const MOST_SHOWN = 3;

function changeOfList(before: readonly string[], now: readonly string[]): string | null {
  const shown = (entries: readonly string[]): string =>
    entries.length > MOST_SHOWN ? `${entries.slice(0, MOST_SHOWN).join(', ')} …` : entries.join(', ') || 'none';
  const [gone, added] = [before.filter((one) => !now.includes(one)), now.filter((one) => !before.includes(one))];
  if (gone.length === 0 && added.length === 0) return null;
  return `its list of names is another one: ${before.length} before, ${now.length} now; gone: ${shown(gone)}; new: ${shown(added)}`;
}

function overdue(editedOn: string | null, { record, termDays, nowMs }: Known): Found[] {
  if (termDays === null) return [];
  const latest = dayOf(nowMs - termDays * DAY_MS);
  const renewed = `data that are renewed within ${termDays} days`;
  if (editedOn !== null && editedOn < latest) return [['overdue', `it was last changed on ${editedOn}: ${renewed}`]];
  const asOf = record?.asOf ?? latest;
  return asOf < latest ? [['overdue', `the data in service are of ${asOf}: ${renewed}`]] : [];
}
