import { allAnswers } from '../../src/catalogue/catalogue.ts';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { DataSetOutcome, ImportLayersResult, ImportLayersTask } from '../../src/messages/import.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import { beginLandFile, finishSnapshot } from './build-snapshot.ts';
import { watchingDisk, type OnProgress } from './progress.ts';
import { type DataSetInput, bytesOf } from './sources/data-set-input.ts';
import { checksumFile } from '../geopackage/checksum.ts';
import { downloadInputs } from './sources/download-input.ts';
import { openPreparers } from './features/preparers.ts';
import { type SourceEntry, readSourceManifest } from './sources/source-manifest.ts';
import { type Writing, writeTables } from './write-tables.ts';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fieldIndex } from '../../src/catalogue/source-field.ts';
import type { DiskFloor } from '../../src/messages/disk-floor.ts';
import { type InspectedFile, inspectFile } from './sources/inspect-file.ts';
import { pathInside } from './sources/own-folder.ts';
import { dayOf } from '../../src/messages/time.ts';

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
async function write(writing: Omit<Writing, 'preparers'>): ReturnType<typeof writeTables> {
  await using preparers = openPreparers();
  return await writeTables({ ...writing, preparers });
}

function inputsOf(
  { input }: Task,
  definitions: readonly DataSetDefinition[],
): {
  readonly inputs: readonly DataSetInput[];
  readonly failures: readonly { readonly id: string; readonly error: string }[];
  readonly sample: boolean;
} {
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

/**
 * Returns the data sets that a folder's `sources.json` lists, in the order of the definitions. @throws Error for an
 * unlisted id.
 */
function manifestInputs(
  definitions: readonly DataSetDefinition[],
  { entries, sample }: ReturnType<typeof readSourceManifest>,
  { from, only }: { readonly from: string; readonly only: readonly string[] | null },
): DataSetInput[] {
  const missing = only?.find((id) => !entries.has(id));
  if (missing !== undefined) throw new Error(`sources.json has no data set "${missing}"`);
  return definitions
    .filter(({ id }) => entries.has(id) && (only === null || only.includes(id)))
    .map((definition) => manifestInput(definition, entries.get(definition.id)!, { from, sample }));
}

function manifestInput(
  definition: DataSetDefinition,
  entry: SourceEntry,
  { from, sample }: { readonly from: string; readonly sample: boolean },
): DataSetInput {
  const { files, coverage, asOf } = entry;
  return {
    definition,
    sample,
    attribution: definition.licence.attribution,
    files: files.map((file) => basename(file)),
    notUsed: [],
    refused: [],
    bytes: bytesOf(files.map((file) => join(from, file))),
    coverage: coverage ?? { kind: definition.coverage },
    // Files may change under the same name.
    origin: null,
    inspect: (building) => inspect(definition, entry, { from, building }),
    date: () =>
      asOf === null ? { asOf: fileDate(files, from), asOfFrom: 'file date' } : { asOf, asOfFrom: 'source manifest' },
  };
}

async function inspect(
  definition: DataSetDefinition,
  { files, rename, ...options }: SourceEntry,
  { from, building }: { readonly from: string; readonly building: DiskFloor },
): Promise<InspectedFile[]> {
  checkDifferent(files, from);
  const inspected: InspectedFile[] = [];
  for (const [i, name] of files.entries()) {
    const unpacked = join(building.folder, 'unpacked', `${definition.id}-${i}`);
    const { minFreeBytes } = building;
    const file = { name, path: pathInside(from, name), options, rename, unpacked, minFreeBytes };
    inspected.push(...[await inspectFile(file, definition)].filter((found) => found !== null));
  }
  // Without features the data set would say "no" everywhere.
  if (inspected.length === 0) throw new Error(`${files.join(', ')}: no features`);
  const unused = Object.keys(rename).find((field) =>
    inspected.every(({ present }) => fieldIndex(field, present) === null),
  );
  if (unused !== undefined) throw new Error(`"rename" names the field "${unused}", which no file has`);
  return inspected;
}

/** @throws Error when two files have the same content: a server that does not know of pages sends the first one again and again, and the rest is missing. */
function checkDifferent(files: readonly string[], from: string): void {
  const sized = files.map((file) => {
    const path = pathInside(from, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    return { file, path, bytes: stats?.isFile() === true ? stats.size : null };
  });
  const known = new Map<string, string>();
  for (const { file, path, bytes } of sized) {
    // Nearly all files differ in their size, and are not read for this.
    if (bytes === null || sized.filter((other) => other.bytes === bytes).length === 1) continue;
    const { sha256 } = checksumFile(path);
    const same = known.get(sha256);
    if (same !== undefined)
      throw new Error(
        `${same} and ${file} have the same content: are they one page that was fetched twice? Fetch the other, or name one of them`,
      );
    known.set(sha256, file);
  }
}

/** Returns the date of the newest file. */
function fileDate(files: readonly string[], from: string): string {
  const newestMs = Math.max(...files.map((file) => statSync(join(from, file)).mtimeMs));
  return dayOf(newestMs);
}
