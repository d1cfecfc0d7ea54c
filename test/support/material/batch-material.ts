import { createHash } from 'node:crypto';
import type { ChunkResult, NewBatch } from '../../../src/batches/batch-store.ts';
import { createBatchId, ROWS_PER_CHUNK, type BatchChunk } from '../../../src/batches/job.ts';
import { noRows } from '../../../src/rows/outcomes.ts';
import type { AskedRow } from '../../../src/rows/row.ts';

/** Ids of tests are in the order in which they are made. */
let made = Date.UTC(2026, 10, 22);

export function newBatch(change: Partial<NewBatch> = {}): NewBatch {
  return {
    ...{
      id: createBatchId(made++),
      keyId: 'key_a',
      customer: null,
      detail: 'plain',
      further: [],
      callbackUrl: null,
      snapshot: '20261122T000000Z-0123456789ab',
    },
    ...{
      rows: 2 * ROWS_PER_CHUNK + 1,
      createdAt: new Date().toISOString(),
      inputBytes: 1,
      ignoredColumns: ['owner'],
      idempotency: null,
      rowsPerDay: 1_000_000,
    },
    ...change,
  };
}

/** The rows of a chunk of a batch of so many rows. */
export function rowsOf(rows: number, index: number): AskedRow[] {
  const first = index * ROWS_PER_CHUNK;
  return Array.from({ length: Math.min(ROWS_PER_CHUNK, rows - first) }, (_, i) => ({
    customId: `n${first + i}`,
    place: { ok: true, value: { kind: 'address', address: `${first + i} Café St, Sampleton` } },
  }));
}

/** What an answer to a chunk may look like: every tenth row is not found. The same rows always get the same. */
export function answersTo(
  { job, index }: BatchChunk,
  rows: readonly AskedRow[],
): ChunkResult & { readonly ids: string[] } {
  const ids: string[] = [];
  let [text, found] = ['', 0];
  for (const [i, { customId }] of rows.entries()) {
    const row = index * ROWS_PER_CHUNK + i + 1;
    const isFound = row % 10 > 0;
    const lookupId = isFound ? lookupIdOf(job.id, row) : null;
    if (lookupId !== null) ids.push(lookupId);
    if (isFound) found++;
    text += `${JSON.stringify({ row, custom_id: customId, status: isFound ? 200 : 404, lookupId })}\n`;
  }
  return { text, counts: { ...noRows, found, notFound: rows.length - found }, ids };
}

export function lookupIdOf(batchId: string, row: number): string {
  const digest = createHash('sha256').update(`${batchId}:${row}`).digest('hex');
  return `lkp_${batchId.slice(4, 16)}${digest.slice(0, 20)}`;
}
