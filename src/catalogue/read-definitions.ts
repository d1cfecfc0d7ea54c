import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { checkParts } from './check-parts.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { AnswerDefinition, DataSetDefinition } from '../shared/catalogue/definition.ts';

/**
 * Reads and checks every `*.json` of the folder (normally `layers/`).
 * @throws Error that names the file and what is wrong with it.
 */
export function readCatalogue(folder: string): Catalogue {
  const validate = new Ajv({ strict: true, allowUnionTypes: true, discriminator: true }).compile<
    Omit<DataSetDefinition, 'id'>
  >(JSON.parse(readFileSync(join(folder, 'schema', 'data-set.schema.json'), 'utf8')) as object);
  const hash = createHash('sha256');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const dataSets = files.map((name): DataSetDefinition => {
    const text = readFileSync(join(folder, name), 'utf8');
    hash.update(name).update('\0').update(text).update('\0');
    const body: unknown = parseJson(text, name);
    if (!validate(body)) {
      const [first] = validate.errors ?? [];
      throw new Error(`layers/${name}: ${first?.instancePath ?? ''} ${first?.message ?? 'does not fit the schema'}`);
    }
    return { ...body, id: basename(name, '.json') };
  });
  const answers = dataSets
    .flatMap((dataSet) => dataSet.answers.map((answer) => ({ dataSet, answer })))
    .sort((a, b) => a.answer.order - b.answer.order);
  checkReferences(dataSets, answers);
  return { dataSets, answers, version: hash.digest('hex') };
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`layers/${name}: ${cause instanceof Error ? cause.message : 'not JSON'}`, { cause });
  }
}

/**
 * Checks what a schema cannot check: keys and their order are unique, bands grow outwards, and every named field and
 * data set exists.
 */
function checkReferences(dataSets: Catalogue['dataSets'], answers: Catalogue['answers']): void {
  const ids = new Map(dataSets.map((dataSet) => [dataSet.id, dataSet]));
  const seen = new Map<string | number, string>();
  for (const { dataSet, answer } of answers) {
    const where = `layers/${dataSet.id}.json: answer "${answer.key}"`;
    const other = seen.get(answer.key);
    if (other !== undefined) throw new Error(`${where} is also defined in layers/${other}.json`);
    const sameOrder = seen.get(answer.order);
    if (sameOrder !== undefined) throw new Error(`${where} has the same order as one in layers/${sameOrder}.json`);
    seen.set(answer.key, dataSet.id).set(answer.order, dataSet.id);
    checkBands(where, answer);
    checkFields(where, dataSet, fieldsUsed(answer));
    checkPartners(where, ids, answer);
  }
  for (const dataSet of dataSets) {
    checkSources(dataSet);
    checkParts(dataSet, ids);
    const dropFields = (dataSet.drop ?? []).map(({ field }) => field);
    checkFields(`layers/${dataSet.id}.json: "drop"`, dataSet, dropFields);
  }
}

/** Checks that no field is named twice, and that a composite source is the only one. */
function checkSources({ id, sources, fields }: DataSetDefinition): void {
  if (sources.length > 1 && sources.some(({ kind }) => kind === 'composite'))
    throw new Error(`layers/${id}.json: "sources" has a composite source beside others`);
  const names = Object.entries(fields).flatMap(([name, { alternatives = [] }]) => [name, ...alternatives]);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`layers/${id}.json: "fields" names "${twice}" twice`);
}

function checkBands(where: string, answer: AnswerDefinition): void {
  if (answer.kind !== 'proximity') return;
  const limits = [answer.bands, ...(answer.bandsFor ?? []).map(({ bands }) => ({ ...answer.bands, ...bands }))];
  for (const { regulated = 0, adjacent = Infinity } of limits) {
    if (regulated >= adjacent || (answer.insideWithinM ?? 0) >= Math.min(regulated || Infinity, adjacent))
      throw new Error(`${where}: bands must grow from inside to regulated to adjacent`);
  }
}

function checkPartners(where: string, ids: ReadonlyMap<string, DataSetDefinition>, answer: AnswerDefinition): void {
  for (const part of answer.kind === 'proximity' ? (answer.with ?? []) : []) {
    const partner = ids.get(part.dataSet);
    if (!partner) throw new Error(`${where} names the data set "${part.dataSet}", which has no file`);
    checkFields(
      where,
      partner,
      [part.only, part.ignore].flatMap((filter) => filter?.field ?? []),
    );
  }
}

function checkFields(where: string, { id, fields }: DataSetDefinition, used: readonly string[]): void {
  const missing = used.find((field) => !(field in fields));
  if (missing !== undefined)
    throw new Error(`${where} uses the field "${missing}", which "fields" of ${id} does not list`);
}

function fieldsUsed(answer: AnswerDefinition): string[] {
  switch (answer.kind) {
    case 'boolean':
      return [];
    case 'value':
      return [answer.field];
    case 'object':
      return Object.values(answer.members).map((member) => member.field);
    case 'count':
      return Object.values(answer.nearest).map((member) => member.field);
    case 'proximity':
      return [
        ...[...(answer.bandsFor ?? []), answer.only, answer.ignore].flatMap((filter) => filter?.field ?? []),
        ...Object.values(answer.deciding ?? {}).map((member) => member.field),
      ];
  }
}
