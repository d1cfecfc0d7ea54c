import { dirname } from 'node:path';
import type { DataSetDefinition } from '../shared/catalogue/definition.ts';
import type { DownloadedDataSet } from '../shared/contract/import.ts';
import { ChunkStore } from './chunk-store.ts';
import { hasPartAreas } from './data-set-sources.ts';
import { downloadLayer } from './download-layer.ts';
import { fetchFile, type Fetched } from './fetch-file.ts';
import { FileStore } from './file-store.ts';
import { describeFinding } from './find-layer.ts';
import type { DownloadContext, FoundDataSet, SurveyedSource } from './survey-data-sets.ts';
import { dayOf } from '../shared/time.ts';
import { sha256 } from '../files/sha256.ts';

/** Data that arrived since the last call. */
export interface Arrived {
  readonly features: number;
  readonly bytes: number;
}

/**
 * Fetches what a survey found.
 * @throws Error when a part of it cannot be fetched; data that arrived stay for the next run.
 */
export async function downloadDataSet(
  { definition, sources, notUsed, refused }: FoundDataSet,
  context: DownloadContext,
  onArrived: (arrived: Arrived) => void,
): Promise<DownloadedDataSet> {
  const fetched: Fetched[] = [];
  for (const source of sources) fetched.push(await fetchSource(definition, source, context, onArrived));
  const versions = fetched.map(({ version }) => version);
  const features = fetched.filter(({ isCoverage }) => !isCoverage);
  const attributions = new Set(fetched.flatMap(({ attribution }) => attribution ?? []));
  const layers = fetched.flatMap(({ source, isCoverage }) => (isCoverage && source.kind === 'chunks' ? [source] : []));
  return {
    id: definition.id,
    sources: features.map(({ source }) => source),
    coverage: hasPartAreas(definition) ? { authorities: authoritiesOf(sources), layers } : null,
    attribution: [definition.licence.attribution, ...attributions].join(' '),
    remarks: [
      ...fetched.flatMap(({ remark }) => remark ?? []),
      ...refused.map(({ name, reason }) => `${name}: NOT USED, and not known in its area: ${reason}`),
    ],
    origin: versions.includes(null) ? null : originOf(definition, [...versions, refused.map(({ name }) => name)]),
    ...{ notUsed, refused },
    editedOn: newestDay(features.map(({ editedMs }) => editedMs)),
    filedOn: newestDay(features.map(({ filedMs }) => filedMs)),
    downloadedOn: dayOf(Math.max(...features.map(({ finishedAt }) => Date.parse(finishedAt)))),
  };
}

/** Notes that an import has read the downloads: the next run fetches those without a version again. */
export function markUsed(dataSets: readonly DownloadedDataSet[]): void {
  for (const source of dataSets.flatMap(({ sources, coverage }) => [...sources, ...(coverage?.layers ?? [])])) {
    if (source.kind === 'chunks') new ChunkStore(source.folder).markUsed();
    else new FileStore(dirname(source.path), source.name).markUsed();
  }
}

/** Returns the conservation authorities in whose areas the parts know the answer. */
function authoritiesOf(sources: readonly SurveyedSource[]): readonly string[] {
  return sources.flatMap((source) => (source.kind === 'layer' ? (source.remote.part?.authority ?? []) : []));
}

function fetchSource(
  definition: DataSetDefinition,
  source: SurveyedSource,
  context: DownloadContext,
  onArrived: (arrived: Arrived) => void,
): Promise<Fetched> {
  if (source.kind === 'layer') return fetchLayer(source, context, onArrived);
  let seen = 0;
  return fetchFile(definition, source, context, (bytes) => {
    onArrived({ features: 0, bytes: Math.max(0, bytes - seen) });
    seen = Math.max(seen, bytes);
  });
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
  const { crs, fields, featureCount, vanished, idsPerChunk } = plan;
  const finishedAt = plan.finishedAt ?? plan.startedAt;
  const { part } = remote;
  const editedMs = part?.asOf === undefined ? plan.editedMs : Date.parse(part.asOf);
  const date = part?.asOfField == null ? {} : { [part.asOfField]: dayOf(editedMs ?? Date.parse(finishedAt)) };
  return {
    isCoverage: part?.role === 'coverage',
    source: {
      kind: 'chunks',
      name: plan.url,
      folder: survey.store.folder,
      chunkCount: Math.ceil(featureCount / idsPerChunk),
      featureCount: featureCount - vanished,
      crs,
      fields,
      rename: remote.rename,
      constants: { ...part?.constants, ...date },
    },
    attribution: remote.attribution,
    version: plan.version === null ? null : JSON.stringify([plan.url, crs, plan.ids, plan.version, fields]),
    editedMs,
    filedMs: null,
    finishedAt,
    remark: survey.foundBy === 'name' ? null : describeFinding(survey),
  };
}

/** Returns a text that identifies the table's content: the downloaded content and what is kept of it. */
function originOf(
  { fields, geometry, counts, sources, coverage, sourceUntil }: DataSetDefinition,
  versions: readonly unknown[],
): string {
  const dated = sourceUntil ? [sourceUntil.day] : [];
  const text = JSON.stringify([versions, fields, geometry, counts ?? null, sources, coverage, ...dated]);
  return sha256(text);
}

/** Returns the newest day; null when a part has no date. */
function newestDay(dates: readonly (number | null)[]): string | null {
  return dates.includes(null) ? null : dayOf(Math.max(...dates.map(Number)));
}
