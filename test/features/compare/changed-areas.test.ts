import { expect } from 'chai';
import { compareAnswers } from '../../../src/features/compare/compare-answers.ts';
import { keptAnswerOf, type KeptAnswer } from '../../../src/features/compare/kept-answer.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';

const { areaLookup } = readExamples();

/** Borders of a hectare that are redrawn by 1 cm are 0.0004 of it, and shares are rounded to 0.0001. */
const HECTARE_M2 = 10_000;

const USED = ['one'];

/** The answer of an area in which one layer says this. `mark`: of its data. */
function answerWith(key: string, value: object | null, mark: string): KeptAnswer {
  const layers = { ...areaLookup.layers, [key]: value };
  const evidence = Object.fromEntries(Object.keys(layers).map((one) => [one, { dataSets: USED }]));
  const snapshot = { id: '20260101T000000Z-0123456789ab', createdAt: '2026-01-01T00:00:00.000Z' };
  const marks = { definitions: '0123abcd', dataSets: { one: mark } };
  return keptAnswerOf({ ...areaLookup, areaM2: HECTARE_M2, layers, evidence, snapshot: { ...snapshot, ...marks } });
}

function changeOf(key: string, [before, now]: readonly (object | null)[], marks = ['00000001', '00000002']) {
  const { changed, layers } = compareAnswers(answerWith(key, before!, marks[0]!), answerWith(key, now!, marks[1]!));
  const { change, cause } = layers[key]!;
  expect(changed).to.deep.equal(change === 'none' ? [] : [key]);
  return [change, cause];
}

const share = (one: number, unknownShare = 0) => ({ share: one, unknownShare });
const parts = (all: Readonly<Record<string, number>>) => ({
  parts: Object.entries(all).map(([cliClass, part]) => ({ value: { cliClass, description: null }, share: part })),
  unknownShare: 0,
});
const bands = (adjacent: number, distanceM: number | null) => ({
  bands: { inside: 0, regulated: 0, adjacent, outside: 1 - adjacent },
  ...{ distanceM, unknownShare: 0 },
});
const wells = (count: number, count500m: number, nearestDistanceM: number | null) => ({
  ...{ count, count500m, nearestDistanceM, unknownShare: 0 },
});

describe('two answers to one area', () => {
  for (const [what, key, before, now, change] of [
    ['a share that redrawing explains', 'greenbelt', share(0.5), share(0.5004), 'none'],
    ['a larger share', 'greenbelt', share(0.5), share(0.5007), 'value'],
    ['what covers nothing any more', 'greenbelt', share(0.5), share(0), 'disappeared'],
    ['what covers something', 'greenbelt', share(0), share(0.5), 'appeared'],
    ['a layer that nobody knew', 'greenbelt', null, share(0), 'known'],
    ['a layer that nobody knows', 'greenbelt', share(0.5), null, 'unknown'],
    ['a part that nobody knows', 'greenbelt', share(0.5), share(0.5, 0.1), 'unknown'],
    ['a part that nobody knew', 'greenbelt', share(0.5, 0.1), share(0.5), 'known'],
    ['an edge of what is known', 'greenbelt', share(0.5), share(0.5, 0.0003), 'none'],
    ['parts in another order', 'soil', parts({ a: 0.3, b: 0.2 }), parts({ b: 0.2, a: 0.3 }), 'none'],
    ['another part of the same size', 'soil', parts({ a: 0.3 }), parts({ b: 0.3 }), 'value'],
    ['a part that redrawing explains', 'soil', parts({ a: 0.3 }), parts({ a: 0.3, b: 0.0003 }), 'none'],
    ['a part where there was none', 'soil', parts({}), parts({ a: 0.3 }), 'appeared'],
    ['a distance alone', 'wetlandProximity', bands(0.2, 80), bands(0.2, 60), 'none'],
    ['another share of a band', 'wetlandProximity', bands(0.2, 80), bands(0.4, 80), 'value'],
    ['a band that reaches it', 'wetlandProximity', bands(0, null), bands(0.1, 100), 'appeared'],
    ['a well that is rounded otherwise', 'waterWells', wells(0, 1, 100), wells(0, 1, 101), 'none'],
    ['a well elsewhere', 'waterWells', wells(0, 1, 100), wells(0, 1, 102), 'value'],
    ['one well more', 'waterWells', wells(1, 1, 0), wells(2, 2, 0), 'value'],
    ['a well near by where there was none', 'waterWells', wells(0, 0, null), wells(0, 1, 300), 'appeared'],
  ] as const)
    it(`differ by what they say of it and of the land: ${what}`, () => {
      expect(changeOf(key, [before, now])).to.deep.equal([change, change === 'none' ? undefined : 'data']);
    });

  it('differ by the definitions where the data are the same', () => {
    expect(changeOf('greenbelt', [share(0.5), share(0)], ['00000001', '00000001'])).to.deep.equal([
      'disappeared',
      'definition',
    ]);
  });

  it('differ by their place where one is larger than the other', () => {
    const [before, now] = [0.5, 0.3].map((one) => answerWith('greenbelt', share(one), '00000001'));
    const causeAt = (areaM2: number, repaired = false) =>
      compareAnswers({ ...before!, repaired }, { ...now!, areaM2 }).layers['greenbelt']!.cause;
    expect([causeAt(HECTARE_M2), causeAt(HECTARE_M2 * 1.019), causeAt(HECTARE_M2 * 2, true)]).to.deep.equal(
      Array.from({ length: 3 }, () => 'definition'),
    );
    expect([causeAt(HECTARE_M2 * 1.021), causeAt(HECTARE_M2 / 2)]).to.deep.equal(['address', 'address']);
  });
});
