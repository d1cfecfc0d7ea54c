import { normaliserVersion } from '../../../src/addresses/tokens.ts';
import type { ImportProgress } from '../../../src/messages/import.ts';
import { encodeStreet } from '../../engine/gazetteer/street-record.ts';
import { nearSquareOf } from '../../engine/gazetteer/near-grid.ts';
import { civicPoints, type CivicPointWithUnits } from './civic-points.ts';
import { displayNames, Municipalities } from './municipalities.ts';
import { NameListBuilder } from './name-list-builder.ts';
import type { NearStaging } from './near-staging.ts';
import { markOutliers } from './outliers.ts';
import { packPoints } from './pack-street.ts';
import type { JoinedRow, Staging } from './staging.ts';
import type { StreetIndex } from './street-index.ts';
import { typedNames } from './typed-names.ts';
import { TableWriter } from './write-tables.ts';

export interface PackedCounts {
  /** Register rows that have a position. */
  readonly rows: number;
  readonly civicPoints: number;
  readonly streets: number;
  readonly outliers: number;
}

export interface PackOptions {
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
export function packRegister(staging: Staging, options: PackOptions): PackedCounts {
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
      ...{ ...point, street, csd, square: square.id },
      ...{ suffix: suffix ?? '', postalCode: postalCode ?? '', blockface: blockface ? 1 : 0 },
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
