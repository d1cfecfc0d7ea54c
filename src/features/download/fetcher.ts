import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { takeLock } from '../../core/files/lock.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { patient } from '../../core/outbound/retry.ts';
import { sourcesFolder } from '../../core/snapshots/folders.ts';
import { sayingWaits, type ProgressDisplay } from '../../core/terminal/progress-display.ts';
import type {
  SourceFetcher,
  Downloads,
  FetchOptions,
  ImportConfig,
  Shown,
  SourceCheck,
} from '../../import/source-fetcher.ts';
import { IDLE_MS } from './arcgis.ts';
import { markUsed, type Arrived, downloadDataSet } from './download-data-sets.ts';
import { downloadRegister } from './download-register.ts';
import type { DataSetDefinition, SourceDefinition } from '../../catalogue/definition.ts';
import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import { type Catalogue, allAnswers } from '../../catalogue/catalogue.ts';
import type { DownloadedDataSet, FileInspection, InspectTask } from '../../messages/import.ts';
import { checkSources } from './check-sources.ts';
import { provincePackages, provinceServer } from './data-set-sources.ts';
import {
  type DataSetSurvey,
  type DownloadContext,
  type FoundDataSet,
  surveyDataSets,
  surveyNext,
} from './survey-data-sets.ts';
import { runWorker } from '../../core/pool/run-worker.ts';
import { checkReport, sourceChecks } from './check-report.ts';
import { exitCodes } from '../../import/import-report.ts';
import { messageOf } from '../../words.ts';

/** Fetches from the province, and the address register from any server. */
export const fetcher: SourceFetcher = {
  addOptions: (loadLayers) => {
    loadLayers
      .option('--check', 'ask every source and print what an import would do; exit code 2 when something does not fit')
      .addOption(new Option('--dry-run').hideHelp().implies({ check: true }))
      .option('--server <URL>', "root of the ArcGIS services, instead of the province's: …/rest/services")
      .option('--packages <URL>', "root of the packages (URL/CODE.zip), instead of the province's")
      .option(
        '--layer-id <DATA_SET=SERVICE/ID...>',
        'use this layer for a data set, instead of the one in its definition',
      );
  },
  check: askProvince,
  layers: (config, options, shown, take) =>
    whileLocked(config.dataDir, async () => {
      const fetched = await fetchFromProvince(config, options, shown);
      if (typeof fetched === 'number') return fetched;
      const code = await take(fetched);
      markUsed(fetched.dataSets);
      return code;
    }),
  register: (url, { dataDir, minFreeBytes, display }, take) =>
    whileLocked(dataDir, async () => {
      const folder = join(sourcesFolder(dataDir), 'addresses');
      const onBytes = (done: number, total: number): void => {
        display.show({ kind: 'rows', name: 'register (download)', unit: 'bytes', done, total });
      };
      const retry = sayingWaits(patient, display);
      const download = { url, folder, retry, idleMs: IDLE_MS, minFreeBytes, onBytes };
      await whileReminding(display, () => downloadRegister(download));
      const result = await take(folder);
      rmSync(folder, { recursive: true });
      return result;
    }),
};

/** Has the lock of the downloaded sources until what was fetched is imported. @throws Error when another download is running. */
async function whileLocked<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const folder = sourcesFolder(dataDir);
  makeFolder(folder);
  const lock = takeLock(join(folder, '.lock'), 'another download is running');
  try {
    return await work();
  } finally {
    lock[Symbol.dispose]();
  }
}

/** Requests at a time: enough to hide the server's delay, and few enough not to burden it. */
const PARALLEL = 4;

/**
 * Downloads the data sets into `data/sources`, each as far as possible. Returns what the import needs, or the exit code
 * of a check.
 * @throws Error when a key is not known.
 */
export async function fetchFromProvince(
  config: ImportConfig,
  options: FetchOptions,
  shown: Shown,
): Promise<Downloads | number> {
  return whileReminding(shown.display, () => fetchSources(config, options, shown));
}

/** Asks every source, and fetches nothing. */
async function askProvince(
  config: ImportConfig,
  options: FetchOptions,
  display: ProgressDisplay,
): Promise<readonly SourceCheck[]> {
  const { definitions, context } = prepare(config, options, display);
  return sourceChecks(await whileReminding(display, () => checkSources(definitions, context)));
}

async function fetchSources(
  config: ImportConfig,
  options: FetchOptions,
  { output, display }: Shown,
): Promise<Downloads | number> {
  const { catalogue, definitions, context } = prepare(config, options, display);
  if (options.check === true) {
    const asked = { server: context.server, folders: config, definitions: catalogue.version };
    const { text, fits } = checkReport(await checkSources(definitions, context), asked);
    output.write(text);
    return fits ? exitCodes.full : exitCodes.partial;
  }
  const surveys = await surveyDataSets(definitions, context, (survey) => {
    if (survey.status === 'failed') display.show({ kind: 'step', text: `${survey.definition.id}: ${survey.error}` });
  });
  return download(surveys, context, display);
}

/** Reads the definitions, and how their sources are asked. @throws Error when a key is not known. */
function prepare(
  { dataDir, minFreeDiskBytes: minFreeBytes = 0, ...folders }: ImportConfig,
  { only, server, packages, layerId, retry, idleMs }: FetchOptions,
  display: ProgressDisplay,
) {
  const catalogue = readCatalogue(folders);
  const definitions = chooseDefinitions(catalogue, only ?? null);
  const context: DownloadContext = {
    sourcesDir: sourcesFolder(dataDir),
    server: server ?? provinceServer,
    packages: packages ?? (server === undefined ? provincePackages : null),
    inspect: (definition, file) =>
      runWorker<InspectTask, never, FileInspection>(
        'import-layers',
        { kind: 'inspect', definition, file, minFreeBytes },
        noProgress,
      ),
    parallel: PARALLEL,
    minFreeBytes,
    retry: sayingWaits(retry ?? patient, display),
    idleMs: idleMs ?? IDLE_MS,
    layerNames: catalogue.dataSets.flatMap(({ sources }) => sources.flatMap(namesOf)),
    layerIds: layerChoices(catalogue, layerId ?? []),
  };
  return { catalogue, definitions, context };
}

function namesOf(source: SourceDefinition): readonly string[] {
  return source.kind === 'arcgis' ? source.names : [];
}

/** @throws Error when a choice is not of the form `DATA_SET=SERVICE/ID`, or names no data set. */
function layerChoices({ dataSets }: Catalogue, choices: readonly string[]): NonNullable<DownloadContext['layerIds']> {
  return new Map(
    choices.map((choice) => {
      const [, id = '', service = '', layer = ''] = /^(\w+)=(\S+Server)\/(\d+)$/.exec(choice) ?? [];
      if (service === '')
        throw new Error(
          `--layer-id must be DATA_SET=SERVICE/ID, such as wetland=LIO_OPEN_DATA/LIO_Open01/MapServer/15, not "${choice}"`,
        );
      const own = dataSets.find((dataSet) => dataSet.id === id)?.sources.find(({ kind }) => kind === 'arcgis');
      if (own?.kind !== 'arcgis')
        throw new Error(`--layer-id: there is no data set "${id}" with a layer of a service as its source`);
      return [id, { source: { ...own, service }, id: Number(layer) }];
    }),
  );
}

function chooseDefinitions(catalogue: Catalogue, only: readonly string[] | null): readonly DataSetDefinition[] {
  const { dataSets } = catalogue;
  const answers = allAnswers(catalogue);
  if (only === null) return dataSets;
  const chosen = only.map((key) => {
    const found = dataSets.find(({ id }) => id === key) ?? answers.find(({ answer }) => answer.key === key)?.dataSet;
    if (!found) throw new Error(`there is no data set and no layer "${key}"`);
    return found;
  });
  return dataSets.filter((dataSet) => chosen.includes(dataSet));
}

async function download(
  surveys: readonly DataSetSurvey[],
  context: DownloadContext,
  display: ProgressDisplay,
): Promise<Downloads> {
  const dataSets: DownloadedDataSet[] = [];
  const failures: { id: string; error: string }[] = [];
  const progress = new DownloadProgress(surveys, display);
  for (const survey of surveys) {
    const { id } = survey.definition;
    if (survey.status === 'failed') failures.push({ id, error: survey.error });
    if (survey.status === 'without address')
      display.show({ kind: 'step', text: `${id}: no address to download it from is confirmed; import it with --from` });
    if (survey.status !== 'found') continue;
    try {
      dataSets.push(await downloadFirst(survey, context, { progress, display }));
    } catch (cause) {
      const error = messageOf(cause);
      failures.push({ id, error });
      display.show({ kind: 'step', text: `${id}: ${error}` });
    }
  }
  display.end();
  return { kind: 'downloads', dataSets, failures };
}

/**
 * Fetches a data set from the first of its sources that works.
 * @throws Error with what is wrong with each, when none can.
 */
async function downloadFirst(
  survey: FoundDataSet,
  context: DownloadContext,
  { progress, display }: { readonly progress: DownloadProgress; readonly display: ProgressDisplay },
): Promise<DownloadedDataSet> {
  try {
    return await downloadDataSet(survey, context, progress.of(survey));
  } catch (cause) {
    const why = messageOf(cause);
    const next = await surveyNext(survey, why, context);
    if (next.status !== 'found') throw new Error(next.status === 'failed' ? next.error : why, { cause });
    display.show({ kind: 'step', text: `${survey.definition.id}: ${why}; using its next source` });
    progress.add(next);
    return downloadFirst(next, context, { progress, display });
  }
}

function noProgress(): void {
  // This takes seconds.
}

/** Counts what arrives, per data set and in total. */
class DownloadProgress {
  readonly #display: ProgressDisplay;
  #total: number;
  #done = 0;
  #found = 0;
  #bytes = 0;

  constructor(surveys: readonly DataSetSurvey[], display: ProgressDisplay) {
    this.#display = display;
    this.#total = surveys.reduce((sum, survey) => sum + (survey.status === 'found' ? featuresOf(survey) : 0), 0);
  }

  /** Adds a source that replaces another one. */
  add(survey: FoundDataSet): void {
    this.#total += featuresOf(survey);
  }

  of(survey: FoundDataSet): (arrived: Arrived) => void {
    const total = featuresOf(survey);
    let [done, found, bytes] = [0, 0, 0];
    return (arrived) => {
      done += arrived.features;
      this.#done += arrived.features;
      bytes += arrived.bytes;
      this.#bytes += arrived.bytes;
      if (arrived.bytes === 0) {
        found += arrived.features;
        this.#found += arrived.features;
      }
      // A file is counted in bytes, because nobody knows its features before it is read.
      const own =
        total > 0
          ? ({ done, total, unit: 'rows', found, bytes } as const)
          : ({ done: bytes, total: bytesOf(survey), unit: 'bytes' } as const);
      const overall = this.#overall();
      this.#display.show({ kind: 'rows', name: `${survey.definition.id} (download)`, ...own, overall });
    };
  }

  #overall() {
    return { unit: 'rows', done: this.#done, total: this.#total, found: this.#found, bytes: this.#bytes } as const;
  }
}

/** Null when a server does not say how long a file is. */
function bytesOf({ sources }: FoundDataSet): number | null {
  const sizes = sources.map((source) => (source.kind === 'file' ? source.version.bytes : 0));
  return sizes.includes(null) ? null : sizes.reduce<number>((sum, bytes) => sum + Number(bytes), 0);
}

function featuresOf({ sources }: FoundDataSet): number {
  return sources.reduce((sum, source) => sum + (source.kind === 'layer' ? source.survey.ids.length : 0), 0);
}

/** Longest time without a line. */
const LONGEST_SILENCE_MS = 20_000;

/** Does the work, and writes a line whenever nothing was written for a while. */
async function whileReminding<T>(display: Pick<ProgressDisplay, 'remind'>, work: () => Promise<T>): Promise<T> {
  const stillWaiting = (seconds: number): string => `still waiting for an answer: nothing for ${seconds} s`;
  const reminder = display.remind(stillWaiting, LONGEST_SILENCE_MS);
  try {
    return await work();
  } finally {
    reminder[Symbol.dispose]();
  }
}
