import { join } from 'node:path';
import { mapFields } from './attribute-values.ts';
import { findSource } from './find-source.ts';
import type { DataSetImport } from './import-data-set.ts';
import type { SourceFile } from './load-features.ts';
import { openSource } from './open-source.ts';

export interface InspectedFile extends SourceFile {
  readonly name: string;
  readonly featureCount: number;
  /** Fields of the definition that the file has. */
  readonly fields: readonly string[];
  /** Names of its fields. */
  readonly present: readonly string[];
}

/**
 * The files that have features. Opens every file before anything is written: most mistakes show here.
 * @throws Error that names the file and what is wrong with it.
 */
export async function inspectFiles({ definition, entry, from, building }: DataSetImport): Promise<InspectedFile[]> {
  const files: InspectedFile[] = [];
  const { layer, where, crs, rename } = entry;
  for (const [i, name] of entry.files.entries()) {
    await naming(name, async () => {
      const path = await findSource(join(from, name), join(building, 'unpacked', `${definition.id}-${i}`), layer);
      const options = { layer, where, crs };
      const source = openSource(path, options);
      const { fields: present, featureCount } = source;
      source.close();
      if (featureCount === 0) return;
      const map = mapFields(definition, rename, present);
      const fields = Object.keys(definition.fields).filter((field) => typeof map.get(field) === 'string');
      files.push({ path, options, rename, name, featureCount, fields, present });
    });
  }
  // Without features the data set would say "no" everywhere.
  if (files.length === 0) throw new Error(`${entry.files.join(', ')}: no features`);
  checkRenames(rename, files);
  return files;
}

function checkRenames(rename: SourceFile['rename'], files: readonly InspectedFile[]): void {
  const unused = Object.keys(rename).find((field) => !files.some((file) => file.present.includes(field)));
  if (unused !== undefined) throw new Error(`"rename" names the field "${unused}", which no file has`);
}

/** Puts the file's name before what goes wrong with it. */
export async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
}
