/** Answers lookups of places: by an address, by coordinates, or of an address that another geocoder has resolved. */
import {
  type Coordinate,
  type LookupAnswer,
  type LookupDetail,
  type LookupTask,
  isInOntarioBox,
  type NearestAddress,
} from '../../../src/messages/lookup.ts';
import { fail, failFor, type Failure, type Outcome } from '../../../src/messages/outcome.ts';
import type { Hint } from '../../../src/messages/reasons.ts';
import type { Geocode } from '../../../src/messages/wire/geocode.ts';
import type { PointGeocode } from '../../../src/messages/wire/point-lookup.ts';
import { underLoadLock } from '../../geopackage/load-lock.ts';
import { project, type ProjectedPoint } from '../../geopackage/lambert.ts';
import type { Handlers, ServedSnapshot } from '../feature.ts';
import { cellView } from '../views/cell-view.ts';
import { referenceView } from '../views/reference-view.ts';
import type { PlaceView } from '../views/view.ts';
import type { LookupWriter } from './lookup-writer.ts';

/** A place in the middle of the province, for a warm-up that reads every table. */
const WARM_UP_AT: Coordinate = { lat: 44.0, lon: -79.5 };

export const NO_REGISTER = 'the snapshot has no address register: import one with load-addresses';

interface Source {
  readonly from: ServedSnapshot;
  readonly writer: LookupWriter;
}

export function placeHandlers(from: ServedSnapshot, writer: LookupWriter): Handlers {
  const source = { from, writer };
  return {
    address: (task) => answerAddress(source, task),
    point: (task) => answerPoint(source, task),
    place: (task) => answerAt(source, task.geocode, task, task.geocodeMs),
    'warm-up': (task) => warmUp(source, task.forMs),
  };
}

function answerAddress(source: Source, task: LookupTask & { readonly kind: 'address' }): Outcome<LookupAnswer> {
  const { gazetteer } = source.from;
  if (!gazetteer) return failFor('NO_REGISTER', NO_REGISTER);
  const start = performance.now();
  const result = gazetteer.geocode(task.address);
  const geocodeMs = performance.now() - start;
  if ('found' in result) return answerAt(source, result.found, task, geocodeMs);
  const { reason, detail, suggestions } = result.refused;
  const code = reason === 'OUT_OF_AREA' ? 'OUTSIDE_ONTARIO' : 'ADDRESS_NOT_FOUND';
  return fail(code, detail, { reason, suggestions });
}

function answerPoint(source: Source, task: LookupTask & { readonly kind: 'point' }): Outcome<LookupAnswer> {
  const start = performance.now();
  const geocode = pointGeocode(task, source.from.gazetteer?.nearest(task) ?? { state: 'unavailable' });
  return answerAt(source, geocode, task, performance.now() - start);
}

const HINT_WORDS: Readonly<Record<Hint, string>> = {
  EXCHANGED: ': its latitude and longitude are exchanged',
  POSITIVE_LONGITUDE: ': its longitude is positive, and in Ontario it is negative',
  EXCHANGED_POSITIVE: ': its latitude and longitude are exchanged, and its longitude is not negative',
};

/** What is wrong with coordinates that would lie in Ontario if one slip were undone; null: nothing. */
function slipOf(lat: number, lon: number): Hint | null {
  if (isInOntarioBox(lat, lon)) return 'EXCHANGED';
  if (isInOntarioBox(-lon, lat)) return 'POSITIVE_LONGITUDE';
  return isInOntarioBox(-lat, lon) ? 'EXCHANGED_POSITIVE' : null;
}

function outsideOf({ lat, lon }: Coordinate): Failure {
  const hint = slipOf(lat, lon);
  const detail = `the place is outside Ontario${hint === null ? '' : HINT_WORDS[hint]}`;
  return fail('OUTSIDE_ONTARIO', detail, { reason: 'OUT_OF_AREA', ...(hint === null ? {} : { hint }) });
}

function answerAt(
  { from, writer }: Source,
  geocode: Geocode | PointGeocode,
  detail: LookupDetail,
  geocodeMs: number,
): Outcome<LookupAnswer> {
  const start = performance.now();
  const { lat, lon } = geocode;
  const at = project({ lat, lon });
  const { full, geometry, further, members, lookupId } = detail;
  const view = viewOf(from, at, further !== undefined);
  if (view.near('province', 0).length === 0) return outsideOf({ lat, lon });
  const place = { address: geocode.address, lat, lon };
  const json = detail.writer
    ? from.writers.get(detail.writer)!({ view, geocode })
    : full
      ? writer.full(from, place, { at, view, geocode, geometry, further, members, lookupId })
      : writer.plain(from, place, { view, geocode, further, members, lookupId });
  const { id: vintage } = from.snapshot.manifest;
  return { ok: true, value: { json, vintage, geocodeMs, layersMs: performance.now() - start } };
}

function viewOf({ cells, snapshot }: ServedSnapshot, at: ProjectedPoint, further = false): PlaceView {
  return cells ? cellView(snapshot, cells, at, further) : referenceView(snapshot, at);
}

function warmUp({ from, writer }: Source, forMs: number): Outcome<LookupAnswer> {
  from.snapshot.layer('province');
  // Under the lock, so that the threads of the next pool keep only one core busy.
  underLoadLock(() => {
    const endMs = performance.now() + forMs;
    do {
      from.gazetteer?.geocode('1 Main St, Toronto, ON');
      from.gazetteer?.nearest(WARM_UP_AT);
      for (const one of from.warmUps) one();
      writer.layers(viewOf(from, project(WARM_UP_AT)));
    } while (performance.now() < endMs);
  });
  return { ok: true, value: { json: '', geocodeMs: 0, layersMs: 0 } };
}

/** Returns the `geocode` of a lookup by coordinates: the place as it was asked for, and the address nearest to it. */
function pointGeocode(
  { lat, lon, uncertaintyM = 0 }: Coordinate & { readonly uncertaintyM?: number },
  nearest: NearestAddress,
): PointGeocode {
  const isPresent = nearest.state === 'present';
  return {
    address: isPresent ? nearest.address : null,
    ...{ lat, lon, accuracy: 'point', uncertaintyM },
    addressState: nearest.state,
    addressDistanceM: isPresent ? Math.round(nearest.distanceM * 10) / 10 : null,
    addressAccuracy: isPresent ? nearest.accuracy : null,
    components: isPresent ? nearest.components : null,
    source: 'request',
  };
}
