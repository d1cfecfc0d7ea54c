import { expect } from 'chai';
import type * as Ground from '../../../web/shared/ground.ts';
import { webModule } from './web-module.ts';

const { crossingsOf, metresPerDegree, nearestOnSegment, ringArea } = (await webModule(
  'shared/ground.ts',
)) as typeof Ground;

const [WEST, SOUTH] = [-79.3, 44.3];
const { north, east } = metresPerDegree(SOUTH);
/** A place so many metres from the corner. */
const at = (x: number, y: number): [number, number] => [WEST + x / east, SOUTH + y / north];

describe('Lengths and areas on the ground', () => {
  it('are those of the ellipsoid', () => {
    // GRS 80 at 45 degrees, by the radii of curvature.
    expect(metresPerDegree(45).north).to.be.closeTo(111_131.78, 0.5);
    expect(metresPerDegree(45).east).to.be.closeTo(78_846.81, 0.5);
  });

  it('give a ring its area, in any direction', () => {
    const ring = [at(0, 0), at(100, 0), at(100, 50), at(0, 50)];
    expect(ringArea(ring)).to.be.closeTo(5000, 0.5);
    expect(ringArea([...ring].reverse())).to.be.closeTo(5000, 0.5);
    expect(ringArea([at(0, 0)])).to.equal(0);
    const bowTie = [at(0, 0), at(100, 100), at(100, 0), at(0, 100)];
    expect(ringArea(bowTie), 'two triangles of a quarter').to.be.closeTo(5000, 0.5);
    expect(ringArea([...bowTie, at(0, 0)]), 'closed').to.be.closeTo(5000, 0.5);
  });

  it('say where a ring crosses itself, and that another one does not', () => {
    const [crossing, ...others] = crossingsOf([at(0, 0), at(100, 100), at(100, 0), at(0, 100)]);
    expect(others).to.deep.equal([]);
    expect(crossing![0]).to.be.closeTo(at(50, 50)[0], 1e-9);
    expect(crossing![1]).to.be.closeTo(at(50, 50)[1], 1e-9);
    expect(crossingsOf([at(0, 0), at(100, 0), at(100, 50), at(0, 50)])).to.deep.equal([]);
    expect(crossingsOf([at(0, 0), at(100, 0), at(50, 20)])).to.deep.equal([]);
    expect(crossingsOf([at(0, 0), at(100, 0)])).to.deep.equal([]);
  });

  it('find the nearest place of a segment', () => {
    const near = nearestOnSegment({ lon: WEST, lat: SOUTH }, at(30, -40), at(30, 40));
    expect(near.metres).to.be.closeTo(30, 0.01);
    expect(nearestOnSegment({ lon: WEST, lat: SOUTH }, at(30, 40), at(60, 80)).metres).to.be.closeTo(50, 0.01);
  });
});
