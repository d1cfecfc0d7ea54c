import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DataSetDefinition } from '../catalogue/definition.ts';
import type { DownloadedDataSet, DownloadedSource } from '../contract/import.ts';
import type { ArcgisOptions } from './arcgis.ts';
import { ChunkStore } from './chunk-store.ts';
import { remoteSources, type RemoteSource } from './data-set-sources.ts';
import { downloadFile } from './download-file.ts';
import { downloadLayer } from './download-layer.ts';
import { forEachLimited } from './retry.ts';
import { surveyLayer, type LayerSurvey } from './survey.ts';

/** What is known of a data set before it is fetched. */
export type DataSetSurvey = { readonly definition: DataSetDefinition } & (
  | { readonly status: 'found'; readonly sources: readonly SurveyedSource[] }
  | { readonly status: 'failed'; readonly error: string }
  /** Nothing to fetch: the definition knows no address. */
  | { readonly status: 'without address' }
);

export type SurveyedSource =
  | { readonly kind: 'layer'; readonly survey: LayerSurvey; readonly remote: Extract<RemoteSource, { kind: 'layer' }> }
  | { readonly kind: 'file'; readonly folder: string; readonly remote: Extract<RemoteSource, { kind: 'file' }> };

export interface DownloadContext extends ArcgisOptions {
  /** Folder for everything that is fetched, a folder a data set. */
  readonly sourcesDir: string;
  /** Root of the province's services. */
  readonly server: string;
  /** Requests under way at once. */
  readonly parallel: number;
}

/** Asks every server what it has. A data set that is not found says so and stops no other. */
export async function surveyDataSets(
  definitions: readonly DataSetDefinition[],
  context: DownloadContext,
  onSurveyed: (survey: DataSetSurvey) => void,
): Promise<DataSetSurvey[]> {
  const surveys = new Map<string, DataSetSurvey>();
  await forEachLimited(definitions, context.parallel, async (definition) => {
    const survey = await surveyDataSet(definition, context);
    surveys.set(definition.id, survey);
    onSurveyed(survey);
  });
  return definitions.map(({ id }) => surveys.get(id)!);
}

/** Asks the sources in order of preference until one can be had. */
async function surveyDataSet(definition: DataSetDefinition, context: DownloadContext): Promise<DataSetSurvey> {
  const candidates = definition.sources
    .map((source) => remoteSources(source, context.server))
    .filter((remotes) => remotes.length > 0);
  if (candidates.length === 0) return { definition, status: 'without address' };
  const errors: string[] = [];
  for (const remotes of candidates) {
    try {
      return { definition, status: 'found', sources: await surveySources(definition, remotes, context) };
    } catch (cause) {
      errors.push(cause instanceof Error ? cause.message : 'failed');
    }
  }
  return { definition, status: 'failed', error: errors.join('; ') };
}

async function surveySources(
  { id, fields, geometry }: DataSetDefinition,
  remotes: readonly RemoteSource[],
  context: DownloadContext,
): Promise<SurveyedSource[]> {
  const sources: SurveyedSource[] = [];
  for (const [i, remote] of remotes.entries()) {
    const folder = join(context.sourcesDir, id, String(i));
    if (remote.kind === 'file') {
      sources.push({ kind: 'file', folder, remote });
      continue;
    }
    const wanted = { fields, geometry, rename: remote.rename };
    sources.push({ kind: 'layer', remote, survey: await surveyLayer(remote.address, wanted, folder, context) });
  }
  return sources;
}

/** What arrived since the last call. */
export interface Arrived {
  readonly features: number;
  readonly bytes: number;
}

/**
 * Fetches what a survey found.
 * @throws Error when any of it cannot be had; what arrived stays for the next run.
 */
export async function downloadDataSet(
  definition: DataSetDefinition,
  sources: readonly SurveyedSource[],
  context: DownloadContext,
  onArrived: (arrived: Arrived) => void,
): Promise<DownloadedDataSet> {
  const fetched: Fetched[] = [];
  for (const source of sources)
    fetched.push(
      await (source.kind === 'layer' ? fetchLayer(source, context, onArrived) : fetchFile(source, context, onArrived)),
    );
  const versions = fetched.map(({ version }) => version);
  const edited = fetched.map(({ editedMs }) => editedMs);
  const attributions = fetched.flatMap(({ attribution }) => attribution ?? []);
  return {
    id: definition.id,
    sources: fetched.map(({ source }) => source),
    attribution: [definition.licence.attribution, ...attributions].join(' '),
    origin: versions.includes(null) ? null : originOf(definition, versions),
    // Parts without a date make the whole undated.
    editedOn: edited.includes(null) ? null : dateOf(Math.max(...edited.map(Number))),
    downloadedOn: dateOf(Math.max(...fetched.map(({ finishedAt }) => Date.parse(finishedAt)))),
  };
}

/** After an import: the next run asks anew for what has no version. */
export function markUsed(dataSets: readonly DownloadedDataSet[]): void {
  for (const source of dataSets.flatMap(({ sources }) => sources))
    if (source.kind === 'chunks') new ChunkStore(source.folder).markUsed();
}

interface Fetched {
  readonly source: DownloadedSource;
  readonly attribution: string | null;
  /** Names the content; null when it cannot be told from a later one. */
  readonly version: string | null;
  readonly editedMs: number | null;
  readonly finishedAt: string;
}

async function fetchLayer(
  { survey, remote }: Extract<SurveyedSource, { kind: 'layer' }>,
  context: DownloadContext,
  onArrived: (arrived: Arrived) => void,
): Promise<Fetched> {
  const onFeatures = (features: number, bytes: number) => {
    onArrived({ features, bytes });
  };
  const plan = await downloadLayer(survey, { ...context, onFeatures });
  const { fields, featureCount, vanished, idsPerChunk, editedMs } = plan;
  return {
    source: {
      kind: 'chunks',
      name: plan.url,
      folder: survey.store.folder,
      chunkCount: Math.ceil(featureCount / idsPerChunk),
      featureCount: featureCount - vanished,
      fields,
      rename: remote.rename,
    },
    attribution: remote.attribution,
    version: plan.version === null ? null : JSON.stringify([plan.url, plan.ids, plan.version, fields]),
    editedMs,
    finishedAt: plan.finishedAt ?? plan.startedAt,
  };
}

async function fetchFile(
  { folder, remote: { source } }: Extract<SurveyedSource, { kind: 'file' }>,
  context: DownloadContext,
  onArrived: (arrived: Arrived) => void,
): Promise<Fetched> {
  let seen = 0;
  const onBytes = (bytes: number) => {
    onArrived({ features: 0, bytes: Math.max(0, bytes - seen) });
    seen = Math.max(seen, bytes);
  };
  const state = await downloadFile({ url: source.url, folder, retry: context.retry, idleMs: context.idleMs, onBytes });
  const { layer, where, crs, rename } = source;
  return {
    source: {
      kind: 'file',
      name: source.url,
      path: join(folder, state.name),
      layer: layer ?? null,
      where: where ?? null,
      crs: crs ?? null,
      rename: rename ?? {},
    },
    attribution: null,
    version: state.sha256,
    editedMs: state.lastModified === null ? null : Date.parse(state.lastModified),
    finishedAt: state.finishedAt,
  };
}

/** Everything that decides what the table holds: the content and what is kept of it. */
function originOf(
  { fields, geometry, drop, sources, coverage }: DataSetDefinition,
  versions: readonly unknown[],
): string {
  const text = JSON.stringify([versions, fields, geometry, drop ?? null, sources, coverage]);
  return createHash('sha256').update(text).digest('hex');
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
