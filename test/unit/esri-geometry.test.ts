import { expect } from 'chai';
import { fromEsri } from '../../src/features/download/esri-geometry.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { toWkb } from '../../workers/import/features/prepare-batch.ts';
import { square } from '../support/material/sources.ts';

const clockwise = (west: number, south: number, size: number) => [...square(west, south, size)].reverse();

function areaOf(json: object): number {
  const geometry = gdal.Geometry.fromWKB(toWkb(fromEsri(json)));
  expect(geometry.isValid()).to.equal(true);
  return (geometry as unknown as { getArea: () => number }).getArea();
}

describe('Esri JSON geometries', () => {
  it('give each hole to the smallest shell around it', () => {
    const rings = [clockwise(0, 0, 10), square(1, 1, 8), clockwise(2, 2, 6), square(3, 3, 4), clockwise(20, 0, 2)];
    expect(areaOf({ rings })).to.be.closeTo(100 - 64 + 36 - 16 + 4, 1e-9);
  });

  it('keep a ring of the wrong direction as an area of its own', () => {
    expect(areaOf({ rings: [square(0, 0, 3)] })).to.be.closeTo(9, 1e-9);
  });

  it('follow circular arcs and Bézier curves', () => {
    const circle = {
      curveRings: [
        [
          [1, 0],
          {
            c: [
              [1, 0],
              [-1, 0],
            ],
          },
        ],
      ],
    };
    // 5 cm of a radius of 5 km.
    expect(areaOf(circle)).to.be.closeTo(Math.PI, 5e-5);
    const halfDisc = {
      curveRings: [
        [
          [-1, 0],
          {
            c: [
              [1, 0],
              [0, 1],
            ],
          },
          [-1, 0],
        ],
      ],
    };
    expect(areaOf(halfDisc)).to.be.closeTo(Math.PI / 2, 3e-5);
    // The usual four-point approximation of a quarter circle.
    const k = 0.5522847498;
    const quarter = {
      curveRings: [
        [
          [0, 0],
          [0, 1],
          {
            b: [
              [1, 0],
              [k, 1],
              [1, k],
            ],
          },
          [0, 0],
        ],
      ],
    };
    expect(areaOf(quarter)).to.be.closeTo(Math.PI / 4, 3e-4);
  });

  it('refuse a curve that they do not know', () => {
    const ellipse = { curveRings: [[[1, 0], { a: [[1, 0], [0, 0], 0, 1, 0, 2, 0.5] }]] };
    expect(() => fromEsri(ellipse)).to.throw('unknown kind of curve: a');
  });

  it('are none when empty', () => {
    for (const json of [null, {}, { rings: [] }, { paths: [] }, { points: [] }, { x: 'NaN', y: 'NaN' }, { x: null }])
      expect(fromEsri(json)).to.equal(null);
  });

  it('lose height and measure', () => {
    expect(fromEsri({ x: 1, y: 2, z: 3 })).to.deep.equal({ type: 'Point', coordinates: [1, 2] });
    const line = gdal.Geometry.fromWKB(
      toWkb(
        fromEsri({
          hasZ: true,
          paths: [
            [
              [0, 0, 5],
              [1, 1, 6],
            ],
          ],
        }),
      ),
    );
    expect(line.toWKT()).to.equal('MULTILINESTRING ((0 0,1 1))');
  });
});
