import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { projectDir } from '../../src/config.ts';

/** A definition with everything a test does not care about filled in. */
export function definitionOf(
  given: Partial<Omit<DataSetDefinition, 'id'>> & Pick<DataSetDefinition, 'geometry'>,
): Omit<DataSetDefinition, 'id'> {
  return {
    title: 'Test data set',
    publisher: 'Test publisher',
    licence: {
      id: 'OGL-ON-1.0',
      url: 'https://www.ontario.ca/page/open-government-licence-ontario',
      attribution: 'Test',
    },
    sources: [{ kind: 'composite', parts: [], confirmed: null }],
    fields: {},
    coverage: 'province',
    answers: [],
    ...given,
  };
}

/** Writes a folder of layer definitions as `layers/` is one. */
export function writeDefinitions(folder: string, definitions: Readonly<Record<string, object>>): string {
  mkdirSync(join(folder, 'schema'), { recursive: true });
  const schema = join('schema', 'data-set.schema.json');
  copyFileSync(join(projectDir, 'layers', schema), join(folder, schema));
  for (const [id, definition] of Object.entries(definitions))
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(definition));
  return folder;
}

/** A copy of the project's definitions in which the composite data set has an address too. */
export function definitionsWithAddresses(folder: string, server: string): string {
  cpSync(join(projectDir, 'layers'), folder, { recursive: true });
  const file = join(folder, 'flood_hazard.json');
  const flood = JSON.parse(readFileSync(file, 'utf8')) as { sources: { parts: object[] }[] };
  const { parts } = flood.sources[0]!;
  parts[0] = { ...parts[0], server };
  writeFileSync(file, JSON.stringify(flood));
  return folder;
}
