import { normaliserVersion } from '../../../src/addresses/tokens.ts';
import type { ImportProgress } from '../../../src/messages/import.ts';
import type { GazetteerRecord } from '../../../src/messages/manifest.ts';
import { packRegister, type PackedCounts } from './pack-register.ts';
import { type RegisterFile, type RegisterFiles, registerFolder } from './files.ts';
import { Dropped, stageAddresses, stageLocations } from './read-register.ts';
import { NearStaging } from './near-staging.ts';
import { Staging } from './staging.ts';
import { StreetIndex } from './street-index.ts';
import { writeNear } from './write-near.ts';
import { statSync } from 'node:fs';
import { openPromise } from 'yauzl';
import { registerZip } from './zip.ts';

export interface ImportAddressesOptions {
  /** Register folder with `Addresses/` and `Locations/`, or a zip file that holds them. */
  readonly from: string;
  /** GeoPackage into which the gazetteer's tables are written; nobody else may have it open. */
  readonly gpkg: string;
  /** The register's reference date, YYYY-MM-DD; the newest file's date when absent. */
  readonly asOf?: string;
  /** True for the bundled invented register. */
  readonly sample?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Least share of rows with a position; a register with fewer is probably not the right one. */
const LEAST_LOCATED_SHARE = 0.98;

/**
 * Reads a National Address Register and writes the gazetteer into the GeoPackage, in place of an existing one.
 * @throws Error when files or columns are missing, or too many rows have no position.
 */
export async function importAddresses(options: ImportAddressesOptions): Promise<GazetteerRecord> {
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
  const staged = staging.addressCount();
  using near = new NearStaging(`${options.gpkg}.near`);
  const packed = packRegister(staging, { gpkg: options.gpkg, streets, csdNames, near, onProgress });
  checkLocated(staged, packed.rows);
  writeNear(near, { gpkg: options.gpkg, streets, onProgress });
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

function checkLocated(staged: number, located: number): void {
  if (staged > 0 && located >= staged * LEAST_LOCATED_SHARE) return;
  throw new Error(
    `only ${located} of ${staged} addresses have a position in Ontario; at least ${LEAST_LOCATED_SHARE * 100} % must have one`,
  );
}

function record(
  { asOf, sample }: ImportAddressesOptions,
  files: RegisterFiles,
  counts: PackedCounts & { readonly dropped: Readonly<Record<string, number>> },
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

interface OpenRegister extends Disposable {
  readonly files: RegisterFiles;
}

const zipOptions = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const;

/**
 * Opens a register: a folder, or a zip file.
 * @throws Error when there is none, or it has no files of Ontario.
 */
async function openRegister(from: string): Promise<OpenRegister> {
  if (statSync(from, { throwIfNoEntry: false })?.isFile() === true) {
    const zip = await openPromise(from, zipOptions).catch((cause: unknown) => {
      throw new Error(`${from} is no whole zip file (${(cause as Error).message}): fetch it again`, { cause });
    });
    return opened(await registerZip(zip, from));
  }
  return opened({ files: await registerFolder(from), close: () => undefined });
}

function opened({ files, close }: { files: RegisterFiles; close: () => void }): OpenRegister {
  return { files, [Symbol.dispose]: close };
}
