import { expect } from 'chai';
import { fromEsri } from '../../src/features/download/esri-geometry.ts';
import { nestRings } from '../../src/features/download/nest-rings.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { repairGeometry } from '../../workers/import/features/prepare-geometry.ts';
import { hasFiniteCoordinates, toWkb } from '../../workers/import/features/prepare-batch.ts';
import { square } from '../support/material/sources.ts';

type Ring = readonly (readonly [number, number])[];

const turned = (ring: Ring): Ring => [...ring].reverse();

/** Square units of what an Esri polygon covers, by GDAL. */
function areaOf(rings: readonly unknown[]): number {
  const geometry = repairGeometry(gdal.Geometry.fromWKB(toWkb(fromEsri({ rings }))), 'polygon');
  return (geometry as unknown as { getArea: () => number }).getArea();
}

describe('rings of Esri JSON', function () {
  this.timeout(30_000);

  // A shell, its hole, an island in it, a pond on the island, and a second shell.
  const rings = [square(0, 0, 10), square(1, 1, 8), square(2, 2, 6), square(3, 3, 4), square(20, 0, 2)];
  const right = 100 - 64 + 36 - 16 + 4;

  it('nest whatever their direction and their order', () => {
    for (let turns = 0; turns < 2 ** rings.length; turns++) {
      const given = rings.map((ring, i) => ((turns >> i) & 1 ? turned(ring) : ring));
      expect(areaOf(given), `turned: ${turns.toString(2)}`).to.be.closeTo(right, 1e-9);
      expect(areaOf(given.reverse()), `turned: ${turns.toString(2)}, backwards`).to.be.closeTo(right, 1e-9);
    }
  });

  it('have a hole that touches its shell at a vertex, along an edge, or with every vertex', () => {
    expect(areaOf([square(0, 0, 4), square(0, 0, 2)])).to.be.closeTo(12, 1e-9);
    expect(areaOf([square(0, 0, 4), square(1, 0, 2)])).to.be.closeTo(12, 1e-9);
    const diamond: Ring = [[2, 0], [4, 2], [2, 4], [0, 2], [2, 0]]; // prettier-ignore
    expect(areaOf([square(0, 0, 4), diamond])).to.be.closeTo(8, 1e-9);
    expect(areaOf([turned(square(0, 0, 4)), turned(diamond)])).to.be.closeTo(8, 1e-9);
  });

  it('are two shells beside each other, also where they share an edge or one is in the box of the other', () => {
    expect(nestRings([square(0, 0, 2), square(2, 0, 2)])).to.have.length(2);
    const corner: Ring = [[0, 0], [10, 0], [10, 1], [1, 1], [1, 10], [0, 10], [0, 0]]; // prettier-ignore
    expect(areaOf([corner, square(4, 4, 2)])).to.be.closeTo(19 + 4, 1e-9);
  });

  it('follow their direction where they cross or lie on each other', () => {
    const shell = turned(square(0, 0, 4));
    expect(nestRings([shell, turned(square(3, 3, 3))])).to.have.length(2);
    expect(nestRings([shell, square(3, 3, 3)])).to.have.length(1);
    expect(nestRings([shell, shell])).to.have.length(2);
  });

  it('may lack their last vertex', () => {
    const open = rings.map((ring) => ring.slice(0, -1));
    expect(areaOf(open)).to.be.closeTo(right, 1e-9);
    expect(areaOf([[[0, 0], [4, 0], [0, 4]]])).to.be.closeTo(8, 1e-9); // prettier-ignore
  });

  it('nest ten thousand islands in a lake of a hundred thousand vertices', () => {
    const random = seededRandom(7);
    const lake = Array.from({ length: 100_000 }, (_, i): [number, number] => {
      const [angle, radius] = [(i / 100_000) * 2 * Math.PI, 100 + 0.5 * random()];
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    const islands = Array.from({ length: 10_000 }, (_, i) => square((i % 100) - 50, Math.floor(i / 100) - 50, 0.5));
    const nested = nestRings([[...lake, lake[0]!], ...islands]);
    expect(nested).to.have.length(1);
    expect(nested[0]).to.have.length(10_001);
  });

  it('take bounded memory where all edges are long', () => {
    const teeth = Array.from({ length: 50_000 }, (_, i): [number, number] => [i, i % 2 === 0 ? 0 : 1000]);
    const comb: Ring = [...teeth, [50_000, -1], [0, -1], [0, 0]];
    expect(nestRings([comb, square(10.2, -0.7, 0.1)])).to.have.length(1);
  });
});

describe('a coordinate that is no number', () => {
  const [shell, hole] = [square(0, 0, 4), square(1, 1, 2)];
  const wkbOf = (json: object): Buffer =>
    toWkb(JSON.parse(JSON.stringify(fromEsri(json))) as ReturnType<typeof fromEsri>);
  /** The ring with another value as one coordinate of its third vertex. */
  const broken = (ring: Ring, axis: 0 | 1, value: unknown): unknown[] =>
    ring.map((position, i) => (i === 2 ? position.map((one, k) => (k === axis ? value : one)) : position));

  for (const value of ['NaN', null, undefined, 'x', '1', Infinity, true])
    it(`leaves out the whole feature, wherever it stands: ${String(value)}`, () => {
      for (const axis of [0, 1] as const) {
        const given = [
          { rings: [broken(shell, axis, value), hole] },
          { rings: [shell, broken(hole, axis, value)] },
          { paths: [shell, broken(hole, axis, value)] },
          { points: broken(shell, axis, value) },
          { curveRings: [shell, [[1, 1], { c: [broken(hole, axis, value)[2], [2, 3]] }, [1, 1]]] },
          { curvePaths: [[[1, 1], { b: [[3, 3], broken(hole, axis, value)[2], [2, 3]] }]] },
          axis === 0 ? { x: value ?? 'x', y: 44 } : { x: -78, y: value ?? 'x' },
        ];
        for (const json of given) expect(hasFiniteCoordinates(wkbOf(json)), JSON.stringify(json)).to.equal(false);
      }
    });

  it('leaves out a position that is shorter than two', () => {
    expect(hasFiniteCoordinates(wkbOf({ rings: [shell, [[1, 1], [2], [2, 2], [1, 1]]] }))).to.equal(false);
  });

  it('does not matter as a height or a measure', () => {
    const high = shell.map(([x, y]) => [x, y, 'NaN', null]);
    expect(hasFiniteCoordinates(wkbOf({ hasZ: true, hasM: true, rings: [high] }))).to.equal(true);
    expect(hasFiniteCoordinates(wkbOf({ x: 1, y: 2, z: 'NaN' }))).to.equal(true);
  });
});
