import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { projectDir } from '../../../src/project/project.ts';

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
    sources: [{ kind: 'composite', accepts: ['floodplain'], parts: [], confirmed: null }],
    fields: {},
    coverage: 'province',
    answers: [],
    ...given,
  };
}

/** Writes a folder of layer definitions as `layers/` is one. */
export function writeDefinitions(folder: string, definitions: Readonly<Record<string, object>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [id, definition] of Object.entries(definitions))
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(definition));
  return folder;
}

/** A copy of the project's definitions in which the first authority's part of each composite data set is at the province's server, and no other in use. */
export function definitionsWithAddresses(folder: string, server: string): string {
  cpSync(join(projectDir, 'layers'), folder, { recursive: true });
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const file = join(folder, name);
    const definition = JSON.parse(readFileSync(file, 'utf8')) as DataSetDefinition;
    const [source] = definition.sources;
    if (source?.kind !== 'composite' || source.parts.every((part) => part.server === undefined)) continue;
    const parts = source.parts.map((part, i) =>
      i === 0
        ? { ...part, server, coverage: 'positive_only', control: undefined }
        : { ...part, use: { off: 'not in this test' } },
    );
    writeFileSync(file, JSON.stringify({ ...definition, sources: [{ ...source, parts }] }));
  }
  return folder;
}
