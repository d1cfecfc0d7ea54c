import type { Coordinate } from '../../../src/messages/lookup.ts';
import { ByteReader, ByteWriter } from '../../geopackage/bytes.ts';
import type { CivicPoint } from './civic-block.ts';
import type { StreetSpelling } from './street-record.ts';

/** The register and the grid count in millionths of a degree, so that both have the same point. */
export const DEGREE = 1_000_000;

/**
 * Size of a square: about 280 m each way in southern Ontario. A square of a dense town has a few hundred points, and a
 * search within 100 m reads four squares at most there.
 */
const HEIGHT = 2500;
const WIDTH = 3500;

/** South-western corner of the grid, and its size in squares: the register's province with a margin. */
const SOUTH = 41_500_000;
const WEST = -95_500_000;
const COLUMNS = 8192;
const ROWS = 6400;

/** A square of the grid with its row id, and its south-western corner. */
interface Square {
  readonly id: number;
  readonly south: number;
  readonly west: number;
}

/** Returns the square of a civic point as the register's tables round it; null outside the grid. */
export function nearSquareOf({ lat, lon }: Coordinate): Square | null {
  return squareAt(Math.round(lat * DEGREE), Math.round(lon * DEGREE));
}

/** In millionths of a degree. */
function squareAt(lat: number, lon: number): Square | null {
  return squareIn(Math.floor((lat - SOUTH) / HEIGHT), Math.floor((lon - WEST) / WIDTH));
}

function squareIn(row: number, column: number): Square | null {
  if (!(row >= 0 && row < ROWS && column >= 0 && column < COLUMNS)) return null;
  return { id: row * COLUMNS + column + 1, south: SOUTH + row * HEIGHT, west: WEST + column * WIDTH };
}

/** A place that is searched around, in millionths of a degree, with metres on the ground per millionth. */
interface SearchedPlace {
  readonly lat: number;
  readonly lon: number;
  readonly metresPerLat: number;
  readonly metresPerLon: number;
}

// GRS 80, which NAD83 and WGS 84 have in common.
const SEMI_MAJOR_M = 6_378_137;
const E2 = 0.00669438;

/**
 * Measures with the radii of curvature of the ellipsoid (Snyder, Map Projections: A Working Manual, 4-18 and 4-20). Over
 * 100 m this plane differs from the geodesic by some millimetres; a sphere would differ by 0.3 %.
 */
export function searchedPlace({ lat, lon }: Coordinate): SearchedPlace {
  const radians = Math.PI / 180;
  const sin = Math.sin(lat * radians);
  const w = 1 - E2 * sin * sin;
  return {
    lat: lat * DEGREE,
    lon: lon * DEGREE,
    metresPerLat: (((SEMI_MAJOR_M * (1 - E2)) / w ** 1.5) * radians) / DEGREE,
    metresPerLon: ((SEMI_MAJOR_M / Math.sqrt(w)) * Math.cos(lat * radians) * radians) / DEGREE,
  };
}

/**
 * Yields the squares that come within a distance of a place, first the one that holds it. Outside the grid there are none.
 * @param reachM returns the distance in metres. It is asked for each square, because a search within it becomes shorter.
 */
export function* squaresAround(place: SearchedPlace, reachM: () => number): Generator<Square> {
  const own = squareAt(place.lat, place.lon);
  if (!own) return;
  yield own;
  const reachLat = reachM() / place.metresPerLat;
  const reachLon = reachM() / place.metresPerLon;
  const lastRow = Math.floor((place.lat + reachLat - SOUTH) / HEIGHT);
  const lastColumn = Math.floor((place.lon + reachLon - WEST) / WIDTH);
  for (let row = Math.floor((place.lat - reachLat - SOUTH) / HEIGHT); row <= lastRow; row++) {
    for (let column = Math.floor((place.lon - reachLon - WEST) / WIDTH); column <= lastColumn; column++) {
      const square = squareIn(row, column);
      if (square && square.id !== own.id && distanceToSquareM(place, square) <= reachM()) yield square;
    }
  }
}

function distanceToSquareM({ lat, lon, metresPerLat, metresPerLon }: SearchedPlace, { south, west }: Square): number {
  const north = Math.max(south - lat, lat - south - HEIGHT, 0) * metresPerLat;
  const east = Math.max(west - lon, lon - west - WIDTH, 0) * metresPerLon;
  return Math.hypot(north, east);
}

/** Names that civic points of one street share. */
export interface NamedStreet extends StreetSpelling {
  /** Index of the census subdivision, and of the mailing municipality. */
  readonly csd: number;
  readonly mail: number;
}

/** A civic point with all that its address consists of. */
interface NamedPoint extends Pick<CivicPoint, 'civic' | 'suffix' | 'blockface' | 'postalCode'> {
  readonly street: NamedStreet;
}

/** Point of a row that is nearest to a place, with the square of the metres between them. */
export interface FoundNear {
  readonly squaredM: number;
  readonly square: NearSquare;
  readonly index: number;
}

const HEAD_BYTES = 4;
const POINT_BYTES = 14;

/**
 * Encodes the points of one square: fixed-width records, which a search scans, then the texts that they refer to. Points of sides
 * of streets come last; otherwise the order is kept.
 */
export function encodeNearSquare(
  points: readonly (NamedPoint & { readonly lat: number; readonly lon: number })[],
  { south, west }: Square,
): Buffer {
  const streets = numbered(points.map(({ street }) => JSON.stringify(street)));
  const texts = numbered(points.flatMap(({ suffix, postalCode }) => [suffix ?? '', postalCode ?? '']));
  const buildings = points.filter(({ blockface }) => !blockface);
  const out = new ByteWriter();
  out.u16(points.length);
  out.u16(buildings.length);
  for (const point of [...buildings, ...points.filter(({ blockface }) => blockface)]) {
    out.u16(Math.round(point.lat * DEGREE) - south);
    out.u16(Math.round(point.lon * DEGREE) - west);
    out.u32(point.civic);
    out.u16(streets.get(JSON.stringify(point.street))!);
    out.u16(texts.get(point.suffix ?? '')!);
    out.u16(texts.get(point.postalCode ?? '')!);
  }
  out.u16(texts.size);
  for (const text of texts.keys()) out.text(text);
  for (const json of streets.keys()) writeStreet(JSON.parse(json) as NamedStreet, out);
  return out.take();
}

function numbered(values: readonly string[]): Map<string, number> {
  return new Map([...new Set(values)].map((value, i) => [value, i]));
}

function writeStreet({ csd, mail, name, type, direction }: NamedStreet, out: ByteWriter): void {
  out.u16(csd);
  out.u16(mail);
  for (const text of [name, type, direction]) out.text(text ?? '');
}

function readStreet(reader: ByteReader): NamedStreet {
  const [csd, mail] = [reader.u16(), reader.u16()];
  return { csd, mail, name: reader.text(), type: reader.text() || null, direction: reader.text() || null };
}

/** Reads what `encodeNearSquare` wrote. */
export class NearSquare {
  readonly #bytes: Buffer;
  readonly #square: Square;
  readonly #count: number;
  readonly #buildings: number;

  /** @param bytes empty where the square has no address. */
  constructor(bytes: Buffer, square: Square) {
    this.#bytes = bytes;
    this.#square = square;
    this.#count = bytes.length === 0 ? 0 : bytes.readUInt16LE(0);
    this.#buildings = bytes.length === 0 ? 0 : bytes.readUInt16LE(2);
  }

  /** Finds the nearest point of a kind, the first of several at the same place; null when there is none. */
  nearest(place: SearchedPlace, accuracy: 'building' | 'blockface'): FoundNear | null {
    const [from, to] = accuracy === 'building' ? [0, this.#buildings] : [this.#buildings, this.#count];
    let best = -1;
    let squaredM = Infinity;
    for (let index = from; index < to; index++) {
      const metres = this.#squaredMetres(index, place);
      if (metres < squaredM) [best, squaredM] = [index, metres];
    }
    return best < 0 ? null : { squaredM, square: this, index: best };
  }

  /** Finds the buildings within a distance, in no order. */
  within(place: SearchedPlace, distanceM: number): FoundNear[] {
    const found: FoundNear[] = [];
    for (let index = 0; index < this.#buildings; index++) {
      const squaredM = this.#squaredMetres(index, place);
      if (squaredM <= distanceM * distanceM) found.push({ squaredM, square: this, index });
    }
    return found;
  }

  /** Where a point is, in millionths of a degree. */
  place(index: number): { readonly lat: number; readonly lon: number } {
    const at = HEAD_BYTES + index * POINT_BYTES;
    return {
      lat: this.#square.south + this.#bytes.readUInt16LE(at),
      lon: this.#square.west + this.#bytes.readUInt16LE(at + 2),
    };
  }

  point(index: number): NamedPoint {
    const reader = new ByteReader(this.#bytes, HEAD_BYTES + index * POINT_BYTES + 4);
    const civic = reader.u32();
    const [street, suffix, postalCode] = [reader.u16(), reader.u16(), reader.u16()];
    reader.at = HEAD_BYTES + this.#count * POINT_BYTES;
    const texts = reader.texts(reader.u16());
    for (let before = 0; before < street; before++) readStreet(reader);
    return {
      civic,
      blockface: index >= this.#buildings,
      suffix: texts[suffix] || null,
      postalCode: texts[postalCode] || null,
      street: readStreet(reader),
    };
  }

  #squaredMetres(index: number, { lat, lon, metresPerLat, metresPerLon }: SearchedPlace): number {
    const point = this.place(index);
    const north = (point.lat - lat) * metresPerLat;
    const east = (point.lon - lon) * metresPerLon;
    return north * north + east * east;
  }
}
