import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Catalogue, authorityAreas } from '../catalogue.ts';
import {
  type DataSetDefinition,
  type CompositeSource,
  type PartCoverage,
  type SourcePart,
  dataSetSchema,
} from '../definition.ts';
import type { ReaderDefinition } from '../reader.ts';
import type { Partner } from '../kinds/kind.ts';
import { type CatalogueKinds, catalogueKindOf, catalogueKinds } from '../kinds/kinds.ts';
import { definitionFiles } from './own-definitions.ts';
import { type Validator, validatorOf } from '../../project/validators.ts';
import { nameOfPart } from '../source-field.ts';

/** Where definitions are. */
export interface DefinitionFolders {
  /** Those of the release: `layers/`. */
  readonly layersDir: string;
  /** LAYERS_DIR: the operator's own, which add to these or take their place; null or absent: none. */
  readonly ownLayersDir?: string | null;
}

/**
 * Reads and checks every `*.json` of the folders.
 * @throws Error that names the file and what is wrong with it.
 */
export function readCatalogue(folders: string | DefinitionFolders, kinds: CatalogueKinds = catalogueKinds): Catalogue {
  const { layersDir, ownLayersDir = null } = typeof folders === 'string' ? { layersDir: folders } : folders;
  const validate = definitionValidator(kinds);
  const hash = createHash('sha256');
  const read = definitionFiles(layersDir, ownLayersDir).map(({ name, shownAs, text, body }): DataSetDefinition => {
    hash.update(name).update('\0').update(text).update('\0');
    if (!validate(body)) {
      const [first] = validate.errors ?? [];
      throw new Error(`${shownAs}: ${first?.instancePath ?? ''} ${first?.message ?? 'does not fit the schema'}`);
    }
    return { ...body, id: basename(name, '.json') };
  });
  const dataSets = withFilters(read, kinds);
  const all = dataSets
    .flatMap((dataSet) => dataSet.answers.map((answer) => ({ dataSet, answer })))
    .sort((a, b) => a.answer.order - b.answer.order);
  checkReferences(dataSets, all, kinds);
  const isFurther = ({ answer }: (typeof all)[number]): boolean => answer.further === true;
  const [answers, further] = [all.filter((one) => !isFurther(one)), all.filter(isFurther)];
  return { dataSets, answers, further, version: hash.digest('hex') };
}

/** Adds what answers choose features by to the data sets that have the features. */
function withFilters(dataSets: readonly DataSetDefinition[], kinds: CatalogueKinds): readonly DataSetDefinition[] {
  const used = dataSets.flatMap(({ id, answers }) =>
    answers.flatMap((answer) => {
      const kind = catalogueKindOf(answer, kinds);
      const own = (kind.filters?.(answer) ?? []).map((filter) => ({ id, filter }));
      const others = (kind.partners?.(answer) ?? []).flatMap(({ dataSet, only, ignore }) =>
        [only, ignore].flatMap((filter) => (filter ? [{ id: dataSet, filter }] : [])),
      );
      return [...own, ...others];
    }),
  );
  return dataSets.map((dataSet) => {
    const filters = used.flatMap(({ id, filter }) => (id === dataSet.id ? [filter] : []));
    return filters.length === 0 ? dataSet : { ...dataSet, filters };
  });
}

/** Gives what checks a file of `layers/` against the schema of these kinds. */
export function definitionValidator(kinds: CatalogueKinds = catalogueKinds): Validator<Omit<DataSetDefinition, 'id'>> {
  return validatorOf(dataSetSchema(kinds));
}

/** What a schema cannot say: keys and their order are unique, what the kind demands, and every field and data set that is named exists. */
function checkReferences(dataSets: Catalogue['dataSets'], answers: Catalogue['answers'], kinds: CatalogueKinds): void {
  const ids = new Map(dataSets.map((dataSet) => [dataSet.id, dataSet]));
  const seen = new Map<string, string>();
  for (const { dataSet, answer } of answers) {
    const where = `layers/${dataSet.id}.json: answer "${answer.key}"`;
    const other = seen.get(answer.key);
    if (other !== undefined) throw new Error(`${where} is also defined in layers/${other}.json`);
    const order = `${answer.order}${answer.further === true ? ' of further answers' : ''}`;
    const sameOrder = seen.get(order);
    if (sameOrder !== undefined) throw new Error(`${where} has the same order as one in layers/${sameOrder}.json`);
    seen.set(answer.key, dataSet.id).set(order, dataSet.id);
    const kind = catalogueKindOf(answer, kinds);
    const problem = kind.problem?.(answer) ?? null;
    if (problem !== null) throw new Error(`${where}: ${problem}`);
    checkFields(where, dataSet, kind.fieldsUsed(answer));
    checkPartners(where, ids, kind.partners?.(answer) ?? []);
  }
  checkReaders(answers);
  for (const dataSet of dataSets) checkDataSet(dataSet, ids);
}

/** What a schema cannot say of a data set itself, without its answers. */
function checkDataSet(dataSet: DataSetDefinition, ids: ReadonlyMap<string, DataSetDefinition>): void {
  checkSources(dataSet);
  checkParts(dataSet, ids);
  const countingFields = (dataSet.counts ?? []).map(({ field }) => field);
  checkFields(`layers/${dataSet.id}.json: "counts"`, dataSet, countingFields);
  checkFields(`layers/${dataSet.id}.json: "fixedList"`, dataSet, dataSet.fixedList ?? []);
  checkDays(dataSet);
}

/** Checks that the days of announced changes are in the calendar. */
function checkDays({ id, announced = [] }: DataSetDefinition): void {
  const isDay = (text: string): boolean => {
    const date = new Date(`${text}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  };
  const wrong = announced.find(({ from }) => from !== null && !isDay(from));
  if (wrong) throw new Error(`layers/${id}.json: "from" of an announced change is no day: ${wrong.from}`);
}

/** Checks that what a reader is told names answers that are there, and an office that has a name. */
function checkReaders(answers: Catalogue['answers']): void {
  const readers = new Map(answers.map(({ answer }) => [answer.key, answer.reader]));
  for (const { dataSet, answer } of answers) {
    const wrong = wrongWithDetail(answer.reader, readers) ?? wrongWithNext(answer.reader, readers);
    if (wrong !== null) throw new Error(`layers/${dataSet.id}.json: "reader" of "${answer.key}" ${wrong}`);
  }
}

type Readers = ReadonlyMap<string, ReaderDefinition | undefined>;

function wrongWithDetail(reader: ReaderDefinition | undefined, readers: Readers): string | null {
  const whole = reader?.detailOf;
  if (whole === undefined || (readers.has(whole) && readers.get(whole)?.detailOf === undefined)) return null;
  return `is a detail of "${whole}", which is no answer, or itself a detail`;
}

function wrongWithNext(reader: ReaderDefinition | undefined, readers: Readers): string | null {
  const { office, en, fr } = reader?.next ?? { en: '', fr: '' };
  // Layers of one's own may leave out the answer that would name the office: the page then says nothing of it.
  if (office !== undefined && readers.has(office) && !readers.get(office)?.office)
    return `names the office "${office}", an answer without an "office"`;
  const isSaid = [en, fr].every((words) => words.includes('{office}') === (office !== undefined));
  return isSaid ? null : 'must say "{office}" in both languages where it names an office, and only there';
}

/** Checks that no field is named twice, and that a composite source is the only one. */
function checkSources({ id, sources, fields }: DataSetDefinition): void {
  if (sources.length > 1 && sources.some(({ kind }) => kind === 'composite'))
    throw new Error(`layers/${id}.json: "sources" has a composite source beside others`);
  const names = Object.entries(fields).flatMap(([name, { alternatives = [] }]) => [name, ...alternatives]);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`layers/${id}.json: "fields" names "${twice}" twice`);
}

function checkPartners(where: string, ids: ReadonlyMap<string, DataSetDefinition>, partners: readonly Partner[]): void {
  for (const part of partners) {
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

/**
 * Checks what a schema cannot check about the parts of a composite source.
 * @throws Error that names the file, the part and what is wrong with it.
 */
function checkParts(dataSet: DataSetDefinition, dataSets: ReadonlyMap<string, DataSetDefinition>): void {
  for (const source of dataSet.sources) {
    if (source.kind !== 'composite') continue;
    const names = source.parts.map(nameOfPart);
    for (const [i, part] of source.parts.entries()) {
      const isDouble = names.indexOf(names[i]!) < i;
      const wrong = isDouble
        ? 'is there twice: an area belongs to one part'
        : wrongWith(part, source, { dataSet, hasAuthorityAreas: dataSets.has(authorityAreas) });
      if (wrong !== null)
        throw new Error(`layers/${dataSet.id}.json: the part "${part.publisher}, ${part.kind}" ${wrong}`);
    }
  }
}

interface Around {
  readonly dataSet: DataSetDefinition;
  readonly hasAuthorityAreas: boolean;
}

function wrongWith(part: SourcePart, source: CompositeSource, { dataSet, hasAuthorityAreas }: Around): string | null {
  const { rename = {}, constants = {} } = part;
  const filled = [...Object.values(rename), ...Object.keys(constants), ...Object.values(source.labels ?? {})];
  const missing = filled.find((field) => !(field in dataSet.fields));
  if (missing !== undefined) return `fills the field "${missing}", which "fields" does not list`;
  return part.use === true ? wrongInUse(part, source, { dataSet, hasAuthorityAreas }) : null;
}

/** Checks a part in use. A part that is off may lack what nobody has read yet. */
function wrongInUse(part: SourcePart, { accepts }: CompositeSource, around: Around): string | null {
  const { kind, coverage, licence, attribution, names, layerIdHint } = part;
  if (!accepts.includes(kind)) return 'is in use, but "accepts" does not list its kind';
  if (licence.id === null || attribution === null) return 'is in use without a licence or an attribution';
  if (names.length === 0 && layerIdHint === null) return 'is in use with neither a name nor an id of its layer';
  return wrongCoverage(coverage, part, around);
}

function wrongCoverage(
  coverage: PartCoverage,
  { control }: SourcePart,
  { dataSet, hasAuthorityAreas }: Around,
): string | null {
  if ((coverage === 'province') !== (dataSet.coverage === 'province'))
    return 'and the data set differ: either all cover the province, or none';
  if (typeof coverage !== 'object') return null;
  if ('authority' in coverage && !hasAuthorityAreas)
    return `covers the area of an authority, but there is no data set ${authorityAreas}`;
  return control && control.inside.length > 0
    ? null
    : 'covers an area without control points: a service that is dead or another one would read as "no"';
}
