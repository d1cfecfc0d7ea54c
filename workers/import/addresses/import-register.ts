import { normaliserVersion } from '../../../src/addresses/tokens.ts';
import {
  type ImportProgress,
  type RegisterFileKind,
  checkParts,
  isOntarioFile,
  ONTARIO,
} from '../../../src/messages/import.ts';
import type { GazetteerRecord } from '../../../src/messages/manifest.ts';
import { packRegister } from './pack-register.ts';
import {
  type RegisterFile,
  type RegisterFiles,
  type Row,
  registerFolder,
  newestDate,
  readRows,
  type AddressField,
  type LocationField,
  addressColumns,
  locationColumns,
  requiredAddressColumns,
  requiredLocationColumns,
} from './files.ts';
import { type StagedPoint, NearStaging, type StagedLocation, Staging } from './staging.ts';
import { StreetIndex } from './street-index.ts';
import { checkCivicNumbers, Dropped, whyNoCivic } from './dropped.ts';
import { statSync } from 'node:fs';
import { type Entry, type ZipFile, openPromise } from 'yauzl';
import { posix } from 'node:path';
import { membersOf, unpackedMember } from '../sources/unpack-zip.ts';
import Database from 'better-sqlite3';
import { grouped } from '../../../src/words.ts';
import { formatAddress } from '../../../src/addresses/format.ts';
import { underLoadLock } from '../../geopackage/load-lock.ts';
import { gdal, immutablePath } from '../../geopackage/gdal.ts';
import { componentsOf } from '../../engine/gazetteer/candidate.ts';
import { geocode } from '../../engine/gazetteer/geocode.ts';
import { nearSquareOf, type NamedStreet, encodeNearSquare } from '../../engine/gazetteer/near-grid.ts';
import { GazetteerStore } from '../../engine/gazetteer/store.ts';
import { tables } from '../../engine/gazetteer/tables.ts';

/** Least share of rows with a position; a register with fewer is probably not the right one. */
const LEAST_LOCATED_SHARE = 0.98;

/** Most of the last register's rows that a register may lack. */
const MOST_LOST = 0.05;

/**
 * Reads a National Address Register and writes the gazetteer into the GeoPackage, in place of an existing one.
 * @throws Error when files or columns are missing, or too many rows have no position.
 */
export async function importAddresses(options: {
  /** Register folder with `Addresses/` and `Locations/`, or a zip file that holds them. */
  readonly from: string;
  /** GeoPackage into which the gazetteer's tables are written; nobody else may have it open. */
  readonly gpkg: string;
  /** The register's reference date, YYYY-MM-DD; the newest file's date when absent. */
  readonly asOf?: string;
  /** True for the bundled invented register. */
  readonly sample?: boolean;
  /** Rows of the last register, of which this one must have most. */
  readonly lastRows?: number;
  readonly onProgress?: (progress: ImportProgress) => void;
}): Promise<GazetteerRecord> {
  using register = await openRegister(options.from);
  const { files } = register;
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
  checkLoss(rows, options.lastRows);
  checkCivicNumbers(dropped, rows, LEAST_LOCATED_SHARE);
  const staged = staging.addressCount();
  using near = new NearStaging(`${options.gpkg}.near`);
  const packed = packRegister(staging, { gpkg: options.gpkg, streets, csdNames, near, onProgress });
  checkLocated(staged, packed.rows);
  writeNear(near, options.gpkg, streets, onProgress);
  if (staged > packed.rows) dropped.counts['no position'] = staged - packed.rows;
  return record(options, files, { ...packed, rows, dropped: dropped.counts });
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

/** A register that was cut at the end of a line looks like a whole one, and what it lacks would not be found. */
function checkLoss(rows: number, lastRows = 0): void {
  if (rows >= lastRows * (1 - MOST_LOST)) return;
  throw new Error(
    `the register has ${grouped(rows)} addresses, but that of the last snapshot has ${grouped(lastRows)}: --force accepts the loss`,
  );
}

function checkLocated(staged: number, located: number): void {
  if (staged > 0 && located >= staged * LEAST_LOCATED_SHARE) return;
  throw new Error(
    `only ${located} of ${staged} addresses have a position in Ontario; at least ${LEAST_LOCATED_SHARE * 100} % must have one`,
  );
}

function record(
  { asOf, sample }: Parameters<typeof importAddresses>[0],
  files: RegisterFiles,
  counts: ReturnType<typeof packRegister> & { readonly dropped: Readonly<Record<string, number>> },
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
    outliers: counts.outliers,
    streets: counts.streets,
    dropped: counts.dropped,
    sample: sample ?? false,
    importedAt: new Date().toISOString(),
  };
}

const zipOptions = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const;

/**
 * Opens a register: a folder, or a zip file.
 * @throws Error when there is none, or it has no files of Ontario.
 */
async function openRegister(from: string): Promise<Disposable & { readonly files: RegisterFiles }> {
  if (statSync(from, { throwIfNoEntry: false })?.isFile() === true) {
    const zip = await openPromise(from, zipOptions).catch((cause: unknown) => {
      throw new Error(`${from} is no whole zip file (${(cause as Error).message}): fetch it again`, { cause });
    });
    return opened(await registerZip(zip, from));
  }
  return opened({ files: await registerFolder(from), close: () => undefined });
}

function opened({
  files,
  close,
}: Awaited<ReturnType<typeof registerZip>>): Disposable & { readonly files: RegisterFiles } {
  return { files, [Symbol.dispose]: close };
}

/**
 * Finds Ontario's files in the register's zip file, which contains those of all provinces.
 * @param name path of the zip file.
 * @throws Error when it has none, or is a zip bomb.
 */
async function registerZip(zip: ZipFile, name: string): Promise<{ files: RegisterFiles; close: () => void }> {
  const close = (): void => {
    zip.close();
  };
  try {
    const entries = await membersOf(zip, name);
    const addresses = members(zip, entries, 'Address', name);
    const locations = members(zip, entries, 'Location', name);
    const dates = [...addresses, ...locations].map(({ entry }) => entry.getLastModDate().getTime());
    return { files: { addresses, locations, date: newestDate(dates) }, close };
  } catch (cause) {
    close();
    throw cause;
  }
}

function members(
  zip: ZipFile,
  entries: readonly Entry[],
  kind: RegisterFileKind,
  zipName: string,
): (RegisterFile & { readonly entry: Entry })[] {
  const found = entries.filter(({ fileName }) => isOntarioFile(posix.basename(fileName), kind));
  if (found.length === 0) throw new Error(`${zipName} has no ${kind}_${ONTARIO}*.csv`);
  const names = found.map(({ fileName }) => posix.basename(fileName));
  checkParts(zipName, names, kind);
  found.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  return found.map((entry) => ({
    entry,
    name: posix.basename(entry.fileName),
    bytes: entry.uncompressedSize,
    open: () => unpackedMember(zip, entry),
  }));
}

/**
 * Writes the table of civic points by square. It has only addresses that the gazetteer itself finds by their text, so that an
 * address near a place can be looked up.
 * @param gpkg the GeoPackage with the other tables of the gazetteer. Nobody may have it open.
 */
function writeNear(
  staging: NearStaging,
  gpkg: string,
  streets: StreetIndex,
  onProgress: (progress: ImportProgress) => void,
): void {
  const total = staging.count();
  const nameOf = ({ street, spelling, csd }: StagedPoint): NamedStreet => {
    const { mail, spellings } = streets.streets[street]!;
    return { csd, mail, ...(spellings[spelling] ?? spellings[0]!) };
  };
  // GDAL closes the file before better-sqlite3 opens it: a file is never open in both.
  keepFindable(staging, { gpkg, nameOf }, (done) => {
    onProgress({ kind: 'rows', name: 'register addresses by place', unit: 'rows', done, total });
  });
  const db = new Database(gpkg, { fileMustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = OFF');
    const insert = db.prepare(`INSERT INTO ${tables.near} VALUES (?, ?)`);
    db.exec('BEGIN');
    for (const points of staging.bySquare()) {
      const square = nearSquareOf(points[0]!)!;
      insert.run(
        square.id,
        encodeNearSquare(
          points.map((point) => named(point, nameOf(point))),
          square,
        ),
      );
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

/** Drops points whose address the gazetteer refuses, or takes for another one. */
function keepFindable(
  staging: NearStaging,
  { gpkg, nameOf }: { gpkg: string; nameOf: (point: StagedPoint) => NamedStreet },
  onRows: (done: number) => void,
): void {
  const dataset = underLoadLock(() =>
    gdal.drivers.get('GPKG').open(immutablePath(gpkg), 'r', { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' }),
  );
  try {
    const store = new GazetteerStore(dataset);
    // Points of one number follow each other and often have one address.
    let last = { text: '', isFound: false };
    staging.keepOnly((point) => {
      const text = formatAddress(componentsOf(nameOf(point), { ...named(point, nameOf(point)), unit: null }, store));
      if (text !== last.text) {
        const result = geocode(text, store);
        last = { text, isFound: 'found' in result && result.found.address === text };
      }
      return last.isFound;
    }, onRows);
  } finally {
    dataset.close();
  }
}

function named({ civic, suffix, postalCode, blockface, lat, lon }: StagedPoint, street: NamedStreet) {
  return {
    civic,
    suffix: suffix || null,
    postalCode: postalCode || null,
    blockface: blockface === 1,
    lat,
    lon,
    street,
  };
}

/** The province's bounding box, in degrees. */
const ontario = { west: -95.2, east: -74.3, south: 41.6, north: 56.9 };

/** Stages every location that has a point in Ontario. */
async function stageLocations(files: RegisterFiles, staging: Staging, onBytes: (count: number) => void): Promise<void> {
  let [located, rounded] = [0, 0];
  for await (const row of readRows(files.locations, locationColumns, requiredLocationColumns, onBytes)) {
    const location = readLocation(row);
    if (!location) continue;
    staging.addLocation(location);
    located++;
    rounded += Number(isRounded(location.lat) && isRounded(location.lon));
  }
  if (located >= LEAST_JUDGED && rounded > located / 2)
    throw new Error(
      `${rounded} of ${located} positions are rounded to three decimals of a degree or fewer, which is up to 100 m: take the register as it was published`,
    );
}

/** Of positions, before it is said that they are rounded. */
const LEAST_JUDGED = 1000;

function isRounded(degrees: number): boolean {
  return Math.abs(degrees * 1000 - Math.round(degrees * 1000)) < 1e-6;
}

/** Reads the building's point, otherwise that of its side of the street; null when there is none in Ontario. */
function readLocation(row: Row<LocationField>): StagedLocation | null {
  const building = point(row.lat, row.lon);
  const place = building ?? point(row.blockfaceLat, row.blockfaceLon);
  const csd = Number(row.csd);
  // Without an id it would be the place of all addresses that have none.
  if (place === null || !Number.isInteger(csd) || row.location.trim() === '') return null;
  return { guid: row.location, csd, ...place, blockface: building === null };
}

function point(latText: string, lonText: string): { lat: number; lon: number } | null {
  // "4.42E+01" of a spreadsheet has lost its decimals.
  if (![latText, lonText].every((text) => /^\s*-?\d+(\.\d+)?\s*$/.test(text))) return null;
  const [lat, lon] = [Number(latText), Number(lonText)];
  const inside = lat >= ontario.south && lat <= ontario.north && lon >= ontario.west && lon <= ontario.east;
  return inside ? { lat, lon } : null;
}

/**
 * Stages every civic address of Ontario.
 * @returns number of rows read, and the distinct names of census subdivisions (both languages) by number.
 */
async function stageAddresses(
  files: RegisterFiles,
  { staging, streets, dropped }: { staging: Staging; streets: StreetIndex; dropped: Dropped },
  onBytes: (count: number) => void,
): Promise<{ rows: number; csdNames: string[] }> {
  let rows = 0;
  const csdNames = new Map<string, number>();
  for await (const raw of readRows(files.addresses, addressColumns, requiredAddressColumns, onBytes)) {
    const row = withoutFraction(raw);
    rows++;
    const civic = civicNumber(row);
    if (row.province.trim() !== '' && row.province.trim() !== ONTARIO) dropped.add('other province');
    else if (civic === null) dropped.add(...whyNoCivic(row.civic.trim()));
    else {
      const street = streets.of(row);
      if (street === null) dropped.add('no street name');
      else
        staging.addAddress({
          guid: row.location,
          ...street,
          csdName: csdNameId(row, csdNames),
          civic,
          ...details(row),
        });
    }
  }
  return { rows, csdNames: [...csdNames.keys()] };
}

/** "1081" on "½ Pape Ave" is 1081 1/2 on Pape Ave. */
function withoutFraction(row: Row<AddressField>): Row<AddressField> {
  const fraction = /^(?:½|1\/2) /.exec(row.name)?.[0];
  if (fraction === undefined || row.suffix !== '') return row;
  const mailName = row.mailName.startsWith(fraction) ? row.mailName.slice(fraction.length) : row.mailName;
  return { ...row, name: row.name.slice(fraction.length), mailName, suffix: '1/2' };
}

function civicNumber(row: Row<AddressField>): number | null {
  const text = row.civic.trim();
  return /^\d{1,6}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

function csdNameId(row: Row<AddressField>, names: Map<string, number>): number {
  const name = `${row.csdEnglish} / ${row.csdFrench}`;
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

function details(row: Row<AddressField>): { suffix: string; unit: string; postalCode: string } {
  const postalCode = row.postalCode.replaceAll(' ', '').toUpperCase();
  return {
    suffix: row.suffix.trim().toUpperCase().replace('½', '1/2'),
    unit: row.unit.trim().toUpperCase(),
    postalCode: /^[A-Z]\d[A-Z]\d[A-Z]\d$/.test(postalCode) ? postalCode : '',
  };
}
