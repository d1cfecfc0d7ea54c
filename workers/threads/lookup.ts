/** Piscina's entry for lookups: takes a task and returns an outcome. It never throws for an expected failure. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId, workerData } from 'node:worker_threads';
import type {
  Coordinate,
  LookupAnswer,
  LookupDetail,
  LookupTask,
  PoolSnapshot,
  PreparedSnapshot,
  ThreadTask,
  TimedLookup,
} from '../../src/messages/lookup.ts';
import type { Geocode } from '../../src/messages/wire/geocode.ts';
import type { PointGeocode } from '../../src/messages/wire/point-lookup.ts';
import { allAnswers } from '../../src/catalogue/catalogue.ts';
import { isInOntarioBox } from '../../src/messages/coordinate.ts';
import { noteLookup } from '../../src/messages/message-progress.ts';
import { fail, failFor, type Outcome } from '../../src/messages/outcome.ts';
import type { LookupWorkerData } from '../../src/messages/worker-data.ts';
import { answerArea } from '../areas/answer-area.ts';
import { lowerPriority } from '../engine/lower-priority.ts';
import { answersAsBytes } from '../engine/answers/answers-as-bytes.ts';
import { LookupWriter } from '../engine/answers/lookup-writer.ts';
import { pointGeocode } from '../engine/answers/point-geocode.ts';
import { cellView } from '../engine/views/cell-view.ts';
import { underLoadLock } from '../geopackage/load-lock.ts';
import { project, type ProjectedPoint } from '../geopackage/projection.ts';
import { referenceView } from '../engine/views/reference-view.ts';
import type { PlaceView } from '../engine/views/view.ts';
import { openServed, prepareSnapshot, type ServedSnapshot } from '../engine/served-snapshot.ts';

const { answers, further, isLow } = workerData as LookupWorkerData;
const writer = new LookupWriter({ answers, further });

let served: ServedSnapshot | null = null;

if (isLow) lowerPriority();

setFlagsFromString('--expose-gc');
/**
 * Collects garbage in a thread that goes out of service, where nobody waits. V8 itself would leave tens of megabytes
 * there for a long time.
 */
const collectGarbage = runInNewContext('gc') as () => void;

/** A place in the middle of the province, for a warm-up that reads every table. */
const WARM_UP_AT: Coordinate = { lat: 44.0, lon: -79.5 };

type Result = readonly Outcome<LookupAnswer>[] | PreparedSnapshot | null;

export default function run(task: ThreadTask): Outcome<Result> {
  return guarded((): Outcome<Result> => {
    switch (task.kind) {
      case 'prepare':
        return { ok: true, value: prepareSnapshot(task.snapshotDir, task.verify) };
      case 'lookups': {
        const outcomes = task.lookups.map((one, i) => guarded(() => answerInTime(task, one, i + 1)));
        return { ok: true, value: task.asBytes ? answersAsBytes(outcomes) : outcomes };
      }
      case 'close':
        close();
        collectGarbage();
        return { ok: true, value: null };
    }
  });
}

type LookupsTask = ThreadTask & { readonly kind: 'lookups' };

function answerInTime(
  { snapshot, progress }: LookupsTask,
  { task, deadline }: TimedLookup,
  number: number,
): Outcome<LookupAnswer> {
  if (deadline !== null && process.hrtime.bigint() > deadline) return failFor('TOO_LATE', 'too late');
  const from = servedFrom(snapshot);
  // Not before: a thread that is opening a snapshot holds the lock of all threads, and must not be ended.
  noteLookup(progress, number, threadId);
  return answer(from, task);
}

/** Returns what `work` returns, or its error as a failure. */
function guarded<Value>(work: () => Outcome<Value>): Outcome<Value> {
  try {
    return work();
  } catch (cause) {
    // GDAL reports unreadable data as a plain Error; the other classes are defects.
    const isDefect = cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError;
    return isDefect ? fail('INTERNAL', cause.stack ?? cause.message) : failFor('DATA_UNREADABLE', sentenceOf(cause));
  }
}

/** An operator reads it: what is wrong with the data, and where only if GDAL says nothing, as it does for a row that is missing. */
function sentenceOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || `a row is missing ${cause.stack?.split('\n')[1]?.trim() ?? ''}`.trimEnd();
}

/** Returns the snapshot that a lookup names, and opens it when the thread has another one or none. */
function servedFrom(snapshot: PoolSnapshot): ServedSnapshot {
  if (served?.opening === snapshot.opening) return served;
  close();
  return (served = openServed(snapshot, allAnswers({ answers, further })));
}

function close(): void {
  served?.snapshot.close();
  served = null;
}

function answer(from: ServedSnapshot, task: LookupTask): Outcome<LookupAnswer> {
  switch (task.kind) {
    case 'warm-up':
      return warmUp(from, task.forMs);
    case 'point':
      return answerPoint(from, task);
    case 'area':
      return answerArea(from, task, { answers, further });
    case 'place':
      return answerAt(from, task.geocode, { geocode: task.geocode, detail: task, geocodeMs: task.geocodeMs });
    case 'address':
      return answerAddress(from, task.address, task);
    case 'suggest':
      return suggestions(from, task);
  }
}

function warmUp(from: ServedSnapshot, forMs: number): Outcome<LookupAnswer> {
  from.snapshot.layer('province');
  // Under the lock, so that the threads of the next pool keep only one core busy.
  underLoadLock(() => {
    const endMs = performance.now() + forMs;
    do {
      from.gazetteer?.geocode('1 Main St, Toronto, ON');
      from.gazetteer?.nearest(WARM_UP_AT);
      from.gazetteer?.suggest('1 main st tor', 5);
      writer.layers(viewOf(from, project(WARM_UP_AT)));
    } while (performance.now() < endMs);
  });
  return { ok: true, value: { json: '', geocodeMs: 0, layersMs: 0 } };
}

function viewOf({ cells, snapshot }: ServedSnapshot, at: ProjectedPoint, further = false): PlaceView {
  return cells ? cellView(snapshot, cells, at, further) : referenceView(snapshot, at);
}

function answerAddress(from: ServedSnapshot, address: string, wanted: LookupDetail): Outcome<LookupAnswer> {
  const { gazetteer } = from;
  if (!gazetteer) return failFor('NO_REGISTER', NO_REGISTER);
  const start = performance.now();
  const result = gazetteer.geocode(address);
  const geocodeMs = performance.now() - start;
  if ('found' in result) return answerAt(from, result.found, { geocode: result.found, detail: wanted, geocodeMs });
  const { reason, detail, suggestions } = result.refused;
  const code = reason === 'OUT_OF_AREA' ? 'OUTSIDE_ONTARIO' : 'ADDRESS_NOT_FOUND';
  return fail(code, detail, { reason, suggestions });
}

function answerPoint(from: ServedSnapshot, task: LookupTask & { readonly kind: 'point' }): Outcome<LookupAnswer> {
  const start = performance.now();
  const geocode = pointGeocode(task, from.gazetteer?.nearest(task) ?? { state: 'unavailable' });
  return answerAt(from, task, { geocode, detail: task, geocodeMs: performance.now() - start });
}

const NO_REGISTER = 'the snapshot has no address register: import one with load-addresses';

function suggestions({ gazetteer }: ServedSnapshot, { text, limit }: SuggestTask): Outcome<LookupAnswer> {
  if (!gazetteer) return failFor('NO_REGISTER', NO_REGISTER);
  const start = performance.now();
  const found = gazetteer.suggest(text, limit);
  if (found === null) {
    return failFor(
      'NO_REGISTER',
      'the address register was imported without suggestions: run `land-lookup load-addresses`',
    );
  }
  const json = JSON.stringify({ suggestions: found });
  return { ok: true, value: { json, geocodeMs: performance.now() - start, layersMs: 0 } };
}

type SuggestTask = LookupTask & { readonly kind: 'suggest' };

interface Asked {
  readonly geocode: Geocode | PointGeocode;
  readonly detail: LookupDetail;
  readonly geocodeMs: number;
}

/** What is wrong with coordinates that would lie in Ontario if one slip were undone; '' when nothing is. */
function slipOf(lat: number, lon: number): string {
  if (isInOntarioBox(lat, lon)) return ': its latitude and longitude are exchanged';
  if (isInOntarioBox(-lon, lat)) return ': its longitude is positive, and in Ontario it is negative';
  if (isInOntarioBox(-lat, lon)) return ': its latitude and longitude are exchanged, and its longitude is not negative';
  return '';
}

function answerAt(
  from: ServedSnapshot,
  { lat, lon }: Coordinate,
  { geocode, detail, geocodeMs }: Asked,
): Outcome<LookupAnswer> {
  const start = performance.now();
  const at = project({ lat, lon });
  const { full, geometry, further } = detail;
  const view = viewOf(from, at, further !== undefined);
  if (view.near('province', 0).length === 0) {
    return fail('OUTSIDE_ONTARIO', `the place is outside Ontario${slipOf(lat, lon)}`, { reason: 'OUT_OF_AREA' });
  }
  const place = { address: geocode.address, lat, lon };
  const json = full
    ? writer.full(from, place, { at, view, geocode, geometry, further })
    : writer.plain(from, place, { view, further });
  return { ok: true, value: { json, geocodeMs, layersMs: performance.now() - start } };
}
