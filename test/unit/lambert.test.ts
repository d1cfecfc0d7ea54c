import { expect } from 'chai';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { degrees, lambert } from '../../workers/geopackage/spatial-reference.ts';
import { project } from '../../workers/geopackage/lambert.ts';

/** Length in metres of a degree of latitude on GRS 80 (series of the meridian radius of curvature). */
function meridianMetresPerDegree(lat: number): number {
  const e2 = 0.00669438002290079;
  const radius = (6378137 * (1 - e2)) / (1 - e2 * Math.sin((lat * Math.PI) / 180) ** 2) ** 1.5;
  return (radius * Math.PI) / 180;
}

describe('the projection', () => {
  it('takes longitude and latitude in the right order', () => {
    // Values of `gdaltransform -s_srs OGC:CRS84 -t_srs EPSG:3161` for Toronto's city hall.
    const { x, y } = project({ lat: 43.653482, lon: -79.383935 });
    expect(x).to.be.closeTo(1383198.28, 0.01);
    expect(y).to.be.closeTo(11909880.07, 0.01);
  });

  it('is that of PROJ to a hundredth of a millimetre all over the province', () => {
    const proj = new gdal.CoordinateTransformation(degrees(), lambert());
    for (let lat = 41.6; lat < 57; lat += 0.37) {
      for (let lon = -95.2; lon < -74; lon += 0.53) {
        const [own, expected] = [project({ lat, lon }), proj.transformPoint(lon, lat)];
        expect(Math.hypot(own.x - expected.x, own.y - expected.y), `${lat}, ${lon}`).to.be.below(1e-5);
      }
    }
  });

  for (const lat of [41.7, 43.65, 44.5, 46, 49, 53.5, 56.8]) {
    it(`has the scale factor that its own distances show at ${lat}° N`, () => {
      const step = 0.001;
      const [south, north] = [project({ lat: lat - step, lon: -82 }), project({ lat: lat + step, lon: -82 })];
      const planar = Math.hypot(north.x - south.x, north.y - south.y);
      const ground = meridianMetresPerDegree(lat) * 2 * step;
      expect(project({ lat, lon: -82 }).scale).to.be.closeTo(planar / ground, 1e-6);
    });
  }
});
