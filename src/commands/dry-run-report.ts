import { readFeatures } from '../download/arcgis-query.ts';
import type { DataSetSurvey, DownloadContext, SurveyedSource } from '../download/survey-data-sets.ts';
import { megabytes } from './progress-display.ts';
import { textTable } from './text-table.ts';

/** Features whose size is taken for all. */
const SAMPLE_FEATURES = 20;

const SAMPLE_BYTES = 64 * 1024 * 1024;

/** A table of what a download would fetch: features, size, and what is on the disk already. */
export async function dryRunReport(surveys: readonly DataSetSurvey[], context: DownloadContext): Promise<string> {
  const rows: string[][] = [];
  let bytes = 0;
  for (const survey of surveys) {
    const { id } = survey.definition;
    if (survey.status === 'failed') rows.push([id, '', '', `FAILED: ${survey.error}`]);
    if (survey.status === 'without address') rows.push([id, '', '', 'no address is confirmed: import it with --from']);
    if (survey.status !== 'found') continue;
    for (const source of survey.sources) {
      const size = await sizeOf(source, context);
      bytes += size ?? 0;
      rows.push([id, featureCount(source), size === null ? '' : megabytes(size), stateOf(source)]);
    }
  }
  const table = textTable(['data set', 'features', 'size', ''], rows);
  return `${table}\n\nAbout ${megabytes(bytes)} would be downloaded. Sizes of layers are estimated from ${SAMPLE_FEATURES} features each.\n`;
}

function featureCount(source: SurveyedSource): string {
  return source.kind === 'layer' ? source.survey.ids.length.toLocaleString('en-CA') : '';
}

function stateOf(source: SurveyedSource): string {
  if (source.kind === 'file') return `${source.remote.file.url}: fetched if it has changed`;
  const { state, layer } = source.survey;
  return `${layer.url}: ${state}`;
}

/** Bytes that are still to come; null when the server does not say. */
async function sizeOf(source: SurveyedSource, context: DownloadContext): Promise<number | null> {
  if (source.kind === 'file') return source.version.bytes;
  const { layer, ids, plan, state } = source.survey;
  if (state === 'unchanged') return 0;
  const step = Math.max(1, Math.floor(ids.length / SAMPLE_FEATURES));
  const sample = ids.filter((_, i) => i % step === 0).slice(0, SAMPLE_FEATURES);
  const features = await readFeatures(layer, { ids: sample, fields: plan.fields, maxBytes: SAMPLE_BYTES }, context);
  const bytes = Buffer.byteLength(JSON.stringify([...features.values()]));
  return (bytes / sample.length) * ids.length;
}
