/**
 * Two provinces that differ in known ways, the answers of both, and what must have become of each layer at each place. The expectation is computed from what was
 * drawn, in plane metres, and by none of the program's code.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { loadLayers } from '../../../src/import/load-layers.ts';
import { projectDir } from '../../../src/project/project.ts';
import type { Geocode } from '../../../src/messages/wire/geocode.ts';
import type { Cause, Change } from '../../../src/features/compare/wire.ts';
import { LookupWriter } from '../../../workers/engine/answers/lookup-writer.ts';
import { placeHandlers } from '../../../workers/engine/answers/place-lookups.ts';
import { openServed, prepareSnapshot } from '../../../workers/engine/served-snapshot.ts';
import { capturedOutput } from '../../support/drivers/captured-output.ts';
import { geoJson, writeSources, type TestFeature } from '../../support/material/sources.ts';

type Ring = [number, number][];

/** What stands around a place. Metres to the east of it, or north; null: nothing. */
interface Drawn {
  readonly wetlandM: number | null;
  readonly wetlandType: string;
  readonly greenbelt: string | null;
  readonly isCovered: boolean;
  readonly wellM: number | null;
  readonly authority: string;
  /** Drawn with more vertices, from another corner, and 5 mm beside. */
  readonly isRedrawn: boolean;
}

export interface Place {
  readonly at: { readonly lat: number; readonly lon: number };
  /** Metres to the east by which the address is elsewhere later. */
  readonly movedM: number;
  readonly before: Drawn;
  readonly now: Drawn;
}

export interface Expected {
  readonly change: Change;
  readonly cause: Cause | null;
}

/** Later bands of the definition that is changed. */
export const LATER_BANDS = { regulated: 30, adjacent: 100 };
const BANDS = { regulated: 30, adjacent: 120 };

const STEP = { lat: 0.02, lon: 0.03 };
const COLUMNS = 36;
const SOUTH = 43.5;
const WEST = -81;

/** Metres of a degree on the ellipsoid (Snyder, 1987). */
function metresOfDegree(lat: number): { readonly north: number; readonly east: number } {
  const a = (lat * Math.PI) / 180;
  return {
    north: 111_132.954 - 559.822 * Math.cos(2 * a) + 1.175 * Math.cos(4 * a),
    east: 111_412.84 * Math.cos(a) - 93.5 * Math.cos(3 * a) + 0.118 * Math.cos(5 * a),
  };
}

const MOVES = [0.01, 0.5, 2, 10, 50];
const WETLANDS = [-40, 5, 28.5, 31.5, 60, 95, 112, 118.5, 125, 160];

/** Draws so many places, each with one difference at most, but for the authorities, which are others everywhere. */
export function drawPlaces(count: number, random: () => number): Place[] {
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  return Array.from({ length: count }, (_, i): Place => {
    const column = i % COLUMNS;
    const lat = Number((SOUTH + Math.floor(i / COLUMNS) * STEP.lat).toFixed(6));
    const lon = Number((WEST + column * STEP.lon).toFixed(6));
    const before: Drawn = {
      wetlandM: random() < 0.8 ? one(WETLANDS) : null,
      wetlandType: 'Swamp',
      greenbelt: random() < 0.5 ? 'Protected Countryside' : null,
      isCovered: column >= 6,
      wellM: random() < 0.7 ? 100.3 + Math.floor(random() * 38) * 10 : null,
      authority: `Authority ${column}`,
      isRedrawn: false,
    };
    const later = { ...before, isCovered: column < 30, authority: `Region ${Math.floor(column / 4)}` };
    const by = one(MOVES);
    const differences: readonly (() => Partial<Drawn>)[] = [
      () => ({}),
      () => (before.wetlandM === null ? { wetlandM: one(WETLANDS) } : { wetlandM: null }),
      () => (before.wetlandM === null ? {} : { wetlandM: before.wetlandM + by }),
      () => (before.wetlandM === null ? {} : { wetlandM: before.wetlandM - by }),
      () => ({ wetlandType: 'Marsh' }),
      () => (before.greenbelt === null ? { greenbelt: 'Urban River Valley' } : { greenbelt: null }),
      () => (before.greenbelt === null ? {} : { greenbelt: 'Urban River Valley' }),
      () => (before.wellM === null ? { wellM: 200.3 } : { wellM: null }),
      () => (before.wellM === null ? {} : { wellM: before.wellM + (by === 0.5 ? 2 : by) }),
      () => ({ isRedrawn: true }),
      () => ({ isRedrawn: true }),
    ];
    return { at: { lat, lon }, movedM: i % 10 === 9 ? 41 : 0, before, now: { ...later, ...one(differences)() } };
  });
}

interface Asked {
  /** The bands of wetlands are the later ones now. */
  readonly isRedefined: boolean;
  /** Only they differ. */
  readonly isSameData: boolean;
}

/** What became of each layer that differs anywhere. */
export function expectedOf(
  { movedM, before, now }: Place,
  { isRedefined, isSameData }: Asked,
): Readonly<Record<string, Expected>> {
  const later = isSameData ? before : now;
  const bands = isRedefined ? LATER_BANDS : BANDS;
  const laterM = later.wetlandM === null ? null : later.wetlandM - movedM;
  const [then, today] = [bandOf(before.wetlandM, BANDS), bandOf(laterM, bands)];
  // The other bands alone make the difference.
  const isByBands = isSameData || (isRedefined && then !== today && bandOf(before.wetlandM, bands) === today);
  const of = (change: Change, isByDefinition = isSameData): Expected => {
    const cause = movedM > 0 ? 'address' : isByDefinition ? 'definition' : 'data';
    return { change, cause: change === 'none' ? null : cause };
  };
  const isOtherType = before.wetlandType !== later.wetlandType;
  const wellM = later.wellM === null ? null : Math.hypot(later.wellM, movedM);
  return {
    wetlandProximity: of(
      ofFound({ was: then !== 'outside', is: today !== 'outside', isOther: then !== today || isOtherType }),
      isByBands,
    ),
    greenbelt: of(beltChange(before, later, false)),
    greenbeltDesignation: of(beltChange(before, later, before.greenbelt !== later.greenbelt)),
    caBoundary: of(before.authority === later.authority ? 'none' : 'value'),
    waterWells: of(
      ofFound({ was: isNear(before.wellM), is: isNear(wellM), isOther: isElsewhere(before.wellM, wellM) }),
    ),
  };
}

function ofFound({ was, is, isOther }: Readonly<Record<'was' | 'is' | 'isOther', boolean>>): Change {
  if (was && is) return isOther ? 'value' : 'none';
  if (was === is) return 'none';
  return is ? 'appeared' : 'disappeared';
}

function isNear(metres: number | null): boolean {
  return metres !== null && metres <= 500;
}

/** Farther than rounding explains, in whole metres. */
function isElsewhere(one: number | null, other: number | null): boolean {
  return Math.abs((one ?? 0) - (other ?? 0)) > 0.2 && Math.round(one ?? 0) !== Math.round(other ?? 0);
}

/** A feature is known wherever it is found; that there is none, only where the data reach. */
function beltChange(before: Drawn, later: Drawn, isOther: boolean): Change {
  const [was, is] = [before.greenbelt !== null, later.greenbelt !== null];
  const [wasKnown, isKnown] = [was || before.isCovered, is || later.isCovered];
  if (wasKnown !== isKnown) return isKnown ? 'known' : 'unknown';
  return ofFound({ was, is, isOther });
}

function bandOf(metres: number | null, bands: typeof BANDS): string {
  if (metres === null || metres > bands.adjacent) return 'outside';
  if (metres < 0 && metres > -100) return 'inside';
  const farM = metres <= -100 ? -100 - metres : metres;
  return farM <= bands.regulated ? 'regulated' : farM <= bands.adjacent ? 'adjacent' : 'outside';
}

type Side = 'before' | 'now';

export interface TwoProvinces {
  /** Full answers: `before`, `now`, the data of before by the later definitions (`redefined`), and the data of now by those (`both`). */
  readonly answers: (place: Place, i: number) => Readonly<Record<Side | 'redefined' | 'both', unknown>>;
}

/** Imports both provinces with the real importer, each into a folder of its own. */
export async function importProvinces(
  folder: string,
  places: readonly Place[],
  random: () => number,
): Promise<TwoProvinces> {
  const layersDir = join(folder, 'layers');
  cpSync(join(projectDir, 'layers'), layersDir, { recursive: true });
  const dirs = { before: '', now: '' };
  for (const side of ['before', 'now'] as const) {
    const dataDir = join(folder, side);
    const output = capturedOutput();
    const from = writeProvince(join(folder, `${side}-from`), places, side, random);
    const code = await loadLayers({ dataDir, layersDir }, { from }, output);
    if (code !== 0) throw new Error(output.text());
    dirs[side] = requireCurrentSnapshot(dataDir).dir;
  }
  const definitions = readCatalogue(layersDir);
  const file = join(layersDir, 'wetland.json');
  const text = readFileSync(file, 'utf8').replace('"adjacent": 120', `"adjacent": ${LATER_BANDS.adjacent}`);
  writeFileSync(file, text);
  const later = readCatalogue(layersDir);
  const askerOf = (side: Side, catalogue: typeof later) => {
    const served = openServed({ ...prepareSnapshot(dirs[side], false), opening: 1 }, catalogue);
    const { place: ask } = placeHandlers(served, new LookupWriter(catalogue));
    return (at: Place['at'], i: number): unknown => {
      const outcome = ask!({ kind: 'place', full: true, geocodeMs: 0, geocode: geocodeOf(at, i) });
      if (!outcome.ok) throw new Error(outcome.detail);
      return JSON.parse(outcome.value.json);
    };
  };
  const askers = {
    ...{ before: askerOf('before', definitions), now: askerOf('now', definitions) },
    ...{ redefined: askerOf('before', later), both: askerOf('now', later) },
  };
  return {
    answers: ({ at, movedM }, i) => {
      const moved = { lat: at.lat, lon: at.lon + movedM / metresOfDegree(at.lat).east };
      return {
        ...{ before: askers.before(at, i), now: askers.now(moved, i) },
        ...{ redefined: askers.redefined(moved, i), both: askers.both(moved, i) },
      };
    },
  };
}

function geocodeOf(at: Place['at'], i: number): Geocode {
  const components = {
    unit: null,
    civicNumber: i + 1,
    civicSuffix: null,
    streetName: 'Drawn',
    streetType: 'St',
    streetDirection: null,
  };
  const where = {
    municipality: 'Drawnville',
    censusSubdivision: 'Drawnville',
    province: 'ON',
    postalCode: null,
  } as const;
  return {
    ...{ ...at, address: `${i + 1} Drawn St, Drawnville, ON, Canada`, accuracy: 'building' as const, uncertaintyM: 10 },
    ...{ score: 1, faults: [], components: { ...components, ...where }, source: 'local' },
  };
}

function writeProvince(folder: string, places: readonly Place[], side: Side, random: () => number): string {
  const [wetland, greenbelt, wells, authorities]: TestFeature[][] = [[], [], [], []];
  const rows = Math.ceil(places.length / COLUMNS);
  const north = SOUTH + rows * STEP.lat;
  const east = WEST + COLUMNS * STEP.lon;
  const names = new Map<string, [number, number]>();
  places.forEach(({ at, [side]: drawn }, i) => {
    const { wetlandM, wetlandType, isRedrawn } = drawn;
    const box = (westM: number, sizeM: number): TestFeature['geometry'] =>
      boxAround(at, { westM, sizeM, isRedrawn }, random);
    if (wetlandM !== null) wetland!.push({ geometry: box(wetlandM, 100), properties: { WETLAND_TYPE: wetlandType } });
    if (drawn.greenbelt !== null)
      greenbelt!.push({ geometry: box(-100, 200), properties: { DESIGNATION: drawn.greenbelt } });
    if (drawn.wellM !== null) {
      const coordinates = [at.lon, at.lat + drawn.wellM / metresOfDegree(at.lat).north];
      wells!.push({
        geometry: { type: 'Point', coordinates },
        properties: { WELL_ID: `${i}`, FINAL_STATUS_DESCR: 'Water Supply' },
      });
    }
    const [first, last] = names.get(drawn.authority) ?? [at.lon, at.lon];
    names.set(drawn.authority, [Math.min(first, at.lon), Math.max(last, at.lon)]);
  });
  for (const [name, [first, last]] of names) {
    const ring = boxRing(first - STEP.lon / 2, SOUTH - 0.01, last + STEP.lon / 2, north);
    authorities!.push({
      geometry: { type: 'Polygon', coordinates: [ring] },
      properties: { LEGAL_NAME: name, CA_ID: names.size },
    });
  }
  // A place at the edge of a grid is known where the square around it is.
  const [from, to] = side === 'before' ? [6, COLUMNS] : [0, 30];
  const coverage = [WEST + (from - 0.5) * STEP.lon, SOUTH - 0.01, WEST + (to - 0.5) * STEP.lon, north];
  const outline = [
    {
      geometry: { type: 'Polygon', coordinates: [boxRing(WEST - 0.1, SOUTH - 0.1, east + 0.1, north + 0.1)] },
      properties: {},
    },
  ];
  const crop = [
    {
      geometry: { type: 'Polygon', coordinates: [boxRing(WEST - 0.05, SOUTH - 0.05, east, north)] },
      properties: { NAME: 'Holland Marsh' },
    },
  ];
  const dated = (file: string) => ({ file, asOf: '2026-02-03' });
  return writeSources(
    folder,
    {
      ...{ province: dated('province.geojson'), wetland: dated('wetland.geojson') },
      ...{ greenbelt: { ...dated('greenbelt.geojson'), coverage }, well_records: dated('wells.geojson') },
      ...{ ca_admin_areas: dated('authorities.geojson'), greenbelt_specialty_crop: dated('crop.geojson') },
    },
    {
      ...{
        'province.geojson': geoJson(outline),
        'wetland.geojson': geoJson(wetland!),
        'greenbelt.geojson': geoJson(greenbelt!),
      },
      ...{
        'wells.geojson': geoJson(wells!),
        'authorities.geojson': geoJson(authorities!),
        'crop.geojson': geoJson(crop),
      },
    },
  );
}

function boxRing(west: number, south: number, east: number, north: number): Ring {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

interface Box {
  readonly westM: number;
  readonly sizeM: number;
  readonly isRedrawn: boolean;
}

function boxAround(
  { lat, lon }: Place['at'],
  { westM, sizeM, isRedrawn }: Box,
  random: () => number,
): TestFeature['geometry'] {
  const { north, east } = metresOfDegree(lat);
  const half = sizeM / 2 / north;
  const corners = boxRing(lon + westM / east, lat - half, lon + (westM + sizeM) / east, lat + half);
  if (!isRedrawn) return { type: 'Polygon', coordinates: [corners] };
  const noise = (metres: number): number => ((random() * 2 - 1) * 0.005) / metres;
  const fine = corners.slice(0, -1).flatMap(([x, y], i): Ring => {
    const [toX, toY] = corners[i + 1]!;
    return [0, 0.2, 0.5, 0.9].map((part) => [x + part * (toX - x) + noise(east), y + part * (toY - y) + noise(north)]);
  });
  const turned = [...fine.slice(7), ...fine.slice(0, 7)].reverse();
  return { type: 'Polygon', coordinates: [[...turned, turned[0]!]] };
}
