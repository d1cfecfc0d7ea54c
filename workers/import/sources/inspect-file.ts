import { basename, join } from 'node:path';
import type { Layer } from 'gdal-async';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import { mapFields } from '../features/attribute-values.ts';
import { naming, type InspectedSource } from './data-set-input.ts';
import { checkNumbers } from './check-numbers.ts';
import { findSource } from './find-source.ts';
import { loadFeatures, type SourceFile } from './load-features.ts';
import { openSource, type SourceOptions } from './open-source.ts';
import { sourceFormat } from './source-format.ts';
import { inUtf8 } from './text-encoding.ts';

interface NamedFile {
  /** The name that the user knows. */
  readonly name: string;
  readonly path: string;
  readonly options: SourceOptions;
  readonly rename: SourceFile['rename'];
  /** Folder that a zip file is unpacked into. */
  readonly unpacked: string;
  /** Free disk that unpacking leaves. */
  readonly minFreeBytes: number;
  /** True when the checksums of a zip file's members were already compared. */
  readonly isChecked?: boolean;
  /** Date fields; the first one that the file has and that contains dates gives the date of the data. */
  readonly dateFields?: readonly string[];
}

export interface InspectedFile extends InspectedSource {
  /** Names of its own fields. */
  readonly present: readonly string[];
}

/**
 * Opens a file and compares it with the definition; null when it has no features.
 * @throws Error that names the file and its fault.
 */
export function inspectFile(
  { name, path, options, rename, unpacked, minFreeBytes, isChecked = false, dateFields = [] }: NamedFile,
  definition: DataSetDefinition,
): Promise<InspectedFile | null> {
  return naming(name, async () => {
    const place = { file: path, unpacked, minFreeBytes, layer: options.layer, isChecked };
    const found = await readablePath(await findSource(place), options, unpacked);
    const source = openSource(found, options);
    const { fields: present, featureCount, layer } = source;
    const described = { layer: layer.name, esriTypes: isEsriJson(layer) ? layer.fields.map(({ type }) => type) : null };
    const dateField = presentOf(dateFields, source.dateFields);
    source.close();
    if (featureCount === 0) return null;
    const map = mapFields(definition, rename, present);
    const fields = Object.keys(definition.fields).filter((field) => typeof map.get(field) === 'string');
    checkNumbers(
      found,
      described,
      [...map.values()].filter((field) => field !== null),
      present,
    );
    const load: InspectedSource['load'] = (target) => loadFeatures({ path: found, options, rename, dateField }, target);
    return { name, featureCount, fields, present, dateField, load };
  });
}

function isEsriJson({ ds }: Layer): boolean {
  return ds.driver.description === 'ESRIJSON';
}

/** Returns the source's name of the first of these fields that it has; null when it has none. */
function presentOf(names: readonly string[], present: readonly string[]): string | null {
  const [first] = names.flatMap((name) => fieldIndex(name, present) ?? []);
  return first === undefined ? null : present[first]!;
}

/** Returns a path that GDAL can read: a copy in UTF-8 of JSON in another encoding. */
function readablePath(found: string, { encoding }: SourceOptions, unpacked: string): Promise<string> | string {
  if (encoding === undefined || encoding === null || sourceFormat(found) !== 'JSON') return found;
  return inUtf8(found, encoding, join(unpacked, 'utf-8', basename(found)));
}
