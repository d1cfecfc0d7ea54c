import type { DataSetDefinition, SourceDefinition } from '../../catalogue/definition.ts';
import { nameOfPart } from '../../catalogue/source-field.ts';
import { remoteSources, type RemotePart, type RemoteSource } from './data-set-sources.ts';
import type { FileVersion } from './file-version.ts';
import { Transient } from '../../core/outbound/failures.ts';
import { Misfit } from './match-fields.ts';
import { forEachLimited } from './for-each-limited.ts';
import type { LayerSurvey } from './survey-layer.ts';
import { sourcesOf, surveySource, type DownloadContext } from './survey-data-sets.ts';
import { messageOf } from '../../words.ts';
import { judge } from '../../catalogue/counting.ts';
import { knownWords, WordCounter, type WordCounts } from '../../catalogue/known-words.ts';
import { effectiveField } from '../../messages/import.ts';
import type { ArcgisOptions } from './arcgis.ts';
import { changeFields, readFeatures } from './arcgis-layer.ts';

/** A layer or file of a data set, checked without fetching it. */
export type CheckedSource = {
  readonly definition: DataSetDefinition;
  readonly source: SourceDefinition;
  /** Null for a source that is not in parts. */
  readonly part: RemotePart | null;
  /** Where its server sent a request; null: nowhere. */
  readonly movedTo: string | null;
} & CheckResult;

type CheckResult =
  | {
      readonly status: 'layer';
      readonly survey: LayerSurvey;
      readonly inspection: LayerInspection;
      readonly controlPoints: number;
      /** That its definition gives it. */
      readonly names: readonly string[];
    }
  | { readonly status: 'file'; readonly url: string; readonly version: FileVersion }
  | { readonly status: 'not asked' }
  /** The server did not answer, so nothing is known. */
  | { readonly status: 'no answer'; readonly error: string }
  | {
      readonly status: 'misfit';
      readonly error: string;
      readonly path: readonly (string | number)[];
      readonly cause: unknown;
    };

/** Asks every source of every data set, also those that an import would not need. */
export async function checkSources(
  definitions: readonly DataSetDefinition[],
  context: DownloadContext,
): Promise<CheckedSource[]> {
  const sources = definitions.flatMap((definition) =>
    sourcesOf(definition, context).map((source) => ({ definition, source })),
  );
  const checked = new Map<object, CheckedSource[]>();
  await forEachLimited(sources, context.parallel, async (one) => {
    checked.set(one, await checkSource(one, context));
  });
  return sources.flatMap((one) => checked.get(one)!);
}

async function checkSource(
  one: Pick<CheckedSource, 'definition' | 'source'>,
  context: DownloadContext,
): Promise<CheckedSource[]> {
  const remotes = remoteSources(one.source, context);
  if (remotes.length === 0) return [{ ...one, part: null, movedTo: null, status: 'not asked' }];
  const checked: CheckedSource[] = [];
  for (const [index, remote] of remotes.entries()) {
    const part = remote.kind === 'layer' ? (remote.part ?? null) : null;
    let movedTo: string | null = null;
    const onMoved = (to: string): void => {
      movedTo ??= to;
    };
    const result = await checkRemote(one, remote, { context: { ...context, onMoved }, index });
    checked.push({ ...one, part, movedTo, ...result });
  }
  return checked;
}

async function checkRemote(
  { definition, source }: Pick<CheckedSource, 'definition' | 'source'>,
  remote: RemoteSource,
  { context, index }: { readonly context: DownloadContext; readonly index: number },
): Promise<CheckResult> {
  try {
    const surveyed = await surveySource(definition, remote, { context, index });
    if (surveyed.kind === 'file') return { status: 'file', url: surveyed.remote.file.url, version: surveyed.version };
    const { survey, controlPoints, remote: asked } = surveyed;
    const inspection = await inspectLayer(definition, surveyed, context);
    return { status: 'layer', survey, inspection, controlPoints, names: asked.address.names };
  } catch (cause) {
    const error = messageOf(cause);
    if (cause instanceof Transient) return { status: 'no answer', error };
    return { status: 'misfit', error, path: pathTo(source, definition, { cause, remote }), cause };
  }
}

/** Returns the path of the definition's member that does not fit. */
function pathTo(
  source: SourceDefinition,
  { sources }: DataSetDefinition,
  { cause, remote }: { readonly cause: unknown; readonly remote: RemoteSource },
): (string | number)[] {
  // The source that the operator chose is not in the list; it replaces the definition's own layer.
  const index = Math.max(
    0,
    sources.findIndex((one) => one === source || (!sources.includes(source) && one.kind === source.kind)),
  );
  const own = ['sources', index, ...partPath(source, remote)];
  if (cause instanceof Misfit)
    return ['names', 'control'].includes(cause.path[0]) ? [...own, ...cause.path] : [...cause.path];
  return [...own, { arcgis: 'service', package: 'code', file: 'url', composite: 'service' }[source.kind]];
}

function partPath(source: SourceDefinition, remote: RemoteSource): (string | number)[] {
  if (source.kind !== 'composite' || remote.kind !== 'layer') return [];
  return ['parts', source.parts.findIndex((part) => nameOfPart(part) === remote.part?.name)];
}

// What a layer has besides what its definition knows: fields, and words in a sample of its rows.

interface LayerInspection {
  /** Rows whose words were read; null when the definition tells no words apart. */
  readonly sampledRows: number | null;
  readonly unknownWords: WordCounts;
  /** The values of the definition's `fixedList`; null: it has none, or more than are read. */
  readonly list: readonly string[] | null;
  /** Fields of the layer that the definition does not name. */
  readonly newFields: readonly string[];
  /** Bytes that an import still has to fetch, estimated. */
  readonly bytes: number;
}

type RemoteLayer = Extract<RemoteSource, { kind: 'layer' }>;

const WORD_ROWS = 1000;

/** Number of features whose average size estimates the whole. */
export const SIZED_FEATURES = 20;

const MOST_BYTES = 64 * 1024 * 1024;

/** Reads samples of a layer that was found. */
async function inspectLayer(
  definition: DataSetDefinition,
  { remote, survey }: { readonly remote: RemoteLayer; readonly survey: LayerSurvey },
  options: ArcgisOptions,
): Promise<LayerInspection> {
  const words = remote.part?.role === 'coverage' ? noWords : await sampleWords(definition, { remote, survey }, options);
  return { ...words, newFields: newFields(definition, remote, survey), bytes: await estimateBytes(survey, options) };
}

const noWords = { sampledRows: null, unknownWords: {}, list: null } as const;

async function sampleWords(
  definition: DataSetDefinition,
  { remote, survey }: { readonly remote: RemoteLayer; readonly survey: LayerSurvey },
  options: ArcgisOptions,
): Promise<Pick<LayerInspection, 'sampledRows' | 'unknownWords' | 'list'>> {
  const { counts: rules = [], fields, fixedList = [] } = definition;
  const known = knownWords(definition);
  const hasCodes = rules.length > 0 || Object.keys(known).length > 0;
  if (!hasCodes && fixedList.length === 0) return noWords;
  const constants = remote.part?.constants ?? {};
  const names = Object.keys(fields);
  const counter = new WordCounter(
    names.map((name) => ({ name })),
    known,
  );
  const list = new Set<string>();
  let sampledRows = 0;
  const ids = spread(survey.ids, WORD_ROWS);
  for (let from = 0; from < ids.length; from += survey.plan.idsPerChunk) {
    const chunk = { ids: ids.slice(from, from + survey.plan.idsPerChunk), fields: survey.plan.fields };
    const rows = await readFeatures(survey.layer, { ...chunk, maxBytes: MOST_BYTES, withGeometry: false }, options);
    for (const { attributes } of rows.values()) {
      const valueOf = (name: string): unknown => constants[name] ?? attributes[survey.fields.get(name) ?? ''];
      list.add(entryOf(fixedList, valueOf));
      counter.count(names.map(valueOf));
      judge(rules, valueOf, counter.addFromRules);
    }
    sampledRows += rows.size;
  }
  return {
    sampledRows: hasCodes ? sampledRows : null,
    unknownWords: counter.counts,
    list: listOf(definition, survey, list),
  };
}

function listOf({ fixedList }: DataSetDefinition, { ids }: LayerSurvey, found: ReadonlySet<string>) {
  return fixedList !== undefined && ids.length <= WORD_ROWS ? [...found].toSorted() : null;
}

/** An entry of a fixed list, as people read it: `34 Toronto and Region Conservation Authority`. */
function entryOf(fields: readonly string[], valueOf: (name: string) => unknown): string {
  return fields.flatMap((field) => (valueOf(field) == null ? [] : String(valueOf(field)))).join(' ');
}

/** Columns that most of the province's layers have. */
const common = [effectiveField, ...changeFields, 'OGF_ID', 'LOCATION_ACCURACY'];

function newFields({ fields }: DataSetDefinition, { rename }: RemoteLayer, { layer }: LayerSurvey): string[] {
  const alternatives = Object.values(fields).flatMap((field) => field.alternatives ?? []);
  const named = [...Object.keys(fields), ...alternatives, ...Object.keys(rename), ...common];
  return layer.fields
    .map(({ name }) => name)
    .filter((name) => name !== layer.objectIdField && !named.includes(name) && !/^shape\b/i.test(name));
}

async function estimateBytes({ layer, ids, plan, state }: LayerSurvey, options: ArcgisOptions): Promise<number> {
  if (state === 'unchanged') return 0;
  const sample = spread(ids, SIZED_FEATURES);
  const features = await readFeatures(layer, { ids: sample, fields: plan.fields, maxBytes: MOST_BYTES }, options);
  const bytes = Buffer.byteLength(JSON.stringify([...features.values()]));
  return (bytes / sample.length) * ids.length;
}

/** Returns at most `most` of the ids, evenly from the whole list. */
function spread(ids: readonly number[], most: number): readonly number[] {
  const length = Math.min(ids.length, most);
  return Array.from({ length }, (_, i) => ids[Math.floor((i * ids.length) / length)]!);
}
