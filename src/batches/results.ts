/** The results of a batch, as a client downloads them. */
import type { WriterOptions } from '../rows/row-writer.ts';
import { AppError } from '../shared/problems.ts';
import type { BatchStore } from './batch-store.ts';
import { hasEnded, ROWS_PER_CHUNK, type BatchJob } from './job.ts';

export const resultFormats = ['ndjson', 'csv', 'geojson', 'parquet'] as const;
export type ResultFormat = (typeof resultFormats)[number];

export interface ResultsOptions extends Pick<WriterOptions, 'catalogue' | 'attribution'> {
  readonly format: ResultFormat;
  /** Number of the last row that the client has; 0: none. */
  readonly afterRow: number;
}

type ReadableStore = Pick<BatchStore, 'readyChunks' | 'readResult'>;

/**
 * Returns the results behind `afterRow` that can be read by now.
 * @throws AppError CONFLICT for a format that needs the end of the batch. The stream throws what `BatchStore.readResult` throws.
 */
export function resultsStream(
  store: ReadableStore,
  job: BatchJob,
  { format, afterRow }: ResultsOptions,
): AsyncIterable<string | Uint8Array> {
  if (format !== 'ndjson' && !hasEnded(job)) {
    throw new AppError(
      'CONFLICT',
      `the batch is ${job.state}, and ${format} is complete at its end only: ask for ndjson`,
    );
  }
  if (format !== 'ndjson') throw new AppError('BAD_REQUEST', `there is no format ${format} yet: ask for ndjson`);
  return storedText(store, job, afterRow);
}

async function* storedText(store: ReadableStore, job: BatchJob, afterRow: number): AsyncGenerator<string> {
  const ready = await store.readyChunks(job);
  const first = Math.floor(afterRow / ROWS_PER_CHUNK);
  for (let index = first; index < ready; index++) {
    const text = await store.readResult(job, index);
    yield index === first ? withoutLines(text, afterRow % ROWS_PER_CHUNK) : text;
  }
}

function withoutLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line++) end = text.indexOf('\n', end) + 1 || text.length;
  return text.slice(end);
}
