/** The repair of areas, against GEOS on random rings. */
import { partOf, signedArea } from '../../workers/geometry/ring.ts';
import { expect } from 'chai';
import type Gdal from 'gdal-async';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { repairGeometry } from '../../workers/import/features/prepare-geometry.ts';
import { AreaInBox } from '../../workers/areas/area-in-box.ts';
import { overlay } from '../../workers/areas/overlay.ts';
import { type Repaired, repairArea } from '../../workers/areas/repair/repair-area.ts';

type Random = () => number;
type Polygons = readonly (readonly number[][])[];

/** A star-shaped ring around a place. */
function star(random: Random, corners = 3 + Math.floor(random() * 12)): number[] {
  const [cx, cy, radius] = [random(), random(), 0.2 + 0.4 * random()];
  return Array.from({ length: corners }, (_, i) => {
    const [angle, r] = [(i / corners) * 2 * Math.PI, radius * (0.3 + 0.7 * random())];
    return [cx + r * Math.cos(angle), cy + r * Math.sin(angle)];
  }).flat();
}

function geosOf(polygons: Polygons): Gdal.Geometry {
  const coordinates = polygons.map((rings) =>
    rings.map((xy) => {
      const positions = Array.from({ length: xy.length / 2 }, (_, i) => [xy[2 * i]!, xy[2 * i + 1]!]);
      return [...positions, positions[0]!];
    }),
  );
  return gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates });
}

function areaIn(geometry: Gdal.Geometry | null): number {
  if (geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon) return geometry.getArea();
  if (!(geometry instanceof gdal.GeometryCollection)) return 0;
  return geometry.children.map(areaIn).reduce((sum, one) => sum + one, 0);
}

function repaired(polygons: Polygons): Extract<Repaired, { readonly isRepaired: boolean }> {
  const result = repairArea(polygons);
  if ('fault' in result) throw new Error(`${result.fault}: ${JSON.stringify(polygons)}`);
  return result;
}

function areaAfter(polygons: Polygons): number {
  const { rings, isRepaired } = repaired(polygons);
  expect(isRepaired).to.equal(true);
  return rings.reduce((sum, ring) => sum + signedArea(ring), 0);
}

/** What GEOS makes of the rings one by one. The first ring of a polygon is its outer one, also where a hole lies around it: then it covers nothing. */
function coveredBy(polygons: Polygons): Gdal.Geometry | null {
  const insideOf = (ring: number[]) => repairGeometry(geosOf([[ring]]), 'polygon');
  const parts = polygons.map(([outer, ...holes]) =>
    holes
      .map((hole) => insideOf(hole))
      .reduce((area, hole) => (area && hole ? area.difference(hole) : area), insideOf(outer!)),
  );
  return parts.reduce((all, part) => (all && part ? all.union(part) : (all ?? part)), null);
}

/** A measure in which a centimetre is nothing, as `overlay` expects. */
const UNITS = 1e5;
const inUnits = (ring: readonly number[]) => partOf(ring.map((value) => value * UNITS));

const square = (x: number, y: number, side: number): number[] => [x, y, x + side, y, x + side, y + side, x, y + side];

describe('the repair of an area', () => {
  it('leaves a valid area as it is, with outer rings counterclockwise and holes clockwise', () => {
    expect(repairArea([[square(0, 0, 1)]])).to.deep.equal({ rings: [square(0, 0, 1)], isRepaired: false });
    const hole = [0.1, 0.1, 0.1, 0.2, 0.2, 0.2];
    const turned = [0, 0, 0, 1, 1, 1, 1, 0];
    const inHole = [0.12, 0.17, 0.13, 0.17, 0.13, 0.18];
    const { rings, isRepaired } = repaired([[turned, [0.2, 0.2, 0.1, 0.2, 0.1, 0.1]], [inHole]]);
    expect([isRepaired, rings.map(signedArea).map(Math.sign)]).to.deep.equal([false, [1, -1, 1]]);
    expect(rings[1]!.toSorted()).to.deep.equal(hole.toSorted());
  });

  it('finds valid what GEOS finds valid: rings that touch, cross, overlap and surround each other', () => {
    const random = seededRandom(9);
    const counts = { valid: 0, repaired: 0 };
    for (let round = 0; round < 3000; round++) {
      // Places of a small raster, so that rings touch and overlap exactly.
      const ring = (): number[] => star(random).map((value) => Math.round(value * 16) / 16);
      const polygons =
        round % 3 === 0 ? [[ring()]] : round % 3 === 1 ? [[ring(), ring()]] : [[ring(), ring()], [ring()]];
      const result = repairArea(polygons);
      if ('fault' in result) continue;
      expect(result.isRepaired, `round ${round}: ${JSON.stringify(polygons)}`).to.equal(!geosOf(polygons).isValid());
      counts[result.isRepaired ? 'repaired' : 'valid']++;
    }
    expect(counts.valid).to.be.greaterThan(500);
    expect(counts.repaired).to.be.greaterThan(1000);
  });

  it('covers the same places as what GEOS makes of it', () => {
    const random = seededRandom(10);
    for (let round = 0; round < 400; round++) {
      const tangle = (): number[] => Array.from({ length: 2 * (4 + Math.floor(random() * 12)) }, random);
      const polygons =
        round % 2 === 0
          ? [[tangle()]]
          : [[star(random), star(random), star(random)], [tangle(), star(random)], [star(random)]];
      const expected = coveredBy(polygons);
      const { rings } = repaired(polygons);
      const probe = star(random, 9);
      const [inside, outside] = overlay(AreaInBox.of(rings.map(inUnits)), [[inUnits(probe)]]).map(
        (area) => area / UNITS ** 2,
      );
      const both = expected ? areaIn(expected.intersection(geosOf([[probe]]))) : 0;
      expect(inside, `round ${round}`).to.be.closeTo(both, 1e-6);
      expect(inside! + outside!, `round ${round}`).to.be.closeTo(areaIn(expected), 1e-6);
    }
  });

  it('keeps both sides of a ring that crosses itself, unites parts, and ignores a hole outside', () => {
    const bow = [0, 0, 2, 2, 2, 0, 0, 2].map((value, i) => value / 1000 + (i % 2 === 0 ? -79 : 44));
    expect(areaAfter([[bow]])).to.be.closeTo(2e-6, 1e-12);
    expect(areaAfter([[square(0, 0, 2)], [square(1, 1, 2)]])).to.be.closeTo(7, 1e-9);
    expect(areaAfter([[square(0, 0, 2), square(5, 5, 1)]])).to.be.closeTo(4, 1e-9);
    expect(areaAfter([[square(0, 0, 2)], [square(0, 0, 2)]])).to.be.closeTo(4, 1e-9);
  });

  it('unites thousands of parts that touch and overlap', () => {
    const lots = Array.from({ length: 1225 }, (_, i) => [square((i % 35) / 1024, Math.floor(i / 35) / 1024, 1 / 1024)]);
    const { rings } = repaired(lots);
    expect(rings.map(signedArea)).to.have.lengthOf(1);
    expect(areaAfter(lots)).to.be.closeTo(1225 / 1024 ** 2, 1e-12);
  });

  it('takes spikes and slits away', () => {
    expect(areaAfter([[[0, 0, 2, 0, 2, 2, 3, 3, 2, 2, 0, 2]]])).to.be.closeTo(4, 1e-9);
    const slit = [0, 0, 4, 0, 4, 4, 2, 4, 2, 3, 3, 3, 3, 2, 1, 2, 1, 3, 2, 3, 2, 4, 0, 4];
    expect(areaAfter([[slit]])).to.be.closeTo(14, 1e-9);
  });

  it('says that an area is none', () => {
    expect(repairArea([[[0, 0, 1, 1, 2, 2]]])).to.deep.equal({ fault: 'has no area' });
    const back = [...square(0, 0, 1), 0, 0, 0, 1, 1, 1, 1, 0];
    expect(repairArea([[back]])).to.deep.equal({ fault: 'has no area' });
  });

  it('says where a ring runs twice along the same line', () => {
    const twice = [...square(-79, 44, 0.5), ...square(-79, 44, 0.5)];
    const result = repairArea([[twice]]);
    expect(result).to.include({ fault: 'runs twice along a line' });
    if (!('lon' in result)) throw new Error('no place');
    expect(result.lon).to.be.within(-79, -78.5);
    expect(result.lat).to.be.within(44, 44.5);
  });

  it('says where a tangle is that takes too long', () => {
    const random = seededRandom(8);
    const tangle = Array.from({ length: 800 }, (_, i) => random() / 100 + (i % 2 === 0 ? -79 : 44));
    const result = repairArea([[square(-80, 44, 2)], [tangle]]);
    expect(result).to.include({ fault: 'meets itself too often' });
    if (!('lon' in result)) throw new Error('no place');
    expect(result.lon).to.be.closeTo(-79, 0.01);
    expect(result.lat).to.be.closeTo(44, 0.01);
  });

  it('decides at once about edges that overlap on one line, which take GEOS seconds to hours', () => {
    const random = seededRandom(11);
    for (const count of [401, 5000]) {
      const teeth = Array.from({ length: count - 1 }, () => [-79.5 + 0.01 * random(), 44]);
      const result = repairArea([[[...teeth, [-79.495, 44.01]].flat()]]);
      expect(result).to.have.property('fault').that.is.oneOf(['meets itself too often', 'runs twice along a line']);
    }
  });
});
