import { gdal } from '../../../workers/geopackage/gdal.ts';

/** Writes a GeoPackage of `count` small polygons in EPSG:3161. */
export function writeManyFeatures(file: string, count: number): void {
  const dataset = gdal.open(file, 'w', 'GPKG');
  const layer = dataset.layers.create('parcels', gdal.SpatialReference.fromEPSG(3161), gdal.wkbPolygon);
  layer.fields.add(new gdal.FieldDefn('name', gdal.OFTString));
  // One transaction; gdal-async has no call for it, and its executeSQL throws although the statement is carried out.
  try {
    dataset.executeSQL('BEGIN');
  } catch {
    // carried out
  }
  for (let i = 0; i < count; i++) {
    const [x, y] = [1_000_000 + i * 10, 12_000_000];
    const feature = new gdal.Feature(layer);
    feature.fields.set('name', `parcel ${i}`);
    feature.setGeometry(
      gdal.Geometry.fromWKT(`POLYGON((${x} ${y},${x + 9} ${y},${x + 9} ${y + 9},${x} ${y + 9},${x} ${y}))`),
    );
    layer.features.add(feature);
  }
  try {
    dataset.executeSQL('COMMIT');
  } catch {
    // carried out
  }
  dataset.close();
}
