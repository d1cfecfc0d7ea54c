import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DataSetOutcome } from '../../src/shared/contract/import.ts';
import type { BuildingFolder, DataSetRecord } from '../../src/shared/contract/manifest.ts';
import { authoritiesIn, authoritiesVersion } from './authority-area.ts';
import { storedCoverage, writeCoverage, type CoverageAreas } from './coverage.ts';
import type { DataSetInput } from './sources/data-set-input.ts';
import { dropFeatureTable } from './features/feature-table.ts';
import { dropSideTables } from './features/side-writers.ts';
import { importDataSet } from './import-data-set.ts';
import { openForWriting } from '../geopackage/land-file.ts';
import { OverallProgress } from './overall-progress.ts';
import type { Preparers } from './features/preparers.ts';
import type { OnProgress } from './progress.ts';
import { messageOf } from '../../src/shared/words.ts';

export interface Writing {
  readonly inputs: readonly DataSetInput[];
  /** Data sets whose download failed. */
  readonly failures: readonly { readonly id: string; readonly error: string }[];
  /** True when the inputs are the bundled sample. */
  readonly sample: boolean;
  readonly force: boolean;
  readonly building: BuildingFolder;
  readonly preparers: Preparers;
  readonly onProgress: OnProgress;
}

export interface Written {
  readonly outcomes: readonly DataSetOutcome[];
  /** All data sets of the new snapshot, by id. */
  readonly dataSets: Readonly<Record<string, DataSetRecord>>;
}

/** Writes the tables of all inputs into `land.gpkg`; a data set that fails stays as in the current snapshot. */
export async function writeTables(writing: Writing): Promise<Written> {
  const db = openForWriting(writing.building.folder);
  try {
    const areas = storedCoverage(db);
    const dataSets = keptDataSets(db, writing, areas);
    const outcomes: DataSetOutcome[] = [];
    const overall = new OverallProgress(writing.inputs);
    for (const input of authorityAreasFirst(writing.inputs)) {
      const outcome = await writeOne(db, input, { ...writing, dataSets, areas, overall });
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
    const all = [...outcomes, ...missing];
    markFailures(all, dataSets);
    return { outcomes: all, dataSets: Object.fromEntries(dataSets) };
  } finally {
    db.close();
  }
}

/** Orders inputs so that the authorities' areas come before data sets whose coverage uses them. */
function authorityAreasFirst(inputs: readonly DataSetInput[]): readonly DataSetInput[] {
  const isLater = ({ coverage }: DataSetInput) => authoritiesIn(coverage).length > 0;
  return [...inputs.filter((input) => !isLater(input)), ...inputs.filter(isLater)];
}

type DataSets = Map<string, DataSetRecord>;

/**
 * Chooses the data sets to keep. A snapshot never mixes sample and real data, so an import of one kind drops the other.
 */
function keptDataSets(db: Database, { building, sample }: Writing, areas: CoverageAreas): DataSets {
  const dataSets: DataSets = new Map(Object.entries(building.current?.manifest.dataSets ?? {}));
  for (const [id, record] of dataSets) {
    if (record.sample === sample) continue;
    dropFeatureTable(db, id);
    dropSideTables(db, id);
    areas.delete(id);
    dataSets.delete(id);
  }
  return dataSets;
}

interface State extends Writing {
  readonly dataSets: DataSets;
  readonly areas: CoverageAreas;
  readonly overall: OverallProgress;
}

async function writeOne(db: Database, listed: DataSetInput, state: State): Promise<DataSetOutcome> {
  const { building, preparers, dataSets, areas, force, overall, onProgress } = state;
  const input = { ...listed, origin: originIn(db, listed) };
  const { id } = input.definition;
  const previous = dataSets.get(id);
  const previousCount = previous?.featureCount ?? null;
  if (previous?.origin !== undefined && previous.origin === input.origin)
    return { id, status: 'unchanged', record: previous, seconds: 0, previousCount };
  const startMs = performance.now();
  const seconds = () => (performance.now() - startMs) / 1000;
  const onRows = (done: number, total: number) => {
    const share = total === 0 ? 1 : done / total;
    onProgress({ kind: 'rows', name: id, done, total, unit: 'rows', overall: overall.at(input, share) });
  };
  try {
    const task = { input, building, db, preparers, previous: previous ?? null, force, onRows };
    const { record, coverage } = await importDataSet(task);
    dataSets.set(id, record);
    areas.delete(id);
    if (record.coverage === 'area') areas.set(id, coverage);
    return { id, status: 'imported', record, seconds: seconds(), previousCount };
  } catch (cause) {
    const error = messageOf(cause);
    return { id, status: 'failed', error, seconds: seconds(), previousCount };
  }
}

/** Adds the version of the authorities' areas to the origin, because they also decide the answers of the data set. */
function originIn(db: Database, { origin, coverage }: DataSetInput): string | null {
  const authorities = authoritiesIn(coverage);
  return origin === null || authorities.length === 0 ? origin : `${origin} ${authoritiesVersion(db, authorities)}`;
}

/** Marks failed data sets in the manifest, which distinguishes last good data from fresh data. */
function markFailures(outcomes: readonly DataSetOutcome[], dataSets: DataSets): void {
  for (const outcome of outcomes) {
    const record = dataSets.get(outcome.id);
    if (!record || outcome.status === 'imported') continue;
    const { refreshFailed, ...good } = record;
    if (outcome.status === 'unchanged') {
      dataSets.set(outcome.id, good);
    } else if (refreshFailed?.reason !== outcome.error) {
      dataSets.set(outcome.id, { ...good, refreshFailed: { since: new Date().toISOString(), reason: outcome.error } });
    }
  }
}
