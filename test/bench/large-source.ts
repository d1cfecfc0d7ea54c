import Database from 'better-sqlite3';
import { gdal } from '../../workers/gdal.ts';
import { genuine } from '../../workers/spatial-reference.ts';
import { seededRandom } from '../../src/seeded-random.ts';

/** Writes a GeoPackage in NAD83 degrees with `count` star-shaped polygons of `vertices` vertices over southern Ontario. */
export function writeLargeSource(file: string, count: number, vertices: number): void {
  const dataset = gdal.open(file, 'w', 'GPKG');
  const nad83 = genuine(() => gdal.SpatialReference.fromEPSG(4269));
  const layer = dataset.layers.create('wetland', nad83, gdal.wkbPolygon, { SPATIAL_INDEX: 'NO' });
  layer.fields.add(new gdal.FieldDefn('WETLAND_TYPE', gdal.OFTString));
  layer.fields.add(new gdal.FieldDefn('WETLAND_SIGNIFICANCE', gdal.OFTString));
  dataset.close();
  const db = new Database(file);
  db.pragma('synchronous = OFF');
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO wetland VALUES (?, ?, ?, ?)');
  const random = seededRandom(1);
  for (let fid = 1; fid <= count; fid++) {
    const [lon, lat] = [-83 + random() * 8, 43 + random() * 3];
    insert.run(
      fid,
      star(lon, lat, vertices, random),
      fid % 3 ? 'Swamp' : 'Marsh',
      fid % 40 ? null : 'Evaluated-Provincial',
    );
  }
  db.exec('COMMIT');
  db.close();
}

/** A GeoPackage polygon whose edge wobbles around a circle of about 150 m. */
function star(lon: number, lat: number, vertices: number, random: () => number): Buffer {
  const blob = Buffer.alloc(8 + 13 + vertices * 16);
  blob.write('GP\x00\x01', 'latin1');
  blob.writeInt32LE(4269, 4);
  blob.writeUInt8(1, 8);
  blob.writeUInt32LE(3, 9);
  blob.writeUInt32LE(1, 13);
  blob.writeUInt32LE(vertices, 17);
  for (let i = 0; i < vertices - 1; i++) {
    const angle = (i / (vertices - 1)) * 2 * Math.PI;
    const radius = 0.0015 * (0.7 + 0.3 * random());
    blob.writeDoubleLE(lon + radius * Math.cos(angle), 21 + i * 16);
    blob.writeDoubleLE(lat + radius * Math.sin(angle), 29 + i * 16);
  }
  blob.copy(blob, 21 + (vertices - 1) * 16, 21, 37);
  return blob;
}
