/** Piscina's entry for lookups: takes a task and returns an outcome. It never throws for an expected failure. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId, workerData } from 'node:worker_threads';
import {
  type LookupAnswer,
  type LookupTask,
  type PoolSnapshot,
  type PreparedSnapshot,
  type ThreadTask,
  type TimedLookup,
  noteLookup,
} from '../../src/messages/lookup.ts';
import { type Failure, type Outcome, fail, failFor } from '../../src/messages/outcome.ts';
import type { LookupWorkerData } from '../../src/messages/worker-data.ts';
import { LookupWriter } from '../engine/answers/lookup-writer.ts';
import { placeHandlers } from '../engine/answers/place-lookups.ts';
import type { Handlers } from '../engine/feature.ts';
import { openServed, prepareSnapshot } from '../engine/served-snapshot.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { threadFeatures } from './features.ts';
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Steps of the nice value by which a thread of low priority is below others: with 10 the thread gets a tenth of the processor that others want too (sched(7)). */
const LOWER_BY = 10;

const { answers, further, version, leftOut, isLow } = workerData as LookupWorkerData;
const features = threadFeatures.filter(({ name }) => !leftOut.includes(name));
const writer = new LookupWriter({ answers, further });

let served: ReturnType<typeof servedFrom> | null = null;

if (isLow) lowerPriority();

setFlagsFromString('--expose-gc');
/**
 * Collects garbage in a thread that goes out of service, where nobody waits. V8 itself would leave tens of megabytes
 * there for a long time.
 */
const collectGarbage = runInNewContext('gc') as () => void;

type Result = readonly Outcome<LookupAnswer>[] | PreparedSnapshot | null;

export default function run(task: ThreadTask): Outcome<Result> {
  try {
    switch (task.kind) {
      case 'prepare':
        return { ok: true, value: prepareSnapshot(task.snapshotDir, task.verify, features) };
      case 'lookups': {
        const outcomes = task.lookups.map((one, i) => answerInTime(task, one, i + 1));
        return { ok: true, value: task.asBytes ? answersAsBytes(outcomes) : outcomes };
      }
      case 'close':
        close();
        collectGarbage();
        return { ok: true, value: null };
    }
  } catch (cause) {
    return failureOf(cause);
  }
}

type LookupsTask = ThreadTask & { readonly kind: 'lookups' };

function answerInTime(
  { snapshot, progress }: LookupsTask,
  { task, deadline }: TimedLookup,
  number: number,
): Outcome<LookupAnswer> {
  if (deadline !== null && process.hrtime.bigint() > deadline) return failFor('TOO_LATE', 'too late');
  try {
    const { handlers } = servedFrom(snapshot);
    // Not before: a thread that is opening a snapshot holds the lock of all threads, and must not be ended.
    noteLookup(progress, number, threadId);
    const handler = handlers[task.kind] as ((task: LookupTask) => Outcome<LookupAnswer>) | undefined;
    // Whoever can ask for it has the feature that answers.
    return handler ? handler(task) : fail('INTERNAL', `no feature of this thread answers the task "${task.kind}"`);
  } catch (cause) {
    return failureOf(cause);
  }
}

/** GDAL reports unreadable data as a plain Error; the other classes are defects. */
function failureOf(cause: unknown): Failure {
  const isDefect = cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError;
  return isDefect ? fail('INTERNAL', cause.stack ?? cause.message) : failFor('DATA_UNREADABLE', sentenceOf(cause));
}

/** An operator reads it: what is wrong with the data, and where only if GDAL says nothing, as it does for a row that is missing. */
function sentenceOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || `a row is missing ${cause.stack?.split('\n')[1]?.trim() ?? ''}`.trimEnd();
}

/** Returns the snapshot that a lookup names, and opens it when the thread has another one or none. */
function servedFrom(pool: PoolSnapshot): {
  readonly opening: number;
  readonly snapshot: Snapshot;
  readonly handlers: Handlers;
} {
  if (served?.opening === pool.opening) return served;
  close();
  const from = openServed(pool, { answers, further, version }, features);
  const { opening, snapshot } = from;
  return (served = { opening, snapshot, handlers: { ...from.handlers, ...placeHandlers(from, writer) } });
}

function close(): void {
  served?.snapshot.close();
  served = null;
}

/**
 * Has the operating system prefer other threads to this one. On Linux each thread has a priority of its own, and `/proc/thread-self` leads to
 * `<process>/task/<thread>` (proc(5), setpriority(2)). Where that fails, the thread keeps its priority: it is as right, and others wait longer.
 */
function lowerPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isInteger(thread)) {
      setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + LOWER_BY));
    }
  } catch {
    // Not Linux, or the system does not allow it.
  }
}

/**
 * Puts the texts of answers into one buffer, as UTF-8. The main thread only passes them on: as texts they would be on its heap, where collecting them
 * stops the lookups of people for tens of milliseconds.
 */
function answersAsBytes(outcomes: readonly Outcome<LookupAnswer>[]): readonly Outcome<LookupAnswer>[] {
  const lengths = outcomes.map((outcome) => (outcome.ok ? Buffer.byteLength(outcome.value.json) : 0));
  // A buffer of its own: a part of Node's pool would be sent with the whole pool.
  const all = Buffer.from(new ArrayBuffer(lengths.reduce((sum, length) => sum + length, 0)));
  let end = 0;
  return outcomes.map((outcome, i) => {
    if (!outcome.ok) return outcome;
    const start = end;
    end += all.write(outcome.value.json, start);
    return { ok: true, value: { ...outcome.value, json: '', bytes: new Uint8Array(all.buffer, start, lengths[i]) } };
  });
}
