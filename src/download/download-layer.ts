import type { ArcgisOptions } from './arcgis.ts';
import { readContent, readFeatures } from './arcgis-query.ts';
import type { ChunkPlan } from './chunk-store.ts';
import type { DownloadedFeature } from '../shared/downloads/feature.ts';
import { Stalled, TooLarge, Transient } from '../outbound/failures.ts';
import { checkDiskSpace } from '../snapshots/disk-space.ts';
import { forEachLimited } from './for-each-limited.ts';
import type { LayerSurvey } from './survey.ts';

export interface DownloadOptions extends ArcgisOptions {
  /** Requests under way at a time. */
  readonly parallel: number;
  /** Called with the number of new features on the disk and of bytes received. */
  readonly onFeatures: (features: number, bytes: number) => void;
}

/** Longest answer for several features. A longer one is requested again in halves. */
const MOST_CHUNK_BYTES = 32 * 1024 * 1024;

/** Longest answer for one feature, which may be a great lake. */
const MOST_FEATURE_BYTES = 512 * 1024 * 1024;

/** Some servers never send a long list: after this many silences it is requested in halves. */
const BELIEVED_SILENT = 2;

/** Number of empty answers after which a single feature counts as gone. */
const BELIEVED_EMPTY = 3;

/**
 * Fetches the chunks that are not yet on the disk, and checks that all listed features arrived.
 * @throws Error when a feature cannot be fetched, or the layer changed meanwhile; data that arrived stay for the next
 * run.
 */
export async function downloadLayer(survey: LayerSurvey, options: DownloadOptions): Promise<ChunkPlan> {
  const { store, plan, ids, state } = survey;
  if (state === 'unchanged') return plan;
  if (state === 'new') store.begin(plan);
  let vanished = 0;
  const source = { survey, pageSize: { most: plan.idsPerChunk } };
  await forEachLimited(chunksOf(plan, ids), options.parallel, async ({ index, chunkIds }) => {
    if (store.has(index)) {
      options.onFeatures(chunkIds.length, 0);
      return;
    }
    const features = await fetchFeatures(chunkIds, source, options);
    const missing = chunkIds.filter((id) => !features.has(id));
    await checkVanished(missing, survey, options);
    vanished += missing.length;
    const found = chunkIds.flatMap((id) => features.get(id) ?? []);
    checkDiskSpace({ folder: store.folder, minFreeBytes: options.minFreeBytes ?? 0 });
    options.onFeatures(chunkIds.length, await store.write(index, found));
  });
  const finished = { ...plan, vanished, finishedAt: new Date().toISOString() };
  store.writePlan(finished);
  return finished;
}

function* chunksOf({ idsPerChunk }: ChunkPlan, ids: readonly number[]) {
  for (let index = 0; index * idsPerChunk < ids.length; index++)
    yield { index, chunkIds: ids.slice(index * idsPerChunk, (index + 1) * idsPerChunk) };
}

type Features = Map<number, DownloadedFeature>;

interface Source {
  readonly survey: LayerSurvey;
  /** Most features per request that the server has answered. */
  readonly pageSize: { most: number };
}

/** Requests missing features again, in halves when the answer is too long or the server fails on it. */
async function fetchFeatures(ids: readonly number[], source: Source, options: ArcgisOptions): Promise<Features> {
  if (ids.length === 1) return fetchOne(ids, source.survey, options);
  const came: Features =
    ids.length > source.pageSize.most ? new Map<number, DownloadedFeature>() : await fetchSome(ids, source, options);
  const missing = ids.filter((id) => !came.has(id));
  if (missing.length === 0) return came;
  const parts = came.size > 0 ? [missing] : [ids.slice(0, ids.length / 2), ids.slice(ids.length / 2)];
  for (const part of parts)
    for (const [id, feature] of await fetchFeatures(part, source, options)) came.set(id, feature);
  return came;
}

/** Returns no features when the answer is too long, or when the server fails only for this list. */
async function fetchSome(
  ids: readonly number[],
  { survey: { layer, plan }, pageSize }: Source,
  options: ArcgisOptions,
): Promise<Features> {
  const retry = { ...options.retry, silences: BELIEVED_SILENT };
  try {
    return await readFeatures(layer, { ids, fields: plan.fields, maxBytes: MOST_CHUNK_BYTES }, { ...options, retry });
  } catch (cause) {
    if (cause instanceof TooLarge) return new Map();
    if (!(cause instanceof Transient)) throw cause;
    // The server fails. Only if it answers other queries is it worth searching for the feature that it fails on.
    await readContent(layer, options).catch(() => {
      throw cause;
    });
    if (cause instanceof Stalled) pageSize.most = Math.min(pageSize.most, Math.ceil(ids.length / 2));
    return new Map();
  }
}

/** Returns no feature when it is gone. */
async function fetchOne(ids: readonly number[], survey: LayerSurvey, options: ArcgisOptions): Promise<Features> {
  const wanted = { ids, fields: survey.plan.fields, maxBytes: MOST_FEATURE_BYTES };
  for (let attempt = 1; ; attempt++) {
    const came = await readFeatures(survey.layer, wanted, options);
    if (came.size > 0 || attempt === BELIEVED_EMPTY) return came;
  }
}

/** @throws Error when a feature did not come although the layer still lists it. */
async function checkVanished(
  vanished: readonly number[],
  { layer }: LayerSurvey,
  options: ArcgisOptions,
): Promise<void> {
  if (vanished.length === 0) return;
  const { ids } = await readContent(layer, options);
  const listed = new Set(ids);
  const withheld = vanished.filter((id) => listed.has(id));
  if (withheld.length > 0)
    throw new Error(`${layer.url} lists ${withheld.length} features that it does not send, such as ${withheld[0]}`);
}
