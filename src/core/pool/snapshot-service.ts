import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { isJudgedWhenRead } from '../../catalogue/counting.ts';
import type { LookupAnswer, LookupTask, TimedLookup } from '../../messages/lookup.ts';
import type { SnapshotManifest, StoredSnapshot } from '../../messages/manifest.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { AppError } from '../../messages/problems.ts';
import { REPAIR } from '../../messages/snapshots.ts';
import { hasCurrentLink, requireServableSnapshot } from '../snapshots/current.ts';
import { fallbacksFor } from '../snapshots/fallback.ts';
import { currentLink } from '../snapshots/folders.ts';
import { LookupPool, type LookupPoolOptions, type PoolStatus } from './lookup-pool.ts';
import { messageOf } from '../../words.ts';
import { watchLength } from './watch-length.ts';

export interface SnapshotServiceOptions {
  readonly dataDir: string;
  readonly pool: Omit<LookupPoolOptions, 'verify'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Interval at which `current` is read. */
  readonly pollMs?: number;
}

/** A snapshot that is not served, although `current` points to it. */
export interface RejectedSnapshot {
  /** Its id; `current` when the link points to nothing. */
  readonly snapshot: string;
  readonly at: string;
  readonly reason: string;
}

interface Serving {
  readonly dir: string;
  readonly manifest: SnapshotManifest;
  readonly pool: LookupPool;
}

/** Interval at which `current` is read. */
const POLL_MS = 2000;

/** Shortest time between two checks of the snapshot in service after it could not be read: each reads the whole file. */
const DOUBT_MS = 60_000;

/** Target of a link that points to nothing. */
const NOWHERE = 'nowhere';

/**
 * The snapshot in service and the pool that answers from it. When `current` points to another snapshot, a second pool
 * opens that one and then gets all new lookups. The first pool ends its own lookups and waits for the next snapshot. A
 * snapshot that cannot be served changes only `refused` (docs/decisions/0060). A lookup that cannot read the snapshot in service makes it
 * be checked; when it is damaged, the best other one takes its place.
 */
export class SnapshotService implements AsyncDisposable {
  readonly #options: SnapshotServiceOptions;
  readonly #following: Loop;
  #serving: Serving;
  /** The pool of the snapshot before; its threads wait for the next one. */
  #reserve: LookupPool | null = null;
  #refused: (RejectedSnapshot & { readonly target: string }) | null = null;
  /** The last reload. Reloads run one at a time, so there are never more than two pools. */
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;
  #watch: Disposable;
  /** When the snapshot in service was last checked, or put into service. */
  #checkedMs: number;

  private constructor(options: SnapshotServiceOptions, serving: Serving) {
    this.#options = options;
    this.#serving = serving;
    this.#checkedMs = -DOUBT_MS;
    this.#watch = this.#watchFile(serving);
    this.#following = new Loop({
      everyMs: options.pollMs ?? POLL_MS,
      firstMs: options.pollMs ?? POLL_MS,
      turn: () => this.#followLink(),
    });
  }

  /**
   * Opens the current snapshot; when it cannot be served, the best other one that can, never a sample (docs/decisions/0060).
   * @throws Error that says what to do when there is none.
   */
  static async start(options: SnapshotServiceOptions): Promise<SnapshotService> {
    try {
      return new SnapshotService(options, await openCurrent(options));
    } catch (cause) {
      const target = await targetOf(options.dataDir);
      const other = await openOther(options, target);
      if (!other) throw cause;
      const service = new SnapshotService(options, other.serving);
      service.#refuse(target, messageOf(cause), other.lacks);
      return service;
    }
  }

  /** Manifest of the snapshot that will answer the next lookup. */
  get manifest(): SnapshotManifest {
    return this.#serving.manifest;
  }

  /** The snapshot that `current` points to, if it cannot be served. */
  get refused(): RejectedSnapshot | null {
    return this.#refused;
  }

  /** Does the same as `LookupPool.lookup`. */
  lookup(task: LookupTask, leftMs?: number): Promise<LookupAnswer> {
    const serving = this.#serving;
    const answer = serving.pool.lookup(task, leftMs);
    // Beside the way of the answer, which waits for nothing.
    answer.catch((cause: unknown) => {
      if (AppError.from(cause).reason === 'DATA_UNREADABLE') this.#doubt(serving);
    });
    return answer;
  }

  /** Does the same as `LookupPool.lookupRows`, by the snapshot of `manifest`. */
  async lookupRows(lookups: readonly TimedLookup[]): Promise<readonly Outcome<LookupAnswer>[]> {
    const serving = this.#serving;
    const outcomes = await serving.pool.lookupRows(lookups);
    if (outcomes.some((outcome) => !outcome.ok && outcome.extras?.['reason'] === 'DATA_UNREADABLE'))
      this.#doubt(serving);
    return outcomes;
  }

  status(): PoolStatus {
    return this.#serving.pool.status();
  }

  /**
   * Puts the snapshot that `current` points to into service, also when it was refused before. Never fails: a refusal is
   * logged.
   */
  reload(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#reload());
    return this.#turn;
  }

  /** Waits for lookups under way, then ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#following.stop();
    this.#watch[Symbol.dispose]();
    await this.#turn;
    await this.#serving.pool[Symbol.asyncDispose]();
    await this.#reserve?.[Symbol.asyncDispose]();
  }

  /**
   * Reloads when the link has changed. A refused snapshot is not tried again before that, because each attempt reads
   * the whole file.
   */
  async #followLink(): Promise<void> {
    const target = await targetOf(this.#options.dataDir);
    const refused = this.#refused?.target;
    if (target !== this.#serving.dir) {
      if (target !== refused) await this.reload();
    } else if (target === refused) this.#doubt(this.#serving);
    else this.#refused = null;
  }

  async #reload(): Promise<void> {
    const { dataDir, logger } = this.#options;
    const target = await targetOf(dataDir);
    if (this.#isClosed) return;
    if (target === this.#serving.dir) {
      if (target === this.#refused?.target) await this.#check(this.#serving);
      return;
    }
    const startMs = performance.now();
    const before = this.#serving.manifest.id;
    let current: Serving;
    try {
      current = await openCurrent(this.#options, this.#reserve);
    } catch (cause) {
      this.#refuse(target, messageOf(cause));
      return;
    }
    await this.#serve(current, () => {
      this.#refused = null;
      const ms = Math.round(performance.now() - startMs);
      logger.info('snapshot in service', { snapshot: current.manifest.id, before, ms });
    });
  }

  /** Gives all new lookups to another pool, says so, and lets the one before end its own. */
  async #serve(serving: Serving, say: () => void): Promise<void> {
    const old = this.#serving;
    this.#serving = serving;
    this.#watch[Symbol.dispose]();
    this.#watch = this.#watchFile(serving);
    say();
    await old.pool.release();
    this.#reserve = old.pool;
  }

  /** Checks the snapshot in service before the next turn of reloads, unless that was done a moment ago. */
  #doubt(serving: Serving): void {
    const nowMs = performance.now();
    if (this.#isClosed || serving !== this.#serving || nowMs - this.#checkedMs < DOUBT_MS) return;
    this.#checkedMs = nowMs;
    this.#turn = this.#turn.then(() => this.#check(serving));
  }

  /** Opens the snapshot in service anew, which compares its checksum. Damaged, it gives its place to the best other one; without one it stays, refused. */
  async #check(serving: Serving): Promise<void> {
    if (this.#isClosed || serving !== this.#serving) return;
    let anew: Serving;
    try {
      anew = await open(this.#options, serving, this.#reserve);
    } catch (cause) {
      const other = await openOther(this.#options, serving.dir, this.#reserve);
      const refuse = (): void => {
        this.#refuse(serving.dir, `${messageOf(cause)}: ${REPAIR}`, other?.lacks);
      };
      if (other) await this.#serve(other.serving, refuse);
      else refuse();
      return;
    }
    await this.#serve(anew, () => {
      this.#refused = null;
      const detail = 'a lookup could not read it';
      this.#options.logger.warn('snapshot opened anew', { snapshot: serving.manifest.id, detail });
    });
  }

  /** A mapped file that gets shorter ends the process when a lookup reads behind its end: the log says why before, and with luck another one is open by then. */
  #watchFile(serving: Serving): Disposable {
    const { file, bytes } = serving.manifest.checksum;
    return watchLength(join(serving.dir, file), bytes, (length) => {
      const { id: snapshot } = serving.manifest;
      this.#options.logger.error('the file of the snapshot in service was made shorter', { snapshot, length, bytes });
      this.#checkedMs = -DOUBT_MS;
      this.#doubt(serving);
    });
  }

  /** @param lacks what the one in service lacks of what the refused one has. */
  #refuse(target: string, reason: string, lacks: readonly string[] = []): void {
    const snapshot = target === NOWHERE ? 'current' : basename(target);
    this.#refused = { target, snapshot, at: new Date().toISOString(), reason };
    const inService = this.#serving.manifest.id;
    const without = lacks.length > 0 ? { lacks } : {};
    this.#options.logger.error('snapshot refused', { snapshot, inService, ...without, detail: reason });
  }
}

/** @throws Error that says what to do. */
async function openCurrent(options: SnapshotServiceOptions, reserve: LookupPool | null = null): Promise<Serving> {
  const current = requireServableSnapshot(options.dataDir);
  try {
    return await open(options, current, reserve);
  } catch (cause) {
    throw new Error(`snapshot ${current.id} cannot be served (${messageOf(cause)}): ${REPAIR}`, { cause });
  }
}

interface Other {
  readonly serving: Serving;
  readonly lacks: readonly string[];
}

/** Opens the best snapshot besides the one at `target` that can be served; null without one. Only after a first import. */
async function openOther(
  options: SnapshotServiceOptions,
  target: string,
  reserve: LookupPool | null = null,
): Promise<Other | null> {
  if (!hasCurrentLink(options.dataDir)) return null;
  for (const { lacks, ...stored } of fallbacksFor(options.dataDir, target)) {
    const serving = await open(options, stored, reserve).catch(() => null);
    if (serving) return { serving, lacks };
  }
  return null;
}

async function open(
  { pool: options, logger }: SnapshotServiceOptions,
  { dir, manifest }: Pick<StoredSnapshot, 'dir' | 'manifest'>,
  reserve: LookupPool | null = null,
): Promise<Serving> {
  await reserve?.open(dir);
  const pool = reserve ?? (await LookupPool.start({ ...options, snapshotDir: dir, verify: true }));
  if (manifest.sample) logger.warn('the snapshot contains invented SAMPLE data: its answers are not real');
  const dataSets = readFromTables(options.catalogue, manifest);
  if (dataSets.length > 0) logger.warn(SLOWER, { dataSets });
  const known = new Set(options.catalogue.dataSets.map(({ id }) => id));
  const unknown = Object.keys(manifest.dataSets).filter((id) => !known.has(id));
  if (unknown.length > 0) logger.warn(UNDEFINED, { dataSets: unknown });
  return { dir, manifest, pool };
}

const SLOWER =
  'these data sets were imported by other rules than those of the definitions now: answers are right, but lookups are several times slower until they are imported again';

const UNDEFINED =
  'the snapshot has data sets that no definition names: their answers are missing. Put your own definitions into LAYERS_DIR';

/** Ids of the data sets that are judged when they are read, which is not by the index. */
function readFromTables({ dataSets }: Catalogue, manifest: SnapshotManifest): readonly string[] {
  return dataSets.flatMap(({ id, counts }) => {
    const loaded = manifest.dataSets[id];
    return loaded && counts && isJudgedWhenRead(counts, loaded.countedBy) ? [id] : [];
  });
}

function targetOf(dataDir: string): Promise<string> {
  return realpath(currentLink(dataDir)).catch(() => NOWHERE);
}
