import { dirname } from 'node:path';
import type { DataSetDefinition } from '../../catalogue/definition.ts';
import {
  type AreaClaim,
  type DownloadedDataSet,
  type RefusedPart,
  type DownloadedFile,
  type DownloadedSource,
  dateFields,
} from '../../messages/import.ts';
import { ChunkStore } from './chunk-store.ts';
import { type RemotePart, type RemoteSource, hasPartAreas } from './data-set-sources.ts';
import { downloadLayer } from './download-layer.ts';
import { type FileState, FileStore } from './file-store.ts';
import { describeFinding } from './survey-layer.ts';
import { type DownloadContext, type FoundDataSet, type SurveyedSource, refusedPart } from './survey-data-sets.ts';
import { Transient } from '../../core/outbound/failures.ts';
import { dayOf } from '../../messages/time.ts';
import { sha256 } from '../../core/files/sha256.ts';
import { downloadFile } from './download-file.ts';

/** Data that arrived since the last call. */
export interface Arrived {
  readonly features: number;
  readonly bytes: number;
}

/**
 * Fetches what a survey found. A part whose server falls silent is left out like one that was silent before.
 * @throws Error when a part that cannot be missing, or every part, cannot be fetched; data that arrived stay for the next run.
 */
export async function downloadDataSet(
  { definition, sources, notUsed, refused: refusedBefore }: FoundDataSet,
  context: DownloadContext,
  onArrived: (arrived: Arrived) => void,
): Promise<DownloadedDataSet> {
  const arrived: (Fetched & { readonly of: SurveyedSource })[] = [];
  const silent: RefusedPart[] = [];
  for (const source of sources) {
    try {
      arrived.push({ of: source, ...(await fetchSource(definition, source, context, onArrived)) });
    } catch (cause) {
      silent.push(silentPart(source, cause));
    }
  }
  const fetched = arrived.filter(({ of }) => !silent.some(({ name }) => name === partOf(of)?.name));
  if (fetched.length === 0) throw new Error(silent.map(({ name, reason }) => `${name}: ${reason}`).join('; '));
  const refused = [...refusedBefore, ...silent];
  const versions = fetched.map(({ version }) => version);
  const features = fetched.filter(({ isCoverage }) => !isCoverage);
  const attributions = new Set(fetched.flatMap(({ attribution }) => attribution ?? []));
  return {
    id: definition.id,
    sources: features.map(({ source }) => source),
    coverage: hasPartAreas(definition) ? { claims: claimsOf(fetched) } : null,
    attribution: [definition.licence.attribution, ...attributions].join(' '),
    remarks: fetched.flatMap(({ remark }) => remark ?? []),
    origin: versions.includes(null) ? null : originOf(definition, [...versions, refused.map(namedInOrigin)]),
    notUsed,
    refused,
    editedOn: newestDay(features.map(({ editedMs }) => editedMs)),
    filedOn: newestDay(features.map(({ filedMs }) => filedMs)),
    downloadedOn: dayOf(Math.max(...features.map(({ finishedAt }) => Date.parse(finishedAt)))),
  };
}

function partOf(source: SurveyedSource): RemotePart | null {
  return source.kind === 'layer' ? (source.remote.part ?? null) : null;
}

/** @throws the cause, when it is no silence or the data set is nothing without this source. */
function silentPart(source: SurveyedSource, cause: unknown): RefusedPart {
  const part = partOf(source);
  if (source.kind === 'file' || !part?.canBeMissing || !(cause instanceof Transient)) throw cause;
  return refusedPart(source.remote, part, cause);
}

/** Notes that an import has read the downloads: the next run fetches those without a version again. */
export function markUsed(dataSets: readonly DownloadedDataSet[]): void {
  const layersOf = ({ coverage }: DownloadedDataSet) => (coverage?.claims ?? []).flatMap(({ layer }) => layer ?? []);
  for (const source of dataSets.flatMap((one) => [...one.sources, ...layersOf(one)])) {
    if (source.kind === 'chunks') new ChunkStore(source.folder).markUsed();
    else new FileStore(dirname(source.path), source.name).markUsed();
  }
}

/** Returns the areas in which parts know the answer. */
function claimsOf(
  fetched: readonly { readonly of: SurveyedSource; readonly source: DownloadedSource }[],
): readonly AreaClaim[] {
  const parts = fetched.flatMap(({ of, source }) => {
    const part = partOf(of);
    return part ? [{ part, source }] : [];
  });
  return parts.flatMap(({ part, source }) => {
    const { name, authority, role, control } = part;
    if (role === 'coverage') return [];
    const area = parts.find((other) => other.part.role === 'coverage' && other.part.name === name)?.source;
    const layer = area?.kind === 'chunks' ? area : null;
    if (authority === null && layer === null) return [];
    return [{ part: name, address: source.name, authority, layer, inside: control?.inside ?? [] }];
  });
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

/** What is silent may be kept, and what is gone may not: the same names with other fates are another content. */
function namedInOrigin({ name, isSilent }: RefusedPart): string {
  return isSilent ? `${name} (silent)` : name;
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

/** One source of a data set that is on the disk. */
interface Fetched {
  readonly source: DownloadedSource;
  /** An area in which a part knows the answer, not features. */
  readonly isCoverage: boolean;
  readonly attribution: string | null;
  /** Identifies the content; null when it cannot be distinguished from a later one. */
  readonly version: string | null;
  readonly editedMs: number | null;
  /** Date of the file; the data itself may have a better date. */
  readonly filedMs: number | null;
  readonly finishedAt: string;
  /** As in `DownloadedDataSet`. */
  readonly remark: string | null;
}

/** The second attempt is for a file that was damaged on its way. */
const MOST_ATTEMPTS = 2;

/**
 * Fetches a file. It also inspects a package, because another source can replace it. A package that is damaged inside
 * is fetched once more.
 * @throws Error when it cannot be fetched, or a package does not fit the definition.
 */
async function fetchFile(
  definition: DataSetDefinition,
  { folder, remote: { file } }: Extract<SurveyedSource, { kind: 'file' }>,
  context: DownloadContext,
  onBytes: (bytes: number) => void,
): Promise<Fetched> {
  const { url, isPackage } = file;
  const { retry, idleMs, minFreeBytes = 0 } = context;
  const store = new FileStore(folder, url);
  for (let attempt = 1; ; attempt++) {
    const state = await downloadFile({ url, folder, retry, idleMs, minFreeBytes, onBytes });
    const source = downloaded(file, store.pathOf(state), state);
    if (!isPackage) return fetched(source, state, { editedMs: dateOf(state), filedMs: null });
    const { problem, isDamaged } = await context.inspect(definition, source);
    if (problem === null) {
      if (state.check !== 'sound') store.writeState({ ...state, check: 'sound' });
      return fetched({ ...source, isChecked: true }, state, { editedMs: null, filedMs: dateOf(state) });
    }
    const isHopeless = state.check === 'damaged at its server';
    if (isDamaged && !isHopeless) store.writeState({ ...state, check: 'damaged' });
    if (!isDamaged || isHopeless || attempt === MOST_ATTEMPTS) throw new Error(problem);
  }
}

function downloaded(
  { url, layer, where, crs, rename, isPackage }: Extract<RemoteSource, { kind: 'file' }>['file'],
  path: string,
  { check }: FileState,
): DownloadedFile {
  return {
    kind: 'file',
    name: url,
    path,
    layer,
    where,
    crs,
    rename,
    dateFields: isPackage ? dateFields : [],
    isChecked: check === 'sound',
  };
}

function fetched(
  source: DownloadedFile,
  { sha256, finishedAt }: FileState,
  dates: Pick<Fetched, 'editedMs' | 'filedMs'>,
): Fetched {
  return { source, isCoverage: false, attribution: null, version: sha256, ...dates, finishedAt, remark: null };
}

function dateOf({ lastModified }: FileState): number | null {
  const ms = lastModified === null ? NaN : Date.parse(lastModified);
  return Number.isNaN(ms) ? null : ms;
}
