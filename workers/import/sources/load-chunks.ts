import { chunkFile } from '../../../src/messages/downloads/feature.ts';
import type { DownloadedSource } from '../../../src/messages/import.ts';
import { checkTexts } from '../features/broken-text.ts';
import type { FieldMap } from '../features/attribute-values.ts';
import type { BatchCounts } from '../features/batch.ts';
import { crsText } from './open-source.ts';
import { checkPlace, preparationOf, storePrepared, type LoadTarget } from './load-features.ts';

type Chunks = Extract<DownloadedSource, { kind: 'chunks' }>;

/** Returns the files of a download, in the order of its features. */
export function chunkFiles({ folder, chunkCount }: Chunks): string[] {
  return Array.from({ length: chunkCount }, (_, i) => chunkFile(folder, i));
}

/**
 * Appends the features of a downloaded layer to the table.
 * @throws Error when a chunk is damaged, features are missing, or more than 5 % of them lie outside Ontario.
 */
export async function loadChunks(source: Chunks, names: FieldMap, target: LoadTarget): Promise<BatchCounts> {
  const { columns } = target.table;
  const crs = crsText(source.crs);
  const preparation = preparationOf(target, crs);
  const attributes = columns.map(({ name }) => names.get(name) ?? null);
  const constants = columns.map(({ name }) => source.constants[name] ?? null);
  const chunks = chunkFiles(source).map((file) => ({ file, attributes, constants }));
  const counts = await storePrepared(target.preparers.prepare(preparation, chunks, source.featureCount), target);
  if (counts.read !== source.featureCount) throw new Error(`holds ${counts.read} features, not ${source.featureCount}`);
  checkPlace(counts, crs, target);
  if (!target.force) checkTexts(counts.texts, 'UTF-8');
  return counts;
}
