/** One SQL statement for all layers of an area, from the layer definitions. */
import type { ProximityAnswer } from '../../../../src/catalogue/definition.ts';
import type { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { insideLimitM, outermostM } from '../../../../workers/engine/kinds/class-by-distance.ts';
import { fieldsOf, limit, nearFeatures } from './statement.ts';

type Answer = Catalogue['answers'][number];

/**
 * How much of our work the statement does. `less`: areas are stored valid and projected, what is not known is left out, and bands are cumulated. `equal`:
 * areas are stored as they were sent, and are repaired, projected and cut to Ontario, and each layer has its unknown share and the share of each band alone.
 */
export type Work = 'less' | 'equal';

/**
 * A row an area with a column for each answer: its share; shares by value; shares of the bands, and the distance; or both counts and the
 * distance. `areas` is a condition on `area.id`.
 */
export function areaStatement(answers: readonly Answer[], areas: string, work: Work): string {
  const columnsOf = (one: Answer): string => (work === 'less' ? select(one) : withUnknown(one));
  const joins = answers.map((one) => `LEFT JOIN LATERAL (${columnsOf(one)}) "${one.answer.key}" ON true`);
  const columns = answers.map(({ answer }) => `to_json("${answer.key}".*) AS "${answer.key}"`);
  return `SELECT ${columns.join(', ')} FROM (${work === 'less' ? prepared(areas) : asSent(areas)} OFFSET 0) p ${joins.join(' ')}`;
}

function prepared(areas: string): string {
  return `SELECT id, geom, scale, ST_Area(geom) AS size FROM area WHERE ${areas}`;
}

/** Degrees of 250 m, as long as our edges may be. */
const LONGEST_EDGE = 250 / 111_320;

/** `size` is the ground area in units of the projection, as the areas of what overlaps are; `land` the share in Ontario. */
function asSent(areas: string): string {
  const valid = `SELECT id, scale, ST_CollectionExtract(ST_MakeValid(ST_Segmentize(ST_GeomFromGeoJSON(sent), ${LONGEST_EDGE})), 3) AS geom FROM area WHERE ${areas} OFFSET 0`;
  const projected = `SELECT id, scale, ST_Transform(geom, 3161) AS geom, ST_Area(geom::geography) * scale * scale AS size FROM (${valid}) v OFFSET 0`;
  const ontario = 'SELECT ST_Union(t.geom) AS geom FROM province t WHERE ST_Intersects(t.geom, a.geom)';
  const cut = `SELECT id, scale, size, ST_Intersection(a.geom, o.geom) AS geom FROM (${projected}) a, LATERAL (${ontario}) o OFFSET 0`;
  return `SELECT id, scale, size, geom, ST_Area(geom) / size AS land FROM (${cut}) c`;
}

function withUnknown(one: Answer): string {
  const unknown = '1 - p.land AS unknown';
  if (one.answer.kind !== 'proximity') return `SELECT l.*, ${unknown} FROM (${select(one)}) l`;
  const band = (name: string): string => `coalesce(${name}, 0)`;
  return (
    `SELECT ${band('inside')} AS inside, ${band('regulated')} - ${band('inside')} AS regulated, ` +
    `${band('adjacent')} - ${band('regulated')} AS adjacent, p.land - ${band('adjacent')} AS outside, ${unknown}, distance FROM (${select(one)}) l`
  );
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
