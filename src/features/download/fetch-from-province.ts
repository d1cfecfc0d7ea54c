import type { DataSetDefinition, SourceDefinition } from '../../catalogue/definition.ts';
import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import { type Catalogue, allAnswers } from '../../catalogue/catalogue.ts';
import type { DownloadedDataSet, FileInspection, InspectTask } from '../../messages/import.ts';
import { IDLE_MS } from './arcgis.ts';
import { type CheckedSource, checkSources } from './check-sources.ts';
import { type LayerChoice, provincePackages, provinceServer } from './data-set-sources.ts';
import { type Arrived, downloadDataSet } from './download-data-sets.ts';
import {
  type DataSetSurvey,
  type DownloadContext,
  type FoundDataSet,
  surveyDataSets,
  surveyNext,
} from './survey-data-sets.ts';
import { patient } from '../../core/outbound/retry.ts';
import { runWorker } from '../../core/pool/run-worker.ts';
import { sourcesFolder } from '../../core/snapshots/folders.ts';
import { checkReport, nameOfSource } from './check-report.ts';
import { exitCodes } from '../../import/import-report.ts';
import type {
  Downloads,
  FetchOptions,
  ImportConfig,
  Shown,
  SourceCheck,
  LayerFacts,
} from '../../import/source-fetcher.ts';
import { type ProgressDisplay, sayingWaits, whileReminding } from '../../core/terminal/progress-display.ts';
import { messageOf } from '../../words.ts';
import { Refused } from '../../core/outbound/failures.ts';
import { wordsText } from '../../catalogue/known-words.ts';
import { dayOf } from '../../messages/time.ts';
import { Empty, Misfit } from './misfit.ts';

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
export async function askProvince(
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
function layerChoices({ dataSets }: Catalogue, choices: readonly string[]): Map<string, LayerChoice> {
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

/** Tells what a check found to those who watch the sources, without what was not asked. */
function sourceChecks(checked: readonly CheckedSource[]): readonly SourceCheck[] {
  return checked.filter(({ status }) => status !== 'not asked').map(sourceCheck);
}

function sourceCheck(one: CheckedSource): SourceCheck {
  const { definition, source, part, movedTo } = one;
  const area = part?.role === 'coverage' ? ', area' : '';
  return {
    dataSet: definition.id,
    source: part ? part.name + area : nameOfSource(source),
    movedTo,
    state: stateOf(one),
    error: 'error' in one ? one.error : null,
    editedOn: editedOn(one),
    layer: factsOf(one),
  };
}

function stateOf(one: CheckedSource): SourceCheck['state'] {
  if (one.status === 'no answer') return 'silent';
  if (one.status !== 'misfit') return 'answers';
  const { cause } = one;
  if (cause instanceof Misfit) return cause.isGone ? 'gone' : cause.path[0] === 'control' ? 'control' : 'names';
  if (cause instanceof Empty) return 'empty';
  // Other refusals, such as lists that do not agree, say nothing of where the data are.
  return cause instanceof Refused ? 'gone' : 'silent';
}

function editedOn(one: CheckedSource): string | null {
  const ms = one.status === 'layer' ? one.survey.changedMs : Date.parse(lastModified(one) ?? '');
  // A time that is none in the calendar says nothing.
  return ms === null || !(Math.abs(ms) < 8.64e15) ? null : dayOf(ms);
}

function lastModified(one: CheckedSource): string | null {
  return one.status === 'file' ? one.version.lastModified : null;
}

function factsOf(one: CheckedSource): LayerFacts | null {
  if (one.status !== 'layer') return null;
  const { layer, ids, fields, foundBy } = one.survey;
  return {
    id: Number(/\d+$/.exec(layer.url)?.[0] ?? NaN),
    name: layer.name,
    featureCount: ids.length,
    isNamed: foundBy !== 'id' || one.names.length === 0,
    missingFields: [...fields].flatMap(([name, found]) => (found === null ? [name] : [])),
    unknownWords: wordsText(one.inspection.unknownWords),
    list: one.inspection.list,
  };
}
