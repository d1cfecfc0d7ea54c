import { join } from 'node:path';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { DownloadedDataSet, DownloadedSource } from '../../src/contract/import.ts';
import { mapFields } from './attribute-values.ts';
import { bytesOf, naming, type DataSetInput, type InspectedSource } from './data-set-input.ts';
import { inspectFile } from './inspect-file.ts';
import { chunkFiles, loadChunks } from './load-chunks.ts';

/** Data sets that were downloaded, in the order of the definitions. */
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
  const { sources, coverage, origin, attribution, editedOn, downloadedOn } = downloaded;
  return {
    definition,
    sample: false,
    attribution,
    files: sources.map(({ name }) => name),
    bytes: bytesOf([...sources, ...(coverage?.layers ?? [])].flatMap(pathsOf)),
    coverage: coverage ? { kind: 'parts', ...coverage } : { kind: definition.coverage },
    origin,
    inspect: (building) => inspect(definition, sources, building),
    date: (newestMs) => {
      if (editedOn !== null) return { asOf: editedOn, asOfFrom: 'source edit date' };
      if (newestMs === null) return { asOf: downloadedOn, asOfFrom: 'download date' };
      return { asOf: new Date(newestMs).toISOString().slice(0, 10), asOfFrom: 'newest effective date' };
    },
  };
}

function pathsOf(source: DownloadedSource): readonly string[] {
  return source.kind === 'file' ? [source.path] : chunkFiles(source);
}

async function inspect(
  definition: DataSetDefinition,
  sources: readonly DownloadedSource[],
  building: string,
): Promise<InspectedSource[]> {
  const inspected: InspectedSource[] = [];
  for (const [i, source] of sources.entries()) {
    if (source.kind === 'chunks') {
      inspected.push(inspectChunks(source, definition));
      continue;
    }
    const { name, path, rename, layer, where, crs } = source;
    const unpacked = join(building, 'unpacked', `${definition.id}-${i}`);
    const file = await inspectFile({ name, path, options: { layer, where, crs }, rename, unpacked }, definition);
    if (!file) throw new Error(`${name}: no features`);
    inspected.push(file);
  }
  return inspected;
}

type Chunks = Extract<DownloadedSource, { kind: 'chunks' }>;

/** The layer was compared with the definition before it was downloaded. */
function inspectChunks(source: Chunks, definition: DataSetDefinition): InspectedSource {
  const names = mapFields(definition, source.rename, source.fields);
  return {
    name: source.name,
    featureCount: source.featureCount,
    fields: Object.keys(definition.fields).filter((field) => field in source.constants || names.get(field) !== null),
    load: (target) => naming(source.folder, () => loadChunks(source, names, target)),
  };
}
