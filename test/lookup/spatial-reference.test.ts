import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { openSource } from '../../workers/import/sources/open-source.ts';
import { genuine, lambert } from '../../workers/geopackage/spatial-reference.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { geoJson } from '../support/material/sources.ts';

describe('spatial references', () => {
  it('are never those of a file that was closed', function () {
    this.timeout(240_000);
    using folder = temporaryFolder();
    const point = (x: number, y: number) =>
      geoJson([{ geometry: { type: 'Point', coordinates: [x, y] }, properties: {} }]);
    writeFileSync(join(folder.path, 'degrees.geojson'), point(-80, 44));
    const utm = point(600_000, 4_800_000).replace(
      '"features"',
      '"crs":{"type":"name","properties":{"name":"EPSG:26917"}},"features"',
    );
    writeFileSync(join(folder.path, 'utm.geojson'), utm);
    const expected = { degrees: /^GEOGCS\["WGS 84"/, utm: /^PROJCS\["NAD83 \/ UTM zone 17N"/ };
    const options = { layer: null, where: null, crs: null };
    // Without `genuine`, six of eight runs failed before the 105th.
    for (let i = 0; i < inputs(150, 75); i++) {
      for (const name of ['degrees', 'utm'] as const) {
        const source = openSource(join(folder.path, `${name}.geojson`), options);
        expect(source.crs).to.match(expected[name]);
        const srs = genuine(() => gdal.SpatialReference.fromWKT(source.crs));
        const toLambert = new gdal.CoordinateTransformation(srs, lambert());
        const { x } = name === 'utm' ? toLambert.transformPoint(600_000, 4_800_000) : toLambert.transformPoint(-80, 44);
        expect(x).to.be.within(1_300_000, 1_400_000);
        source.close();
      }
    }
  });
});
