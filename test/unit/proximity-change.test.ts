import { expect } from 'chai';
import type { ProximityAnswer } from '../../src/catalogue/definition.ts';
import { proximityKind } from '../../workers/engine/kinds/proximity.ts';
import type { EdgeHit, PlaceView } from '../../workers/engine/views/view.ts';

const answer = { kind: 'proximity', bands: { regulated: 30, adjacent: 120 } } as ProximityAnswer;

/** The least way to another class beside features at these distances; a negative one is the way out of a feature. */
function changeM(...distances: readonly number[]): number {
  const hits = distances.map((distance, id): EdgeHit => {
    return { id, distanceM: Math.max(0, distance), edgeDistanceM: Math.abs(distance), attributes: {} };
  });
  const view: PlaceView = {
    has: () => true,
    near: () => hits,
    edges: () => hits,
    all: () => hits,
    covers: () => true,
    coverageEdgeM: () => Infinity,
  };
  const change = proximityKind.nearestChangeM(view, { dataSet: 'wetland', answer }, 250);
  return Math.round(change * 100) / 100;
}

describe('the way to another class of proximity', () => {
  it('is the way to the next limit, on either side', () => {
    expect(changeM(40)).to.equal(10);
    expect(changeM(28)).to.equal(2);
    expect(changeM(119)).to.equal(1);
    expect(changeM(130)).to.equal(10);
    expect(changeM(5), 'to "inside", at two centimetres').to.equal(4.98);
    expect(changeM(-7), 'out of the feature').to.equal(7.02);
    expect(changeM()).to.equal(Infinity);
  });

  it('does not count the limits of features that decide nothing', () => {
    expect(changeM(10, 31), 'the first is nearer than the limit of the second').to.equal(9.98);
    expect(changeM(-50, 121)).to.equal(50.02);
  });

  it('leaves a class only where all its features are left', () => {
    expect(changeM(29, 20)).to.equal(10);
    expect(changeM(-3, -80)).to.equal(80.02);
    expect(changeM(29, 60)).to.equal(1);
  });
});
