import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf } from '../catalogue/line-of.ts';
import { readFeatures } from '../download/arcgis-query.ts';
import type { CheckedSource } from '../download/check-sources.ts';
import type { DownloadContext } from '../download/survey-data-sets.ts';
import { describeFinding } from '../download/find-layer.ts';
import type { LayerSurvey } from '../download/survey.ts';
import { megabytes } from './progress-display.ts';
import { textTable } from './text-table.ts';

/** Number of features whose average size estimates the whole. */
const SAMPLE_FEATURES = 20;

const SAMPLE_BYTES = 64 * 1024 * 1024;

const head = ['data set', 'features', 'size', 'date', 'source', 'found', 'fields', 'an import would'];

/**
 * Returns a table with a row per source: what was found, and what an import would do. `fits` is false when a source
 * differs from its definition or did not answer.
 */
export async function checkReport(
  checked: readonly CheckedSource[],
  context: DownloadContext,
  layersDir: string,
): Promise<{ readonly text: string; readonly fits: boolean }> {
  const used = firstUsable(checked);
  const rows: string[][] = [];
  let bytes = 0;
  for (const one of checked) {
    const isUsed = used.has(one);
    if (one.status === 'layers') {
      for (const survey of one.surveys) {
        const size = isUsed ? await sizeOf(survey, context) : null;
        bytes += size ?? 0;
        rows.push(layerRow(one, survey, { size, isUsed }));
      }
      continue;
    }
    if (one.status === 'file' && isUsed) bytes += one.version.bytes ?? 0;
    rows.push(otherRow(one, isUsed, layersDir));
  }
  const sum = `An import would download about ${megabytes(bytes)}. The sizes of layers are estimates from ${SAMPLE_FEATURES} features each.`;
  const fits = checked.every(({ status }) => status !== 'misfit' && status !== 'no answer');
  return { text: `${textTable(head, rows)}\n\n${sum}\n`, fits };
}

/** Finds the source of each data set that an import would use first. */
function firstUsable(checked: readonly CheckedSource[]): ReadonlySet<CheckedSource> {
  const first = new Map<string, CheckedSource>();
  for (const one of checked) {
    const isUsable = one.status === 'layers' || one.status === 'file';
    if (isUsable && !first.has(one.definition.id)) first.set(one.definition.id, one);
  }
  return new Set(first.values());
}

function layerRow(
  { definition }: CheckedSource,
  survey: LayerSurvey,
  { size, isUsed }: { readonly size: number | null; readonly isUsed: boolean },
): string[] {
  const { layer, ids, fields, state } = survey;
  const actions = { new: 'fetch it', resumed: 'continue to fetch it', unchanged: 'fetch nothing: it is unchanged' };
  return [
    definition.id,
    ids.length.toLocaleString('en-CA'),
    size === null ? '' : megabytes(size),
    dateOf(layer.editedMs),
    shortened(layer.url),
    describeFinding(survey),
    fieldsText(fields),
    isUsed ? actions[state] : 'use it if the sources before it fail',
  ];
}

function otherRow(one: Exclude<CheckedSource, { status: 'layers' }>, isUsed: boolean, layersDir: string): string[] {
  const { definition, source } = one;
  const { id } = definition;
  switch (one.status) {
    case 'file': {
      const { bytes, lastModified } = one.version;
      const size = bytes === null ? '' : megabytes(bytes);
      const date = dateOf(lastModified === null ? null : Date.parse(lastModified));
      const action = isUsed ? 'fetch it if it has changed' : 'use it if the sources before it fail';
      return [id, '', size, date, shortened(one.url), 'found', '', action];
    }
    case 'not asked':
      return [id, '', '', '', nameOf(source), '', '', `not use it: ${whyNotAsked(source)}`];
    case 'no answer':
      return [id, '', '', '', nameOf(source), '', '', `FAIL: no answer: ${one.error}`];
    case 'misfit': {
      const file = `${id}.json`;
      const line = lineOf(readFileSync(join(layersDir, file), 'utf8'), one.path);
      return [id, '', '', '', nameOf(source), '', '', `FAIL: layers/${file}:${line} does not fit: ${one.error}`];
    }
  }
}

function whyNotAsked({ kind }: CheckedSource['source']): string {
  return kind === 'package' ? '--server without --packages asks for no packages' : 'none of its parts is in use';
}

function nameOf(source: CheckedSource['source']): string {
  switch (source.kind) {
    case 'arcgis':
      return source.service;
    case 'package':
      return `package ${source.code}`;
    case 'file':
      return source.url;
    case 'composite':
      return `${source.parts.length} parts`;
  }
}

/** Returns the path of a service or the name of a file. */
function shortened(url: string): string {
  return /\/rest\/services\/(.+)$/.exec(url)?.[1] ?? url.split('/').at(-1)!;
}

/** Lists only the fields that differ from the definition's first names. */
function fieldsText(fields: LayerSurvey['fields']): string {
  const others = [...fields].flatMap(([name, source]) => {
    if (source === null) return [`no ${name}`];
    return source === name ? [] : [`${source} for ${name}`];
  });
  if (fields.size === 0) return 'none needed';
  return others.length === 0 ? `all ${fields.size}` : others.join(', ');
}

function dateOf(ms: number | null): string {
  return ms === null || Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10);
}

/** Estimates the bytes that are still to be downloaded. */
async function sizeOf({ layer, ids, plan, state }: LayerSurvey, context: DownloadContext): Promise<number> {
  if (state === 'unchanged') return 0;
  const step = Math.max(1, Math.floor(ids.length / SAMPLE_FEATURES));
  const sample = ids.filter((_, i) => i % step === 0).slice(0, SAMPLE_FEATURES);
  const features = await readFeatures(layer, { ids: sample, fields: plan.fields, maxBytes: SAMPLE_BYTES }, context);
  const bytes = Buffer.byteLength(JSON.stringify([...features.values()]));
  return (bytes / sample.length) * ids.length;
}
