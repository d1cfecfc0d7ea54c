/** What a layer has besides what its definition knows: fields, and words in a sample of its rows. */
import type { DataSetDefinition } from '../../catalogue/definition.ts';
import { judge } from '../../catalogue/counting.ts';
import { knownWords, WordCounter, type WordCounts } from '../../catalogue/known-words.ts';
import { effectiveField } from '../../messages/import.ts';
import type { ArcgisOptions } from './arcgis.ts';
import { changeFields, readFeatures } from './arcgis-query.ts';
import type { RemoteSource } from './data-set-sources.ts';
import type { LayerSurvey } from './survey.ts';

export interface LayerInspection {
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
export async function inspectLayer(
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
