import { join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import { definitionOf } from '../material/layer-definitions.ts';
import { dataDirOf, runImport } from './import-run.ts';

/** One data set: its files and what `sources.json` says of them; a single file needs no entry. */
export interface EachSource {
  readonly files: Readonly<Record<string, string | Buffer>>;
  readonly entry?: object;
  readonly definition?: Partial<Omit<DataSetDefinition, 'id'>>;
}

/** What came of a data set: its record, or why it failed. */
export type EachOutcome = { readonly record: DataSetRecord } | { readonly error: string };

/**
 * Imports each source as a data set of its own, in one import. Names of files must differ. A data set has the field NAME, unless its definition says otherwise.
 */
export async function importEach(
  folder: string,
  sources: Readonly<Record<string, EachSource>>,
): Promise<{ readonly dataDir: string; readonly outcomes: Readonly<Record<string, EachOutcome>> }> {
  const fields = { NAME: { type: 'string', required: true } } as const;
  const definitions = Object.fromEntries(
    Object.entries(sources).map(([id, { definition }]) => [
      id,
      definitionOf({ geometry: 'polygon', fields, ...definition }),
    ]),
  );
  const manifest = Object.fromEntries(
    Object.entries(sources).map(([id, { files, entry }]) => [id, { file: Object.keys(files)[0], ...entry }]),
  );
  const files = Object.assign({}, ...Object.values(sources).map((source) => source.files)) as EachSource['files'];
  const run = { folder: join(folder), definitions, manifest, files, partial: true };
  const { outcomes } = await runImport(run);
  const found = outcomes.map((outcome): [string, EachOutcome] => [
    outcome.id,
    outcome.status === 'failed' ? { error: outcome.error } : { record: outcome.record },
  ]);
  return { dataDir: dataDirOf(run), outcomes: Object.fromEntries(found) };
}
