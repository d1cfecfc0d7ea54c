/** First pass of a build: reads the feature tables, and adds every feature to the tiles to which it can matter. */
import type Database from 'better-sqlite3';
import type { Attribute, Attributes } from '../../geopackage/attribute.ts';
import { outlineOf, readGeoPackageGeometry } from '../../geopackage/flat-geometry.ts';
import { type IndexedDataSet, tables } from '../../engine/cells/format.ts';
import { counts } from '../../engine/cells/feature-choice.ts';
import { featureOutline } from '../outlines/outline.ts';
import { type TileCount, Buckets } from './bucket.ts';
import { pieceOf } from './piece.ts';
import { hash } from 'node:crypto';

export interface CellBuildProgress {
  readonly phase: 'reading features' | 'splitting tiles';
  readonly done: number;
  readonly total: number;
}

export interface Pass {
  readonly scratchFile: string;
  readonly dataSets: readonly IndexedDataSet[];
  readonly onProgress: (progress: CellBuildProgress) => void;
}

/** Most projection metres per ground metre; the scale of EPSG:3161 stays below it in Ontario. */
export const LARGEST_SCALE = 1.01;

const PROGRESS_EVERY = 5000;

/** Returns the tiles with content, in order. */
export function bucketFeatures(db: Database.Database, { scratchFile, dataSets, onProgress }: Pass): TileCount[] {
  const buckets = new Buckets(scratchFile);
  const add = featureAdder(buckets, new ValuesWriter(db));
  const total = dataSets.reduce((sum, { id, edgeOf }) => sum + (edgeOf === undefined ? countRows(db, id) : 0), 0);
  let done = 0;
  for (const [set, dataSet] of dataSets.entries()) {
    const { id, edgeOf, reachM } = dataSet;
    if (edgeOf !== undefined) {
      for (const { fid, geom } of areasOf(db, edgeOf))
        buckets.add(
          pieceOf({ set, fid, valuesRef: 0 }, outlineOf(readGeoPackageGeometry(geom))),
          reachM * LARGEST_SCALE,
        );
      continue;
    }
    for (const row of featuresOf(db, id)) {
      add(set, dataSet, row);
      if (++done % PROGRESS_EVERY === 0) onProgress({ phase: 'reading features', done, total });
    }
  }
  const tiles = buckets.finish();
  buckets.close();
  return tiles;
}

/** Makes a function that adds a feature to the leaves, and its outline if maps show it. */
function featureAdder(
  buckets: Buckets,
  values: ValuesWriter,
): (set: number, dataSet: IndexedDataSet, row: FeatureRow) => void {
  return (set, { reachM, fields, inline, outlined }, { fid, geom, ...rest }) => {
    const attributes = rest as Attributes;
    const stored = (text: string): number | string => (inline ? text : values.idOf(text));
    const geometry = readGeoPackageGeometry(geom);
    const valuesRef =
      fields.length === 0 ? 0 : stored(JSON.stringify(fields.map((field) => attributes[field] ?? null)));
    buckets.add(pieceOf({ set, fid, valuesRef }, geometry), reachM * LARGEST_SCALE);
    if (!outlined?.choices.some((choice) => counts({ attributes }, choice))) return;
    const label = labelOf(attributes, outlined.labelField);
    const outline = featureOutline({ set, fid, label: label === '' ? 0 : stored(label) }, geometry);
    if (outline) buckets.addOutline(outline);
  };
}

/** Returns '' for none. */
function labelOf(attributes: Readonly<Record<string, Attribute>>, field: string | null): string {
  return field === null ? '' : String(attributes[field] ?? '').trim();
}

/**
 * Reads page by page, because a connection cannot write while it iterates. A page is small, because a geometry may have
 * megabytes.
 */
function* featuresOf(db: Database.Database, table: string): Generator<FeatureRow> {
  const page = db.prepare<[number], FeatureRow>(`SELECT * FROM "${table}" WHERE fid > ? ORDER BY fid LIMIT 100`);
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)!.fid)) yield* rows;
}

/** Returns the few polygons of a data set's coverage. */
function areasOf(db: Database.Database, dataSet: string): FeatureRow[] {
  const rows = db.prepare<[string], FeatureRow>('SELECT * FROM coverage WHERE data_set = ? ORDER BY fid');
  return rows.all(dataSet);
}

function countRows(db: Database.Database, table: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get()!;
}

interface FeatureRow extends Record<string, string | number | null | Buffer> {
  readonly fid: number;
  readonly geom: Buffer;
}

/** Writes the table of attribute values (`tables.values`): stores each different array once, as JSON text. */
class ValuesWriter {
  readonly #insert: Database.Statement<[number, Buffer]>;
  /**
   * By a hash of 128 bits instead of the text, because there may be a million different texts, such as those of wells.
   */
  readonly #ids = new Map<string, number>();

  constructor(db: Database.Database) {
    this.#insert = db.prepare(`INSERT INTO ${tables.values} VALUES (?, ?)`);
  }

  /** Returns the row id of the text. */
  idOf(text: string): number {
    const key = hash('md5', text, 'base64');
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#ids.size + 1;
      this.#ids.set(key, id);
      this.#insert.run(id, Buffer.from(text));
    }
    return id;
  }
}
