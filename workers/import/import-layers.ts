import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import type { DataSetOutcome, ImportLayersResult, ImportLayersTask } from '../../src/contract/import.ts';
import type { DataSetRecord } from '../../src/contract/manifest.ts';
import { startBuilding } from './building.ts';
import type { DataSetInput } from './data-set-input.ts';
import { downloadInputs } from './download-input.ts';
import { manifestInputs } from './manifest-input.ts';
import { openPreparers } from './preparers.ts';
import type { OnProgress } from './progress.ts';
import { readSourceManifest } from './source-manifest.ts';
import { writeTables, type Writing, type Written } from './write-tables.ts';

type Task = Extract<ImportLayersTask, { kind: 'import' }>;

/**
 * Imports data sets into a new snapshot that keeps the current snapshot's other data sets, and publishes it. A data set
 * that fails keeps its last good data; without `partial`, a failure means that nothing is published.
 * @throws Error when nothing can be imported at all: no manifest, another import running, a snapshot that does not
 * verify.
 */
export async function importLayers(task: Task, onProgress: OnProgress): Promise<ImportLayersResult> {
  const catalogue = readCatalogue(task.layersDir);
  const { inputs, failures, sample } = inputsOf(task, catalogue.dataSets);
  using building = startBuilding(task.dataDir);
  const { outcomes, dataSets } = await write({ inputs, failures, sample, force: task.force, building, onProgress });
  const isNew = (id: string) => outcomes.some((outcome) => outcome.id === id && outcome.status === 'imported');
  const kept = Object.keys(dataSets).filter((id) => !isNew(id));
  if (!isWorthPublishing(task, outcomes, { old: building.current?.manifest.dataSets ?? {}, new: dataSets }))
    return { snapshot: null, outcomes, kept };
  const gazetteer = building.current?.manifest.gazetteer ?? null;
  const snapshot = await building.publish(
    { definitions: catalogue.version, dataSets, gazetteer, answers: catalogue.answers },
    onProgress,
  );
  return { snapshot, outcomes, kept };
}

/**
 * Writes the tables, and then ends the threads that prepare features, because building the indexes needs the memory.
 */
async function write(writing: Omit<Writing, 'preparers'>): Promise<Written> {
  await using preparers = openPreparers();
  return await writeTables({ ...writing, preparers });
}

interface Inputs {
  readonly inputs: readonly DataSetInput[];
  readonly failures: readonly { readonly id: string; readonly error: string }[];
  readonly sample: boolean;
}

function inputsOf({ input }: Task, definitions: readonly DataSetDefinition[]): Inputs {
  if (input.kind === 'downloads')
    return { inputs: downloadInputs(definitions, input.dataSets), failures: input.failures, sample: false };
  const manifest = readSourceManifest(input.from, definitions);
  return { inputs: manifestInputs(definitions, manifest, input), failures: [], sample: manifest.sample };
}

type Records = Readonly<Record<string, DataSetRecord>>;

function isWorthPublishing(
  { partial }: Task,
  outcomes: readonly DataSetOutcome[],
  dataSets: { readonly old: Records; readonly new: Records },
): boolean {
  const failed = outcomes.filter(({ status }) => status === 'failed').length;
  if (failed === outcomes.length || (failed > 0 && !partial)) return false;
  // Data sets are also different when a refresh fails or works again, because the manifest states it.
  return JSON.stringify(dataSets.old) !== JSON.stringify(dataSets.new);
}
