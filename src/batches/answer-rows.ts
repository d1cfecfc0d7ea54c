import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Lookups } from '../pool/caller.ts';
import { LostThread } from '../pool/lookup-pool.ts';
import { inOrder } from '../rows/in-order.ts';
import { taskOf, type AnsweredRow, type AskedRow } from '../rows/row.ts';
import type { LookupTask } from '../shared/contract/lookup.ts';
import { fail, type Failure } from '../shared/outcome.ts';
import { AppError } from '../shared/problems.ts';

export interface RowAnswering {
  readonly lookups: Lookups;
  /** In whose name the rows are looked up. Once it is gone, no row is tried again. */
  readonly caller: Caller;
  readonly full: boolean;
  /** Rows that are under way at once. */
  readonly atOnce: number;
  /** Pauses after each failure of the service, after which a row is tried again. */
  readonly pausesMs: readonly number[];
  /** Ends the pauses. */
  readonly signal: AbortSignal;
  /** Prepares the next attempt. What it throws ends the whole. */
  readonly beforeRetry: () => Promise<void>;
}

/** A row with its answer; `fault` says more of a failure of the service, for the log. */
export interface TriedRow extends AnsweredRow {
  readonly fault: Error | null;
}

/** The first pauses are for a thread that starts again, the last for a disk that comes back. */
export const PAUSES_MS: readonly number[] = [250, 1000, 4000, 15_000];

/** Yields the rows in their order with their answers. The first has the number `firstRow`. @throws what `beforeRetry` throws. */
export function answerRows(
  rows: readonly AskedRow[],
  firstRow: number,
  answering: RowAnswering,
): AsyncGenerator<TriedRow> {
  const numbered = rows.map((asked, i) => ({ asked, row: firstRow + i }));
  return inOrder(numbered, answering.atOnce, async ({ asked: { customId, place }, row }) => {
    if (!place.ok) return { row, customId, answer: place, fault: null };
    return { row, customId, ...(await answerOf(taskOf(place.value, answering.full), answering)) };
  });
}

async function answerOf(task: LookupTask, answering: RowAnswering): Promise<Pick<TriedRow, 'answer' | 'fault'>> {
  const { lookups, caller, pausesMs, signal, beforeRetry } = answering;
  for (let attempt = 0; ; attempt++) {
    try {
      const { json } = await lookups.lookup(task, caller);
      return { answer: { ok: true, value: json }, fault: null };
    } catch (cause) {
      const error = AppError.from(cause);
      if (error.status < 500) return { answer: failureOf(error), fault: null };
      const pauseMs = pausesMs[attempt];
      // A row that ended its thread by itself would end the next one too.
      const isLast = pauseMs === undefined || error instanceof LostThread || caller.isGone();
      if (isLast) return { answer: failureOf(error), fault: error };
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      await beforeRetry();
    }
  }
}

function failureOf({ code, message, extras }: AppError): Failure {
  return fail(code, message, extras);
}
