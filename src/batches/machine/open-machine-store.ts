import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private.ts';
import type { RoomLimits } from '../room.ts';
import { onDisk } from '../store-fault.ts';
import { StoredBatches } from '../stored-batches.ts';
import { Allowance } from './allowance.ts';
import { BatchFiles } from './batch-files.ts';
import { BatchRoom } from './batch-room.ts';
import { BatchTable } from './batch-table.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { LeasedChunks } from './leased-chunks.ts';
import { MachineChanges } from './machine-changes.ts';
import { QueueDatabase } from './queue-database.ts';

export interface MachineStoreOptions extends RoomLimits {
  /** Folder of the batches, `DATA_DIR/batches`. */
  readonly dir: string;
  /** Free disk that batches leave. */
  readonly minFreeDiskBytes: number;
  /** Time for which results are kept after the end of a batch. */
  readonly retentionMs: number;
  /** Time after which a chunk of a process that has died is given to another. */
  readonly leaseMs?: number;
  /** The clock; another one for tests. */
  readonly nowMs?: () => number;
}

const LEASE_MS = 60_000;

/**
 * Opens the batches that the processes of one machine share, in an SQLite file and in files beside it. Makes the queue and its folder when they are
 * missing. @throws Error when a later version wrote the queue.
 */
export function openMachineStore(options: MachineStoreOptions): StoredBatches {
  const { dir, minFreeDiskBytes, retentionMs, leaseMs = LEASE_MS, nowMs = Date.now } = options;
  // The rows are addresses of clients.
  makePrivateFolder(dir);
  const database = new QueueDatabase(join(dir, 'queue.sqlite'));
  const { db } = database;
  const files = new BatchFiles({ dir, minFreeDiskBytes });
  const chunks = new ChunkQueue(db, (chunk) => files.hasAnswers(chunk));
  const allowance = new Allowance(db);
  const table = new BatchTable(db, { chunks, allowance, retentionMs });
  const room = new BatchRoom(db, options.diskBytes);
  const parts = { database, files, table, chunks, allowance, room, leaseMs, nowMs };
  return new StoredBatches({
    limits: options,
    reads: table,
    changes: new MachineChanges(parts),
    chunks: new LeasedChunks(parts),
    blobs: files,
    ask: onDisk,
    // A folder without a record is deleted by `expire`.
    onError: () => undefined,
    close: () => database[Symbol.asyncDispose](),
  });
}
