/** A box from (0, 0) to (10, 10); expectations are worked out on paper. */
import { spanInside } from '../../workers/geometry/box.ts';
import { clipPath, clipRing, crossesInterior, isInside } from '../../workers/geometry/clip.ts';
import { partOf } from '../../workers/geometry/ring.ts';
import { expect } from 'chai';
import { seededRandom } from '../../workers/verify/seeded-random.ts';

const box = { minX: 0, minY: 0, maxX: 10, maxY: 10 };

/** Twice the signed area of a ring by the shoelace formula. */
function areaOf(ring: ReturnType<typeof clipRing>): number {
  const xy = ring?.xy ?? [];
  let sum = 0;
  for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2) sum += xy[j]! * xy[i + 1]! - xy[i]! * xy[j + 1]!;
  return Math.abs(sum) / 2;
}

describe('clipping a ring to a box', () => {
  const inside = partOf([1, 1, 9, 1, 9, 9, 1, 9]);

  it('gives a ring inside as it is, and nothing of one outside', () => {
    expect(clipRing(inside, box)).to.equal(inside);
    expect(clipRing(partOf([11, 0, 20, 0, 20, 9]), box)).to.equal(null);
    // The box of this triangle meets the box, the triangle does not.
    expect(areaOf(clipRing(partOf([19, 0, 19, 19, 0, 19]), box))).to.equal(0.5);
    expect(clipRing(partOf([21, 0, 21, 21, 0, 21]), box)).to.equal(null);
  });

  const areas: Readonly<Record<string, readonly [ring: number[], area: number]>> = {
    'a square over the right side': [[5, 2, 15, 2, 15, 6, 5, 6], 20],
    'a square over the lower left corner': [[-5, -5, 5, -5, 5, 5, -5, 5], 25],
    'a square around the box': [[-5, -5, 15, -5, 15, 15, -5, 15], 100],
    'a diamond whose four corners stick out': [[5, -2, 12, 5, 5, 12, -2, 5], 98 - 4 * 4],
    'a comb with two teeth in the box': [[-5, -5, 15, -5, 15, 4, 9, 4, 9, -1, 1, -1, 1, 4, -5, 4], 4 + 4],
  };
  for (const [what, [ring, area]] of Object.entries(areas)) {
    it(`keeps ${area} of the area of ${what}`, () => {
      const clipped = clipRing(partOf(ring), box)!;
      expect(areaOf(clipped)).to.be.closeTo(area, 1e-9);
      expect(clipped.box).to.satisfy((b: typeof box) => b.minX >= 0 && b.minY >= 0 && b.maxX <= 10 && b.maxY <= 10);
    });
  }

  it('cuts an edge at the same vertices whichever way it runs', () => {
    const random = seededRandom(1);
    const crossings = (ring: number[]): number[] => {
      const { xy } = clipRing(partOf(ring), box)!;
      return [...xy].filter((_, i) => i % 2 === 1 && xy[i - 1] === 10).sort((a, b) => a - b);
    };
    for (let n = 0; n < 1000; n++) {
      const [ax, ay, bx, by] = [random() * 9, random() * 9, 11 + random() * 9, random() * 9];
      const there = crossings([ax, ay, bx, by, bx, -5]);
      expect(there).to.have.length(2);
      expect(there[1]).to.be.closeTo(ay + ((10 - ax) / (bx - ax)) * (by - ay), 1e-9);
      expect(crossings([bx, -5, bx, by, ax, ay])).to.deep.equal(there);
    }
  });
});

describe('clipping a path to a box', () => {
  const paths: Readonly<Record<string, readonly [path: number[], pieces: number[][]]>> = {
    inside: [[1, 1, 2, 2, 3, 1], [[1, 1, 2, 2, 3, 1]]],
    outside: [[11, 1, 20, 2], []],
    'beside a corner': [[8, 15, 15, 8], []],
    through: [[-5, 5, 15, 5], [[0, 5, 10, 5]]],
    'in, out and in again': [
      [5, 5, 15, 5, 15, 8, 5, 8],
      [
        [5, 5, 10, 5],
        [10, 8, 5, 8],
      ],
    ],
    'along a side': [[-5, 10, 15, 10], [[0, 10, 10, 10]]],
    'a corner only': [[5, 15, 15, 5], [[10, 10, 10, 10]]],
  };
  for (const [what, [path, pieces]] of Object.entries(paths)) {
    it(`gives ${pieces.length} of a path that runs ${what}`, () => {
      expect(clipPath(partOf(path), box).map(({ xy }) => [...xy])).to.deep.equal(pieces);
    });
  }

  it('finds where a segment is inside as shares of its length', () => {
    expect(spanInside(-10, 5, 30, 5, box)).to.deep.equal([0.25, 0.5]);
    expect(spanInside(2, 2, 3, 3, box)).to.deep.equal([0, 1]);
    expect(spanInside(-1, 11, 11, 11, box)).to.equal(null);
    expect(spanInside(4, 4, 4, 4, box)).to.deep.equal([0, 1]);
  });
});

describe('a ring and the interior of a box', () => {
  const rings: Readonly<Record<string, readonly [ring: number[], crosses: boolean]>> = {
    'inside it': [[1, 1, 2, 1, 2, 2], true],
    'that is the box itself': [[0, 0, 10, 0, 10, 10, 0, 10], false],
    'around it': [[-1, -1, 11, -1, 11, 11, -1, 11], false],
    'beside it': [[20, 0, 30, 0, 30, 10], false],
    'with one edge through it': [[-5, 5, 15, 5, 15, 30, -5, 30], true],
    'that touches a corner': [[10, 10, 20, 10, 20, 20], false],
    'that closes through it': [[-1, -1, 20, -1, 20, 20, 11, 11], true],
  };
  for (const [what, [ring, crosses]] of Object.entries(rings)) {
    it(`${crosses ? 'meet' : 'do not meet'} for a ring ${what}`, () => {
      expect(crossesInterior(partOf(ring), box)).to.equal(crosses);
    });
  }

  it('has a point inside by the even-odd rule', () => {
    const shell = partOf([0, 0, 10, 0, 10, 10, 0, 10]);
    const hole = partOf([4, 4, 6, 4, 6, 6, 4, 6]);
    const at = (x: number, y: number): boolean => isInside([shell, hole], x, y);
    expect([at(1, 1), at(5, 5), at(5, 7), at(11, 5), at(-1, 5), at(5, -1)]).to.deep.equal([
      true,
      false,
      true,
      false,
      false,
      false,
    ]);
  });
});
