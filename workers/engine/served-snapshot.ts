/** Opens the snapshot from which a lookup thread answers, and what features have of it. */
import { hash } from 'node:crypto';
import { allAnswers, type Catalogue } from '../../src/catalogue/catalogue.ts';
import type { PoolSnapshot, PreparedSnapshot } from '../../src/messages/lookup.ts';
import {
  type DataSetRecord,
  type SnapshotManifest,
  MARK_DIGITS,
  markOfDefinitions,
} from '../../src/messages/manifest.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import { furtherDataSets, neededFromIndex } from './kinds/indexed-data-sets.ts';
import { openCells, readDirectory } from './cells/open.ts';
import type { Brought, ServedSnapshot, ThreadFeature } from './feature.ts';
import { openGazetteer } from './gazetteer/open.ts';
import { verifyChecksum } from '../geopackage/checksum.ts';
import { underLoadLock } from '../geopackage/load-lock.ts';
import { openSnapshot, rulesOf } from '../geopackage/snapshot.ts';

/**
 * Prepares a snapshot before lookup threads open it. With `verify` it checks that the file is the published one, which
 * reads the whole file. It reads the directory of the cell index, and what features share, once for all threads of a pool.
 * @throws Error that names the fault.
 */
export function prepareSnapshot(
  dir: string,
  verify: boolean,
  features: readonly ThreadFeature[] = [],
): PreparedSnapshot {
  if (verify) verifyChecksum(dir);
  const snapshot = underLoadLock(() => openSnapshot(dir));
  try {
    const shared = features.flatMap(({ name, share }) => (share ? [[name, share(snapshot)] as const] : []));
    return {
      dir,
      cellDirectory: snapshot.manifest.cells ? readDirectory(snapshot) : null,
      shared: Object.fromEntries(shared),
    };
  } finally {
    snapshot.close();
  }
}

/** @throws Error when a table is missing or of another format. */
export function openServed(
  pool: PoolSnapshot,
  catalogue: Pick<Catalogue, 'answers' | 'further' | 'version'>,
  features: readonly ThreadFeature[] = [],
): ServedSnapshot {
  // Under the lock, like loading the binding, because the first open initialises drivers, which is not reentrant.
  return underLoadLock(() => {
    const core = openCore(pool, allAnswers(catalogue), catalogue.version);
    const brought = features.map(({ name, open }) => ({
      name,
      ...open(core, { ...catalogue, shared: pool.shared[name] ?? null }),
    }));
    return Object.assign(core, joined(brought));
  });
}

function openCore(
  { dir, cellDirectory, opening }: PoolSnapshot,
  answers: Catalogue['answers'],
  version: string,
): ServedSnapshot {
  const snapshot = openSnapshot(dir, { rules: rulesOf(answers) });
  const { manifest, dataset } = snapshot;
  const { id, createdAt, sample } = manifest;
  const dates = Object.entries(manifest.dataSets)
    .filter(([id]) => id !== 'province')
    .map(([id, { asOf }]): [string, string] => [id, asOf]);
  const furtherSets = furtherDataSets(answers);
  const dataAsOf = Object.fromEntries(dates.filter(([id]) => !furtherSets.has(id)));
  const sourceUntil = new Map(
    Object.entries(manifest.dataSets).flatMap(([id, record]) =>
      record.sourceUntil === undefined ? [] : [[id, record.sourceUntil]],
    ),
  );
  return {
    sourceUntil,
    furtherAsOf: new Map(dates.filter(([id]) => furtherSets.has(id))),
    opening,
    snapshot,
    dataAsOfJson: JSON.stringify(dataAsOf),
    json: JSON.stringify({ id, createdAt, sample, ...restsOn(version, manifest) }),
    gazetteer: manifest.gazetteer ? openGazetteer(dataset) : null,
    cells: cellDirectory
      ? openCells(snapshot, { directory: cellDirectory, needed: neededFromIndex(answers, snapshot) })
      : null,
    ...joined([]),
  };
}

/** What answers rest on: a mark of the definitions and, by id, of each data set. */
function restsOn(
  version: string,
  { dataSets }: SnapshotManifest,
): Pick<FullLookupBody['snapshot'], 'definitions' | 'dataSets'> {
  const marks = Object.entries(dataSets).map(([id, record]): [string, string] => [id, markOf(record)]);
  return { definitions: markOfDefinitions(version), dataSets: Object.fromEntries(marks) };
}

/**
 * Changes when the features, the area or the date of a data set change, and otherwise never. Where an earlier version imported it, nobody knows its
 * content, and the mark changes with each import: it may then be another one for the same data, and never the same one for others.
 */
function markOf({ content, importedAt, asOf }: DataSetRecord): string {
  return hash('sha256', `${content ?? importedAt} ${asOf}`).slice(0, MARK_DIGITS);
}

/** Puts together what features bring. */
function joined(
  brought: readonly (Brought & Pick<ThreadFeature, 'name'>)[],
): Pick<ServedSnapshot, 'handlers' | 'writeGeometry' | 'members' | 'writers' | 'warmUps'> {
  return {
    handlers: Object.assign({}, ...brought.map(({ handlers }) => handlers)) as ServedSnapshot['handlers'],
    writeGeometry: brought.flatMap(({ writeGeometry }) => writeGeometry ?? [])[0] ?? noGeometry,
    writers: new Map(brought.flatMap(({ name, writePlace }) => (writePlace ? [[name, writePlace] as const] : []))),
    members: new Map(brought.flatMap(({ name, member }) => (member ? [[name, member] as const] : []))),
    warmUps: brought.flatMap(({ warmUp }) => warmUp ?? []),
  };
}

function noGeometry(): never {
  throw new TypeError('geometry is asked for, but no feature of this thread writes it');
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
