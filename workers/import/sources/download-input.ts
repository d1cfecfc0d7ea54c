import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import {
  type DownloadedDataSet,
  type DownloadedFile,
  type DownloadedSource,
  type FileInspection,
  type InspectTask,
  effectiveField,
} from '../../../src/messages/import.ts';
import type { DiskFloor } from '../../../src/messages/disk-floor.ts';
import { mapFields } from '../features/attribute-values.ts';
import { bytesOf, naming, type DataSetInput, type InspectedSource } from './data-set-input.ts';
import { DamagedZip } from './find-source.ts';
import { inspectFile } from './inspect-file.ts';
import { chunkFiles, loadChunks } from './load-features.ts';
import { dayOf } from '../../../src/messages/time.ts';
import { messageOf } from '../../../src/words.ts';

/** Returns the downloaded data sets, in the order of the definitions. */
export function downloadInputs(
  definitions: readonly DataSetDefinition[],
  dataSets: readonly DownloadedDataSet[],
): DataSetInput[] {
  return definitions.flatMap((definition) => {
    const downloaded = dataSets.find(({ id }) => id === definition.id);
    return downloaded ? [downloadInput(definition, downloaded)] : [];
  });
}

function downloadInput(definition: DataSetDefinition, downloaded: DownloadedDataSet): DataSetInput {
  const { sources, coverage, origin, attribution, notUsed, refused } = downloaded;
  return {
    definition,
    sample: false,
    attribution,
    files: sources.map(({ name }) => name),
    notUsed,
    refused,
    bytes: bytesOf([...sources, ...(coverage?.claims ?? []).flatMap(({ layer }) => layer ?? [])].flatMap(pathsOf)),
    coverage: coverage ? { kind: 'parts', ...coverage } : { kind: definition.coverage },
    origin,
    inspect: (building) => inspect(definition, sources, building),
    date: dating(downloaded),
  };
}

function dating({ editedOn, filedOn, downloadedOn }: DownloadedDataSet): DataSetInput['date'] {
  return (newestMs, dateField) => {
    if (editedOn !== null) return { asOf: editedOn, asOfFrom: 'source edit date' };
    if (newestMs !== null) {
      const asOfFrom = dateField === effectiveField ? 'newest effective date' : 'newest change date';
      return { asOf: dayOf(newestMs), asOfFrom };
    }
    if (filedOn !== null) return { asOf: filedOn, asOfFrom: 'file date' };
    return { asOf: downloadedOn, asOfFrom: 'download date' };
  };
}

function pathsOf(source: DownloadedSource): readonly string[] {
  return source.kind === 'file' ? [source.path] : chunkFiles(source);
}

async function inspect(
  definition: DataSetDefinition,
  sources: readonly DownloadedSource[],
  { folder, minFreeBytes }: DiskFloor,
): Promise<InspectedSource[]> {
  const inspected: InspectedSource[] = [];
  for (const [i, source] of sources.entries()) {
    if (source.kind === 'chunks') {
      inspected.push(inspectChunks(source, definition));
      continue;
    }
    const unpacked = { folder: join(folder, 'unpacked', `${definition.id}-${i}`), minFreeBytes };
    inspected.push(await inspectDownloadedFile(source, definition, unpacked));
  }
  return inspected;
}

async function inspectDownloadedFile(
  { layer, where, crs, ...file }: DownloadedFile,
  definition: DataSetDefinition,
  { folder: unpacked, minFreeBytes }: DiskFloor,
): Promise<InspectedSource> {
  const inspected = await inspectFile({ ...file, options: { layer, where, crs }, unpacked, minFreeBytes }, definition);
  if (!inspected) throw new Error(`${file.name}: no features`);
  return inspected;
}

/** Says whether a downloaded file can be imported, before anything depends on it. */
export async function inspectDownload({ definition, file, minFreeBytes }: InspectTask): Promise<FileInspection> {
  const unpacked = join(dirname(file.path), 'unpacked');
  try {
    await inspectDownloadedFile(file, definition, { folder: unpacked, minFreeBytes });
    return { problem: null, isDamaged: false };
  } catch (cause) {
    return { problem: messageOf(cause), isDamaged: isDamage(cause) };
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

function isDamage(cause: unknown): boolean {
  return cause instanceof DamagedZip || (cause instanceof Error && isDamage(cause.cause));
}

type Chunks = Extract<DownloadedSource, { kind: 'chunks' }>;

/** The layer was compared with the definition before it was downloaded. */
function inspectChunks(source: Chunks, definition: DataSetDefinition): InspectedSource {
  const names = mapFields(definition, source.rename, source.fields);
  return {
    name: source.name,
    featureCount: source.featureCount,
    fields: Object.keys(definition.fields).filter((field) => field in source.constants || names.get(field) !== null),
    dateField: effectiveField,
    load: (target) => naming(source.folder, () => loadChunks(source, names, target)),
  };
}
