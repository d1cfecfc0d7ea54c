/** The geometry of areas, against GEOS on random shapes. */
import { boundsOfAll } from '../../workers/geometry/box.ts';
import { isInside } from '../../workers/geometry/clip.ts';
import { pointInside } from '../../workers/areas/rings.ts';
import { type Part, partOf, reversed, signedArea } from '../../workers/geometry/ring.ts';
import { expect } from 'chai';
import type Gdal from 'gdal-async';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { readWkb } from '../../workers/geopackage/flat-geometry.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { groundArea } from '../../workers/areas/project-area.ts';
import { fromLambert, project } from '../../workers/geopackage/lambert.ts';
import { eachBeyond } from '../../workers/areas/beyond.ts';
import { commonArea, areaWithin, overlay } from '../../workers/areas/overlay.ts';
import { AreaInBox } from '../../workers/areas/area-in-box.ts';
import { segmentsOf } from '../../workers/areas/segments.ts';
import { separation, sitesNear } from '../../workers/areas/separation.ts';
import { sharesOf } from '../../workers/areas/shares.ts';
import { sweep } from '../../workers/areas/sweep.ts';
import { countedSteps } from '../support/drivers/counted-steps.ts';
import { programFile } from '../support/drivers/program.ts';
import { comb, spiral, star } from './area-shapes.ts';
import type { OverlaySteps } from './overlay-steps.ts';

function geosOf(rings: readonly (readonly number[])[]): Gdal.Geometry {
  const coordinates = rings.map((xy) => {
    const positions = Array.from({ length: xy.length / 2 }, (_, i) => [xy[2 * i]!, xy[2 * i + 1]!]);
    return [...positions, positions[0]!];
  });
  return gdal.Geometry.fromGeoJson({ type: 'Polygon', coordinates });
}

function pathOf(xy: readonly number[]): Gdal.Geometry {
  const coordinates = Array.from({ length: xy.length / 2 }, (_, i) => [xy[2 * i]!, xy[2 * i + 1]!]);
  return gdal.Geometry.fromGeoJson({ type: 'LineString', coordinates });
}

function areaIn(geometry: Gdal.Geometry): number {
  if (geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon) return geometry.getArea();
  if (!(geometry instanceof gdal.GeometryCollection)) return 0;
  return geometry.children.map(areaIn).reduce((sum, one) => sum + one, 0);
}

const nowhere = (): boolean => false;

const parts = (...rings: readonly (readonly number[])[]): Part[] => rings.map((xy) => partOf(xy));

let steps: OverlaySteps | undefined;

/** What the program beside this file has counted. */
const counted = (): OverlaySteps =>
  (steps ??= countedSteps(programFile('./overlay-steps', import.meta.url)) as OverlaySteps);

describe('an overlay', () => {
  it('measures what each polygon is the first to cover, as GEOS does', () => {
    const random = seededRandom(1);
    for (let round = 0; round < 300; round++) {
      const area = star(random);
      const polygons = Array.from({ length: Math.floor(random() * 6) }, () => star(random));
      const found = overlay(
        AreaInBox.of(parts(area)),
        polygons.map((xy) => parts(xy)),
      );
      let left = geosOf([area]);
      const whole = areaIn(left);
      polygons.forEach((xy, i) => {
        const shape = geosOf([xy]);
        expect(found[i], `round ${round}, polygon ${i}`).to.be.closeTo(areaIn(left.intersection(shape)), whole * 1e-6);
        left = left.difference(shape);
      });
      expect(found[polygons.length], `round ${round}`).to.be.closeTo(areaIn(left), whole * 1e-6);
    }
  });

  it('measures areas and polygons with hundreds of edges part by part, as GEOS does', () => {
    const random = seededRandom(21);
    for (let round = 0; round < 12; round++) {
      const area = round % 3 === 0 ? spiral(random) : round % 3 === 1 ? comb(random) : star(random, 1000, 600);
      const polygons = [star(random), star(random, 1000, 300), comb(random)];
      const masks = round % 2 === 0 ? [] : [star(random, 1000, 200)];
      const found = overlay(
        AreaInBox.of(parts(area)),
        polygons.map((xy) => parts(xy)),
        masks.map((xy) => parts(xy)),
      );
      let left = masks.reduce((all, xy) => all.intersection(geosOf([xy])), geosOf([area]));
      const whole = areaIn(left);
      for (const [i, xy] of polygons.entries()) {
        expect(found[i], `round ${round}, polygon ${i}`).to.be.closeTo(
          areaIn(left.intersection(geosOf([xy]))),
          whole * 1e-6,
        );
        left = left.difference(geosOf([xy]));
      }
      expect(found[polygons.length], `round ${round}`).to.be.closeTo(areaIn(left), whole * 1e-6);
    }
  });

  it('takes about twice the steps for twice as many edges, where they lie close together', () => {
    const { few, many } = counted();
    // Eight times as many edges: 7.9 times the steps. A sweep of all edges would take 64 times as many.
    expect(many).to.be.within(6 * few, 10 * few);
  });

  it('measures by pairs of edges what the sweep measures, and GEOS, with vertices on vertices, on edges, and shared edges', () => {
    const random = seededRandom(26);
    const onRaster = (xy: readonly number[]): number[] => xy.map((value) => Math.round(value / 125) * 125);
    let rounds = 0;
    while (rounds < 500) {
      const [a, b] = [onRaster(star(random, 1000, 9)), onRaster(star(random, 1000, 9))];
      const [first, second] = [geosOf([a]), geosOf([b])];
      if (!first.isValid() || !second.isValid()) continue;
      rounds++;
      const [area, polygon] = [segmentsOf(parts(a)), segmentsOf(parts(b))];
      const swept = new Float64Array(2);
      sweep({ areas: [area], polygons: [{ segments: polygon, place: 0 }], rest: 1 }, swept);
      expect(commonArea(area, polygon, 0), `round ${rounds}`).to.be.closeTo(swept[0]!, 1e-4);
      expect(swept[0], `round ${rounds}`).to.be.closeTo(areaIn(first.intersection(second)), 1e-4);
    }
  });

  it('knows holes whichever way sources run round them, also at the border of the area', () => {
    const random = seededRandom(27);
    for (let round = 0; round < 200; round++) {
      const area = star(random, 6000);
      const outer = [-1500, -1500, 9000, -1500, 9000, 9000, -1500, 9000];
      const holes = [star(random, 2000), star(random, 2000).map((value) => value + 4500)];
      const { x, y } = pointInside(parts(holes[0]!));
      const island = [x - 4, y - 4, x + 4, y - 4, x + 4, y + 4, x - 4, y + 4];
      const rings = [outer, ...holes, island];
      const turned = rings.map((xy) => (random() < 0.5 ? xy : reversed(xy)));
      const expected = [...holes, island].reduce((all, xy) => all.symDifference(geosOf([xy])), geosOf([outer]));
      const [covered] = overlay(AreaInBox.of(parts(area)), [parts(...turned)]);
      expect(covered, `round ${round}`).to.be.closeTo(areaIn(geosOf([area]).intersection(expected)), 1);
    }
  });

  it('measures what lies in a convex ring and in masks, as GEOS does', () => {
    const random = seededRandom(25);
    for (let round = 0; round < 40; round++) {
      const shape = round % 2 === 0 ? star(random, 1000, 600) : comb(random);
      const area = AreaInBox.of(parts(shape));
      const [x, y, side] = [200 + 400 * random(), 200 + 400 * random(), 100 + 200 * random()];
      const convex = [x, y, x + side, y, x + side, y + side / 2, x + side / 3, y + side];
      const masks = Array.from({ length: round % 3 }, () => star(random, 1000, 200));
      const expected = [shape, convex, ...masks].map((xy) => geosOf([xy])).reduce((a, b) => a.intersection(b));
      const found = areaWithin(
        area,
        convex,
        masks.map((xy) => parts(xy)),
      );
      expect(found, `round ${round}`).to.be.closeTo(areaIn(expected), 1e-3);
    }
  });

  it('takes few steps for each of many data sets, because they share the halves of an area', () => {
    const { shared, anew } = counted();
    expect(shared).to.be.below(0.9 * anew);
    // It takes 11.5 million, in 76 ms of a quiet machine.
    expect(shared).to.be.below(25_000_000);
  });

  it('counts only what lies in all areas', () => {
    const random = seededRandom(2);
    for (let round = 0; round < 100; round++) {
      const [a, b, c] = [star(random), star(random), star(random)];
      const both = geosOf([a]).intersection(geosOf([b]));
      const [inC, rest] = overlay(AreaInBox.of(parts(a)), [parts(c)], [parts(b)]);
      expect(inC, `round ${round}`).to.be.closeTo(areaIn(both.intersection(geosOf([c]))), 1);
      expect(inC! + rest!, `round ${round}`).to.be.closeTo(areaIn(both), 1);
    }
  });

  it('leaves out holes, of the area and of polygons, and knows edges that two polygons share', () => {
    const square = (x: number, y: number, size: number): number[] => [
      x,
      y,
      x + size,
      y,
      x + size,
      y + size,
      x,
      y + size,
    ];
    const hole = [40, 40, 40, 60, 60, 60, 60, 40];
    const area = parts(square(0, 0, 100), hole);
    expect([...overlay(AreaInBox.of(area), [parts(square(0, 0, 50)), parts(square(50, 0, 50))])]).to.deep.equal([
      2400, 2400, 4800,
    ]);
    expect([...overlay(AreaInBox.of(parts(square(0, 0, 100))), [area])]).to.deep.equal([9600, 400]);
    expect([...overlay(AreaInBox.of(area), [area])]).to.deep.equal([9600, 0]);
    expect([...overlay(AreaInBox.of(area), [])]).to.deep.equal([9600]);
    const withLargeHole = parts(square(-20, -20, 140), square(-10, -10, 120).toReversed());
    expect([...overlay(AreaInBox.of(parts([0, 0, 100, 0, 0, 100])), [withLargeHole])]).to.deep.equal([0, 5000]);
  });
});

describe('what lies beyond a distance', () => {
  const QUARTER_SEGMENTS = 200;

  it('is what buffers of GEOS leave over', () => {
    const random = seededRandom(3);
    for (let round = 0; round < 120; round++) {
      const area = star(random, 3000);
      const lines = Array.from({ length: 1 + Math.floor(random() * 5) }, () => star(random, 3000).slice(0, 12));
      const limit = 5 + 500 * random() ** 2;
      const surrounded = lines.map((xy) => ({ feature: { kind: 'line', parts: parts(xy) } as const, limit }));
      const sites = sitesNear(boundsOfAll(parts(area)), surrounded);
      let units = 0;
      const tolerance = 2e-3 * Math.sqrt(Math.abs(signedArea(area)));
      eachBeyond(AreaInBox.of(parts(area)), {
        sites,
        tolerance,
        isCovered: nowhere,
        emit: (part, convex) => (units += areaWithin(part, convex, [])),
      });
      const buffers = lines.map((xy) => pathOf(xy).buffer(limit, QUARTER_SEGMENTS));
      const shape = geosOf([area]);
      const left = buffers.reduce((rest, buffer) => rest.difference(buffer), shape);
      expect(units / areaIn(shape), `round ${round}`).to.be.closeTo(areaIn(left) / areaIn(shape), 3e-4);
    }
  });

  it('is what GEOS leaves over round polygons and winding lines, also where all of it is in a polygon', () => {
    const random = seededRandom(28);
    for (let round = 0; round < 120; round++) {
      const area = star(random, 1000);
      const limit = 5 + 300 * random() ** 2;
      const polygons = Array.from({ length: 1 + Math.floor(random() * 2) }, () => star(random, 4000));
      const line = spiral(random, 2).slice(0, 800);
      const surrounded = [
        ...polygons.map((xy) => ({ feature: { kind: 'polygon', parts: parts(xy) } as const, limit })),
        { feature: { kind: 'line', parts: parts(line) } as const, limit: limit / 5 },
      ];
      let units = 0;
      eachBeyond(AreaInBox.of(parts(area)), {
        sites: sitesNear(boundsOfAll(parts(area)), surrounded),
        tolerance: 2e-3 * Math.sqrt(Math.abs(signedArea(area))),
        isCovered: (x, y) => polygons.some((xy) => isInside(parts(xy), x, y)),
        emit: (part, convex) => (units += areaWithin(part, convex, [])),
      });
      const shape = geosOf([area]);
      const buffers = [
        ...polygons.map((xy) => geosOf([xy]).buffer(limit, QUARTER_SEGMENTS)),
        pathOf(line).buffer(limit / 5, QUARTER_SEGMENTS),
      ];
      const left = buffers.reduce((rest, buffer) => rest.difference(buffer), shape);
      expect(units / areaIn(shape), `round ${round}`).to.be.closeTo(areaIn(left) / areaIn(shape), 1e-3);
    }
  });

  it('is everything without sites, and nothing within them', () => {
    const square = parts([0, 0, 1000, 0, 1000, 1000, 0, 1000]);
    const beyond = (...lines: readonly { readonly xy: readonly number[]; readonly limit: number }[]): number => {
      let units = 0;
      const surrounded = lines.map(({ xy, limit }) => ({
        feature: { kind: 'line', parts: parts(xy) } as const,
        limit,
      }));
      const sites = sitesNear(boundsOfAll(square), surrounded);
      eachBeyond(AreaInBox.of(square), {
        sites,
        tolerance: 1,
        isCovered: nowhere,
        emit: (part, convex) => (units += areaWithin(part, convex, [])),
      });
      return units / 1e4;
    };
    expect(beyond()).to.equal(100);
    expect(beyond({ xy: [500, 500, 500, 500], limit: 800 })).to.equal(0);
    expect(beyond({ xy: [-9000, 500, 9000, 500], limit: 200 })).to.be.closeTo(60, 1e-9);
    expect(beyond({ xy: [500, 500, 500, 500], limit: 200 })).to.be.closeTo(100 - 4 * Math.PI, 0.05);
  });
});

describe('the way from an area to a feature', () => {
  it('is that of GEOS, for polygons, lines and points', () => {
    const random = seededRandom(4);
    for (let round = 0; round < 400; round++) {
      const area = star(random);
      const kind = (['polygon', 'line', 'point'] as const)[round % 3]!;
      const xy = star(random, 1000).map((value) => value + 1200 * random() ** 2);
      const shape = { polygon: geosOf([xy]), line: geosOf([xy]).boundary(), point: geosOf([xy]).boundary() }[kind];
      const feature = {
        ...{ id: 1, kind, attributes: {} },
        parts: kind === 'line' ? parts([...xy, xy[0]!, xy[1]!]) : kind === 'point' ? parts(xy.slice(0, 2)) : parts(xy),
      };
      const expected =
        kind === 'point' ? geosOf([area]).distance(new gdal.Point(xy[0]!, xy[1]!)) : geosOf([area]).distance(shape);
      const rings = parts(area);
      const borders = parts([...area, area[0]!, area[1]!]);
      const found = separation({ rings, borders, box: boundsOfAll(rings) }, feature, 1e9);
      expect(found, `round ${round}, ${kind}`).to.be.closeTo(expected, 1e-6);
    }
  });
});

describe('the way from an area of several parts', () => {
  it('is 0 when any of them lies in the polygon', () => {
    const square = (x: number): number[] => [x, 0, x + 10, 0, x + 10, 10, x, 10];
    const rings = parts(square(0), square(100));
    const borders = parts(...rings.map(({ xy }) => [...xy, xy[0]!, xy[1]!]));
    const feature = {
      id: 1,
      kind: 'polygon',
      attributes: {},
      parts: parts([50, -50, 200, -50, 200, 50, 50, 50]),
    } as const;
    expect(separation({ rings, borders, box: boundsOfAll(rings) }, feature, 1e9)).to.equal(0);
  });
});

describe('a point inside', () => {
  it('is inside, with holes and in thin shapes', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 300; round++) {
      const outer = star(random);
      const rings = parts(round % 2 === 0 ? outer : outer.map((value, i) => (i % 2 === 0 ? value : value * 1e-3)));
      const { x, y } = pointInside(rings);
      expect(geosOf(rings.map(({ xy }) => [...xy])).contains(new gdal.Point(x, y)), `round ${round}`).to.equal(true);
    }
  });
});

describe('shares', () => {
  it('sum to 1 with what is unknown, each within a ten-thousandth', () => {
    const random = seededRandom(6);
    for (let round = 0; round < 500; round++) {
      const amounts = Array.from({ length: Math.floor(random() * 40) }, () => random() ** 4 * 100);
      const total = amounts.reduce((a, b) => a + b, 0) + (round % 3 === 0 ? 0 : random() * 100) + 1e-9;
      const { of, unknown } = sharesOf(amounts, total);
      expect([...of, unknown].reduce((a, b) => a + b, 0)).to.be.closeTo(1, 1e-9);
      of.forEach((share, i) => expect(share).to.be.closeTo(amounts[i]! / total, 1e-4));
    }
  });

  it('are of what was found when that is more than the total, by rounding', () => {
    expect(sharesOf([50.001, 50], 100)).to.deep.equal({ of: [0.5, 0.5], unknown: 0 });
    expect(sharesOf([-1e-9], 100)).to.deep.equal({ of: [0], unknown: 1 });
  });
});

describe('the projection backwards', () => {
  it('leads back to the place, with the same scale', () => {
    for (let lat = 41.6; lat < 57; lat += 0.7) {
      for (let lon = -95.2; lon < -74; lon += 0.9) {
        const { x, y, scale } = project({ lat, lon });
        const back = fromLambert(x, y);
        expect(back.lat).to.be.closeTo(lat, 1e-11);
        expect(back.lon).to.be.closeTo(lon, 1e-11);
        expect(back.scale).to.be.closeTo(scale, 1e-12);
      }
    }
  });
});

describe('an area on the ground', () => {
  it('is that of a projection which keeps areas', () => {
    // PROJ's Lambert azimuthal equal-area projection on GRS 80 round the place.
    const random = seededRandom(7);
    for (let round = 0; round < 100; round++) {
      const [lon, lat] = [-95 + 20 * random(), 42 + 14 * random()];
      const ring = star(random, 0.01).map((value, i) => value + (i % 2 === 0 ? lon : lat));
      const shape = geosOf([ring]);
      const equalArea = gdal.SpatialReference.fromProj4(`+proj=laea +lat_0=${lat} +lon_0=${lon} +ellps=GRS80 +units=m`);
      const geographic = gdal.SpatialReference.fromProj4('+proj=longlat +ellps=GRS80');
      shape.segmentize(0.0005);
      shape.transform(new gdal.CoordinateTransformation(geographic, equalArea));
      expect(groundArea(ring) / areaIn(shape), `round ${round}`).to.be.closeTo(1, 1e-5);
    }
  });
});

describe('well-known binary', () => {
  it('is read with its rings', () => {
    const { kind, parts: rings } = readWkb(
      geosOf([
        [0, 0, 9, 0, 9, 9, 0, 9],
        [1, 1, 1, 2, 2, 2],
      ]).toWKB(gdal.wkbNDR),
    );
    expect([kind, rings.map(({ xy }) => xy.length)]).to.deep.equal(['polygon', [8, 6]]);
  });
});
