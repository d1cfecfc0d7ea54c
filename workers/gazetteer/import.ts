import { normaliserVersion } from '../../src/addresses/tokens.ts';
import type { ImportProgress } from '../../src/contract/import.ts';
import type { GazetteerRecord } from '../../src/contract/manifest.ts';
import { civicPoints } from './register/civic-points.ts';
import { displayNames, Municipalities } from './register/directory.ts';
import { packPoints } from './register/pack-street.ts';
import { registerFolder, type RegisterFile, type RegisterFiles } from './register/files.ts';
import { Dropped, stageAddresses, stageLocations } from './register/read-register.ts';
import { Staging, type JoinedRow } from './register/staging.ts';
import { StreetIndex, type RegisterStreet } from './register/street-index.ts';
import { TableWriter } from './register/write-tables.ts';
import { encodeStreet } from './street-record.ts';

export interface ImportAddressesOptions {
  /** Register folder with `Addresses/` and `Locations/`. */
  readonly from: string;
  /** GeoPackage that takes the gazetteer's tables; nobody else may have it open. */
  readonly gpkg: string;
  /** The register's reference date, YYYY-MM-DD; the newest file's date when absent. */
  readonly asOf?: string;
  /** The register is the bundled hand-made one. */
  readonly sample?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Rows with a position that a register must at least have; below, it is not the register it claims to be. */
const LEAST_LOCATED_SHARE = 0.98;

const PROGRESS_ROWS = 20_000;

/**
 * Reads a National Address Register folder and writes the gazetteer into the GeoPackage, in place of any that it has.
 * @throws Error when files or columns are missing, or too many rows have no position.
 */
export async function importAddresses(options: ImportAddressesOptions): Promise<GazetteerRecord> {
  const files = await registerFolder(options.from);
  const onProgress = options.onProgress ?? (() => undefined);
  using staging = new Staging(`${options.gpkg}.staging`);
  const streets = new StreetIndex();
  const dropped = new Dropped();
  await stageLocations(files, staging, byteProgress('locations', files.locations, onProgress));
  const { rows, csdNames } = await stageAddresses(
    files,
    { staging, streets, dropped },
    byteProgress('addresses', files.addresses, onProgress),
  );
  const staged = staging.addressCount();
  const packed = packStreets(staging, options.gpkg, { streets, csdNames, staged, onProgress });
  checkLocated(staged, packed.rows);
  if (staged > packed.rows) dropped.counts['no position'] = staged - packed.rows;
  return record(options, files, {
    rows,
    dropped: dropped.counts,
    civicPoints: packed.civicPoints,
    streets: packed.streets,
  });
}

function byteProgress(
  name: string,
  files: readonly RegisterFile[],
  onProgress: (progress: ImportProgress) => void,
): (bytes: number) => void {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  return (bytes) => {
    done += bytes;
    onProgress({ kind: 'rows', name: `register ${name}`, unit: 'bytes', done, total });
  };
}

interface PackOptions {
  readonly streets: StreetIndex;
  readonly csdNames: readonly string[];
  readonly staged: number;
  readonly onProgress: (progress: ImportProgress) => void;
}

/** Turns the joined rows into street records, street by street. */
function packStreets(staging: Staging, gpkg: string, { streets, csdNames, staged, onProgress }: PackOptions) {
  using writer = new TableWriter(gpkg);
  const municipalities = new Municipalities();
  const names = new Map<string, Set<number>>();
  const counts = { rows: 0, civicPoints: 0, streets: 0 };
  for (const rows of streetByStreet(staging.joined())) {
    const street = streets.streets[rows[0]!.street]!;
    let csd = 0;
    for (const row of rows) csd = municipalities.count(row, street.mail);
    const points = civicPoints(rows);
    const blocks = packPoints(points, writer);
    for (const parts of [street, ...street.otherNames.values()]) {
      const head: RegisterStreet = { ...street, key: parts.key, type: parts.type, direction: parts.direction };
      writer.addStreet(parts.key, csd, encodeStreet({ ...head, csd }, blocks));
      addName(names, parts.key, csd);
    }
    counts.streets++;
    counts.civicPoints += new Set(points.map((point) => `${point.civic} ${point.suffix ?? ''}`)).size;
    counts.rows += rows.length;
    if (counts.rows % PROGRESS_ROWS < rows.length) {
      onProgress({ kind: 'rows', name: 'register streets', unit: 'rows', done: counts.rows, total: staged });
    }
  }
  const csds = municipalities.csds(csdNames);
  writer.finish(names, {
    normaliser: normaliserVersion,
    csds,
    mails: displayNames(streets.mails, csds),
    aliases: municipalities.aliases(csdNames, streets.mails),
    cells: municipalities.cells(streets.mails.length),
    postalAreas: municipalities.postalAreas(),
  });
  return counts;
}

function addName(names: Map<string, Set<number>>, key: string, csd: number): void {
  const csds = names.get(key);
  if (csds) csds.add(csd);
  else names.set(key, new Set([csd]));
}

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

function checkLocated(staged: number, located: number): void {
  if (staged > 0 && located >= staged * LEAST_LOCATED_SHARE) return;
  throw new Error(
    `only ${located} of ${staged} addresses have a position in Ontario; at least ${LEAST_LOCATED_SHARE * 100} % must`,
  );
}

function record(
  { asOf, sample }: ImportAddressesOptions,
  files: RegisterFiles,
  counts: { rows: number; civicPoints: number; streets: number; dropped: Readonly<Record<string, number>> },
): GazetteerRecord {
  const date = asOf ?? files.date;
  return {
    title: 'National Address Register',
    publisher: 'Statistics Canada',
    licence: 'Statistics Canada Open Licence',
    attribution:
      `Adapted from Statistics Canada, National Address Register, ${date}. ` +
      'This does not constitute an endorsement by Statistics Canada of this product.',
    asOf: date,
    normaliser: normaliserVersion,
    addressRows: counts.rows,
    civicPoints: counts.civicPoints,
    streets: counts.streets,
    dropped: counts.dropped,
    sample: sample ?? false,
    importedAt: new Date().toISOString(),
  };
}
