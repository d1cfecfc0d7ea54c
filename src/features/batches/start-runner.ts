import type { Accounts } from '../../core/open-accounts.ts';
import type { Config } from '../../core/settings/config.ts';
import { LOOKUPS_PER_MESSAGE } from '../../core/pool/lookup-messages.ts';
import type { LookupPoolOptions } from '../../core/pool/lookup-pool.ts';
import type { SnapshotService } from '../../core/pool/snapshot-service.ts';
import { MissingKeys } from './missing-keys.ts';
import { PinnedSnapshot } from './pinned-snapshot.ts';
import { RowBilling } from './row-billing.ts';
import { BatchRunner, type BatchRunnerOptions } from './runner.ts';

interface RunnerSources
  extends
    Pick<Accounts, 'keys' | 'journal' | 'budget' | 'journalWatch'>,
    Pick<BatchRunnerOptions, 'store' | 'lookups' | 'gate' | 'onEnded' | 'logger' | 'keptMs'> {
  readonly snapshots: Pick<SnapshotService, 'manifest' | 'pool'>;
  /** For the snapshot of a batch that is not in service any more. */
  readonly pool: LookupPoolOptions;
}

/** For each thread: while the rows of one chunk are billed and stored, those of the other are looked up. */
const CHUNKS_PER_THREAD = 2;

/**
 * Rows of a chunk that are under way: enough messages that a thread never waits for one. What belongs to a row under way is short-lived and dies young
 * that way; with a whole chunk it fills the heap. During an outage only these rows use up their attempts.
 */
const ROWS_AT_ONCE = 4 * LOOKUPS_PER_MESSAGE;

/** A remote geocoder has a queue of its own, and refuses what does not fit in. */
const ROWS_OF_REMOTE = 2;

/** Starts the runner of a service. */
export function startRunner(
  { dataDir, geocoding }: Pick<Config, 'dataDir' | 'geocoding'>,
  {
    keptMs,
    snapshots,
    pool,
    keys,
    journal,
    budget,
    journalWatch,
    store,
    lookups,
    gate,
    onEnded,
    logger,
  }: RunnerSources,
): BatchRunner {
  return BatchRunner.start({
    dataDir,
    store,
    keys,
    lookups,
    gate,
    onEnded,
    logger,
    missingKeys: new MissingKeys(),
    snapshots: new PinnedSnapshot({ dataDir, pool, service: snapshots }),
    billing: new RowBilling({ journal, budget }),
    keptMs,
    isClockTrusted: () => journalWatch.isClockTrusted,
    chunksAtOnce: CHUNKS_PER_THREAD * snapshots.pool.status.costlyThreads,
    rowsAtOnce: geocoding.remote ? ROWS_OF_REMOTE : ROWS_AT_ONCE,
  });
}
