/** Holds two snapshots against each other: rows of the feature tables, and answers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Gdal from 'gdal-async';
import type { DownloadedFeature } from '../../../src/messages/import.ts';
import { currentSnapshot } from '../../../src/core/snapshots/current.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { cliOrThrow } from '../drivers/cli.ts';
import { storedRows, type StoredRow } from '../drivers/import-run.ts';

interface Place {
  readonly lat: number;
  readonly lon: number;
}

/** Farthest that a place lies from the vertex that it was drawn from: beyond the widest band. */
const MOST_DEGREES = 0.008;

/** `count` places near vertices of the features, of each layer as many. */
export function placesNear(
  layers: readonly { readonly features: readonly DownloadedFeature[] }[],
  count: number,
  random: () => number,
): Place[] {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const filled = layers.map(({ features }) => features.filter(({ geometry }) => geometry !== null));
  return Array.from({ length: count }, (_, i) => {
    let part: unknown = pick(filled[i % filled.length]!).geometry!.coordinates;
    while (Array.isArray(part) && typeof part[0] !== 'number') part = pick(part as unknown[]);
    const [lon = NaN, lat = NaN] = part as readonly number[];
    const away = MOST_DEGREES * random() ** 2;
    const angle = random() * 2 * Math.PI;
    const at = { lat: lat + away * Math.sin(angle), lon: lon + away * Math.cos(angle) };
    return { lat: Number(at.lat.toFixed(6)), lon: Number(at.lon.toFixed(6)) };
  });
}

/** Places where the snapshots in service of two data folders answer differently; all but the snapshot's name and its licences counts. */
export function differingAnswers(dataDirs: readonly [string, string], places: readonly Place[]): string[] {
  const [ours = [], theirs = []] = dataDirs.map((dataDir) => {
    const csv = join(dataDir, 'places.csv');
    writeFileSync(csv, `lat,lon\n${places.map(({ lat, lon }) => `${lat},${lon}\n`).join('')}`);
    return cliOrThrow(dataDir, 'lookup', '--file', csv).trim().split('\n');
  });
  if (ours.length !== places.length || theirs.length !== places.length)
    throw new Error(`${ours.length} and ${theirs.length} answers for ${places.length} places`);
  return places.flatMap(({ lat, lon }, i) => {
    const differences = membersThatDiffer(answerOf(ours[i]!), answerOf(theirs[i]!));
    return differences.map((difference) => `${lat}, ${lon}: ${difference}`);
  });
}

/** Licences are those of where the data came from. */
function answerOf(line: string): object {
  return { ...(JSON.parse(line) as object), snapshot: null, attribution: null };
}

/** `layers.greenbelt: true, false`, at the depth where the two part. */
function membersThatDiffer(ours: unknown, theirs: unknown, path = ''): string[] {
  if (JSON.stringify(ours) === JSON.stringify(theirs) || isRounding(ours, theirs, path)) return [];
  if (!isObject(ours) || !isObject(theirs)) return [`${path}: ${JSON.stringify(ours)}, ${JSON.stringify(theirs)}`];
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...names].flatMap((name) => membersThatDiffer(ours[name], theirs[name], `${path}/${name}`));
}

/** A border that is a millimetre off may be another tenth of a metre away. */
function isRounding(ours: unknown, theirs: unknown, path: string): boolean {
  const isDistance = path.startsWith('/evidence/') && path.endsWith('istanceM');
  return isDistance && typeof ours === 'number' && typeof theirs === 'number' && Math.abs(ours - theirs) < 0.11;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Mean distance in metres that a border may be off. A service hands out degrees: a long straight edge of a file in metres is then
 * straight between other vertices.
 */
const BORDER_TOLERANCE_M = 0.01;

/** Rows of a feature table that are not the same in both: attributes, order and shape. */
export function differingRows([ours, theirs]: readonly [string, string], table: string): string[] {
  const [a, b] = [storedRows(ours, table), storedRows(theirs, table)];
  if (a.length !== b.length) return [`${table}: ${a.length} and ${b.length} rows`];
  return a.flatMap((row, i) => {
    const difference = rowDifference(row, b[i]!);
    return difference === null ? [] : [`${table} ${row.fid}: ${difference}`];
  });
}

function rowDifference(a: StoredRow, b: StoredRow): string | null {
  if (a.fid !== b.fid) return `is row ${b.fid} in the other`;
  const [values, others] = [filled(a.values), filled(b.values)];
  if (values !== others) return `${values}, ${others}`;
  return a.wkt === b.wkt ? null : shapeDifference(a.wkt, b.wkt);
}

/** Rings may run the other way round, and begin elsewhere. */
function shapeDifference(a: string, b: string): string | null {
  const [ours, theirs] = [gdal.Geometry.fromWKT(a), gdal.Geometry.fromWKT(b)];
  if (!(ours instanceof gdal.MultiPolygon)) return 'another geometry';
  const areaM2 = areaOf(ours.symDifference(theirs));
  const offM = areaM2 / lengthOf(ours.boundary());
  return offM <= BORDER_TOLERANCE_M ? null : `${areaM2} m² belong to one of the two, ${offM} m along the border`;
}

const areaOf = (geometry: object): number => ('getArea' in geometry ? (geometry as Gdal.Polygon).getArea() : 0);
const lengthOf = (geometry: object): number =>
  'getLength' in geometry ? (geometry as Gdal.LineString).getLength() : 0;

/** A field that a source lacks reads as null. */
function filled(values: StoredRow['values']): string {
  return JSON.stringify(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .sort(),
  );
}

/** Data sets of the snapshot in service. */
export function tablesOf(dataDir: string): string[] {
  return Object.keys(currentSnapshot(dataDir)!.manifest.dataSets);
}
