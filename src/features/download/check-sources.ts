import type { DataSetDefinition, SourceDefinition } from '../../catalogue/definition.ts';
import { nameOfPart } from '../../catalogue/source-field.ts';
import { remoteSources, type RemotePart, type RemoteSource } from './data-set-sources.ts';
import type { FileVersion } from './file-version.ts';
import { Transient } from '../../core/outbound/failures.ts';
import { Misfit } from './misfit.ts';
import { forEachLimited } from './for-each-limited.ts';
import { inspectLayer, type LayerInspection } from './inspect-layer.ts';
import type { LayerSurvey } from './survey.ts';
import { sourcesOf, surveySource, type DownloadContext } from './survey-data-sets.ts';
import { messageOf } from '../../words.ts';

/** A layer or file of a data set, checked without fetching it. */
export type CheckedSource = {
  readonly definition: DataSetDefinition;
  readonly source: SourceDefinition;
  /** Null for a source that is not in parts. */
  readonly part: RemotePart | null;
  /** Where its server sent a request; null: nowhere. */
  readonly movedTo: string | null;
} & CheckResult;

type CheckResult =
  | {
      readonly status: 'layer';
      readonly survey: LayerSurvey;
      readonly inspection: LayerInspection;
      readonly controlPoints: number;
      /** That its definition gives it. */
      readonly names: readonly string[];
    }
  | { readonly status: 'file'; readonly url: string; readonly version: FileVersion }
  | { readonly status: 'not asked' }
  /** The server did not answer, so nothing is known. */
  | { readonly status: 'no answer'; readonly error: string }
  | {
      readonly status: 'misfit';
      readonly error: string;
      readonly path: readonly (string | number)[];
      readonly cause: unknown;
    };

interface OneSource {
  readonly definition: DataSetDefinition;
  readonly source: SourceDefinition;
}

/** Asks every source of every data set, also those that an import would not need. */
export async function checkSources(
  definitions: readonly DataSetDefinition[],
  context: DownloadContext,
): Promise<CheckedSource[]> {
  const sources = definitions.flatMap((definition) =>
    sourcesOf(definition, context).map((source) => ({ definition, source })),
  );
  const checked = new Map<object, CheckedSource[]>();
  await forEachLimited(sources, context.parallel, async (one) => {
    checked.set(one, await checkSource(one, context));
  });
  return sources.flatMap((one) => checked.get(one)!);
}

async function checkSource(one: OneSource, context: DownloadContext): Promise<CheckedSource[]> {
  const remotes = remoteSources(one.source, context);
  if (remotes.length === 0) return [{ ...one, part: null, movedTo: null, status: 'not asked' }];
  const checked: CheckedSource[] = [];
  for (const [index, remote] of remotes.entries()) {
    const part = remote.kind === 'layer' ? (remote.part ?? null) : null;
    let movedTo: string | null = null;
    const onMoved = (to: string): void => {
      movedTo ??= to;
    };
    const result = await checkRemote(one, remote, { context: { ...context, onMoved }, index });
    checked.push({ ...one, part, movedTo, ...result });
  }
  return checked;
}

async function checkRemote(
  { definition, source }: OneSource,
  remote: RemoteSource,
  { context, index }: { readonly context: DownloadContext; readonly index: number },
): Promise<CheckResult> {
  try {
    const surveyed = await surveySource(definition, remote, { context, index });
    if (surveyed.kind === 'file') return { status: 'file', url: surveyed.remote.file.url, version: surveyed.version };
    const { survey, controlPoints, remote: asked } = surveyed;
    const inspection = await inspectLayer(definition, surveyed, context);
    return { status: 'layer', survey, inspection, controlPoints, names: asked.address.names };
  } catch (cause) {
    const error = messageOf(cause);
    if (cause instanceof Transient) return { status: 'no answer', error };
    return { status: 'misfit', error, path: pathTo(source, definition, { cause, remote }), cause };
  }
}

/** Returns the path of the definition's member that does not fit. */
function pathTo(
  source: SourceDefinition,
  { sources }: DataSetDefinition,
  { cause, remote }: { readonly cause: unknown; readonly remote: RemoteSource },
): (string | number)[] {
  // The source that the operator chose is not in the list; it replaces the definition's own layer.
  const index = Math.max(
    0,
    sources.findIndex((one) => one === source || (!sources.includes(source) && one.kind === source.kind)),
  );
  const own = ['sources', index, ...partPath(source, remote)];
  if (cause instanceof Misfit)
    return ['names', 'control'].includes(cause.path[0]) ? [...own, ...cause.path] : [...cause.path];
  return [...own, { arcgis: 'service', package: 'code', file: 'url', composite: 'service' }[source.kind]];
}

function partPath(source: SourceDefinition, remote: RemoteSource): (string | number)[] {
  if (source.kind !== 'composite' || remote.kind !== 'layer') return [];
  return ['parts', source.parts.findIndex((part) => nameOfPart(part) === remote.part?.name)];
}
