import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import type { DiskFloor } from '../../../src/messages/disk-floor.ts';
import { bytesOf, type DataSetInput } from './data-set-input.ts';
import { inspectFile, type InspectedFile } from './inspect-file.ts';
import { pathInside } from './own-folder.ts';
import type { SourceEntry, SourceManifest } from './source-manifest.ts';
import { dayOf } from '../../../src/messages/time.ts';

/**
 * Returns the data sets that a folder's `sources.json` lists, in the order of the definitions. @throws Error for an
 * unlisted id.
 */
export function manifestInputs(
  definitions: readonly DataSetDefinition[],
  { entries, sample }: SourceManifest,
  { from, only }: { readonly from: string; readonly only: readonly string[] | null },
): DataSetInput[] {
  const missing = only?.find((id) => !entries.has(id));
  if (missing !== undefined) throw new Error(`sources.json has no data set "${missing}"`);
  return definitions
    .filter(({ id }) => entries.has(id) && (only === null || only.includes(id)))
    .map((definition) => manifestInput(definition, entries.get(definition.id)!, { from, sample }));
}

function manifestInput(
  definition: DataSetDefinition,
  entry: SourceEntry,
  { from, sample }: { readonly from: string; readonly sample: boolean },
): DataSetInput {
  const { files, coverage, asOf } = entry;
  return {
    definition,
    sample,
    attribution: definition.licence.attribution,
    files: files.map((file) => basename(file)),
    notUsed: [],
    refused: [],
    bytes: bytesOf(files.map((file) => join(from, file))),
    coverage: coverage ?? { kind: definition.coverage },
    // Files may change under the same name.
    origin: null,
    inspect: (building) => inspect(definition, entry, { from, building }),
    date: () =>
      asOf === null ? { asOf: fileDate(files, from), asOfFrom: 'file date' } : { asOf, asOfFrom: 'source manifest' },
  };
}

async function inspect(
  definition: DataSetDefinition,
  { files, rename, ...options }: SourceEntry,
  { from, building }: { readonly from: string; readonly building: DiskFloor },
): Promise<InspectedFile[]> {
  const inspected: InspectedFile[] = [];
  for (const [i, name] of files.entries()) {
    const unpacked = join(building.folder, 'unpacked', `${definition.id}-${i}`);
    const { minFreeBytes } = building;
    const file = { name, path: pathInside(from, name), options, rename, unpacked, minFreeBytes };
    inspected.push(...[await inspectFile(file, definition)].filter((found) => found !== null));
  }
  // Without features the data set would say "no" everywhere.
  if (inspected.length === 0) throw new Error(`${files.join(', ')}: no features`);
  const unused = Object.keys(rename).find((field) =>
    inspected.every(({ present }) => fieldIndex(field, present) === null),
  );
  if (unused !== undefined) throw new Error(`"rename" names the field "${unused}", which no file has`);
  return inspected;
}

/** Returns the date of the newest file. */
function fileDate(files: readonly string[], from: string): string {
  const newestMs = Math.max(...files.map((file) => statSync(join(from, file)).mtimeMs));
  return dayOf(newestMs);
}
