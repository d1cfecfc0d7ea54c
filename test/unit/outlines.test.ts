import { expect } from 'chai';
import { toDegrees } from '../../workers/geopackage/spatial-reference.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { clippedRings } from '../../workers/maps/outline-geometry.ts';
import { CoordinateWriter } from '../../workers/maps/coordinate-writer.ts';
import { Disc } from '../../workers/maps/disc.ts';
import { joinRuns } from '../../workers/maps/read-outlines.ts';
import { nestRings } from '../../workers/geometry/ring.ts';
import { simplifyLine, simplifyRing } from '../../workers/maps/simplify.ts';

const square = (x: number, y: number, size: number): number[] => [x, y, x + size, y, x + size, y + size, x, y + size];
const area = (rings: readonly number[][]): number =>
  rings.reduce((sum, ring) => {
    let twice = 0;
    for (let i = 0; i < ring.length; i += 2) {
      const j = (i + 2) % ring.length;
      twice += ring[i]! * ring[j + 1]! - ring[j]! * ring[i + 1]!;
    }
    return sum + Math.abs(twice) / 2;
  }, 0);

describe('the part of a polygon in a disc', () => {
  const disc = new Disc(1000);
  const whole = area([disc.ring]);
  /** A ring by its vertices, as the outline tree has it. */
  const clipped = (ring: readonly number[], isStartInside: boolean): number[][] => {
    const xy = Float64Array.from([...ring, ring[0]!, ring[1]!]);
    return clippedRings(disc, disc.arcsOf({ xy, isClosed: true }), isStartInside);
  };

  it('is the ring itself inside, all of the disc around it, and nothing beside it', () => {
    expect(clipped(square(-100, -100, 200), false)).to.deep.equal([square(-100, -100, 200)]);
    expect(clipped(square(-5000, -5000, 10_000), true)).to.deep.equal([disc.ring]);
    expect(clipped(square(2000, 2000, 500), false)).to.deep.equal([]);
  });

  it('is nothing for a ring that is a single place', () => {
    expect(disc.arcsOf({ xy: Float64Array.of(5, 5), isClosed: true })).to.deep.equal([]);
  });

  it('is one side of a straight edge, whichever way the ring runs', () => {
    const half = square(-5000, -5000, 5000).concat();
    half.splice(0, 8, -5000, -5000, 0, -5000, 0, 5000, -5000, 5000);
    const back = [half[0]!, half[1]!, half[6]!, half[7]!, half[4]!, half[5]!, half[2]!, half[3]!];
    for (const ring of [half, back]) {
      const rings = clipped(ring, false);
      expect(rings).to.have.lengthOf(1);
      expect(area(rings)).to.be.closeTo(whole / 2, 1);
    }
  });

  it('is several parts where the polygon comes in more than once', () => {
    const comb = [-5000, 2000, -5000, -2000, 5000, -2000, 5000, -500, -4000, -500, -4000, 500, 5000, 500, 5000, 2000];
    const rings = clipped(comb, false);
    expect(rings).to.have.lengthOf(2);
    const band = clipped([-4000, -500, 5000, -500, 5000, 500, -4000, 500], true);
    expect(area(rings) + area(band)).to.be.closeTo(whole, 1);
  });

  it('leaves a hole', () => {
    const polygons = nestRings([disc.ring, square(0, 0, 100), square(20, 20, 10), square(300, 300, 100)]);
    expect(polygons.map((polygon) => polygon.length)).to.deep.equal([3, 1]);
  });
});

describe('runs of an outline from several rows', () => {
  const run = (start: number, vertices: readonly number[], isLast = false) => ({
    ...{ part: 0, start, isLast, xy: Float64Array.from(vertices.flatMap((x) => [x, 0])) },
  });

  it('continue each other where they have a vertex in common', () => {
    expect(joinRuns([run(4, [5, 6]), run(0, [1, 2, 3]), run(2, [3, 4])], false).map(({ xy }) => [...xy])).to.deep.equal(
      [
        [1, 0, 2, 0, 3, 0, 4, 0],
        [5, 0, 6, 0],
      ],
    );
  });

  it('close a ring that is there as a whole, and go over its beginning', () => {
    expect(joinRuns([run(2, [3, 4, 1], true), run(0, [1, 2, 3])], true)).to.deep.equal([
      { xy: Float64Array.from([1, 0, 2, 0, 3, 0, 4, 0, 1, 0]), isClosed: true },
    ]);
    expect(joinRuns([run(0, [1, 2]), run(5, [6, 7, 1], true)], true)).to.deep.equal([
      { xy: Float64Array.from([6, 0, 7, 0, 1, 0, 2, 0]), isClosed: false },
    ]);
  });
});

describe('simplified outlines', () => {
  it('keep what is farther than the tolerance from the rest', () => {
    expect(simplifyLine([0, 0, 10, 1, 20, 0, 30, 5, 40, 0], 2)).to.deep.equal([0, 0, 20, 0, 30, 5, 40, 0]);
    expect(simplifyRing([0, 0, 50, 1, 100, 0, 100, 100, 0, 100], 2)).to.deep.equal([0, 0, 100, 0, 100, 100, 0, 100]);
  });

  it('keep three vertices of the smallest ring', () => {
    expect(simplifyRing([0, 0, 1, 0, 1, 1, 0, 1], 50)).to.have.lengthOf(6);
  });
});

describe('written positions', () => {
  it('are those of the projection to 0.1 m, as JSON writes numbers', () => {
    for (const place of [
      { lat: 42.3, lon: -83 },
      { lat: 44.1, lon: -78.6 },
      { lat: 56.5, lon: -88 },
    ]) {
      const at = project(place);
      const writer = new CoordinateWriter(at);
      for (const [east, north] of [
        [0, 0],
        [1000, -300],
        [-700, 700],
        [-1000, -1000],
        [12.5, 999],
      ] as const) {
        const { x, y } = toDegrees().transformPoint(at.x + east, at.y + north);
        const [lon, lat] = JSON.parse(writer.position(east * 100, north * 100)) as [number, number];
        expect(lon).to.be.closeTo(x, 0.000_000_51);
        expect(lat).to.be.closeTo(y, 0.000_000_51);
      }
    }
  });

  it('have no zeros at the end', () => {
    const writer = new CoordinateWriter(project({ lat: 44, lon: -79 }));
    expect(writer.positions([0, 0])).to.equal('[[-79,44]]');
  });
});
