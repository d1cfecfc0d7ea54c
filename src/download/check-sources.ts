import { join } from 'node:path';
import type { DataSetDefinition, SourceDefinition } from '../shared/catalogue/definition.ts';
import { remoteSources, type RemoteSource } from './data-set-sources.ts';
import type { FileVersion } from './file-version.ts';
import { Transient } from '../outbound/failures.ts';
import { Misfit } from './misfit.ts';
import { probeFile } from './probe-file.ts';
import { forEachLimited } from './for-each-limited.ts';
import { surveyLayer, type LayerSurvey } from './survey.ts';
import { layerAddress, sourcesOf, wantedOf, type DownloadContext } from './survey-data-sets.ts';

/** A source of a data set, checked without fetching anything. */
export type CheckedSource = { readonly definition: DataSetDefinition; readonly source: SourceDefinition } & (
  | { readonly status: 'layers'; readonly surveys: readonly LayerSurvey[] }
  | { readonly status: 'file'; readonly url: string; readonly version: FileVersion }
  | { readonly status: 'not asked' }
  /** The server did not answer, so nothing is known. */
  | { readonly status: 'no answer'; readonly error: string }
  | { readonly status: 'misfit'; readonly error: string; readonly path: readonly (string | number)[] }
);

/** Asks every source of every data set, also those that an import would not need. */
export async function checkSources(
  definitions: readonly DataSetDefinition[],
  context: DownloadContext,
): Promise<CheckedSource[]> {
  const sources = definitions.flatMap((definition) =>
    sourcesOf(definition, context).map((source) => ({ definition, source })),
  );
  const checked = new Map<object, CheckedSource>();
  await forEachLimited(sources, context.parallel, async (one) => {
    checked.set(one, await checkSource(one, context));
  });
  return sources.map((one) => checked.get(one)!);
}

interface OneSource {
  readonly definition: DataSetDefinition;
  readonly source: SourceDefinition;
}

async function checkSource({ definition, source }: OneSource, context: DownloadContext): Promise<CheckedSource> {
  try {
    const remotes = remoteSources(source, context);
    const url = remotes.find((remote) => remote.kind === 'file')?.file.url;
    if (url !== undefined) return { definition, source, status: 'file', url, version: await probeFile(url, context) };
    const layers = remotes.filter((remote) => remote.kind === 'layer');
    if (layers.length === 0) return { definition, source, status: 'not asked' };
    return { definition, source, status: 'layers', surveys: await surveyLayers(definition, layers, context) };
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : 'failed';
    if (cause instanceof Transient) return { definition, source, status: 'no answer', error };
    return { definition, source, status: 'misfit', error, path: pathTo(source, definition, cause) };
  }
}

async function surveyLayers(
  definition: DataSetDefinition,
  layers: readonly Extract<RemoteSource, { kind: 'layer' }>[],
  context: DownloadContext,
): Promise<LayerSurvey[]> {
  const surveys: LayerSurvey[] = [];
  for (const [i, remote] of layers.entries()) {
    const wanted = wantedOf(definition, remote);
    const folder = join(context.sourcesDir, definition.id, String(i));
    surveys.push(await surveyLayer(layerAddress(definition, remote, context), wanted, folder, context));
  }
  return surveys;
}

/** Returns the path of the definition's member that does not fit. */
function pathTo(source: SourceDefinition, { sources }: DataSetDefinition, cause: unknown): (string | number)[] {
  // The source that the operator chose is not in the list; it replaces the definition's own layer.
  const index = Math.max(
    0,
    sources.findIndex((one) => one === source || (!sources.includes(source) && one.kind === source.kind)),
  );
  if (cause instanceof Misfit)
    return ['names', 'control'].includes(cause.path[0]) ? ['sources', index, ...namesOf(source)] : [...cause.path];
  const address = { arcgis: 'service', package: 'code', file: 'url', composite: 'parts' }[source.kind];
  return ['sources', index, address];
}

function namesOf({ kind }: SourceDefinition): string[] {
  return [kind === 'composite' ? 'parts' : 'names'];
}
