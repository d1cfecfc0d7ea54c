import { outcomes, type RowOutcome } from '../../rows/outcomes.ts';
import type { FixedPart } from '../batch-store.ts';
import { batchStates, type BatchJob } from '../job.ts';

/** A batch as Redis has it. */
export interface BatchRecord {
  readonly job: BatchJob;
  /** Number of the first chunk's turn. */
  readonly firstTurn: number;
  /** Chunks that can be read. */
  readonly ready: number;
  /** Chunks that are done. */
  readonly done: number;
}

/** What never changes of a batch. */
export function fixedPart(batch: FixedPart): FixedPart {
  const { id, keyId, customer, detail, further, callbackUrl, snapshot, rows } = batch;
  const { createdAt, inputBytes, ignoredColumns } = batch;
  return {
    ...{ id, keyId, customer, detail, further, callbackUrl, snapshot, rows },
    ...{ createdAt, inputBytes, ignoredColumns },
  };
}

/** Reads the fields of a batch; null when there are none. */
export function recordOf(fields: Readonly<Record<string, string>>): BatchRecord | null {
  const { record, state } = fields;
  if (record === undefined) return null;
  const number = (name: string): number => Number(fields[name] ?? 0);
  const job: BatchJob = {
    // Missing in records of earlier versions.
    ...{ ignoredColumns: [], further: [] },
    ...(JSON.parse(record) as Omit<FixedPart, 'ignoredColumns' | 'further'>),
    state: batchStates.find((known) => known === state) ?? 'queued',
    counts: Object.fromEntries(outcomes.map((outcome) => [outcome, number(outcome)])) as Record<RowOutcome, number>,
    startedAt: fields['startedAt'] ?? null,
    endedAt: fields['endedAt'] ?? null,
    expiresAt: fields['expiresAt'] ?? null,
    isCancelled: fields['isCancelled'] === '1',
    error: fields['error'] ?? null,
    resultBytes: number('resultBytes'),
  };
  return { job, firstTurn: number('first'), ready: number('ready'), done: number('done') };
}

/** Makes an object of names and values that follow each other. */
export function pairsOf(list: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let i = 0; i + 1 < list.length; i += 2) pairs[list[i]!] = list[i + 1]!;
  return pairs;
}
