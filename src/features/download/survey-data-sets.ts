import { join } from 'node:path';
import type {
  ArcgisSource,
  DataSetDefinition,
  FieldDefinition,
  SourceDefinition,
  ControlPoints,
} from '../../catalogue/definition.ts';
import type { DownloadedFile, FileInspection, RefusedPart } from '../../messages/import.ts';
import type { ArcgisOptions } from './arcgis.ts';
import { Transient } from '../../core/outbound/failures.ts';
import { type RemotePart, type RemoteSource, type Roots, remoteSources } from './data-set-sources.ts';
import { type FileVersion, probeFile } from './file-version.ts';
import { type LayerAddress, type LayerSurvey, surveyLayer } from './survey-layer.ts';
import { type Wanted, Misfit } from './match-fields.ts';
import { forEachLimited } from './for-each-limited.ts';
import { messageOf } from '../../words.ts';
import { type ArcgisLayer, countAt } from './arcgis-layer.ts';

/** Facts about a data set before it is fetched. */
export type DataSetSurvey =
  | FoundDataSet
  | {
      readonly definition: DataSetDefinition;
      readonly status: 'failed';
      readonly error: string;
    }
  | { readonly definition: DataSetDefinition; readonly status: 'without address' };

export interface FoundDataSet {
  readonly definition: DataSetDefinition;
  readonly status: 'found';
  /** Everything that belongs to the source that works. */
  readonly sources: readonly SurveyedSource[];
  /** Number of sources that were tried, including this one. */
  readonly tried: number;
  /** Reasons why the sources before it are not used. */
  readonly notUsed: readonly string[];
  /** Parts of a composite source that are left out. */
  readonly refused: readonly RefusedPart[];
}

export type { RefusedPart } from '../../messages/import.ts';

type RemoteLayer = Extract<RemoteSource, { kind: 'layer' }>;

export type SurveyedSource =
  | {
      readonly kind: 'layer';
      readonly survey: LayerSurvey;
      readonly remote: RemoteLayer;
      /** Places at which it answered as it is known to. */
      readonly controlPoints: number;
    }
  | {
      readonly kind: 'file';
      readonly folder: string;
      readonly remote: Extract<RemoteSource, { kind: 'file' }>;
      /** The server's present version. */
      readonly version: FileVersion;
    };

export interface DownloadContext extends ArcgisOptions, Roots {
  /** Folder for everything that is fetched, with one folder per data set. */
  readonly sourcesDir: string;
  /** Requests under way at a time. */
  readonly parallel: number;
  /** Names of all data sets' layers, also of those that are not fetched now. */
  readonly layerNames?: readonly string[];
  /** Data set -> the layer that the operator chose for it: the definition's source, with another service. */
  readonly layerIds?: ReadonlyMap<string, { readonly source: ArcgisSource; readonly id: number }>;
  /** Says whether a downloaded file can be imported. */
  readonly inspect: (definition: DataSetDefinition, file: DownloadedFile) => Promise<FileInspection>;
}

/** Asks every server what it has. A data set that is not found does not stop the others. */
export async function surveyDataSets(
  definitions: readonly DataSetDefinition[],
  context: DownloadContext,
  onSurveyed: (survey: DataSetSurvey) => void,
): Promise<DataSetSurvey[]> {
  const surveys = new Map<string, DataSetSurvey>();
  await forEachLimited(definitions, context.parallel, async (definition) => {
    const survey = await surveyFrom(definition, { tried: 0, notUsed: [] }, context);
    surveys.set(definition.id, survey);
    onSurveyed(survey);
  });
  return definitions.map(({ id }) => surveys.get(id)!);
}

/** Continues with the next sources after one that was found but could not be fetched. */
export function surveyNext(
  { definition, tried, notUsed }: FoundDataSet,
  why: string,
  context: DownloadContext,
): Promise<DataSetSurvey> {
  return surveyFrom(definition, { tried, notUsed: [...notUsed, why] }, context);
}

/** Asks the sources in order of preference until one works. */
async function surveyFrom(
  definition: DataSetDefinition,
  before: Pick<FoundDataSet, 'tried' | 'notUsed'>,
  context: DownloadContext,
): Promise<DataSetSurvey> {
  const notUsed = [...before.notUsed];
  for (const [i, source] of sourcesOf(definition, context).entries()) {
    const remotes = i < before.tried ? [] : remoteSources(source, context);
    if (remotes.length === 0) continue;
    try {
      const { sources, refused } = await surveySources(definition, remotes, context);
      return { definition, status: 'found', sources, tried: i + 1, notUsed, refused };
    } catch (cause) {
      notUsed.push(messageOf(cause));
    }
  }
  if (notUsed.length === 0) return { definition, status: 'without address' };
  return { definition, status: 'failed', error: notUsed.join('; ') };
}

/** Returns the sources of a data set in order of preference, or the one that the operator chose. */
export function sourcesOf(definition: DataSetDefinition, { layerIds }: DownloadContext): readonly SourceDefinition[] {
  const choice = layerIds?.get(definition.id);
  return choice ? [choice.source] : definition.sources;
}

/** Returns the address of a layer, with the operator's choice and the names of other data sets' layers. */
function layerAddress(
  { id }: DataSetDefinition,
  { address }: RemoteLayer,
  { layerNames, layerIds }: DownloadContext,
): LayerAddress {
  const choice = layerIds?.get(id);
  return { ...address, otherNames: layerNames ?? [], ...(choice ? { layerId: choice.id } : {}) };
}

async function surveySources(
  definition: DataSetDefinition,
  remotes: readonly RemoteSource[],
  context: DownloadContext,
): Promise<Pick<FoundDataSet, 'sources' | 'refused'>> {
  const sources: SurveyedSource[] = [];
  const refused: RefusedPart[] = [];
  for (const [i, remote] of remotes.entries()) {
    try {
      sources.push(await surveySource(definition, remote, { context, index: i }));
    } catch (cause) {
      if (remote.kind === 'file' || !remote.part?.canBeMissing) throw cause;
      refused.push(refusedPart(remote, remote.part, cause));
    }
  }
  // A part without its area, or an area without its part, says nothing.
  const isLeft = (source: SurveyedSource): boolean =>
    source.kind === 'file' || !refused.some(({ name }) => name === source.remote.part?.name);
  const left = sources.filter(isLeft);
  if (left.length === 0) throw new Error(refused.map(({ name, reason }) => `${name}: ${reason}`).join('; '));
  return { sources: left, refused };
}

/** What is said of a part that cannot be read. */
export function refusedPart(
  { address, attribution }: RemoteLayer,
  { name }: Pick<RemotePart, 'name'>,
  cause: unknown,
): RefusedPart {
  const [reason, isSilent] = [messageOf(cause), cause instanceof Transient];
  return { name, address: `${address.server}/${address.service}`, attribution, reason, isSilent };
}

/** @throws Error when the source is not there, or does not fit its definition; Misfit. */
export async function surveySource(
  definition: DataSetDefinition,
  remote: RemoteSource,
  { context, index }: { readonly context: DownloadContext; readonly index: number },
): Promise<SurveyedSource> {
  const { id, fields, geometry } = definition;
  const folder = join(context.sourcesDir, id, String(index));
  if (remote.kind === 'file') {
    // Separate from the chunks of a service, so that neither deletes what arrived for the other.
    const own = remote.file.isPackage ? join(context.sourcesDir, id, 'package') : folder;
    return { kind: 'file', folder: own, remote, version: await probeFile(remote.file.url, context) };
  }
  const wanted = wantedOf({ fields, geometry }, remote);
  const survey = await surveyLayer(layerAddress(definition, remote, context), wanted, folder, context);
  const control = remote.part?.control;
  const controlPoints = control ? await checkControlPoints(survey.layer, control, context) : 0;
  return { kind: 'layer', remote, survey, controlPoints };
}

/**
 * Leaves out fields that a part fills itself. Renamed fields must exist: a part is found by its id, and they show that
 * the layer is still the intended one. Of an area only the polygons are needed.
 */
function wantedOf({ fields, geometry }: Pick<Wanted, 'fields' | 'geometry'>, { rename, part }: RemoteLayer): Wanted {
  if (!part) return { fields, geometry, rename };
  if (part.role === 'coverage') return { fields: {}, geometry: 'polygon', rename };
  const filled = [...Object.keys(part.constants), part.asOfField];
  const asked = Object.entries(fields)
    .filter(([name]) => !filled.includes(name))
    .map(([name, field]): [string, FieldDefinition] => {
      return [name, { ...field, required: field.required || Object.values(rename).includes(name) }];
    });
  return { fields: Object.fromEntries(asked), geometry, rename, pageSize: part.pageSize };
}

/**
 * Asks a service at places of which the answer is known. Returns their number.
 * @throws Misfit with each place where it answers otherwise: it is another layer, or has lost its features.
 */
async function checkControlPoints(
  layer: ArcgisLayer,
  { inside, outside }: ControlPoints,
  options: ArcgisOptions,
): Promise<number> {
  const asked = [...inside.map((at) => ({ at, isInside: true })), ...outside.map((at) => ({ at, isInside: false }))];
  const wrong: string[] = [];
  for (const { at, isInside } of asked) {
    if ((await countAt(layer, at, options)) > 0 === isInside) continue;
    const [lon, lat] = at;
    const what = isInside ? 'finds nothing' : 'finds a feature';
    wrong.push(`${what} at ${lat}, ${lon}, which is known to be ${isInside ? 'inside' : 'outside'}`);
  }
  if (wrong.length === 0) return asked.length;
  throw new Misfit(`${layer.url} ("${layer.name}") ${wrong.join(', and ')}`, ['control']);
}
