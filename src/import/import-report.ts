import type { DataSetOutcome, ImportLayersResult } from '../messages/import.ts';
import type { DataSetRecord, SnapshotManifest } from '../messages/manifest.ts';
import { missingLayers } from '../core/snapshots/current.ts';
import { wordsText } from '../catalogue/known-words.ts';
import { textTable } from '../core/terminal/command.ts';
import { grouped } from '../words.ts';

/** Exit codes of an import. */
export const exitCodes = { full: 0, nothingPublished: 1, partial: 2 } as const;

/** Returns `full` when every data set is up to date with its source, and `partial` when some are. */
export function exitCode({ manifest, outcomes }: ImportLayersResult): number {
  const failed = outcomes.filter(({ status }) => status === 'failed').length;
  const isWhole = outcomes.every((outcome) => outcome.status === 'failed' || isWholeRecord(outcome.record));
  if (failed === 0) return isWhole ? exitCodes.full : exitCodes.partial;
  const isRefused = manifest === null && !outcomes.some(({ status }) => status === 'unchanged');
  return isRefused || failed === outcomes.length ? exitCodes.nothingPublished : exitCodes.partial;
}

function isWholeRecord({ refused, keptParts, keptAreas = [] }: DataSetRecord): boolean {
  return refused === undefined && keptParts === undefined && !keptAreas.some(({ isUnproved }) => isUnproved);
}

/** Remarks of the report besides the figures, by data set. */
type Remarks = ReadonlyMap<string, readonly string[]>;

/** Returns a table with a row per data set, and the result for the snapshot. @param chosen as `publish` of a building gives it. */
export function importReport(
  result: ImportLayersResult,
  remarks: Remarks = new Map(),
  chosen: string | null = null,
): string {
  const { manifest, outcomes, kept } = result;
  const head = ['data set', 'features', 'change', 'vertices', 'repaired', 'dropped', 'as of', 'source', 'seconds', ''];
  const table = textTable(
    head,
    outcomes.map((outcome) => row(outcome, remarks.get(outcome.id) ?? [])),
  );
  const words = filterWords(outcomes) + unknownWords(outcomes);
  const others = kept.filter((id) => !outcomes.some((outcome) => outcome.id === id && outcome.status === 'unchanged'));
  const keptText = others.length > 0 ? `Kept from the last snapshot: ${others.join(', ')}\n` : '';
  if (manifest !== null)
    return `\n${table}\n\n${words}${keptText}${publishedSentence(manifest, chosen)}${nextStep(manifest)}`;
  if (exitCode(result) !== exitCodes.nothingPublished)
    return `\n${table}\n\nNothing has changed since the last snapshot.\n`;
  const advice = outcomes.every(({ status }) => status === 'failed')
    ? ''
    : ' (--partial publishes the data sets that did not fail)';
  return `\n${table}\n\nNothing was published${advice}: the snapshot in service is unchanged.\n`;
}

/** Says whether a new snapshot is in service, and if not, why and what to do. @param chosen as `publish` of a building gives it. */
export function publishedSentence({ id }: Pick<SnapshotManifest, 'id'>, chosen: string | null): string {
  if (chosen === null) return `Snapshot ${id} is in service.\n`;
  return (
    `Snapshot ${id} is stored, but not in service: somebody put ${chosen} into service during the import, and it stays. ` +
    `To change to the new one: land-lookup snapshot use ${id}\n`
  );
}

/** Says what else to import before lookups of addresses are answered. */
function nextStep(manifest: SnapshotManifest): string {
  const layers = missingLayers(manifest);
  if (layers !== null) return `It ${layers}.\n`;
  return manifest.gazetteer ? '' : 'It has no addresses yet: import them with "land-lookup load-addresses".\n';
}

/** Says which codes and words no definition knows: what has them is answered with "not known". */
function unknownWords(outcomes: readonly DataSetOutcome[]): string {
  const lines = outcomes.flatMap((outcome) => {
    const { unknownWords: words = {}, beside } = outcome.status === 'failed' ? {} : outcome.record;
    const told = [
      ...wordsText(words),
      ...(beside?.unclear ? [`${grouped(beside.unclear)} features of unknown kind`] : []),
    ];
    return told.length === 0 ? [] : [`  ${outcome.id}: ${told.join(', ')}\n`];
  });
  return lines.length === 0
    ? ''
    : `Words that no definition knows, and how many features have them (answered "not known"):\n${lines.join('')}\n`;
}

/** Says how many features have each word by which answers choose features, and warns of those that none has. */
function filterWords(outcomes: readonly DataSetOutcome[]): string {
  const counted = outcomes.flatMap((outcome) => {
    const { filterWords: words = {} } = outcome.status === 'imported' ? outcome.record : {};
    return wordsText(words).length === 0 ? [] : [{ id: outcome.id, words }];
  });
  const lines = counted.map(({ id, words }) => `  ${id}: ${wordsText(words).join(', ')}\n`);
  const unmet = counted.flatMap(({ id, words }) => {
    const none = Object.entries(words).flatMap(([field, counts]) =>
      Object.entries(counts).flatMap(([word, count]) => (count === 0 ? [`${field} ${JSON.stringify(word)}`] : [])),
    );
    return none.length === 0 ? [] : [`  WARNING: no feature of ${id} has ${none.join(', ')}\n`];
  });
  return lines.length === 0
    ? ''
    : `Words by which answers choose features, and how many features have them:\n${[...lines, ...unmet].join('')}\n`;
}

function row(outcome: DataSetOutcome, remarks: readonly string[]): string[] {
  const seconds = outcome.seconds.toFixed(1);
  if (outcome.status === 'failed')
    return [outcome.id, '', '', '', '', '', '', '', seconds, [`FAILED: ${outcome.error}`, ...remarks].join(', ')];
  const {
    featureCount,
    vertexCount,
    repaired,
    dropped,
    asOf,
    files,
    notUsed = [],
    refused = [],
    keptParts = [],
    keptAreas = [],
    unreadableTexts = {},
  } = outcome.record;
  const sum = Object.values(dropped).reduce((total, count) => total + count, 0);
  const texts = Object.entries(unreadableTexts).map(
    ([field, count]) => `${grouped(count)} unreadable texts in ${field}`,
  );
  const why = [...Object.entries(dropped).map(([reason, count]) => `${grouped(count)} ${reason}`), ...texts];
  const leftOut = refused.map(({ part, reason }) => `${part}: NOT USED, and not known in its area: ${reason}`);
  const kept = [
    ...keptParts.map(({ part, since, reason }) => `${part}: NOT REFRESHED since ${since.slice(0, 10)}: ${reason}`),
    ...keptAreas.map(({ part, reason }) => `${part}: ${reason}`),
  ];
  const passedOver = notUsed.map((reason) => `another source was not used: ${reason}`);
  return [
    outcome.id,
    grouped(featureCount),
    outcome.status === 'unchanged' ? '0' : change(featureCount, outcome.previousCount),
    grouped(vertexCount),
    grouped(repaired),
    grouped(sum),
    asOf,
    sourceText(files),
    seconds,
    [
      ...(outcome.status === 'unchanged' ? ['unchanged'] : []),
      ...why,
      ...remarks,
      ...leftOut,
      ...kept,
      ...passedOver,
    ].join(', '),
  ];
}

/** Returns a service's path or a file's name; for several, the first and the number of others. */
function sourceText([first = '', ...more]: readonly string[]): string {
  const short = /\/rest\/services\/(.+)$/.exec(first)?.[1] ?? first.split('/').at(-1)!;
  return more.length === 0 ? short : `${short} and ${more.length} more`;
}

function change(count: number, previous: number | null): string {
  if (previous === null) return 'new';
  return count > previous ? `+${grouped(count - previous)}` : grouped(count - previous);
}
