import type { ArcgisOptions } from './arcgis.ts';
import type { ArcgisLayer } from './arcgis-layer.ts';
import { readContent } from './arcgis-query.ts';
import { effectiveField } from '../../messages/import.ts';
import { findLayer, type FoundLayer, type LayerAddress } from './find-layer.ts';
import type { FieldNames, Wanted } from './match-fields.ts';
import { Empty } from './misfit.ts';
import { ChunkStore, hashIds, type ChunkPlan } from './chunk-store.ts';

/** Content of a layer at its server, and how much of it is already on the disk. */
export interface LayerSurvey extends FoundLayer {
  /** Ascending object ids. */
  readonly ids: readonly number[];
  /** As in `LayerContent`. */
  readonly changedMs: number | null;
  readonly store: ChunkStore;
  readonly plan: ChunkPlan;
  /** `unchanged`: all of it is on the disk. `resumed`: some of it may be. `new`: nothing that can be used. */
  readonly state: 'unchanged' | 'resumed' | 'new';
}

/** Most ids per chunk: longer lists make the server slow, and a short one repeats less after a failure. */
const MOST_IDS_PER_CHUNK = 1000;

/** Age above which chunks are not mixed with newer ones. */
const LONGEST_PAUSE_MS = 7 * 24 * 3600 * 1000;

/**
 * Asks the server for a layer's content, and compares it with the folder.
 * @throws Error when there is no such layer, or it lacks a required field, is of another geometry type, or is empty.
 */
export async function surveyLayer(
  address: LayerAddress,
  wanted: Wanted,
  folder: string,
  options: ArcgisOptions,
): Promise<LayerSurvey> {
  const found = await findLayer(address, wanted, options);
  const { layer } = found;
  const { ids, version, changedMs } = await readContent(layer, options);
  if (ids.length === 0) throw new Empty(`${layer.url} ("${layer.name}") has no features`);
  const store = new ChunkStore(folder);
  const fresh: ChunkPlan = {
    format: 2,
    url: layer.url,
    crs: layer.crs,
    fields: fieldsToRead(layer, found.fields),
    featureCount: ids.length,
    idsPerChunk: Math.min(layer.maxRecordCount, MOST_IDS_PER_CHUNK, wanted.pageSize ?? Infinity),
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
  return { ...found, ids, changedMs, store, state, plan: stored && state !== 'new' ? stored : fresh };
}

function compare(stored: ChunkPlan | null, fresh: ChunkPlan): LayerSurvey['state'] {
  if (!stored || !isSameContent(stored, fresh)) return 'new';
  if (stored.finishedAt !== null && stored.version !== null) return 'unchanged';
  // Without a version an edit of a record would go unnoticed, so only an interrupted run may continue.
  if (stored.finishedAt !== null && stored.usedAt !== null) return 'new';
  if (Date.now() - Date.parse(stored.startedAt) >= LONGEST_PAUSE_MS) return 'new';
  return stored.finishedAt === null ? 'resumed' : 'unchanged';
}

function isSameContent(a: ChunkPlan, b: ChunkPlan): boolean {
  const [these, those] = [a, b].map(({ url, crs, ids, version, fields }) =>
    JSON.stringify([url, crs, ids, version, fields]),
  );
  return these === those;
}

function fieldsToRead(layer: ArcgisLayer, names: FieldNames): string[] {
  const chosen = [...names.values()].filter((name) => name !== null);
  const dated = layer.fields.some(({ name }) => name === effectiveField) && !chosen.includes(effectiveField);
  return dated ? [...chosen, effectiveField] : chosen;
}
