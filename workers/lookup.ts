/** Piscina's entry for lookups: a task in, an outcome out, never a thrown error for an expected failure. */
import { workerData } from 'node:worker_threads';
import type { FullLookupBody, LookupAnswer, LookupBody, LookupDetail, LookupTask } from '../src/contract/lookup.ts';
import type { Coordinate } from '../src/contract/lookup.ts';
import type { Geocode } from '../src/contract/geocode.ts';
import { fail, type Outcome } from '../src/outcome.ts';
import type { LookupWorkerData } from '../src/pool/lookup-pool.ts';
import { answerPlace } from './answers/answer-place.ts';
import { nearGeometry } from './answers/near-geometry.ts';
import { cellView } from './cells/cell-view.ts';
import { indexedDataSets } from './cells/indexed-data-sets.ts';
import { openCells } from './cells/open.ts';
import { openGazetteer } from './gazetteer/open.ts';
import { underLoadLock } from './load-lock.ts';
import { project, type ProjectedPoint } from './projection.ts';
import { referenceView } from './reader/reference-view.ts';
import type { PlaceView } from './reader/view.ts';
import { openSnapshot } from './snapshot.ts';

const { snapshotDir, cellDirectory, answers } = workerData as LookupWorkerData;

// Under the lock like the binding itself: the first open initialises drivers, which is not reentrant.
const { snapshot, gazetteer, cells } = underLoadLock(() => {
  const opened = openSnapshot(snapshotDir);
  return {
    snapshot: opened,
    gazetteer: opened.manifest.gazetteer ? openGazetteer(opened.dataset) : null,
    cells: cellDirectory
      ? openCells(opened, { directory: cellDirectory, needed: indexedDataSets(answers, opened.manifest) })
      : null,
  };
});

function viewOf(at: ProjectedPoint): PlaceView {
  return cells ? cellView(snapshot, cells, at) : referenceView(snapshot, at);
}

const dataAsOf = Object.fromEntries(
  Object.entries(snapshot.manifest.dataSets)
    .filter(([id]) => id !== 'province')
    .map(([id, { asOf }]) => [id, asOf]),
);
const dataAsOfJson = JSON.stringify(dataAsOf);

/** A place in the middle of the province, for a warm-up that reads every table. */
const WARM_UP_AT: Coordinate = { lat: 44.0, lon: -79.5 };

export default function lookup(task: LookupTask): Outcome<LookupAnswer> {
  try {
    return answer(task);
  } catch (cause) {
    // GDAL reports unreadable data as a plain Error; the other classes are defects.
    const isDefect = cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError;
    return fail(
      isDefect ? 'INTERNAL' : 'DB_ERROR',
      cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    );
  }
}

function answer(task: LookupTask): Outcome<LookupAnswer> {
  switch (task.kind) {
    case 'warm-up':
      return warmUp();
    case 'point':
      return answerAt(task, { geocode: null, detail: task, geocodeMs: 0 });
    case 'place':
      return answerAt(task.geocode, { geocode: task.geocode, detail: task, geocodeMs: task.geocodeMs });
    case 'address':
      return answerAddress(task.address, task);
  }
}

function warmUp(): Outcome<LookupAnswer> {
  snapshot.layer('province');
  answerPlace(viewOf(project(WARM_UP_AT)), answers, null);
  return { ok: true, value: { json: '', geocodeMs: 0, layersMs: 0 } };
}

function answerAddress(address: string, wanted: LookupDetail): Outcome<LookupAnswer> {
  if (!gazetteer) return fail('DB_ERROR', 'the snapshot has no address register: import one with load-addresses');
  const start = performance.now();
  const result = gazetteer.geocode(address);
  const geocodeMs = performance.now() - start;
  if ('found' in result) return answerAt(result.found, { geocode: result.found, detail: wanted, geocodeMs });
  const { reason, detail, suggestions } = result.refused;
  const code = reason === 'OUT_OF_AREA' ? 'OUTSIDE_ONTARIO' : 'ADDRESS_NOT_FOUND';
  return fail(code, detail, { reason, suggestions });
}

interface Asked {
  readonly geocode: Geocode | null;
  readonly detail: LookupDetail;
  readonly geocodeMs: number;
}

function answerAt({ lat, lon }: Coordinate, { geocode, detail, geocodeMs }: Asked): Outcome<LookupAnswer> {
  const start = performance.now();
  const { full } = detail;
  const at = project({ lat, lon });
  const view = viewOf(at);
  if (view.near('province', 0).length === 0) {
    return fail('OUTSIDE_ONTARIO', 'the place is outside Ontario', { reason: 'OUT_OF_AREA' });
  }
  const { layers, evidence } = answerPlace(view, answers, full ? (geocode?.uncertaintyM ?? 0) : null);
  const body = { address: geocode?.address ?? null, lat, lon, layers };
  const json = full ? fullJson({ ...body, dataAsOf, geocode, evidence, ...nearOf(detail, at) }) : plainJson(body);
  return { ok: true, value: { json, geocodeMs, layersMs: performance.now() - start } };
}

/** The dates are the same in every answer, and half of its text: they are written once. */
function plainJson(body: Omit<LookupBody, 'dataAsOf'>): string {
  return `${JSON.stringify(body).slice(0, -1)},"dataAsOf":${dataAsOfJson}}`;
}

function fullJson(body: Omit<FullLookupBody, 'snapshot'>): string {
  const { id, createdAt, sample } = snapshot.manifest;
  return JSON.stringify({ ...body, snapshot: { id, createdAt, sample } });
}

function nearOf({ geometry }: LookupDetail, at: ProjectedPoint): Pick<FullLookupBody, 'geometry'> {
  return geometry ? { geometry: nearGeometry(snapshot, at, answers) } : {};
}
