import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DownloadedFeature } from '../../../src/messages/downloads/feature.ts';
import { effectiveField } from '../../../src/messages/downloads/effective-field.ts';
import { convert } from './attribute-values.ts';
import type { RawBatch } from './batch.ts';
import type { Column } from './feature-table.ts';
import { toWkb } from './geojson-wkb.ts';
import { newestOf } from './newest-date.ts';

/** One chunk of a download. */
export interface ChunkInput {
  readonly file: string;
  /** For each column, the attribute that fills it; null when the layer has none. */
  readonly attributes: readonly (string | null)[];
  /** For each column, a constant value for all features, or null. */
  readonly constants?: readonly (string | null)[];
}

/** Yields the features of a chunk in batches. */
export function* readChunk(
  { file, attributes, constants }: ChunkInput,
  columns: readonly Column[],
): Generator<RawBatch> {
  const text = gunzipSync(readFileSync(file)).toString('utf8');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const features = JSON.parse(line) as DownloadedFeature[];
    const wkbs = features.map(({ geometry }) => toWkb(geometry));
    const values = features.map((feature) =>
      columns.map((column, i) => {
        const name = attributes[i] ?? null;
        const constant = constants?.[i] ?? null;
        return name === null || constant !== null ? constant : convert(feature.attributes[name], column, 'a feature');
      }),
    );
    yield {
      wkb: Buffer.concat(wkbs),
      sizes: wkbs.map(({ length }) => length),
      values,
      newestMs: newestOf(features.map(({ attributes }) => attributes[effectiveField])),
    };
  }
}
