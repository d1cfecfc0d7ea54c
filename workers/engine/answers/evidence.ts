import type { AnswerDefinition, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/lookup.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import { sideTable, type Side } from '../../../src/catalogue/side-tables.ts';
import type { AnswerKind, TablesRead, LayerAnswer } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { PlaceView } from '../views/view.ts';

interface Asked {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
  readonly given: LayerAnswer;
  /** Expected error of the position in metres. */
  readonly uncertaintyM: number;
  /** Decimals of the distances; default: decimetres. */
  readonly decimals?: number;
  readonly kind?: AnswerKind<AnswerDefinition>;
  /** Data set -> the last day that it tells of. */
  readonly sourceUntil?: ReadonlyMap<string, string> | undefined;
}

/** Returns the evidence of an answer, and the distance to where the answer could change. Ground metres. */
export function evidenceOf(
  view: PlaceView,
  { dataSet: definition, answer, given, uncertaintyM, decimals = 1, kind = kindOf(answer), sourceUntil }: Asked,
): LayerEvidence {
  const dataSet = definition.id;
  const tables = tablesRead(view, definition);
  let nearest = changeOfFeatures(view, tables, { answer, kind });
  if (kind.alwaysNeedsCoverage || foundNothing(given))
    nearest = Math.min(nearest, distanceOfCoverage(view, dataSet, kind.knownAroundM(answer)));
  const boundaryDistanceM = nearest <= EDGE_SEARCH_M ? round(nearest, decimals) : null;
  const { distanceM, others, feature } = kind.deciding(view, tables, { answer, given });
  const dataSets = dataSetsRead(view, { dataSet, answer, kind });
  const evidence: Mutable<LayerEvidence> = {
    state: given.state,
    distanceM: distanceM === null ? null : round(distanceM, decimals),
    searchedM: searchedOf(given, kind, answer),
    boundaryDistanceM,
    nearBoundary: boundaryDistanceM !== null && boundaryDistanceM <= uncertaintyM,
    dataSets,
  };
  const until = sourceUntil && earliest(dataSets, sourceUntil);
  if (until !== undefined) evidence.sourceUntil = until;
  if (feature !== undefined) evidence.feature = feature;
  if (others > 0) evidence.others = others;
  return evidence;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

function earliest(dataSets: readonly string[], days: ReadonlyMap<string, string>): string | undefined {
  let first: string | undefined;
  for (const id of dataSets) {
    const day = days.get(id);
    if (day !== undefined && (first === undefined || day < first)) first = day;
  }
  return first;
}

/** The way to where other features would decide, or one of which nobody knows whether it counts. */
function changeOfFeatures(
  view: PlaceView,
  { dataSet, unclear }: TablesRead,
  { answer, kind }: { readonly answer: AnswerDefinition; readonly kind: AnswerKind<AnswerDefinition> },
): number {
  const counted = view.has(dataSet) ? kind.nearestChangeM(view, { dataSet, answer }, EDGE_SEARCH_M) : Infinity;
  if (unclear === null || !kind.besideUnclear) return counted;
  return Math.min(counted, kind.nearestChangeM(view, { dataSet: unclear, answer }, EDGE_SEARCH_M));
}

/** Most definitions count every feature, and have one table. */
const onlyTables = new WeakMap<DataSetDefinition, TablesRead>();

function tablesRead(view: PlaceView, definition: DataSetDefinition): TablesRead {
  const { id, counts } = definition;
  if (counts === undefined) {
    let only = onlyTables.get(definition);
    if (only === undefined) onlyTables.set(definition, (only = { dataSet: id, unclear: null, shown: null }));
    return only;
  }
  const present = (side: Side): string | null => {
    const table = sideTable(id, side);
    return view.has(table) ? table : null;
  };
  return { dataSet: id, unclear: present('unclear'), shown: present('shown') };
}

/** Texts of evidence without a distance, by data sets and then by state. */
const plainTexts = new WeakMap<LayerEvidence['dataSets'], Map<string, string>>();

/** Writes an evidence as `JSON.stringify` would. Nothing is near most places, so most of the texts exist. */
export function evidenceJson(evidence: LayerEvidence): string {
  const { state, distanceM, searchedM, boundaryDistanceM, nearBoundary } = evidence;
  const { dataSets, sourceUntil, feature, others } = evidence;
  if (boundaryDistanceM === null && distanceM === null && !feature) {
    const until = sourceUntil === undefined ? '' : ` ${sourceUntil}`;
    const noFeature = feature === null ? ' null' : '';
    return plainText(dataSets, state + until + noFeature, () => JSON.stringify(evidence));
  }
  const ids = plainText(dataSets, 'ids', () => JSON.stringify(dataSets));
  const distances = `"distanceM":${distanceM},"searchedM":${searchedM},"boundaryDistanceM":${boundaryDistanceM},"nearBoundary":${nearBoundary}`;
  const until = sourceUntil === undefined ? '' : `,"sourceUntil":"${sourceUntil}"`;
  const rest = feature === undefined ? '' : `,"feature":${JSON.stringify(feature)}`;
  const more = others === undefined ? '' : `,"others":${others}`;
  return `{"state":"${state}",${distances},"dataSets":${ids}${until}${rest}${more}}`;
}

function plainText(dataSets: LayerEvidence['dataSets'], name: string, write: () => string): string {
  let texts = plainTexts.get(dataSets);
  if (texts === undefined) plainTexts.set(dataSets, (texts = new Map<string, string>()));
  let text = texts.get(name);
  if (text === undefined) texts.set(name, (text = write()));
  return text;
}

const dataSetsOf = new WeakMap<AnswerDefinition, readonly string[]>();

/** Returns the ids of the data sets that were read: the answer's own, and the partners that the snapshot has. */
function dataSetsRead(
  view: PlaceView,
  { dataSet, answer, kind }: { dataSet: string; answer: AnswerDefinition; kind: AnswerKind<AnswerDefinition> },
): readonly string[] {
  let all = dataSetsOf.get(answer);
  if (all === undefined) dataSetsOf.set(answer, (all = kind.readings(dataSet, answer).map((part) => part.dataSet)));
  // Most layers read nothing else.
  if (all.length === 1) return all;
  const isRead = (id: string, i: number): boolean => i === 0 || view.has(id);
  return all.every(isRead) ? all : all.filter(isRead);
}

/** How far was searched; null where the data set is not loaded or knows nothing of the place. */
function searchedOf(
  { state, distanceM }: LayerAnswer,
  kind: AnswerKind<AnswerDefinition>,
  answer: AnswerDefinition,
): number | null {
  const isUnknown = state === 'unavailable' || state === 'no_coverage';
  return isUnknown && distanceM === null ? null : (kind.searchedM?.(answer) ?? 0);
}

/** A feature that is found counts wherever it is found; that there is none is known in the data set's area only. */
function foundNothing({ state }: LayerAnswer): boolean {
  return state === 'absent' || state === 'no_coverage';
}

/** The way to where the area begins or ends in which the data set can say "no": `aroundM` inside the area that it knows. */
function distanceOfCoverage(view: PlaceView, dataSet: string, aroundM: number): number {
  const edgeM = view.coverageEdgeM(dataSet, EDGE_SEARCH_M + aroundM);
  if (edgeM === Infinity) return Infinity;
  return view.covers(dataSet, 0) ? Math.abs(edgeM - aroundM) : edgeM + aroundM;
}

function round(metres: number, decimals: number): number {
  return Math.round(metres * 10 ** decimals) / 10 ** decimals;
}
