/** One SQL statement for all layers of an area, from the layer definitions. */
import type { ProximityAnswer } from '../../../../src/shared/catalogue/definition.ts';
import type { Catalogue } from '../../../../src/shared/catalogue/catalogue.ts';
import { insideLimitM, outermostM } from '../../../../workers/lookup/kinds/proximity-classes.ts';
import { fieldsOf, limit, nearFeatures } from './statement.ts';

type Answer = Catalogue['answers'][number];

/**
 * A row an area with a column for each answer: its share; shares by value; shares of the cumulated bands, and the distance; or both counts and the
 * distance. What is not known is left out, which makes it less work than ours. `areas` is a condition on `area.id`.
 */
export function areaStatement(answers: readonly Answer[], areas: string): string {
  const joins = answers.map((one) => `LEFT JOIN LATERAL (${select(one)}) "${one.answer.key}" ON true`);
  const columns = answers.map(({ answer }) => `to_json("${answer.key}".*) AS "${answer.key}"`);
  return `SELECT ${columns.join(', ')} FROM (SELECT id, geom, scale, ST_Area(geom) AS size FROM area WHERE ${areas} OFFSET 0) p ${joins.join(' ')}`;
}

/** Of what overlaps, once. */
const share = 'ST_Area(ST_Union(ST_Intersection(t.geom, p.geom))) / p.size AS share';

function select(one: Answer): string {
  const { dataSet, answer } = one;
  const table = `"${dataSet.id}" t`;
  const fields = fieldsOf(one)
    .map((field) => `t."${field}"`)
    .join(', ');
  switch (answer.kind) {
    case 'boolean':
      return `SELECT ${share} FROM ${table} WHERE ST_Intersects(t.geom, p.geom)`;
    case 'value':
    case 'object':
      return `SELECT json_agg(v) AS parts FROM (SELECT ${fields}, ${share} FROM ${table} WHERE ST_Intersects(t.geom, p.geom) GROUP BY ${fields}) v`;
    case 'count':
      return (
        'SELECT count(*) FILTER (WHERE distance = 0) AS inside, count(*) AS near, min(distance) AS distance FROM ' +
        `(SELECT ST_Distance(t.geom, p.geom) / p.scale AS distance FROM ${table} WHERE ST_DWithin(t.geom, p.geom, ${answer.radiusM} * p.scale)) d`
      );
    case 'proximity':
      return selectBands(dataSet.id, answer);
  }
}

function selectBands(dataSet: string, answer: ProximityAnswer): string {
  const columns = `t.geom, ${insideLimitM(answer)} AS inside, ${limit(answer, 'regulated')}, ${limit(answer, 'adjacent')}`;
  const reach = `${outermostM(answer)} * p.scale`;
  const parts = [{ dataSet, ...answer }, ...(answer.with ?? [])].map((part) =>
    nearFeatures(part.dataSet, part, { columns, reach }),
  );
  const band = (name: string): string =>
    `ST_Area(ST_Intersection(p.geom, ST_Union(CASE WHEN ${name} > 0 THEN ST_Buffer(n.geom, ${name} * p.scale) ELSE n.geom END))) / p.size AS ${name}`;
  return (
    `SELECT ${band('inside')}, ${band('regulated')}, ${band('adjacent')}, min(ST_Distance(n.geom, p.geom)) / p.scale AS distance ` +
    `FROM (${parts.join(' UNION ALL ')}) n`
  );
}
