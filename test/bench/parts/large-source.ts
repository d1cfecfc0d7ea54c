import Database from 'better-sqlite3';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { genuine } from '../../../workers/geopackage/spatial-reference.ts';

const BIG_RADIUS_DEGREES = 0.05;

/** How wetlands come: most small and alike, some big. */
export interface Wetlands {
  readonly count: number;
  /** Vertices of a small one. */
  readonly vertices: number;
  readonly radiusDegrees: number;
  /** One in this many is a big one. */
  readonly bigEvery: number;
  readonly bigVertices: number;
  /** West, south, width and height of the land that they lie in. */
  readonly land: readonly [number, number, number, number];
}

/** 60 vertices each in the mean, over southern Ontario. */
export const southernWetlands: Omit<Wetlands, 'count'> = {
  ...{ vertices: 50, radiusDegrees: 0.0015, bigEvery: 1000, bigVertices: 10_000 },
  land: [-83, 43, 8, 3],
};

/** 26 vertices each in the mean, over most of Ontario. */
export const provinceWetlands: Omit<Wetlands, 'count'> = {
  ...{ vertices: 25, radiusDegrees: 0.0015, bigEvery: 5000, bigVertices: 5000 },
  land: [-92, 43.5, 14, 9],
};

/** Writes a GeoPackage of wetlands in NAD83 degrees. */
export function writeLargeSource(file: string, wetlands: Wetlands): void {
  const { count, bigEvery, land } = wetlands;
  const [west, south, width, height] = land;
  createFile(file);
  const db = new Database(file);
  db.pragma('synchronous = OFF');
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO wetland VALUES (?, ?, ?, ?)');
  const random = seededRandom(1);
  for (let fid = 1; fid <= count; fid++) {
    const isBig = fid % bigEvery === 0;
    const centre = { lon: west + random() * width, lat: south + random() * height };
    const size = isBig
      ? { vertices: wetlands.bigVertices, radius: BIG_RADIUS_DEGREES }
      : { vertices: wetlands.vertices, radius: wetlands.radiusDegrees };
    const [type, significance] = [fid % 3 ? 'Swamp' : 'Marsh', fid % 40 ? null : 'Evaluated-Provincial'];
    insert.run(fid, shore(centre, size, random), type, significance);
  }
  db.exec('COMMIT');
  db.close();
}

function createFile(file: string): void {
  const dataset = gdal.open(file, 'w', 'GPKG');
  const nad83 = genuine(() => gdal.SpatialReference.fromEPSG(4269));
  const layer = dataset.layers.create('wetland', nad83, gdal.wkbPolygon, { SPATIAL_INDEX: 'NO' });
  layer.fields.add(new gdal.FieldDefn('WETLAND_TYPE', gdal.OFTString));
  layer.fields.add(new gdal.FieldDefn('WETLAND_SIGNIFICANCE', gdal.OFTString));
  dataset.close();
}

interface Size {
  readonly vertices: number;
  readonly radius: number;
}

/** A GeoPackage polygon: a round with bays, each vertex off it by less than the way to the next. */
function shore(
  { lon, lat }: { readonly lon: number; readonly lat: number },
  { vertices, radius }: Size,
  random: () => number,
): Buffer {
  const blob = Buffer.alloc(8 + 13 + vertices * 16);
  blob.write('GP\x00\x01', 'latin1');
  blob.writeInt32LE(4269, 4);
  blob.writeUInt8(1, 8);
  blob.writeUInt32LE(3, 9);
  blob.writeUInt32LE(1, 13);
  blob.writeUInt32LE(vertices, 17);
  const [turn, bays, roughness] = [random() * 2 * Math.PI, 3 + Math.floor(random() * 5), 3 / vertices];
  for (let i = 0; i < vertices - 1; i++) {
    const angle = (i / (vertices - 1)) * 2 * Math.PI;
    const distance = radius * (0.8 + 0.2 * Math.sin(bays * angle + turn) + roughness * random());
    blob.writeDoubleLE(lon + distance * Math.cos(angle), 21 + i * 16);
    blob.writeDoubleLE(lat + distance * Math.sin(angle), 29 + i * 16);
  }
  blob.copy(blob, 21 + (vertices - 1) * 16, 21, 37);
  return blob;
}
