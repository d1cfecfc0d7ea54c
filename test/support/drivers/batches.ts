/** Batches on the bundled sample without a server: real store, snapshot, threads, queue and journal. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Budget } from '../../../src/core/limits/budget.ts';
import { issueKey, type NewKey } from '../../../src/core/keys/keys.ts';
import type { KeyRecord } from '../../../src/core/keys/key-store.ts';
import type { KeyStore } from '../../../src/core/keys/key-store.ts';
import { keysInFile } from '../../../src/core/keys/open-key-store.ts';
import type { Journal } from '../../../src/core/usage/journal.ts';
import { chunksOf, createBatchId, hasEnded, ROWS_PER_CHUNK, type BatchJob } from '../../../src/features/batches/job.ts';
import { MissingKeys } from '../../../src/features/batches/chunk-work.ts';
import { BatchStore } from '../../../src/features/batches/batch-store.ts';
import { RowBilling } from '../../../src/features/batches/row-billing.ts';
import { BatchRunner, type BatchRunnerOptions } from '../../../src/features/batches/runner.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { Gate } from '../../../src/core/pool/gate.ts';
import { PinnedSnapshot } from '../../../src/features/batches/pinned-snapshot.ts';
import type { SnapshotService } from '../../../src/core/pool/snapshot-service.ts';
import type { AskedRow } from '../../../src/features/batches/rows/row.ts';
import { fail } from '../../../src/messages/outcome.ts';
import { DAY_MS } from '../../../src/messages/time.ts';
import { capturingLogger } from './front-end.ts';
import { openJournalHere } from './journal-here.ts';
import { openSnapshots } from './snapshots.ts';
import { PATIENT_DEADLINE_MS } from './patience.ts';

export const addressRow = (address: string, customId: string | null = null): AskedRow => ({
  customId,
  place: { ok: true, value: { kind: 'address', address } },
});
export const badRow: AskedRow = { customId: 'bad', place: fail('BAD_REQUEST', 'address must not be blank') };

/** A row of the results. */
export interface ResultRow {
  readonly row: number;
  readonly custom_id: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly lookupId: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A machine with its data folder, a store of batches, keys and a journal. Runners are started on it. */
export class BatchMachine implements AsyncDisposable {
  readonly log = capturingLogger();
  readonly dataDir: string;
  readonly store: BatchStore;
  readonly keys: KeyStore;
  readonly journal: Journal;
  readonly snapshots: SnapshotService;
  readonly #ownsSnapshots: boolean;

  private constructor(dataDir: string, journal: Journal, [snapshots, ownsSnapshots]: [SnapshotService, boolean]) {
    this.dataDir = dataDir;
    this.journal = journal;
    this.snapshots = snapshots;
    this.#ownsSnapshots = ownsSnapshots;
    this.keys = keysInFile(join(dataDir, 'accounts.sqlite'));
    const limits = { diskBytes: 1e12, diskBytesPerKey: 1e12, minFreeDiskBytes: 0 };
    this.store = new BatchStore({
      dir: join(dataDir, 'batches'),
      mark: 'a0a0a0a0',
      retentionMs: DAY_MS,
      leaseMs: 5000,
      ...limits,
    });
  }

  /** Opens the snapshot that the folder has in service, unless the tests of a file share one: a thread takes a while to start. */
  static async open(dataDir: string, shared?: SnapshotService): Promise<BatchMachine> {
    const snapshots = shared ?? (await openSnapshots(dataDir));
    return new BatchMachine(dataDir, await openJournalHere(dataDir), [snapshots, shared === undefined]);
  }

  async issueKey(values: Partial<NewKey> = {}): Promise<KeyRecord> {
    return (await issueKey(this.keys, { name: 'test', ...values })).record;
  }

  /** Starts to work on batches. Without `options` as the service does, with one thread for costly work. */
  run(options: Partial<BatchRunnerOptions> = {}): BatchRunner {
    const gate = new Gate({
      snapshots: this.snapshots,
      maxPending: 100,
      maxInFlight: 100,
      deadlineMs: PATIENT_DEADLINE_MS,
    });
    return BatchRunner.start({
      ...{ store: this.store, keys: this.keys, logger: this.log.logger, lookups: gate, gate, dataDir: this.dataDir },
      snapshots: this.pinnedSnapshot(),
      billing: new RowBilling({
        journal: this.journal,
        budget: new Budget({ journalId: this.journal.id, redis: null }),
      }),
      onEnded: () => undefined,
      isClockTrusted: () => true,
      missingKeys: new MissingKeys(),
      ...{
        keptMs: DAY_MS,
        chunksAtOnce: 2,
        rowsAtOnce: 128,
        pollMs: 20,
        retry: { attempts: 3, firstMs: 1, mostMs: 1 },
      },
      ...options,
    });
  }

  pinnedSnapshot(): PinnedSnapshot {
    const pool = {
      threads: 1,
      deadlineMs: PATIENT_DEADLINE_MS,
      startsLate: true,
      catalogue: readCatalogue(join(projectDir, 'layers')),
    };
    return new PinnedSnapshot({ dataDir: this.dataDir, pool, service: this.snapshots });
  }

  /** Accepts a batch, as the route does. */
  async accept(
    key: KeyRecord,
    rows: readonly AskedRow[],
    values: Partial<Pick<BatchJob, 'id' | 'detail' | 'snapshot' | 'createdAt'>> = {},
  ): Promise<BatchJob> {
    const id = values.id ?? createBatchId(Date.now(), 'a0a0a0a0');
    const input = await this.store.receive(id);
    for (let from = 0; from < rows.length; from += ROWS_PER_CHUNK) {
      await input.add(rows.slice(from, from + ROWS_PER_CHUNK));
    }
    const batch = {
      ...{ id, keyId: key.id, customer: key.customer, rows: rows.length, inputBytes: 1, callbackUrl: null },
      ignoredColumns: [],
      ...{
        detail: values.detail ?? ('plain' as const),
        further: [],
        members: {},
        snapshot: values.snapshot ?? this.snapshots.manifest.id,
      },
      createdAt: values.createdAt ?? new Date().toISOString(),
    };
    return this.store.create({ ...batch, idempotency: null, rowsPerDay: 1e9 }, input);
  }

  /** Waits for the end of a batch. */
  async ended({ id }: BatchJob): Promise<BatchJob> {
    for (;;) {
      const job = await this.store.find(id);
      if (!job) throw new Error('the batch was deleted');
      if (hasEnded(job)) return job;
      await sleep(20);
    }
  }

  /** All answers that can be read. */
  async text(job: BatchJob): Promise<string> {
    const parts: string[] = [];
    for (let index = 0; index < Math.min(chunksOf(job), await this.store.readyChunks(job)); index++) {
      parts.push(await this.store.readResult(job, index));
    }
    return parts.join('');
  }

  async results(job: BatchJob): Promise<ResultRow[]> {
    const lines = (await this.text(job)).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as ResultRow);
  }

  /** Ids of the lookups in the journal, as often as they are there, in their order. */
  billed(): readonly string[] {
    const db = new Database(join(this.dataDir, 'usage.sqlite'), { readonly: true });
    try {
      return db.prepare<[], string>('SELECT id FROM usage ORDER BY id').pluck().all();
    } finally {
      db.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ownsSnapshots) await this.snapshots[Symbol.asyncDispose]();
    await this.journal[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.keys[Symbol.asyncDispose]();
  }
}
