import type { DataSetDefinition } from '../catalogue/definition.ts';
import { sourceField } from '../catalogue/source-field.ts';
import type { ArcgisOptions } from './arcgis.ts';
import { findLayer, type ArcgisLayer, type LayerAddress } from './arcgis-layer.ts';
import { readContent } from './arcgis-query.ts';
import { effectiveField } from './effective-field.ts';
import { ChunkStore, hashIds, type ChunkPlan } from './chunk-store.ts';

/** What a layer holds at its server, and what of it is on the disk already. */
export interface LayerSurvey {
  readonly layer: ArcgisLayer;
  /** Ascending object ids. */
  readonly ids: readonly number[];
  readonly store: ChunkStore;
  readonly plan: ChunkPlan;
  /** `unchanged`: all of it is on the disk. `resumed`: some of it may be. `new`: nothing that counts. */
  readonly state: 'unchanged' | 'resumed' | 'new';
}

/** The definition's part that a source must fit. */
export type Wanted = Pick<DataSetDefinition, 'fields' | 'geometry'> & {
  /** The source's field -> the definition's. */
  readonly rename: Readonly<Record<string, string>>;
};

/** Longer lists make the server slow, and a failed request repeats less. */
const MOST_IDS_PER_CHUNK = 1000;

/** Chunks that are older than this are not mixed with younger ones. */
const LONGEST_PAUSE_MS = 7 * 24 * 3600 * 1000;

/**
 * Asks the server what a layer holds, and compares it with the folder.
 * @throws Error when there is no such layer, or it lacks a required field, is of another geometry type, or is empty.
 */
export async function surveyLayer(
  address: LayerAddress,
  wanted: Wanted,
  folder: string,
  options: ArcgisOptions,
): Promise<LayerSurvey> {
  const layer = await findLayer(address, options);
  const fields = fieldsToRead(layer, wanted);
  const { ids, version } = await readContent(layer, options);
  if (ids.length === 0) throw new Error(`${layer.url} ("${layer.name}") has no features`);
  const store = new ChunkStore(folder);
  const fresh: ChunkPlan = {
    format: 1,
    url: layer.url,
    fields,
    featureCount: ids.length,
    idsPerChunk: Math.min(layer.maxRecordCount, MOST_IDS_PER_CHUNK),
    ids: hashIds(ids),
    version,
    editedMs: layer.editedMs,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    vanished: 0,
    usedAt: null,
  };
  const stored = store.readPlan();
  const state = compare(stored, fresh);
  return { layer, ids, store, state, plan: stored && state !== 'new' ? stored : fresh };
}

function compare(stored: ChunkPlan | null, fresh: ChunkPlan): LayerSurvey['state'] {
  if (!stored || !isSameContent(stored, fresh)) return 'new';
  if (stored.finishedAt !== null && stored.version !== null) return 'unchanged';
  // Without a version an edit of a record would not show: only a run that was interrupted goes on with it.
  if (stored.finishedAt !== null && stored.usedAt !== null) return 'new';
  if (Date.now() - Date.parse(stored.startedAt) >= LONGEST_PAUSE_MS) return 'new';
  return stored.finishedAt === null ? 'resumed' : 'unchanged';
}

function isSameContent(a: ChunkPlan, b: ChunkPlan): boolean {
  return a.url === b.url && a.ids === b.ids && a.version === b.version && a.fields.join(',') === b.fields.join(',');
}

/** @throws Error when the layer does not fit the definition. */
function fieldsToRead({ url, name, fields, geometry }: ArcgisLayer, wanted: Wanted): string[] {
  if (geometry !== wanted.geometry)
    throw new Error(`${url} ("${name}") is of the geometry type ${geometry ?? 'none'}, not ${wanted.geometry}`);
  const present = fields.map((field) => field.name);
  const chosen: string[] = [];
  for (const [field, definition] of Object.entries(wanted.fields)) {
    const source = sourceField(field, definition, wanted.rename, present);
    if (source !== null) chosen.push(source);
    else if (definition.required)
      throw new Error(`${url} ("${name}") has no field "${field}"; it has: ${present.join(', ')}`);
  }
  if (present.includes(effectiveField) && !chosen.includes(effectiveField)) chosen.push(effectiveField);
  return chosen;
}
