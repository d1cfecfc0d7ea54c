/** A base map for tests: a PMTiles file with tiles that GDAL makes, in the schema of Protomaps (docs.protomaps.com/basemaps/layers). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zxyToTileId } from 'pmtiles';
import { ogr2ogr } from './ogr2ogr.ts';

const MIN_ZOOM = 4;
const MAX_ZOOM = 13;

/** Makes the file in a folder: a lake and a road around a place, on land. */
export function makeTiles(folder: string, { lat, lon }: { readonly lat: number; readonly lon: number }): string {
  const square = (size: number): number[][][] => {
    const corner = (east: number, north: number): number[] => [lon + east * size, lat + north * size];
    return [[corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)]];
  };
  const road = [
    [lon - 0.08, lat + 0.001],
    [lon + 0.08, lat + 0.001],
  ];
  const layers = {
    earth: { properties: { kind: 'earth' }, geometry: { type: 'Polygon', coordinates: square(0.1) } },
    water: { properties: { kind: 'lake' }, geometry: { type: 'Polygon', coordinates: square(0.004) } },
    roads: {
      properties: { kind: 'major_road', kind_detail: 'primary', name: 'Test Road', min_zoom: 5 },
      geometry: { type: 'LineString', coordinates: road },
    },
  };
  const merged = join(folder, 'layers.gpkg');
  Object.entries(layers).forEach(([name, feature], i) => {
    const source = join(folder, `${name}.geojson`);
    writeFileSync(
      source,
      JSON.stringify({ type: 'FeatureCollection', name, features: [{ type: 'Feature', ...feature }] }),
    );
    ogr2ogr('-f', 'GPKG', ...(i > 0 ? ['-update'] : []), merged, source);
  });
  const tiles = join(folder, 'tiles');
  const zooms = ['-dsco', `MINZOOM=${MIN_ZOOM}`, '-dsco', `MAXZOOM=${MAX_ZOOM}`];
  ogr2ogr('-f', 'MVT', '-dsco', 'FORMAT=DIRECTORY', ...zooms, tiles, merged);
  const file = join(folder, 'tiles.pmtiles');
  writeFileSync(
    file,
    archive(tilesIn(tiles), { west: lon - 0.1, south: lat - 0.1, east: lon + 0.1, north: lat + 0.1 }),
  );
  return file;
}

interface Tile {
  readonly id: number;
  readonly bytes: Buffer;
}

function tilesIn(folder: string): readonly Tile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths
    .map((path) => /^(\d+)\/(\d+)\/(\d+)\.pbf$/.exec(path))
    .filter((match) => match !== null)
    .map(([path, z, x, y]) => ({
      id: zxyToTileId(Number(z), Number(x), Number(y)),
      bytes: readFileSync(join(folder, path)),
    }))
    .sort((a, b) => a.id - b.id);
}

type Bounds = Readonly<Record<'west' | 'south' | 'east' | 'north', number>>;

/** By the specification of PMTiles, version 3: the header of chapter 3, then one directory (chapter 4), the metadata, the tiles. */
function archive(tiles: readonly Tile[], { west, south, east, north }: Bounds): Buffer {
  const columns = [
    tiles.map(({ id }, i) => id - (tiles[i - 1]?.id ?? 0)),
    tiles.map(() => 1),
    tiles.map(({ bytes }) => bytes.length),
    // The first is at 0, written as 1; 0 stands for "after the one before".
    tiles.map((_, i) => (i === 0 ? 1 : 0)),
  ];
  const directory = Buffer.from([...varint(tiles.length), ...columns.flat().flatMap(varint)]);
  const metadata = Buffer.from(JSON.stringify({ attribution: '© <a href="https://osm.example">OpenStreetMap</a>' }));
  const data = Buffer.concat(tiles.map(({ bytes }) => bytes));
  const header = Buffer.alloc(127);
  header.write('PMTiles', 'latin1');
  const metadataAt = header.length + directory.length;
  const dataAt = metadataAt + metadata.length;
  const counts = [tiles.length, tiles.length, tiles.length];
  const places = [header.length, directory.length, metadataAt, metadata.length, 0, 0, dataAt, data.length, ...counts];
  places.forEach((value, i) => header.writeBigUInt64LE(BigInt(value), 8 + 8 * i));
  // Version; then: clustered, directory as it is, tiles with gzip, vector tiles, zooms.
  header[7] = 3;
  header.set([1, 1, 2, 1, MIN_ZOOM, MAX_ZOOM], 96);
  [west, south, east, north].forEach((degrees, i) => header.writeInt32LE(Math.round(degrees * 1e7), 102 + 4 * i));
  return Buffer.concat([header, directory, metadata, data]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
