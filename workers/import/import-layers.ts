import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import type { DataSetOutcome, ImportLayersResult, ImportLayersTask } from '../../src/contract/import.ts';
import type { DataSetRecord } from '../../src/contract/manifest.ts';
import { startBuilding, type Building } from './building.ts';
import { storedCoverage, writeCoverage, type CoverageAreas } from './coverage.ts';
import { dropFeatureTable } from './feature-table.ts';
import { importDataSet } from './import-data-set.ts';
import { openForWriting } from './land-file.ts';
import { openPreparers, type Preparers } from './preparers.ts';
import type { OnProgress } from './progress.ts';
import { readSourceManifest, type SourceManifest } from './source-manifest.ts';

type Task = Extract<ImportLayersTask, { kind: 'import' }>;

/**
 * Imports the data sets of a folder's `sources.json` into a new snapshot that keeps the other ones of the current snapshot,
 * and publishes it. A data set that fails keeps its last good data; without `partial` nothing is published then.
 * @throws Error when nothing can be imported at all: no manifest, another import running, a snapshot that does not verify.
 */
export async function importLayers(task: Task, onProgress: OnProgress): Promise<ImportLayersResult> {
  const catalogue = readCatalogue(task.layersDir);
  const manifest = readSourceManifest(task.from, catalogue.dataSets);
  const definitions = chooseDefinitions(catalogue.dataSets, manifest, task.only);
  using building = startBuilding(task.dataDir);
  await using preparers = openPreparers();
  const content = await writeTables({ task, manifest, definitions, building, preparers, onProgress });
  const { outcomes, dataSets } = content;
  const kept = Object.keys(dataSets).filter((id) => !outcomes.some((o) => o.id === id && o.status === 'imported'));
  const failed = outcomes.filter((outcome) => outcome.status === 'failed').length;
  if (failed === outcomes.length || (failed > 0 && !task.partial)) return { snapshot: null, outcomes, kept };
  const gazetteer = building.current?.manifest.gazetteer ?? null;
  const snapshot = await building.publish(
    { definitions: catalogue.version, dataSets, gazetteer, answers: catalogue.answers },
    onProgress,
  );
  return { snapshot, outcomes, kept };
}

function chooseDefinitions(
  all: readonly DataSetDefinition[],
  { entries }: SourceManifest,
  only: readonly string[] | null,
): DataSetDefinition[] {
  const missing = only?.find((id) => !entries.has(id));
  if (missing !== undefined) throw new Error(`sources.json has no data set "${missing}"`);
  return all.filter(({ id }) => entries.has(id) && (only === null || only.includes(id)));
}

interface Writing {
  readonly task: Task;
  readonly manifest: SourceManifest;
  readonly definitions: readonly DataSetDefinition[];
  readonly building: Building;
  readonly preparers: Preparers;
  readonly onProgress: OnProgress;
}

interface Written {
  readonly outcomes: DataSetOutcome[];
  /** Everything that the new snapshot holds, by data set id. */
  readonly dataSets: Record<string, DataSetRecord>;
}

async function writeTables(writing: Writing): Promise<Written> {
  const db = openForWriting(writing.building.folder);
  try {
    const areas = storedCoverage(db);
    const dataSets = keepDataSets(db, writing, areas);
    const outcomes: DataSetOutcome[] = [];
    for (const definition of writing.definitions) {
      outcomes.push(await importOne(db, { ...writing, definition, dataSets, areas }));
      rmSync(join(writing.building.folder, 'unpacked'), { recursive: true, force: true });
    }
    writeCoverage(db, areas);
    return { outcomes, dataSets };
  } finally {
    db.close();
  }
}

/** Sample and real data never stand in one snapshot: who imports the one leaves the other behind. */
function keepDataSets(
  db: Database,
  { building, manifest }: Writing,
  areas: CoverageAreas,
): Record<string, DataSetRecord> {
  const dataSets = { ...building.current?.manifest.dataSets };
  for (const [id, { sample }] of Object.entries(dataSets)) {
    if (sample === manifest.sample) continue;
    dropFeatureTable(db, id);
    areas.delete(id);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a plain record of this function
    delete dataSets[id];
  }
  return dataSets;
}

interface One extends Writing {
  readonly definition: DataSetDefinition;
  readonly dataSets: Record<string, DataSetRecord>;
  readonly areas: CoverageAreas;
}

async function importOne(db: Database, one: One): Promise<DataSetOutcome> {
  const { task, manifest, building, preparers, definition, dataSets, areas, onProgress } = one;
  const { id } = definition;
  const startMs = performance.now();
  const outcome = () => ({
    id,
    seconds: (performance.now() - startMs) / 1000,
    previousCount: building.current?.manifest.dataSets[id]?.featureCount ?? null,
  });
  try {
    const { record, coverage } = await importDataSet({
      definition,
      entry: manifest.entries.get(id)!,
      from: task.from,
      sample: manifest.sample,
      building: building.folder,
      db,
      preparers,
      onRows: (done, total) => {
        onProgress({ kind: 'rows', name: id, done, total, unit: 'rows' });
      },
    });
    dataSets[id] = record;
    areas.delete(id);
    if (record.coverage === 'area') areas.set(id, coverage);
    return { ...outcome(), status: 'imported', record };
  } catch (cause) {
    return { ...outcome(), status: 'failed', error: cause instanceof Error ? cause.message : 'failed' };
  }
}
