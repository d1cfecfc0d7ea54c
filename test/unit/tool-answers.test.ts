import { expect } from 'chai';
import { fittingAnswer } from '../../src/features/agents/tools.ts';
import { cut } from '../../src/words.ts';
import { describeArea } from '../../src/features/areas/area-tool.ts';
import { describeLookup } from '../../src/features/agents/describe-lookup.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';

const { areaLookup, fullLookup, fullPointLookup } = readExamples();
const [key] = Object.keys(fullLookup.evidence) as [string];

/** The example with another answer of its first layer. */
function withLayer(value: FullLookupBody['layers'][string], evidence: object): Record<string, unknown> {
  const body: FullLookupBody = {
    ...fullLookup,
    layers: { ...fullLookup.layers, [key]: value },
    evidence: { ...fullLookup.evidence, [key]: { ...fullLookup.evidence[key]!, ...evidence } },
  };
  const { layers } = describeLookup(body, 1000) as { layers: Record<string, Record<string, unknown>> };
  return layers[key]!;
}

describe('A lookup for an agent', () => {
  it('has no bare yes or no, and no value where nothing is known', () => {
    const nothing = { distanceM: null, searchedM: null, boundaryDistanceM: null };
    expect(withLayer(true, { state: 'present', ...nothing })).to.deep.include({ state: 'present' });
    expect(withLayer(true, { state: 'present', ...nothing })).not.to.have.any.keys('value', 'distanceM');
    expect(withLayer(false, { state: 'absent', ...nothing })).not.to.have.any.keys('value', 'nearBoundary');
    expect(withLayer(null, { state: 'no_coverage', ...nothing })).to.have.all.keys('state', 'asOf');
    expect(withLayer('outside', { state: 'absent', ...nothing })).to.include({ state: 'absent', value: 'outside' });
  });

  it('has the distances, and says when the answer is in doubt', () => {
    const near = { state: 'present', distanceM: 12.5, boundaryDistanceM: 3, nearBoundary: true };
    expect(withLayer('regulated', { ...near, feature: { source: 'x' } })).to.deep.include({
      ...{ state: 'present', value: 'regulated', distanceM: 12.5, boundaryDistanceM: 3, nearBoundary: true },
      feature: { source: 'x' },
    });
    expect(withLayer(true, { state: 'present', distanceM: 0 })).to.include({ distanceM: 0 });
    const none = withLayer('outside', { state: 'absent', distanceM: null, searchedM: 100, boundaryDistanceM: null });
    expect(none).to.include({ searchedM: 100 }).and.not.to.have.any.keys('distanceM', 'boundaryDistanceM');
  });

  it('says how the place was found', () => {
    const { accuracy, uncertaintyM } = fullLookup.geocode;
    expect(describeLookup(fullLookup, 1000)).to.deep.include({ position: { accuracy, uncertaintyM } });
    const fault = { code: 'x', penalty: 0.1, detail: 'another street type' };
    const differing = { ...fullLookup, geocode: { ...fullLookup.geocode, faults: [fault] } };
    expect(describeLookup(differing, 1000)).to.deep.include({
      position: { accuracy, uncertaintyM, differsFromRequest: ['another street type'] },
    });
    const { addressState: state, addressDistanceM: distanceM } = fullPointLookup.geocode;
    expect(describeLookup(fullPointLookup, 1000)).to.deep.include({
      position: { accuracy: 'point', uncertaintyM: 25, nearestAddress: { state, distanceM } },
    });
  });
});

describe('An area for an agent', () => {
  it('lists the largest values of a layer, fewer in a long answer, and says what the others are together', () => {
    const parts = Array.from({ length: 20 }, (_, i) => ({ value: `plan ${i}`, share: i < 10 ? 0.0801 : 0.0199 }));
    const body = { ...areaLookup, layers: { ...areaLookup.layers, nepDesignation: { parts, unknownShare: 0 } } };
    const layerOf = (longest: number): object =>
      (describeArea(body, longest) as { layers: Record<string, object> }).layers['nepDesignation']!;
    const others = { values: 12, share: 0.3592 };
    expect(layerOf(200)).to.deep.equal({ parts: parts.slice(0, 8), others, unknownShare: 0 });
    expect(layerOf(80)).to.deep.include({ parts: parts.slice(0, 3), others: { values: 17, share: 0.7597 } });
  });

  it('says that a geometry was repaired', () => {
    expect(describeArea({ ...areaLookup, repaired: true }, 200))
      .to.have.property('warning')
      .that.contains('not valid');
    expect(describeArea(areaLookup, 200)).not.to.have.property('warning');
  });
});

describe('The size of a tool answer', () => {
  it('is kept by cutting texts, the longest first, and shows where', () => {
    const long = { a: 'é"'.repeat(400), b: ['short', 1, null, true] };
    expect(cut(long, 1000)).to.deep.equal(long);
    expect(cut(long, 3)).to.deep.equal({ a: 'é"é…', b: ['sho…', 1, null, true] });
    const many = Object.fromEntries(Array.from({ length: 37 }, (_, i) => [`layer${i}`, 'x'.repeat(500)]));
    const answer = fittingAnswer((longest) => cut(many, longest) as Record<string, string>);
    expect(Buffer.byteLength(JSON.stringify(JSON.stringify(answer)))).to.be.at.most(9500);
    expect(answer['layer0']).to.equal(`${'x'.repeat(200)}…`);
    expect(fittingAnswer(() => ({ a: 1 }))).to.deep.equal({ a: 1 });
  });
});
