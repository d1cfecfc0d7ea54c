import { expect } from 'chai';
import { areSameLines, haveSameVertices, type Shape } from '../lookup/same-vertices.ts';

const ring = [
  [0, 0],
  [9, 0],
  [9, 9],
  [0, 9],
];
const polygon = (...rings: number[][][]): Shape => ({
  type: 'Polygon',
  coordinates: rings.map((open) => [...open, open[0]]),
});
const line = (...positions: number[][]): Shape => ({ type: 'LineString', coordinates: positions });

describe('the comparison of vertices', () => {
  const square = polygon(ring);

  it('sees the same shape through another beginning, another direction and rounding', () => {
    const turned = polygon([...ring.slice(2), ...ring.slice(0, 2)].map(([x, y]) => [x! + 0.01, y!]).toReversed());
    expect(haveSameVertices(square, turned, 0.02)).to.equal(true);
    expect(haveSameVertices(square, turned, 0.005)).to.equal(false);
    expect(haveSameVertices(line([0, 0], [5, 1], [9, 9]), line([9, 9], [5, 1], [0, 0]), 0)).to.equal(true);
    const points = [
      [1, 2],
      [3, 4],
    ];
    expect(
      haveSameVertices({ type: 'MultiPoint', coordinates: points }, { type: 'MultiPoint', coordinates: points }, 0),
    ).to.equal(true);
  });

  it('sees what is missing, more, elsewhere or in another order', () => {
    const hole = [
      [2, 2],
      [3, 2],
      [3, 3],
    ];
    expect(haveSameVertices(square, polygon(ring, hole), 0.02)).to.equal(false);
    expect(haveSameVertices(polygon(ring, ring), polygon(ring, hole), 0.02)).to.equal(false);
    expect(haveSameVertices(square, polygon(ring.slice(1)), 0.02)).to.equal(false);
    expect(haveSameVertices(square, polygon([ring[0]!, ring[2]!, ring[1]!, ring[3]!]), 0.02)).to.equal(false);
    expect(haveSameVertices(line([0, 0], [5, 1]), line([0, 0], [5, 1.1]), 0.02)).to.equal(false);
  });

  it('sees lines that are divided where they cross, and what is missing or beside them', () => {
    const cross = line([0, 0], [8, 8], [8, 0], [0, 8]);
    const parts = (...lines: number[][][]): Shape => ({ type: 'MultiLineString', coordinates: lines });
    const [middle, loop] = [
      [4, 4],
      [
        [4, 4],
        [8, 8],
        [8, 0],
        [4, 4],
      ],
    ];
    const divided = parts([[0, 0], middle], loop, [middle, [0, 8]]);
    expect(areSameLines(divided, cross, 0.02, 0.1)).to.equal(true);
    expect(areSameLines(parts([[0, 0], middle], loop), cross, 0.02, 0.1)).to.equal(false);
    expect(areSameLines(parts([[0, 0], middle], loop, [middle, [0, 7.9]]), cross, 0.02, 0.1)).to.equal(false);
    expect(areSameLines(divided, line([0, 0], [8, 8], [8, 0], [0, 8], [0, 8.05]), 0.02, 0.1)).to.equal(true);
  });
});
