import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../../core/loop/loop.ts';
import type { Caller, Lookups } from '../../core/pool/gate.ts';
import { LOOKUPS_PER_MESSAGE } from '../../core/pool/lookup-messages.ts';
import { type AnsweredRow, type AskedRow, type RowDetail, taskOf } from './rows/row.ts';
import type { LookupTask } from '../../messages/lookup.ts';
import { type Failure, type Outcome, fail } from '../../messages/outcome.ts';
import { AppError } from '../../messages/problems.ts';

/** How often a row is tried while the service fails, and the pauses in between. */
export interface RowRetry extends Backoff {
  readonly attempts: number;
}

export interface RowAnswering {
  readonly lookups: Lookups;
  /** In whose name the rows are looked up. Once it is gone, no row is tried again. */
  readonly caller: Caller;
  readonly detail: RowDetail;
  /** Under which a row is billed. */
  readonly lookupIdOf: (row: number) => string;
  /** Rows that are under way at once. */
  readonly atOnce: number;
  readonly retry: RowRetry;
  /** Ends the pauses. */
  readonly signal: AbortSignal;
  /** Prepares the next attempt. It must not reject. */
  readonly beforeRetry: () => Promise<void>;
}

/** A row with its answer, the body of which is UTF-8; `fault` says more of a failure of the service, for the log. */
export interface TriedRow extends Omit<AnsweredRow, 'answer'> {
  readonly answer: Outcome<Uint8Array>;
  readonly fault: Error | null;
}

/** The first pauses are for a thread that starts again, the last for a disk that comes back. */
export const rowRetry: RowRetry = { attempts: 5, firstMs: 250, mostMs: 15_000, growth: 4 };

/** Yields the rows in their order with their answers. The first has the number `firstRow`. Never fails. */
export function answerRows(
  rows: readonly AskedRow[],
  firstRow: number,
  answering: RowAnswering,
): AsyncGenerator<TriedRow> {
  return inOrder(numbered(rows, firstRow), answering.atOnce, async ({ asked: { customId, place }, row }) => {
    if (!place.ok) return { row, customId, answer: place, fault: null };
    const task = taskOf(place.value, answering.detail);
    // What features write into an answer may name it, as links of findings do.
    const asked = task.members ? { ...task, lookupId: answering.lookupIdOf(row) } : task;
    return { row, customId, ...(await answerOf(asked, answering)) };
  });
}

/** Gives out the rows of one message in each turn of the event loop: to begin a thousand at once takes some 10 ms, for which people would wait. */
async function* numbered(
  rows: readonly AskedRow[],
  firstRow: number,
): AsyncGenerator<{ readonly asked: AskedRow; readonly row: number }> {
  for (const [i, asked] of rows.entries()) {
    if (i > 0 && i % LOOKUPS_PER_MESSAGE === 0) await nextTurn();
    yield { asked, row: firstRow + i };
  }
}

async function answerOf(task: LookupTask, answering: RowAnswering): Promise<Pick<TriedRow, 'answer' | 'fault'>> {
  const { lookups, caller, retry, signal, beforeRetry } = answering;
  for (let attempts = 1; ; attempts++) {
    try {
      const { json, bytes = Buffer.from(json) } = await lookups.lookup(task, caller);
      return { answer: { ok: true, value: bytes }, fault: null };
    } catch (cause) {
      const error = AppError.from(cause);
      if (error.status < 500) return { answer: failureOf(error), fault: null };
      // A row that ended its thread again and again, or held it up, would do the same to the next one.
      const isLast = attempts >= retry.attempts || error.code === 'UNANSWERABLE' || caller.isGone();
      if (isLast) return { answer: failureOf(error), fault: error };
      await sleep(backoffMs(retry, attempts), undefined, { signal }).catch(() => undefined);
      await beforeRetry();
    }
  }
}

function failureOf({ code, message, extras }: AppError): Failure {
  return fail(code, message, extras);
}

/** Maps with up to `atOnce` under way, and yields the results in the order of the input. `work` must not reject. */
export async function* inOrder<In, Out>(
  input: AsyncIterable<In> | Iterable<In>,
  atOnce: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  for await (const item of input) {
    running.push(work(item));
    if (running.length >= atOnce) yield await running.shift()!;
  }
  for (const last of running) yield await last;
}
