import { type ArcgisOptions, permanentCodes } from './arcgis.ts';
import { readContent, readCount, readFeatures } from './arcgis-layer.ts';
import type { ChunkPlan } from './chunk-store.ts';
import type { DownloadedFeature } from '../../messages/import.ts';
import { Refused, TooLarge, Transient } from '../../core/outbound/failures.ts';
import { checkDiskSpace } from '../../core/snapshots/building.ts';
import { forEachLimited } from './for-each-limited.ts';
import type { LayerSurvey } from './survey-layer.ts';

/** Longest answer for several features. A longer one is requested again in halves. */
const MOST_CHUNK_BYTES = 32 * 1024 * 1024;

/** Longest answer for one feature, which may be a great lake. */
const MOST_FEATURE_BYTES = 512 * 1024 * 1024;

/** While a shorter list may be answered, a list gets so many attempts; one that is tried for its length gets one. */
const LIST_ATTEMPTS = 2;

/** Number of empty answers after which a single feature counts as gone. */
const BELIEVED_EMPTY = 3;

/**
 * Fetches the chunks that are not yet on the disk, and checks that all listed features arrived.
 * @param parallel requests under way at a time.
 * @param onFeatures called with the number of new features on the disk and of bytes received.
 * @throws Error when a feature cannot be fetched, or the layer changed meanwhile; data that arrived stay for the next
 * run.
 */
export async function downloadLayer(
  survey: LayerSurvey,
  options: ArcgisOptions & {
    readonly parallel: number;
    readonly onFeatures: (features: number, bytes: number) => void;
  },
): Promise<ChunkPlan> {
  const { store, plan, ids, state } = survey;
  if (state === 'unchanged') return plan;
  if (state === 'new') store.begin(plan);
  let vanished = 0;
  const source = { survey, length: new ListLength(plan.idsPerChunk), answers: true };
  const fetchChunk = async ({ index, chunkIds }: Chunk): Promise<void> => {
    const features = await fetchFeatures(chunkIds, source, options);
    const missing = chunkIds.filter((id) => !features.has(id));
    await checkVanished(missing, survey, options);
    vanished += missing.length;
    const found = chunkIds.flatMap((id) => features.get(id) ?? []);
    checkDiskSpace({ folder: store.folder, minFreeBytes: options.minFreeBytes ?? 0 });
    options.onFeatures(chunkIds.length, await store.write(index, found));
  };
  const missing: Chunk[] = [];
  for (const chunk of chunksOf(plan, ids)) {
    if (store.has(chunk.index)) options.onFeatures(chunk.chunkIds.length, 0);
    else missing.push(chunk);
  }
  // The first alone: what it teaches need not be learnt by all lanes at once.
  const [first, ...others] = missing;
  if (first) await fetchChunk(first);
  await forEachLimited(others, options.parallel, fetchChunk);
  const finished = { ...plan, vanished, finishedAt: new Date().toISOString() };
  store.writePlan(finished);
  return finished;
}

interface Chunk {
  readonly index: number;
  readonly chunkIds: readonly number[];
}

function* chunksOf({ idsPerChunk }: ChunkPlan, ids: readonly number[]): Generator<Chunk> {
  for (let index = 0; index * idsPerChunk < ids.length; index++)
    yield { index, chunkIds: ids.slice(index * idsPerChunk, (index + 1) * idsPerChunk) };
}

type Features = Map<number, DownloadedFeature>;

interface Source {
  readonly survey: LayerSurvey;
  readonly length: ListLength;
  /** The server has answered since the last list that failed, so the failure is that list's. */
  answers: boolean;
}

/** Requests missing features again, in shorter lists when the answer is too long or the server fails on it. */
async function fetchFeatures(ids: readonly number[], source: Source, options: ArcgisOptions): Promise<Features> {
  const came: Features = new Map<number, DownloadedFeature>();
  const { length } = source;
  let rest = ids;
  /** Lists of which the length is not the fault. */
  const apart: (readonly number[])[] = [];
  while (apart.length > 0 || rest.length > 0) {
    const list = (apart.at(-1) ?? rest).slice(0, length.next);
    if (apart.length === 0) rest = rest.slice(list.length);
    else shortenLast(apart, list.length);
    const isKnown = length.isKnown(list.length);
    const features = list.length === 1 ? await fetchOne(list, source, options) : await fetchSome(list, source, options);
    for (const [id, feature] of features) came.set(id, feature);
    const missing = list.filter((id) => !features.has(id));
    if (missing.length === 0 || list.length === 1) continue;
    if (features.size > 0) apart.push(missing);
    else if (isKnown || length.isKnown(list.length))
      apart.push(list.slice(list.length / 2), list.slice(0, list.length / 2));
    else rest = [...list, ...rest];
  }
  return came;
}

/** Takes the first so many of the last list. */
function shortenLast(lists: (readonly number[])[], count: number): void {
  const last = lists.pop()!;
  if (last.length > count) lists.push(last.slice(count));
}

/** Returns no features when the answer is too long, or when the server fails only for this list. */
async function fetchSome(ids: readonly number[], source: Source, options: ArcgisOptions): Promise<Features> {
  const { survey, length } = source;
  const { layer, plan } = survey;
  const isSearch = length.isSearch(ids.length);
  const retry = { ...options.retry, attemptsAfter: attemptsOfList(isSearch || !source.answers ? 1 : LIST_ATTEMPTS) };
  try {
    const wanted = { ids, fields: plan.fields, maxBytes: MOST_CHUNK_BYTES };
    const features = await readFeatures(layer, wanted, { ...options, retry });
    source.answers = true;
    length.worked(ids.length);
    return features;
  } catch (cause) {
    if (!isOfList(cause)) throw cause;
    // Only if the server answers other queries is it worth trying shorter lists.
    if (source.answers && !isSearch && !(cause instanceof TooLarge))
      await readCount(layer, options).catch(() => {
        throw cause;
      });
    source.answers = false;
    length.failed(ids.length);
    return new Map();
  }
}

/** A server that asks for a pause, or is not reached, says nothing of the list. */
function attemptsOfList(attempts: number) {
  return ({ retryAfterMs }: Transient, most: number): number =>
    retryAfterMs === null ? Math.min(attempts, most) : most;
}

/** Says whether another list may be answered: the server failed, or refused this one for its length. */
function isOfList(cause: unknown): boolean {
  if (cause instanceof Refused) return !permanentCodes.includes(cause.code);
  return cause instanceof TooLarge || cause instanceof Transient;
}

/** Returns no feature when it is gone. */
async function fetchOne(ids: readonly number[], { survey, length }: Source, options: ArcgisOptions): Promise<Features> {
  const wanted = { ids, fields: survey.plan.fields, maxBytes: MOST_FEATURE_BYTES };
  for (let attempt = 1; ; attempt++) {
    const came = await readFeatures(survey.layer, wanted, options);
    length.worked(1);
    if (came.size > 0 || attempt === BELIEVED_EMPTY) return came;
  }
}

/**
 * Checks that features are gone which did not come. Where others came instead, such as the halves of an area, nothing tells what of the land was read.
 * @throws Error when the layer still lists one, or lists features that it had not.
 */
async function checkVanished(
  vanished: readonly number[],
  { layer, ids: idsBefore }: LayerSurvey,
  options: ArcgisOptions,
): Promise<void> {
  if (vanished.length === 0) return;
  const { ids } = await readContent(layer, options);
  const before = new Set(idsBefore);
  const added = ids.filter((id) => !before.has(id)).length;
  if (added > 0)
    throw new Error(
      `${layer.url} changed while it was read: features are gone, such as ${vanished[0]}, and ${added} are new; the next attempt begins anew`,
    );
  const listed = new Set(ids);
  const withheld = vanished.filter((id) => listed.has(id));
  if (withheld.length > 0)
    throw new Error(`${layer.url} lists ${withheld.length} features that it does not send, such as ${withheld[0]}`);
}

/** How long a list of features a server answers: learnt from the lists that it failed on. */

/** The search ends when the longest list that works is this near to the shortest that fails. */
const NEAR_ENOUGH = 0.1;

/** Successes after which twice the length is tried once; so many more each time that it fails. */
const FIRST_TRIAL_AFTER = 32;

/**
 * The length of the next list. It begins with the longest, halves while lists fail, and then closes in on the longest that works. A failure of a list
 * that is no longer than one that worked says something of its features, not of its length, unless it comes again.
 */
export class ListLength {
  readonly #most: number;
  #works = 0;
  #fails: number;
  /** Successes since the last failure, and how many it takes until a longer list is tried. */
  #successes = 0;
  #trialAfter = FIRST_TRIAL_AFTER;
  #isDoubted = false;

  constructor(most: number) {
    this.#most = most;
    this.#fails = most + 1;
  }

  /** The most features to ask for now. */
  get next(): number {
    if (this.#fails > this.#most) return this.#most;
    if (this.isTrial) return Math.min(this.#most, this.#works * 2);
    if (this.#works === 0) return Math.max(1, Math.floor(this.#fails / 2));
    const gap = this.#fails - this.#works;
    return gap <= Math.max(1, this.#works * NEAR_ENOUGH) ? this.#works : this.#works + Math.floor(gap / 2);
  }

  /** Says whether a list is longer than any that worked, while shorter ones do: it may well fail. */
  isSearch(length: number): boolean {
    return this.#works > 0 && length > this.#works;
  }

  /** A longer list is tried once, because the failures may have passed. */
  get isTrial(): boolean {
    return this.#works > 0 && this.#fails <= this.#most && this.#successes >= this.#trialAfter;
  }

  /** Says whether a list is so short that it is known to work. */
  isKnown(length: number): boolean {
    return length <= this.#works;
  }

  worked(length: number): void {
    this.#successes++;
    this.#isDoubted = false;
    if (length <= this.#works) return;
    this.#works = length;
    if (length < this.#fails) return;
    this.#fails = Math.min(this.#most + 1, length * 2);
    this.#successes = 0;
  }

  failed(length: number): void {
    const wasTrial = this.isTrial && length >= this.#fails;
    this.#successes = 0;
    if (wasTrial) {
      this.#trialAfter *= 2;
      return;
    }
    if (length > this.#works) {
      this.#fails = Math.min(this.#fails, length);
      return;
    }
    if (this.#isDoubted) [this.#works, this.#fails] = [0, length];
    this.#isDoubted = !this.#isDoubted;
  }
}
