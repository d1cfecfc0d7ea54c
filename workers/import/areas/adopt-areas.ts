/** Gives the parts of a snapshot that an earlier version wrote the areas that they had in it (decision 0253). */
import type { Database } from 'better-sqlite3';
import type { CompositeSource, DataSetDefinition, SourcePart } from '../../../src/catalogue/definition.ts';
import { nameOfPart } from '../../../src/catalogue/source-field.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import type { StoredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { authorityArea, type HeldArea, type HeldAreas, type Holder } from './held-areas.ts';
import type { CoverageAreas } from './coverage.ts';
import { contains, squareMetres, storedPolygons, unionOf } from './polygons.ts';

/**
 * Adds the areas of data sets in parts that have none stored. It must run before anything is imported: what an authority's area was is known
 * only until `ca_admin_areas` is replaced.
 */
export function adoptAreas(
  db: Database,
  areas: HeldAreas,
  definitions: readonly DataSetDefinition[],
  { dataSets, coverage }: { readonly dataSets: ReadonlyMap<string, DataSetRecord>; readonly coverage: CoverageAreas },
): void {
  for (const definition of definitions) {
    const record = dataSets.get(definition.id);
    const known = coverage.get(definition.id);
    const source = definition.sources.find((one) => one.kind === 'composite');
    if (!record?.parts || !known || !source || areas.has(definition.id)) continue;
    const held = heldBefore(db, { source, record, known, table: definition.id });
    if (held.length > 0) areas.set(definition.id, held);
  }
}

interface Before {
  readonly source: CompositeSource;
  readonly record: DataSetRecord;
  readonly known: readonly StoredGeometry[];
  /** Of the features. */
  readonly table: string;
}

/** Share of an area that may be missing in the coverage: edges are computed anew. */
const ROUNDING = 1e-6;

/**
 * Gives each part the area that its name had. What is left of the coverage belongs to the parts whose name is gone, all together. Where a part whose
 * name is gone lies in the area of another one, that one has grown before, and everything belongs to all.
 */
function heldBefore(db: Database, before: Before): readonly HeldArea[] {
  const known = unionOf(before.known);
  const parts = partsBefore(db, before).map(({ part, holder }) => {
    const named = 'authority' in part.coverage ? authorityArea(db, part.coverage.authority) : [];
    return { part, holder, polygons: within(named, known) };
  });
  const [without, named] = [
    parts.filter((one) => one.polygons.length === 0),
    parts.filter((one) => one.polygons.length > 0),
  ];
  const held = named.map(({ holder, polygons }): HeldArea => ({ holders: [holder], polygons }));
  if (without.length === 0) return held;
  const taken = unionOf(named.flatMap(({ polygons }) => polygons));
  const rest = known.difference(taken);
  const holdersOf = (some: typeof parts): Holder[] => some.map(({ holder }) => holder);
  const isSwallowed =
    squareMetres(rest) <= ROUNDING * squareMetres(known) ||
    without.some(({ part }) => part.control?.inside.some((place) => contains(taken, place)));
  if (!areAllNamed(before, holdersOf(parts))) return isSwallowed ? [] : held;
  if (isSwallowed) return [{ holders: holdersOf(parts), polygons: before.known }];
  return [...held, { holders: holdersOf(without), polygons: storedPolygons(rest) }];
}

/** The area as far as the data set said "no" in it: that of an authority may have grown since. */
function within(named: readonly StoredGeometry[], known: ReturnType<typeof unionOf>): readonly StoredGeometry[] {
  if (named.length === 0) return [];
  const area = unionOf(named);
  const shared = area.intersection(known);
  // The same bytes show at the next import that the area is the same.
  return squareMetres(area) - squareMetres(shared) <= ROUNDING * squareMetres(area) ? named : storedPolygons(shared);
}

/** Parts with an area that were in use: the snapshot names their layers, or has their features. */
function partsBefore(
  db: Database,
  { source, record, table }: Before,
): readonly {
  readonly part: SourcePart & { readonly coverage: Exclude<SourcePart['coverage'], string> };
  readonly holder: Holder;
}[] {
  return source.parts.flatMap((part) => {
    const { use, coverage } = part;
    if (use !== true || typeof coverage !== 'object') return [];
    const address = addressBefore(part, source, record);
    if (address === null && !hasFeatures(db, table, labelsOf(part, source))) return [];
    return [{ part: { ...part, coverage }, holder: { part: nameOfPart(part), address: address ?? '' } }];
  });
}

/** Returns the address of the layer that was read for a part; null when it had another service. */
function addressBefore(part: SourcePart, { parts }: CompositeSource, record: DataSetRecord): string | null {
  const found = Object.keys(record.parts!).filter((address) => isServedBy(address, part));
  const rivals = parts.filter((other) => other.use === true && found.some((address) => isServedBy(address, other)));
  const [only, ...more] = rivals.length > 1 ? found.filter((one) => one.endsWith(`/${part.layerIdHint}`)) : found;
  return more.length === 0 ? (only ?? null) : null;
}

function isServedBy(address: string, { server, service }: SourcePart): boolean {
  return server === undefined ? address.includes(`/${service}/`) : address.startsWith(`${server}/${service}/`);
}

/** The columns that say which part a feature comes from, and what they hold for this part. */
function labelsOf({ publisher, kind }: SourcePart, { labels = {} }: CompositeSource): readonly [string, string][] {
  const all: [string | undefined, string][] = [
    [labels.publisher, publisher],
    [labels.kind, kind],
  ];
  return all.flatMap(([column, value]): [string, string][] => (column === undefined ? [] : [[column, value]]));
}

function hasFeatures(db: Database, table: string, labels: readonly [string, string][]): boolean {
  const columns = db.pragma(`table_info("${table}")`) as { name: string }[];
  if (labels.length === 0 || !labels.every(([column]) => columns.some(({ name }) => name === column))) return false;
  const isLabelled = labels.map(([column]) => `"${column}" = ?`).join(' AND ');
  const found = db
    .prepare(`SELECT 1 FROM "${table}" WHERE ${isLabelled} LIMIT 1`)
    .get(...labels.map(([, value]) => value));
  return found !== undefined;
}

/** Says whether every layer that was read is one of these parts, or of one without an area: nobody else had a share in the coverage. */
function areAllNamed({ source, record }: Before, holders: readonly Holder[]): boolean {
  const without = source.parts.filter(({ coverage }) => typeof coverage !== 'object');
  const strangers = Object.keys(record.parts!).filter(
    (address) =>
      !holders.some((holder) => holder.address === address) && !without.some((part) => isServedBy(address, part)),
  );
  return strangers.length <= holders.filter(({ address }) => address === '').length;
}
