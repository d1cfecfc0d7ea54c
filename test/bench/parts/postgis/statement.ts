/** One SQL statement for all layers at a place, from the layer definitions. */
import type { Bands, FieldFilter, ProximityAnswer } from '../../../../src/catalogue/definition.ts';
import type { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import type { FeatureChoice } from '../../../../workers/engine/cells/feature-choice.ts';
import { insideLimitM, outermostM } from '../../../../workers/engine/kinds/class-by-distance.ts';

type Answers = Catalogue['answers'];
type Answer = Answers[number];

/**
 * A row a place with the columns `KEY.COLUMN` of each answer: whether there is a feature, the attributes of the one with the lowest
 * id, the number of the class (0 inside, 1 regulated, 2 adjacent, null outside), or count and distance with the attributes of
 * the nearest. `places` is a condition on `place.id`.
 */
export function lookupStatement(answers: Answers, places: string): string {
  const joins = answers.map((one) => `LEFT JOIN LATERAL (${select(one)}) "${one.answer.key}" ON true`);
  const columns = answers.flatMap((one) =>
    columnsOf(one).map((column) => `"${one.answer.key}"."${column}" AS "${one.answer.key}.${column}"`),
  );
  return `SELECT ${columns.join(', ')} FROM (SELECT id, geom, scale FROM place WHERE ${places} OFFSET 0) p ${joins.join(' ')}`;
}

/** Data sets that the statement reads. */
export function tablesOf(answers: Answers): readonly string[] {
  const partners = answers.flatMap(({ answer }) => (answer.kind === 'proximity' ? (answer.with ?? []) : []));
  return [...new Set([...answers.map((one) => one.dataSet.id), ...partners.map((part) => part.dataSet)])];
}

/** Attributes that an answer reads of a feature. */
export function fieldsOf({ answer }: Answer): readonly string[] {
  switch (answer.kind) {
    case 'boolean':
    case 'proximity':
      return [];
    case 'value':
      return [answer.field];
    case 'object':
      return uniqueFields(answer.members);
    case 'count':
      return uniqueFields(answer.nearest);
  }
}

function columnsOf(one: Answer): readonly string[] {
  const fields = fieldsOf(one);
  switch (one.answer.kind) {
    case 'boolean':
      return ['present'];
    case 'proximity':
      return ['class'];
    case 'count':
      return ['count', 'distance', ...fields];
    case 'value':
    case 'object':
      return fields;
  }
}

function uniqueFields(members: Readonly<Record<string, { readonly field: string }>>): readonly string[] {
  return [...new Set(Object.values(members).map(({ field }) => field))];
}

function select(one: Answer): string {
  const { dataSet, answer } = one;
  const table = `"${dataSet.id}" t`;
  const fields = fieldsOf(one).map((field) => `t."${field}"`);
  switch (answer.kind) {
    case 'boolean':
      return `SELECT true AS present FROM ${table} WHERE ST_Intersects(t.geom, p.geom) LIMIT 1`;
    case 'value':
    case 'object':
      return `SELECT ${fields.join(', ')} FROM ${table} WHERE ST_Intersects(t.geom, p.geom) ORDER BY t.fid LIMIT 1`;
    case 'count':
      // Counted are points only, which have no parts.
      return (
        `SELECT count(*) OVER () AS count, ST_Distance(t.geom, p.geom) / p.scale AS distance, ${fields.join(', ')} ` +
        `FROM ${table} WHERE ST_DWithin(t.geom, p.geom, ${answer.radiusM} * p.scale) ORDER BY distance, t.fid LIMIT 1`
      );
    case 'proximity':
      return selectClass(dataSet.id, answer);
  }
}

function selectClass(dataSet: string, answer: ProximityAnswer): string {
  const parts = [selectNear(dataSet, answer, answer)];
  for (const part of answer.with ?? []) parts.push(selectNear(part.dataSet, answer, part));
  return (
    `SELECT min(CASE WHEN distance <= ${insideLimitM(answer)} THEN 0 WHEN distance <= regulated THEN 1 ` +
    `WHEN distance <= adjacent THEN 2 END) AS class FROM (${parts.join(' UNION ALL ')}) near`
  );
}

function selectNear(dataSet: string, answer: ProximityAnswer, choice: FeatureChoice): string {
  const columns = `ST_Distance(t.geom, p.geom) / p.scale AS distance, ${limit(answer, 'regulated')}, ${limit(answer, 'adjacent')}`;
  return nearFeatures(dataSet, choice, { columns, reach: `${outermostM(answer)} * p.scale` });
}

/** Selects from the features of a table that count and lie within reach of `p.geom`. */
export function nearFeatures(
  dataSet: string,
  { only, ignore }: FeatureChoice,
  { columns, reach }: { readonly columns: string; readonly reach: string },
): string {
  const conditions = [`ST_DWithin(t.geom, p.geom, ${reach})`];
  if (only) conditions.push(oneOf(only));
  if (ignore) conditions.push(`(${oneOf(ignore)}) IS NOT TRUE`);
  return `SELECT ${columns} FROM "${dataSet}" t WHERE ${conditions.join(' AND ')}`;
}

/** The limit of a class, which may depend on the feature's attributes. */
export function limit({ bands, bandsFor = [] }: ProximityAnswer, name: keyof Bands): string {
  const usual = bands[name] ?? 0;
  const cases = bandsFor.map((special) => `WHEN ${oneOf(special)} THEN ${special.bands[name] ?? usual}`);
  return cases.length > 0 ? `CASE ${cases.join(' ')} ELSE ${usual} END AS ${name}` : `${usual} AS ${name}`;
}

function oneOf({ field, values }: FieldFilter): string {
  const texts = values.map((value) => `'${value.replaceAll("'", "''")}'`);
  return `t."${field}" IN (${texts.join(', ')})`;
}
