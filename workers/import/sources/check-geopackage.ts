import Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { quotedName } from '../features/feature-table.ts';
import { checkReferences, quoted } from './read-start.ts';

interface SchemaRow {
  readonly name: string;
  readonly type: string;
  readonly sql: string | null;
}

/**
 * Checks the schema of a GeoPackage before GDAL opens it. A view or a virtual table computes its rows: SpatiaLite's
 * `VirtualText` and `VirtualGeoJSON` read any file of the machine, and a recursive view never ends.
 * @throws Error when a layer is no plain table, or a CRS refers to a file or a server.
 */
export function checkGeoPackage(file: string): void {
  for (const suffix of ['-wal', '-journal'])
    if ((statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new Error(
        `has a journal beside it (${suffix}): close it in the program that wrote it, which removes the journal`,
      );
  try {
    askGeoPackage(file, (db) => {
      checkTables(db);
      checkReferenceSystems(db);
    });
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError)) throw cause;
    throw new Error(`is a damaged or truncated GeoPackage: ${cause.message}`, { cause });
  }
}

/** Returns what SQLite says of a file of other people's, of whose schema it calls nothing. */
export function askGeoPackage<Answer>(file: string, ask: (db: Database.Database) => Answer): Answer {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    return ask(db);
  } finally {
    db.close();
  }
}

function checkTables(db: Database.Database): void {
  const rows = db.prepare('SELECT name, type, sql FROM sqlite_master').all() as SchemaRow[];
  const schema = new Map(rows.map((row) => [row.name.toLowerCase(), row]));
  if (schema.get('gpkg_contents')?.type !== 'table') throw new Error('is an SQLite database, but no GeoPackage');
  for (const row of rows) checkEntry(row);
  const layers = db.prepare('SELECT table_name FROM gpkg_contents').pluck().all() as string[];
  for (const layer of layers) checkLayer(db, layer, schema.get(layer.toLowerCase())?.type);
}

/** Indexes and triggers are allowed: reading runs none. */
function checkEntry({ name, type, sql }: SchemaRow): void {
  if (isVirtual.test(sql ?? '') && !isRTree.test(sql ?? ''))
    throw new Error(`holds the virtual table "${quoted(name)}", which computes its rows: ${again}`);
  if (type === 'view' && /^(gpkg_|rtree_)/i.test(name))
    throw new Error(`holds the view "${quoted(name)}" in place of a table: ${again}`);
}

const isVirtual = /^\s*CREATE\s+VIRTUAL/i;
const isRTree = /\sUSING\s+["'`[]?rtree["'`\]]?\s*\(/i;
const again = 'export its layers to a new GeoPackage';

function checkLayer(db: Database.Database, layer: string, type: string | undefined): void {
  if (type === undefined) throw new Error(`lists the layer "${quoted(layer)}", which it does not hold`);
  if (type !== 'table')
    throw new Error(`has the ${type} "${quoted(layer)}" as a layer, which computes its rows: ${again}`);
  const hidden = db.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 0').pluck().all(layer) as string[];
  if (hidden.length > 0)
    throw new Error(`has the computed column "${quoted(hidden[0]!)}" in the layer "${quoted(layer)}": ${again}`);
  checkLayerReference(db, layer);
}

/** Longitude and latitude in WGS 84, NAD83 and NAD83(CSRS), which count as equal, and the two numbers for "not known". */
const [DEGREES, UNKNOWN] = [
  [4326, 4269, 4617],
  [0, -1],
];

/**
 * A layer's reference system stands in two tables, and each geometry repeats it. GDAL believes one table: where another is meant, a zone of UTM farther,
 * the places are still in Ontario.
 */
function checkLayerReference(db: Database.Database, layer: string): void {
  const found = db
    .prepare(
      `SELECT g.column_name AS "column", g.srs_id AS own, c.srs_id AS listed FROM gpkg_geometry_columns g JOIN gpkg_contents c USING (table_name)
       WHERE g.table_name = ?`,
    )
    .get(layer) as { readonly column: string; readonly own: number; readonly listed: number | null } | undefined;
  if (found === undefined) return;
  const { column, own, listed } = found;
  const [table, geometry] = [layer, column].map(quotedName);
  const headers = db
    .prepare(`SELECT DISTINCT substr(${geometry}, 4, 5) FROM ${table} WHERE substr(${geometry}, 1, 2) = X'4750'`)
    .pluck()
    .all() as Buffer[];
  const isOther = (id: number): boolean => id !== own && !(DEGREES.includes(id) && DEGREES.includes(own));
  const other = [...(listed === null ? [] : [listed]), ...headers.map(referenceOf)].find(
    (id) => isOther(id) && !UNKNOWN.includes(id),
  );
  if (other !== undefined)
    throw new Error(`gives two reference systems for the layer "${quoted(layer)}" (${own} and ${other}): ${again}`);
}

/** The number of the reference system in a geometry's header, from its flags on, of which the first bit tells the order of the bytes. */
function referenceOf(header: Buffer): number {
  if (header.length < 5) return UNKNOWN[0]!;
  return header[0]! % 2 === 1 ? header.readInt32LE(1) : header.readInt32BE(1);
}

function checkReferenceSystems(db: Database.Database): void {
  const rows = db.prepare('SELECT * FROM gpkg_spatial_ref_sys').all() as Readonly<Record<string, unknown>>[];
  const used = db.prepare('SELECT DISTINCT srs_id FROM gpkg_geometry_columns').pluck().all();
  for (const row of rows) {
    for (const [column, text] of Object.entries(row))
      if (column.startsWith('definition') && typeof text === 'string') checkReferences(text);
    if (used.includes(row['srs_id'])) checkNumber(row);
  }
}

/** GDAL goes by the number, whatever the definition beside it says. */
function checkNumber({
  organization,
  organization_coordsys_id: number,
  definition,
}: Readonly<Record<string, unknown>>): void {
  const [, defined] = /(?:AUTHORITY|ID)\["EPSG",\s*"?(\d+)"?\]\s*\]\s*$/i.exec(String(definition)) ?? [];
  if (defined !== undefined && /^epsg$/i.test(String(organization)) && Number(defined) !== number)
    throw new Error(
      `gives two reference systems under one number (EPSG:${String(number)}, defined as EPSG:${defined}): ${again}`,
    );
}
