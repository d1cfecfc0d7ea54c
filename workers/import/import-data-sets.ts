import { allAnswers } from '../../src/catalogue/catalogue.ts';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { DataSetOutcome, ImportLayersResult, ImportLayersTask } from '../../src/messages/import.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import { beginLandFile, finishSnapshot } from './build-snapshot.ts';
import { watchingDisk } from './disk-space.ts';
import type { DataSetInput } from './sources/data-set-input.ts';
import { downloadInputs } from './sources/download-input.ts';
import { manifestInputs } from './sources/manifest-input.ts';
import { openPreparers } from './features/preparers.ts';
import type { OnProgress } from './progress.ts';
import { readSourceManifest } from './sources/source-manifest.ts';
import { writeTables, type Writing, type Written } from './write-tables.ts';

type Task = Extract<ImportLayersTask, { kind: 'import' }>;

/**
 * Imports data sets into a new snapshot that keeps the other ones of the current snapshot. A data set that
 * fails keeps its last good data; without `partial` nothing is to be published then.
 * @throws Error when nothing can be imported at all: no manifest, a full disk, a snapshot that does not verify.
 */
export async function importDataSets(task: Task, report: OnProgress): Promise<ImportLayersResult> {
  const { catalogue, building } = task;
  const onProgress = watchingDisk(building, report);
  const { force, acceptNames = false } = task;
  const inputs = inputsOf(task, catalogue.dataSets);
  beginLandFile(building);
  const writing = { definitions: catalogue.dataSets, ...inputs, force, acceptNames, building, onProgress };
  const { outcomes, dataSets } = await write(writing);
  const isNew = (id: string) => outcomes.some((outcome) => outcome.id === id && outcome.status === 'imported');
  const kept = Object.keys(dataSets).filter((id) => !isNew(id));
  if (!isWorthPublishing(task, outcomes, { old: building.current?.manifest.dataSets ?? {}, new: dataSets }))
    return { manifest: null, outcomes, kept };
  const gazetteer = building.current?.manifest.gazetteer ?? null;
  const content = { definitions: catalogue.version, dataSets, gazetteer, answers: allAnswers(catalogue) };
  return { manifest: await finishSnapshot(building, content, onProgress), outcomes, kept };
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
