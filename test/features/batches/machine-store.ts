/** The store of batches on the machine, for tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchStore } from '../../../src/features/batches/batch-store.ts';
import {
  createBatchId,
  ROWS_PER_CHUNK,
  type BatchChunk,
  type BatchJob,
  type NewBatch,
} from '../../../src/features/batches/job.ts';
import { noRows, type OutcomeCounts, type AskedRow } from '../../../src/features/batches/rows/row.ts';
import { DAY_MS } from '../../../src/messages/time.ts';

const plenty = {
  mark: 'a0a0a0a0',
  diskBytes: 1e13,
  diskBytesPerKey: 1e13,
  minFreeDiskBytes: 0,
  retentionMs: 7 * DAY_MS,
};

export function openStore(dir: string, options: Partial<ConstructorParameters<typeof BatchStore>[0]> = {}): BatchStore {
  return new BatchStore({ dir, ...plenty, ...options });
}

export function rowsOf(count: number, from = 1): AskedRow[] {
  return Array.from({ length: count }, (_, i) => ({
    customId: `c${from + i}`,
    place: { ok: true, value: { kind: 'address', address: `${from + i} Main St` } },
  }));
}

export type BatchOptions = Partial<
  Pick<NewBatch, 'id' | 'keyId' | 'detail' | 'snapshot' | 'rowsPerDay' | 'idempotency' | 'createdAt'>
>;

/** Makes a batch of so many rows. */
export async function addBatch(store: BatchStore, rows: number, options: BatchOptions = {}): Promise<BatchJob> {
  // Ids are in the order of time.
  await sleep(2);
  const id = options.id ?? createBatchId(Date.now(), 'a0a0a0a0');
  const input = await store.receive(id);
  try {
    for (let at = 0; at < rows; at += ROWS_PER_CHUNK) {
      await input.add(rowsOf(Math.min(ROWS_PER_CHUNK, rows - at), at + 1));
    }
    const batch: NewBatch = {
      ...{
        id,
        keyId: 'key_a',
        customer: null,
        detail: 'plain',
        further: [],
        members: {},
        callbackUrl: null,
        snapshot: 's1',
      },
      ...{ rows, createdAt: new Date().toISOString(), inputBytes: 10 * rows, idempotency: null, rowsPerDay: 1e9 },
      ignoredColumns: [],
      ...options,
    };
    return await store.create(batch, input);
  } catch (cause) {
    await input.discard();
    throw cause;
  }
}

export const anySnapshot = (): boolean => true;
export const noBill = (): Promise<void> => Promise.resolve();

/** A row of results as clients get it. */
const ROW = '"custom_id":null,"status":404,"code":"ADDRESS_NOT_FOUND","lookupId":null,"body":{"detail":"no"}';

/** Answers of a chunk: all found, or as `counts` says. */
export function answersOf(chunk: BatchChunk, counts: Partial<OutcomeCounts> = {}) {
  const rows = Math.min(ROWS_PER_CHUNK, chunk.job.rows - chunk.index * ROWS_PER_CHUNK);
  const others = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const first = chunk.index * ROWS_PER_CHUNK + 1;
  return {
    text: Array.from({ length: rows }, (_, i) => `{"row":${first + i},${ROW}}\n`).join(''),
    counts: { ...noRows, found: rows - others, ...counts },
  };
}

/** Works on one chunk. Returns null when there was none. */
export async function workOnOne(store: BatchStore, counts: Partial<OutcomeCounts> = {}): Promise<BatchChunk | null> {
  const chunk = await store.take(anySnapshot);
  if (chunk) await store.finish(chunk, answersOf(chunk, counts), noBill);
  return chunk;
}

/** Works until nothing is left. */
export async function workOnAll(store: BatchStore): Promise<void> {
  while (await workOnOne(store));
}
