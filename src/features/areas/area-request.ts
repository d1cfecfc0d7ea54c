/** Reads the geometry of an area: the body of `POST /api/lookup/area`, or a row of a file. Every error says what to do. */
import { type AreaPolygons, type ReadArea, isInOntarioBox } from '../../messages/lookup.ts';
import { MOST_OF_AREA, MOST_VERTICES } from '../../messages/area-limits.ts';
import { shapeWords, type ShapeRules } from '../../core/lookup/json-shape.ts';
import { badRequest, cutShort, type AppError } from '../../messages/problems.ts';

export const areaOf: ReadArea = (body, what = 'the body') => {
  const { type, coordinates } = geometryOf(body, what);
  const polygons = type === 'Polygon' ? [coordinates] : listOf(coordinates, 'geometry.coordinates', 'polygons');
  const reader = new RingReader();
  const read = polygons.map((polygon, i) => {
    const path = type === 'Polygon' ? 'geometry.coordinates' : `geometry.coordinates[${i}]`;
    return listOf(polygon, path, 'rings').map((ring, j) => reader.read(ring, `${path}[${j}]`));
  });
  if (isSwapped(read)) {
    throw refused('geometry lies in Ontario only if its latitudes come first: send [longitude, latitude]', 'geometry');
  }
  for (const [i, rings] of read.entries()) {
    const around = ringAroundFirst(rings);
    const path = type === 'Polygon' ? 'geometry.coordinates' : `geometry.coordinates[${i}]`;
    if (around > 0)
      throw refused(
        `${path}[${around}] lies around ${path}[0]: the outer ring of a polygon comes first, then its holes`,
        'geometry',
      );
  }
  return { polygons: read, isClosed: reader.isClosed };
};

type GeometryType = 'Polygon' | 'MultiPolygon';

/** The body of a request. */
export const EXAMPLE = '{"geometry": {"type": "Polygon", "coordinates": […]}}';

function geometryOf(body: unknown, what: string): { readonly type: GeometryType; readonly coordinates: unknown } {
  if (!isObject(body)) throw refused(`${what} must be an object: send ${EXAMPLE}`);
  if ('type' in body) throw refused(`${what} must not be GeoJSON itself: send the geometry as ${EXAMPLE}`);
  const other = Object.keys(body).find((name) => name !== 'geometry');
  if (other !== undefined) throw refused(`${what} must not have the member "${cutShort(other)}"`, other);
  const { geometry } = body;
  if (!isObject(geometry)) throw refused(`${what} must have a geometry: send ${EXAMPLE}`, 'geometry');
  const type = typeOf(geometry);
  for (const name of Object.keys(geometry)) {
    const path = `geometry.${name}`;
    if (name === 'crs') {
      throw refused('geometry must not have a crs: send longitude and latitude in WGS84 degrees', path);
    }
    if (!MEMBERS.includes(name)) throw refused(`geometry must not have the member "${cutShort(name)}"`, path);
  }
  return { type, coordinates: geometry['coordinates'] };
}

const MEMBERS: readonly string[] = ['type', 'coordinates', 'bbox'];

function typeOf({ type }: Readonly<Record<string, unknown>>): GeometryType {
  if (type === 'Feature') throw refused('geometry is a Feature: send its member "geometry" alone', 'geometry');
  if (type === 'FeatureCollection')
    throw refused('geometry is a FeatureCollection: send the geometry of one feature', 'geometry');
  if (type !== 'Polygon' && type !== 'MultiPolygon') {
    throw refused('geometry.type must be Polygon or MultiPolygon: a line or a point has no area', 'geometry.type');
  }
  return type;
}

function listOf(value: unknown, path: string, content: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(`${path} must be an array of ${content}`, path);
  if (value.length === 0) throw refused(`${path} is empty: it must have ${content}`, path);
  return value;
}

class RingReader {
  isClosed = true;
  #vertices = 0;

  /** Returns longitudes and latitudes in turns, without the last position, which repeats the first. */
  read(ring: unknown, path: string): number[] {
    const positions = listOf(ring, path, 'positions');
    this.#vertices += positions.length - 1;
    if (this.#vertices > MOST_VERTICES) {
      throw tooManyVertices();
    }
    const xy: number[] = [];
    for (let i = 0; i < positions.length; i++)
      if (!addLonLat(xy, positions[i])) throw refusedPosition(positions[i], `${path}[${i}]`);
    if (xy[0] === xy.at(-2) && xy[1] === xy.at(-1)) xy.splice(-2);
    else this.isClosed = false;
    if (!hasThreePositions(xy)) throw refused(`${path} must have at least three different positions`, path);
    return xy;
  }
}

function tooManyVertices(): AppError {
  return refused(`geometry has more than ${MOST_VERTICES} vertices: simplify it, or ask for its parts`, 'geometry');
}

/** What the body of an area may have. */
export const areaShape: ShapeRules = {
  most: MOST_OF_AREA,
  refusal: (beyond) =>
    beyond === 'objectsAndArrays'
      ? tooManyVertices()
      : refused(`the body has more ${shapeWords[beyond]} than any area needs: send ${EXAMPLE}`),
};

/** Whether at least three positions differ from each other. */
function hasThreePositions(xy: readonly number[]): boolean {
  const isOther = (i: number, from: number): boolean => xy[i] !== xy[from] || xy[i + 1] !== xy[from + 1];
  let second = 2;
  while (second < xy.length && !isOther(second, 0)) second += 2;
  for (let i = second + 2; i < xy.length; i += 2) if (isOther(i, 0) && isOther(i, second)) return true;
  return false;
}

/** Adds the longitude and latitude of a position; false: it has none. */
function addLonLat(xy: number[], position: unknown): boolean {
  if (!Array.isArray(position)) return false;
  // Not taken apart as `[lon, lat]`, which takes as long as all the rest.
  const lon: unknown = position[0];
  const lat: unknown = position[1];
  if (!isNumber(lon) || !isNumber(lat) || Math.abs(lon) > 180 || Math.abs(lat) > 90) return false;
  xy.push(lon, lat);
  return true;
}

/** `path`: of the position. */
function refusedPosition(position: unknown, path: string): AppError {
  if (!Array.isArray(position) || position.length < 2) return refused(`${path} must be [longitude, latitude]`, path);
  const [lon, lat] = position as readonly unknown[];
  if (!isNumber(lon) || !isNumber(lat))
    return refused(`${path} must have two finite numbers: [longitude, latitude]`, path);
  const hint = hintOf(Math.abs(lon), Math.abs(lat));
  return refused(`${path} must have a longitude from -180 to 180 and a latitude from -90 to 90: ${hint}`, path);
}

function hintOf(lon: number, lat: number): string {
  if (lon > 360 || lat > 360) return 'send degrees, not metres';
  return lon > 180 ? 'send a longitude west of Greenwich below 0, as -79.4' : 'send the longitude first';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Number of a ring whose box has that of the first inside, with room on each side; -1 for none. Without what it cuts out nothing would be left of the polygon. */
function ringAroundFirst([first, ...others]: readonly (readonly number[])[]): number {
  if (others.length === 0) return -1;
  const [west, south, east, north] = boxOf(first!);
  const at = others.findIndex((ring) => {
    const [left, bottom, right, top] = boxOf(ring);
    return left < west && bottom < south && right > east && top > north;
  });
  return at < 0 ? -1 : at + 1;
}

function boxOf(ring: readonly number[]): [west: number, south: number, east: number, north: number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    const [lon, lat] = [ring[i]!, ring[i + 1]!];
    if (lon < box[0]) box[0] = lon;
    if (lat < box[1]) box[1] = lat;
    if (lon > box[2]) box[2] = lon;
    if (lat > box[3]) box[3] = lat;
  }
  return box;
}

/** Whether all positions lie in the box of Ontario only when they are read the other way round. */
function isSwapped(polygons: AreaPolygons): boolean {
  return polygons.flat().every((ring) => {
    for (let i = 0; i < ring.length; i += 2) if (!isInOntarioBox(ring[i + 1]!, ring[i]!)) return false;
    return true;
  });
}

/** `path`: the place of the error, as in `geometry.coordinates[0][1]`. */
function refused(detail: string, path = ''): AppError {
  return badRequest(detail, { param: cutShort(path).replace(/(^|\.|\[)([^.[\]]+)\]?/g, '/$2') });
}
