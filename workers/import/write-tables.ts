import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DataSetOutcome, ImportProgress } from '../../src/messages/import.ts';
import type { BuildingFolder, DataSetRecord } from '../../src/messages/manifest.ts';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { adoptAreas } from './areas/adopt-areas.ts';
import { type ClaimedAreas, claimAreas } from './areas/claim-areas.ts';
import { type CoverageAreas, storedCoverage, writeCoverage } from './areas/coverage.ts';
import { type HeldAreas, storedAreas, writeAreas } from './areas/held-areas.ts';
import type { DataSetInput } from './sources/data-set-input.ts';
import { dropFeatureTable } from './features/feature-table.ts';
import { dropSideTables } from './features/side-writers.ts';
import { type DataSetImport, importDataSet } from './import-data-set.ts';
import { type KeptPart, partsToKeep } from './kept-parts.ts';
import { openForWriting } from '../geopackage/land-file.ts';
import type { Preparers } from './features/preparers.ts';
import type { OnProgress } from './progress.ts';
import { messageOf } from '../../src/words.ts';

export interface Writing {
  /** All data sets of the catalogue, also those that are not imported now. */
  readonly definitions: readonly DataSetDefinition[];
  readonly inputs: readonly DataSetInput[];
  /** Data sets whose download failed. */
  readonly failures: readonly { readonly id: string; readonly error: string }[];
  /** True when the inputs are the bundled sample. */
  readonly sample: boolean;
  readonly force: boolean;
  readonly acceptNames: boolean;
  readonly building: BuildingFolder;
  readonly preparers: Preparers;
  readonly onProgress: OnProgress;
}

/** Writes the tables of all inputs into `land.gpkg`; a data set that fails stays as in the current snapshot. */
export async function writeTables(writing: Writing): Promise<{
  readonly outcomes: readonly DataSetOutcome[];
  /** All data sets of the new snapshot, by id. */
  readonly dataSets: Readonly<Record<string, DataSetRecord>>;
}> {
  const db = openForWriting(writing.building.folder);
  try {
    const [areas, held] = [storedCoverage(db), storedAreas(db)];
    const dataSets = keptDataSets(db, writing, { areas, held });
    adoptAreas(db, held, writing.definitions, { dataSets, coverage: areas });
    const outcomes: DataSetOutcome[] = [];
    const overall = new OverallProgress(writing.inputs);
    for (const input of authorityAreasFirst(writing.inputs)) {
      const outcome = await writeOne(db, input, { ...writing, dataSets, areas, held, overall });
      overall.pass(input, outcome.status !== 'unchanged');
      outcomes.push(outcome);
      rmSync(join(writing.building.folder, 'unpacked'), { recursive: true, force: true });
    }
    const missing = writing.failures.map(({ id, error }): DataSetOutcome => ({
      id,
      status: 'failed',
      error,
      seconds: 0,
      previousCount: null,
    }));
    writeCoverage(db, areas);
    writeAreas(db, held);
    const all = [...outcomes, ...missing];
    markFailures(all, dataSets);
    return { outcomes: all, dataSets: Object.fromEntries(dataSets) };
  } finally {
    db.close();
  }
}

/** Orders inputs so that the authorities' areas come before data sets whose parts claim them. */
function authorityAreasFirst(inputs: readonly DataSetInput[]): readonly DataSetInput[] {
  const isLater = ({ coverage }: DataSetInput) => coverage.kind === 'parts';
  return [...inputs.filter((input) => !isLater(input)), ...inputs.filter(isLater)];
}

type DataSets = Map<string, DataSetRecord>;

/**
 * Chooses the data sets to keep. A snapshot never mixes sample and real data, so an import of one kind drops the other.
 */
function keptDataSets(
  db: Database,
  { building, sample }: Writing,
  { areas, held }: { readonly areas: CoverageAreas; readonly held: HeldAreas },
): DataSets {
  const dataSets: DataSets = new Map(Object.entries(building.current?.manifest.dataSets ?? {}));
  for (const [id, record] of dataSets) {
    if (record.sample === sample) continue;
    dropFeatureTable(db, id);
    dropSideTables(db, id);
    areas.delete(id);
    held.delete(id);
    dataSets.delete(id);
  }
  return dataSets;
}

interface State extends Writing {
  readonly dataSets: DataSets;
  readonly areas: CoverageAreas;
  readonly held: HeldAreas;
  readonly overall: OverallProgress;
}

async function writeOne(db: Database, input: DataSetInput, state: State): Promise<DataSetOutcome> {
  const { dataSets, areas, held } = state;
  const { id } = input.definition;
  const previous = dataSets.get(id) ?? null;
  const previousCount = previous?.featureCount ?? null;
  const startMs = performance.now();
  const seconds = () => (performance.now() - startMs) / 1000;
  try {
    const kept = partsToKeep(input, previous);
    const claimed = await claimedOf(db, input, { ...state, kept });
    const origin = originOf(input, claimed);
    if (previous?.origin !== undefined && previous.origin === origin)
      return { id, status: 'unchanged', record: previous, seconds: 0, previousCount };
    const task = { ...taskOf(db, input, state), previous, kept, claimed, origin };
    const { record, coverage } = await importDataSet(task);
    dataSets.set(id, record);
    if (claimed) held.set(id, claimed.held);
    areas.delete(id);
    if (record.coverage === 'area') areas.set(id, coverage);
    return { id, status: 'imported', record, seconds: seconds(), previousCount };
  } catch (cause) {
    const error = messageOf(cause);
    return { id, status: 'failed', error, seconds: seconds(), previousCount };
  }
}

type Task = Pick<DataSetImport, 'input' | 'building' | 'db' | 'preparers' | 'force' | 'acceptNames' | 'onRows'>;

function taskOf(db: Database, input: DataSetInput, state: State): Task {
  const { building, preparers, force, acceptNames, overall, onProgress } = state;
  const onRows = (done: number, total: number) => {
    const share = total === 0 ? 1 : done / total;
    const name = input.definition.id;
    onProgress({ kind: 'rows', name, done, total, unit: 'rows', overall: overall.at(input, share) });
  };
  return { input, building, db, preparers, force, acceptNames, onRows };
}

/** Returns the areas of a data set in parts; null for another one. */
async function claimedOf(
  db: Database,
  { definition, coverage }: DataSetInput,
  { building, preparers, held, kept }: State & { readonly kept: readonly KeptPart[] },
): Promise<ClaimedAreas | null> {
  if (coverage.kind !== 'parts') return null;
  const standing = { held: held.get(definition.id) ?? [], keptParts: kept.map(({ refused }) => refused.name) };
  return claimAreas(coverage.claims, standing, { db, building, preparers });
}

/** Adds the version of the parts' areas to the origin, because they also decide the answers of the data set. */
function originOf({ origin }: DataSetInput, claimed: ClaimedAreas | null): string | null {
  return origin === null || claimed === null ? origin : `${origin} ${claimed.version}`;
}

/** Marks failed data sets in the manifest, which distinguishes last good data from fresh data. */
function markFailures(outcomes: readonly DataSetOutcome[], dataSets: DataSets): void {
  for (const outcome of outcomes) {
    const record = dataSets.get(outcome.id);
    if (!record || outcome.status === 'imported') continue;
    const { refreshFailed, ...good } = record;
    if (outcome.status === 'unchanged') {
      // A part that is still silent has not changed, either.
      dataSets.set(outcome.id, record.keptParts ? record : good);
    } else if (refreshFailed?.reason !== outcome.error) {
      dataSets.set(outcome.id, { ...good, refreshFailed: { since: new Date().toISOString(), reason: outcome.error } });
    }
  }
}

type Overall = NonNullable<Extract<ImportProgress, { kind: 'rows' }>['overall']>;

/**
 * Measures the progress of an import of several data sets in bytes of their sources. The bytes are known before a
 * source is opened, and predict the time better than the number of features: some features have ten vertices, others
 * ten thousand.
 */
class OverallProgress {
  readonly #total: number;
  #before = 0;
  #found = 0;

  constructor(inputs: readonly DataSetInput[]) {
    this.#total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Returns the progress when this share of an input is read. */
  at({ bytes }: DataSetInput, share: number): Overall {
    return { done: Math.round(this.#before + bytes * share), total: this.#total, found: this.#found, unit: 'bytes' };
  }

  /** Notes that an input is done, or need not be read. */
  pass({ bytes }: DataSetInput, wasRead: boolean): void {
    this.#before += bytes;
    if (!wasRead) this.#found += bytes;
  }
}
