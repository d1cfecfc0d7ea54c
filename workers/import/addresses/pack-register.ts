import { normaliserVersion, tokenise } from '../../../src/addresses/tokens.ts';
import type { ImportProgress } from '../../../src/messages/import.ts';
import { type StreetSpelling, encodeStreet } from '../../engine/gazetteer/street-record.ts';
import { nearSquareOf } from '../../engine/gazetteer/near-grid.ts';
import { type CivicPointWithUnits, civicPoints, packPoints } from './pack-street.ts';
import { displayNames, Municipalities } from './municipalities.ts';
import { NameListBuilder, TableWriter } from './write-tables.ts';
import type { NearStaging, JoinedRow, Staging } from './staging.ts';
import type { StreetIndex } from './street-index.ts';
import { ordinalNumbers } from '../../../src/addresses/ordinals.ts';
import { type StreetParts, foldName } from '../../../src/addresses/street-name.ts';
import { isNumberedRoadType, spellOut } from '../../../src/addresses/street-types.ts';
import { distanceM } from '../../../src/addresses/distance.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';

interface PackOptions {
  readonly gpkg: string;
  readonly streets: StreetIndex;
  /** Columns "English / French" of the census subdivisions, by number. */
  readonly csdNames: readonly string[];
  /** Receives the civic points for the table by square. */
  readonly near: Pick<NearStaging, 'add'>;
  readonly onProgress: (progress: ImportProgress) => void;
}

const PROGRESS_ROWS = 20_000;

/** Writes the staged rows into the gazetteer's tables, street by street. */
export function packRegister(
  staging: Staging,
  options: PackOptions,
): {
  /** Register rows that have a position. */
  readonly rows: number;
  readonly civicPoints: number;
  readonly streets: number;
  readonly outliers: number;
} {
  const { gpkg, csdNames, onProgress } = options;
  using writer = new TableWriter(gpkg);
  const packer = new Packer(writer, staging, options);
  const total = staging.addressCount();
  let reported = 0;
  for (const rows of streetByStreet(staging.joined())) {
    packer.add(rows);
    if (packer.counts.rows - reported < PROGRESS_ROWS) continue;
    reported = packer.counts.rows;
    onProgress({ kind: 'rows', name: 'register streets', unit: 'rows', done: reported, total });
  }
  packer.finish(csdNames);
  return packer.counts;
}

/** Yields all rows of one street of one census subdivision at a time. */
function* streetByStreet(joined: Iterable<JoinedRow>): Generator<JoinedRow[]> {
  let rows: JoinedRow[] = [];
  for (const row of joined) {
    const [first] = rows;
    if (first && (first.street !== row.street || first.csd !== row.csd)) {
      yield rows;
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) yield rows;
}

class Packer {
  readonly counts = { rows: 0, civicPoints: 0, streets: 0, outliers: 0 };
  readonly #municipalities = new Municipalities();
  /** Street key -> census subdivisions. */
  readonly #names = new Map<string, Set<number>>();
  readonly #typed = new NameListBuilder();
  readonly #writer: TableWriter;
  readonly #streets: StreetIndex;
  readonly #near: PackOptions['near'];
  readonly #staging: Staging;

  constructor(writer: TableWriter, staging: Staging, { streets, near }: PackOptions) {
    this.#writer = writer;
    this.#streets = streets;
    this.#near = near;
    this.#staging = staging;
  }

  add(rows: readonly JoinedRow[]): void {
    const street = this.#streets.streets[rows[0]!.street]!;
    let csd = 0;
    for (const row of rows) csd = this.#municipalities.count(row, street.mail);
    const points = markOutliers(civicPoints(rows), (postalCode) => this.#staging.positionsOf(postalCode));
    const blocks = packPoints(points, this.#writer);
    const civics = points.map(({ civic }) => civic);
    for (const parts of [street, ...street.otherNames.values()]) {
      const { key, type, direction } = parts;
      this.#writer.addStreet(key, csd, encodeStreet({ ...street, key, type, direction, csd }, blocks));
      this.#addName(key, csd);
      const named = { key, type, direction, csd, mail: street.mail, rows: rows.length };
      this.#typed.add(named, typedNames(parts, parts === street ? street.spellings : []), civics);
    }
    for (const point of points) this.#addNear(point, rows[0]!.street, csd);
    this.counts.rows += rows.length;
    this.counts.streets++;
    this.counts.civicPoints += new Set(points.map(({ civic, suffix }) => `${civic} ${suffix ?? ''}`)).size;
    this.counts.outliers += points.filter(({ outlier }) => outlier).length;
  }

  /** A point that the register contradicts says nothing about the addresses near it. */
  #addNear(point: CivicPointWithUnits, street: number, csd: number): void {
    const square = nearSquareOf(point);
    if (point.outlier || !square) return;
    const { suffix, postalCode, blockface } = point;
    this.#near.add({
      ...point,
      street,
      csd,
      square: square.id,
      suffix: suffix ?? '',
      postalCode: postalCode ?? '',
      blockface: blockface ? 1 : 0,
    });
  }

  finish(csdNames: readonly string[]): void {
    const { mails } = this.#streets;
    const csds = this.#municipalities.csds(csdNames);
    this.#writer.addSuggestions(this.#typed.take());
    this.#writer.finish(this.#names, {
      normaliser: normaliserVersion,
      near: true,
      csds,
      mails: displayNames(mails, csds),
      aliases: this.#municipalities.aliases(csdNames, mails),
      cells: this.#municipalities.squares(mails.length),
      postalAreas: this.#municipalities.postalAreas(),
    });
  }

  #addName(key: string, csd: number): void {
    const csds = this.#names.get(key);
    if (csds) csds.add(csd);
    else this.#names.set(key, new Set([csd]));
  }
}

/**
 * Returns the names by which people may begin to type a street, without spaces: its key, its name as the register writes
 * it and with its words spelt out, and for numbered roads the kind of road before the number and the number in words.
 */
function typedNames({ key, type }: StreetParts, spellings: readonly StreetSpelling[]): string[] {
  const names = new Set([key]);
  for (const { name } of spellings) {
    const words = tokenise(name).filter((word) => word !== '-' && word !== '#');
    names.add(words.join(''));
    names.add(foldName(words));
  }
  if (/^\d{1,3}[A-Z]?$/.test(key)) {
    if (type !== null && isNumberedRoadType(type)) names.add(spellOut(type) + key);
    for (const word of ordinalsOf(Number(key))) names.add(word);
  }
  names.add(key.replace(/^CTYROAD(?=\d)/, 'COUNTYROAD').replace(/^REGROAD(?=\d)/, 'REGIONALROAD'));
  names.delete('');
  return [...names];
}

/** "NINTH" and "9TH". */
function ordinalsOf(number: number): string[] {
  if (!(number > 0)) return [];
  const words = [...ordinalNumbers].filter(([, n]) => n === number).map(([word]) => word);
  return [...words, `${number}${ending(number)}`];
}

function ending(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'TH';
  return ['TH', 'ST', 'ND', 'RD'][number % 10] ?? 'TH';
}

/**
 * Distance from both neighbours, and from every other address of the postal code, above which a point contradicts them.
 */
const FAR_M = 1000;

/** Distance between neighbours below which a point between them cannot be far from both. */
const NEAR_M = 500;

/**
 * Marks points that their own register contradicts: the neighbours by number are near each other, the point is far
 * away, and no address of its postal code is near it. The register's position of such a number is usually wrong. The
 * point is marked, never moved.
 * @param points of one street in the order of their numbers.
 * @param positionsOf positions of the addresses with a postal code.
 */
function markOutliers(
  points: readonly CivicPointWithUnits[],
  positionsOf: (postalCode: string) => readonly Coordinate[],
): CivicPointWithUnits[] {
  return points.map((point, i) => {
    const before = neighbour(points, i, -1);
    const after = neighbour(points, i, 1);
    const outlier = before && after && contradicts(point, before, after) && isAlone(point, positionsOf);
    return outlier ? { ...point, outlier } : point;
  });
}

/** Finds the nearest point of another number, upwards or downwards. */
function neighbour(points: readonly CivicPointWithUnits[], from: number, step: 1 | -1): CivicPointWithUnits | null {
  const { civic } = points[from]!;
  for (let i = from + step; i >= 0 && i < points.length; i += step) if (points[i]!.civic !== civic) return points[i]!;
  return null;
}

function contradicts(point: Coordinate, before: Coordinate, after: Coordinate): boolean {
  return distanceM(before, after) < NEAR_M && distanceM(point, before) > FAR_M && distanceM(point, after) > FAR_M;
}

function isAlone(point: CivicPointWithUnits, positionsOf: (postalCode: string) => readonly Coordinate[]): boolean {
  const others = point.postalCode === null ? [] : positionsOf(point.postalCode);
  return !others.some((other) => distanceM(other, point) <= FAR_M && distanceM(other, point) > 1);
}
