import { statSync, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { isJudgedWhenRead } from '../../catalogue/counting.ts';
import { type SnapshotManifest, type StoredSnapshot, REPAIR } from '../../messages/manifest.ts';
import {
  hasCurrentLink,
  requireServableSnapshot,
  missingLayers,
  readableSnapshots,
  readManifest,
} from '../snapshots/current.ts';
import { currentLink } from '../snapshots/folders.ts';
import { type LookupPoolOptions, LookupPool } from './lookup-pool.ts';
import { hasNotStarted } from './run-worker.ts';
import { messageOf } from '../../words.ts';

type AnsweringPool = Pick<LookupPool, 'lookup' | 'lookupRows' | 'status'>;

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
  readonly #options: Parameters<typeof SnapshotService.start>[0];
  #following: Loop | null = null;
  #serving!: Serving;
  /** The pool of the snapshot before; its threads wait for the next one. */
  #reserve: LookupPool | null = null;
  #refused: (NonNullable<SnapshotService['refused']> & { readonly target: string }) | null = null;
  /** The last reload. Reloads run one at a time, so there are never more than two pools. */
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;
  #watch: Disposable | null = null;
  /** When the snapshot in service was last checked, or put into service. */
  #checkedMs = -DOUBT_MS;

  private constructor(options: Parameters<typeof SnapshotService.start>[0]) {
    this.#options = options;
  }

  /**
   * Opens the current snapshot; when it cannot be served, the best other one that can, never a sample (docs/decisions/0060).
   * @throws Error that says what to do when there is none.
   */
  static async start(options: {
    readonly dataDir: string;
    readonly pool: Omit<LookupPoolOptions, 'verify'>;
    readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
    /** Interval at which `current` is read. */
    readonly pollMs?: number;
  }): Promise<SnapshotService> {
    const { dataDir, pollMs: everyMs = POLL_MS } = options;
    const service = new SnapshotService(options);
    try {
      service.#take(await service.#openCurrent());
    } catch (cause) {
      if (hasNotStarted(cause)) throw cause;
      const target = await targetOf(dataDir);
      const other = await service.#openOther(target);
      if (!other) throw cause;
      service.#take(other.serving);
      service.#refuse(target, messageOf(cause), other.lacks);
    }
    service.#following = new Loop({ everyMs, firstMs: everyMs, turn: () => service.#followLink() });
    return service;
  }

  /** Manifest of the snapshot that will answer the next lookup. */
  get manifest(): SnapshotManifest {
    return this.#serving.manifest;
  }

  /** The snapshot that `current` points to, if it cannot be served. */
  get refused(): {
    /** Its id; `current` when the link points to nothing. */
    readonly snapshot: string;
    readonly at: string;
    readonly reason: string;
  } | null {
    return this.#refused;
  }

  /** What answers the next lookup. */
  get pool(): AnsweringPool {
    return this.#serving.pool;
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
    this.#following?.stop();
    this.#watch?.[Symbol.dispose]();
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
      current = await this.#openCurrent();
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
    const old = this.#serving.pool;
    this.#take(serving);
    say();
    await old.release();
    this.#reserve = old;
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
      anew = await this.#open(serving);
    } catch (cause) {
      const other = await this.#openOther(serving.dir);
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

  #take(serving: Serving): void {
    this.#serving = serving;
    serving.pool.onUnreadable = () => {
      this.#doubt(serving);
    };
    this.#watch?.[Symbol.dispose]();
    const { id: snapshot, checksum } = serving.manifest;
    // A mapped file that gets shorter ends the process when a lookup reads behind its end: the log says why before, and with luck another one is open by then.
    this.#watch = watchLength(join(serving.dir, checksum.file), checksum.bytes, (length) => {
      const { bytes } = checksum;
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

  /** @throws Error that says what to do. */
  async #openCurrent(): Promise<Serving> {
    const current = requireServableSnapshot(this.#options.dataDir);
    try {
      return await this.#open(current);
    } catch (cause) {
      if (hasNotStarted(cause)) throw cause;
      throw new Error(`snapshot ${current.id} cannot be served (${messageOf(cause)}): ${REPAIR}`, { cause });
    }
  }

  /** Opens the best snapshot besides the one at `target` that can be served; null without one. Only after a first import. */
  async #openOther(target: string): Promise<{ readonly serving: Serving; readonly lacks: readonly string[] } | null> {
    const { dataDir } = this.#options;
    if (!hasCurrentLink(dataDir)) return null;
    for (const { lacks, ...stored } of fallbacksFor(dataDir, target)) {
      const serving = await this.#open(stored).catch(() => null);
      if (serving) return { serving, lacks };
    }
    return null;
  }

  async #open({ dir, manifest }: Pick<StoredSnapshot, 'dir' | 'manifest'>): Promise<Serving> {
    const { pool: options, logger } = this.#options;
    await this.#reserve?.open(dir);
    const pool = this.#reserve ?? (await LookupPool.start({ ...options, snapshotDir: dir, verify: true }));
    if (manifest.sample) logger.warn('the snapshot contains invented SAMPLE data: its answers are not real');
    const dataSets = readFromTables(options.catalogue, manifest);
    if (dataSets.length > 0) logger.warn(SLOWER, { dataSets });
    const known = new Set(options.catalogue.dataSets.map(({ id }) => id));
    const unknown = Object.keys(manifest.dataSets).filter((id) => !known.has(id));
    if (unknown.length > 0) logger.warn(UNDEFINED, { dataSets: unknown });
    return { dir, manifest, pool };
  }
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

/**
 * Calls back once when a file has fewer bytes than it should. Where the file system tells of no changes, or the machine has no watch left, it does nothing.
 * A file that is deleted keeps its bytes for whoever has it open.
 */
function watchLength(file: string, bytes: number, onShorter: (length: number) => void): Disposable {
  const watching = watchFile(file);
  watching?.on('change', () => {
    const length = statSync(file, { throwIfNoEntry: false })?.size ?? bytes;
    if (length >= bytes) return;
    watching.close();
    onShorter(length);
  });
  watching?.on('error', () => {
    watching.close();
  });
  return {
    [Symbol.dispose]: () => watching?.close(),
  };
}

function watchFile(file: string): ReturnType<typeof watch> | null {
  try {
    return watch(file, { persistent: false });
  } catch {
    return null;
  }
}

/**
 * Returns the snapshots to try when the one in the folder `target` cannot be served, the best first: those that have all that it has, then
 * those that have the addresses; of equals the newest. Never a sample (docs/decisions/0060). Where nothing tells what it has, it has what any
 * other one has.
 */
function fallbacksFor(
  dataDir: string,
  target: string,
): readonly (StoredSnapshot & {
  /** Parts that the other one has and this one lacks: `addresses`, and ids of data sets. */
  readonly lacks: readonly string[];
})[] {
  const others = readableSnapshots(dataDir).filter(
    ({ dir, manifest }) => dir !== target && !manifest.sample && missingLayers(manifest) === null,
  );
  const wanted = partsOfTarget(target) ?? [...new Set(others.flatMap(({ manifest }) => partsOf(manifest)))];
  const fallbacks = others.map((stored) => {
    const parts = new Set(partsOf(stored.manifest));
    return { ...stored, lacks: wanted.filter((part) => !parts.has(part)) };
  });
  const worth = ({ lacks }: { readonly lacks: readonly string[] }): number =>
    lacks.length === 0 ? 2 : lacks.includes(ADDRESSES) ? 0 : 1;
  return fallbacks.sort((a, b) => worth(b) - worth(a));
}

const ADDRESSES = 'addresses';

function partsOf({ dataSets, gazetteer }: SnapshotManifest): string[] {
  return [...(gazetteer ? [ADDRESSES] : []), ...Object.keys(dataSets)];
}

function partsOfTarget(target: string): string[] | null {
  try {
    return partsOf(readManifest(target));
  } catch {
    return null;
  }
}
