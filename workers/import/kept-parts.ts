/** Features of parts whose server is silent: they stay as they are, so that the other parts can be refreshed (decision 0253). */
import type { Database } from 'better-sqlite3';
import type { RefusedPart } from '../../src/messages/import.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import { fromGpkgGeometry } from '../geopackage/gpkg-geometry.ts';
import type { Attribute } from '../geopackage/attribute.ts';
import { noCounts, type BatchCounts } from './features/batch.ts';
import type { DataSetInput, InspectedSource } from './sources/data-set-input.ts';
import type { LoadTarget } from './sources/load-features.ts';

export interface KeptPart {
  readonly refused: RefusedPart;
  readonly layers: readonly KeptLayer[];
}

interface KeptLayer {
  readonly address: string;
  /** Of its first feature in the table of the last snapshot, where the features of a layer lie one after another. */
  readonly firstFid: number;
  readonly featureCount: number;
}

type Previous = Pick<DataSetRecord, 'featureCount' | 'parts'>;

/**
 * Returns the parts that stay as they are: their server is silent, which says nothing about their data, and the last snapshot has their features.
 * @throws Error that names a part whose features cannot be told from the others' in the last snapshot.
 */
export function partsToKeep(
  { refused, files, definition }: DataSetInput,
  previous: Previous | null,
): readonly KeptPart[] {
  const layers = layersOf(previous);
  const kept = refused.flatMap((part): KeptPart[] => {
    const own = layers.filter(({ address }) => address.startsWith(`${part.address}/`) && !files.includes(address));
    return part.isSilent && own.length > 0 ? [{ refused: part, layers: own }] : [];
  });
  const count = layers.reduce((sum, { featureCount }) => sum + featureCount, 0);
  const [first] = kept;
  if (first && (count !== previous!.featureCount || definition.counts !== undefined))
    throw new Error(`${first.refused.name}: ${first.refused.reason}`);
  return withoutDoubles(kept);
}

function layersOf(previous: Previous | null): readonly KeptLayer[] {
  let firstFid = 1;
  return Object.entries(previous?.parts ?? {}).map(([address, featureCount]) => {
    const layer = { address, firstFid, featureCount };
    firstFid += featureCount;
    return layer;
  });
}

/** Two parts of one service are silent together, and nobody can tell which of its layers is whose. */
function withoutDoubles(kept: readonly KeptPart[]): readonly KeptPart[] {
  const seen = new Set<string>();
  return kept.map(({ refused, layers }) => {
    const own = layers.filter(({ address }) => !seen.has(address));
    for (const { address } of own) seen.add(address);
    return { refused, layers: own };
  });
}

const COPY = 'kept_part_features';

/**
 * Sets the features aside, because the table that holds them is replaced, and returns their layers as sources. Run it inside the transaction of the
 * import.
 */
export function keptSources(db: Database, table: string, kept: readonly KeptPart[]): readonly InspectedSource[] {
  const layers = kept.flatMap((part) => part.layers);
  if (layers.length === 0) return [];
  const isKept = layers.map(
    ({ firstFid, featureCount }) => `fid BETWEEN ${firstFid} AND ${lastFid({ firstFid, featureCount })}`,
  );
  db.exec(`DROP TABLE IF EXISTS temp.${COPY}`);
  db.exec(`CREATE TEMP TABLE ${COPY} AS SELECT * FROM "${table}" WHERE ${isKept.join(' OR ')}`);
  const fields = (db.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);
  return layers.map((layer): InspectedSource => ({
    name: layer.address,
    featureCount: layer.featureCount,
    fields,
    dateField: null,
    load: (target) => Promise.resolve(putBack(db, layer, target)),
  }));
}

function putBack(db: Database, layer: KeptLayer, { table, writers, onRead }: LoadTarget): BatchCounts {
  const rows = db.prepare(`SELECT * FROM temp.${COPY} WHERE fid BETWEEN ? AND ? ORDER BY fid`);
  let vertices = 0;
  for (const row of rows.all(layer.firstFid, lastFid(layer)) as Record<string, Attribute | Buffer>[]) {
    const geometry = fromGpkgGeometry(row['geom'] as Buffer);
    vertices += geometry.vertexCount;
    writers.of(null).add(
      geometry,
      table.columns.map(({ name }) => (row[name] ?? null) as Attribute),
    );
  }
  onRead(layer.featureCount);
  return { ...noCounts, read: layer.featureCount, vertices };
}

function lastFid({ firstFid, featureCount }: Pick<KeptLayer, 'firstFid' | 'featureCount'>): number {
  return firstFid + featureCount - 1;
}
