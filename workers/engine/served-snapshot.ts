/** The snapshot that a lookup thread has open, with its cell index and gazetteer if it has them. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Gazetteer } from '../../src/messages/geocode.ts';
import type { PoolSnapshot, PreparedSnapshot } from '../../src/messages/lookup.ts';
import { isFurtherDataSet, neededFromIndex } from './kinds/indexed-data-sets.ts';
import { openCells, readDirectory, type CellIndex } from './cells/open.ts';
import { openGazetteer } from './gazetteer/open.ts';
import { readStreetNames } from '../suggest/open.ts';
import { verifyChecksum } from '../geopackage/checksum.ts';
import { underLoadLock } from '../geopackage/load-lock.ts';
import { openSnapshot, rulesOf, type Snapshot } from '../geopackage/snapshot.ts';

export interface ServedSnapshot {
  readonly opening: number;
  readonly snapshot: Snapshot;
  readonly gazetteer: Gazetteer | null;
  readonly cells: CellIndex | null;
  /** Dates of the data sets, as JSON: the same in every answer; without those that further answers alone read. */
  readonly dataAsOfJson: string;
  /** The dates of those, by data set. */
  readonly furtherAsOf: ReadonlyMap<string, string>;
  /** Data set -> the last day that it tells of, for those whose source says so. */
  readonly sourceUntil: ReadonlyMap<string, string>;
  /** What answers say of the snapshot, as JSON. */
  readonly json: string;
}

/**
 * Prepares a snapshot before lookup threads open it. With `verify` it checks that the file is the published one, which
 * reads the whole file. It reads the directory of the cell index and the street names once for all threads of a pool
 * (null when the snapshot has none).
 * @throws Error that names the fault.
 */
export function prepareSnapshot(dir: string, verify: boolean): PreparedSnapshot {
  if (verify) verifyChecksum(dir);
  const snapshot = underLoadLock(() => openSnapshot(dir));
  try {
    const { cells, gazetteer } = snapshot.manifest;
    return {
      dir,
      cellDirectory: cells ? readDirectory(snapshot) : null,
      streetNames: gazetteer ? readStreetNames(snapshot.dataset) : null,
    };
  } finally {
    snapshot.close();
  }
}

/** `answers`: all, also further ones. @throws Error when a table is missing or of another format. */
export function openServed(
  { dir, cellDirectory, streetNames, opening }: PoolSnapshot,
  answers: Catalogue['answers'],
): ServedSnapshot {
  // Under the lock, like loading the binding, because the first open initialises drivers, which is not reentrant.
  return underLoadLock(() => {
    const snapshot = openSnapshot(dir, { rules: rulesOf(answers) });
    const { manifest, dataset } = snapshot;
    const { id, createdAt, sample } = manifest;
    const dates = Object.entries(manifest.dataSets)
      .filter(([id]) => id !== 'province')
      .map(([id, { asOf }]): [string, string] => [id, asOf]);
    const dataAsOf = Object.fromEntries(dates.filter(([id]) => !isFurtherDataSet(id, answers)));
    const sourceUntil = new Map(
      Object.entries(manifest.dataSets).flatMap(([id, record]) =>
        record.sourceUntil === undefined ? [] : [[id, record.sourceUntil]],
      ),
    );
    return {
      sourceUntil,
      furtherAsOf: new Map(dates.filter(([id]) => isFurtherDataSet(id, answers))),
      ...{ opening, snapshot, dataAsOfJson: JSON.stringify(dataAsOf), json: JSON.stringify({ id, createdAt, sample }) },
      gazetteer: manifest.gazetteer ? openGazetteer(dataset, streetNames) : null,
      cells: cellDirectory
        ? openCells(snapshot, { directory: cellDirectory, needed: neededFromIndex(answers, snapshot) })
        : null,
    };
  });
}

/** Returns the dates of the data sets as JSON, with those of further answers that are asked for. */
export function dataAsOfJson(
  { dataAsOfJson: plain, furtherAsOf }: Pick<ServedSnapshot, 'dataAsOfJson' | 'furtherAsOf'>,
  asked: Catalogue['answers'],
): string {
  const added = asked.flatMap(({ dataSet: { id } }) => (furtherAsOf.has(id) ? [[id, furtherAsOf.get(id)]] : []));
  if (added.length === 0) return plain;
  return JSON.stringify({ ...(JSON.parse(plain) as object), ...(Object.fromEntries(added) as object) });
}
