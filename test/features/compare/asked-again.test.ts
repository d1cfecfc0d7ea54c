import { expect } from 'chai';
import fc from '../../support/drivers/fast-check.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import { furtherKeysOf } from '../../../src/core/lookup/further-keys.ts';
import { askedAgainBy, askedAgainIn, type AskedAgain } from '../../../src/features/compare/asked-again.ts';
import { AppError } from '../../../src/messages/problems.ts';

const catalogue = readCatalogue('layers');
const services = { catalogue, furtherKeys: furtherKeysOf(catalogue), readArea: null };
const { fullLookup } = readExamples();
const dataSets = Object.values(fullLookup.evidence).flatMap((one) => one.dataSets.map((id) => [id, '00000001']));
const definitions = catalogue.version.slice(0, 8);
const answer = {
  ...fullLookup,
  snapshot: { ...fullLookup.snapshot, definitions, dataSets: Object.fromEntries(dataSets) as Record<string, string> },
};
const now = JSON.stringify(answer);

/** What is in texts of JSON, and names that decide. */
const PIECES = [
  ...['{', '}', '[', ']', '"', ',', ':', '\\', ' ', '0', 'null', 'true', '\n', 'é', '}}', '{}', ',"x":1', '"x":1,'],
  ...[',"layers":{}', ',"evidence":{}', '},"dataAsOf":{}', '},"snapshot":{', ',"lat":44', ',"geocode":null'],
  ...['"greenbelt":true,', '"greenbelt":null,', '"\\u0067reenbelt":', '"constructor":1,', '"__proto__":{},'],
];

/** Members in another order are the same answer. */
const orders = fc.shuffledSubarray(Object.keys(answer), { minLength: Object.keys(answer).length });

/** A change of a text: what is cut out, and what is put there: a piece, or another part of the text. */
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4000 })),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 600 })),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function edited(text: string, { at, cut, put, from }: Edit): string {
  const start = Math.floor(at * text.length);
  const begin = Math.floor(from * text.length);
  const piece = typeof put === 'string' ? put : text.slice(begin, begin + put);
  return text.slice(0, start) + piece + text.slice(start + cut);
}

/** The members of an answer that nobody compares need not be right, if the layers are those of now. */
const ONLY_IN_WHOLE = /names a data set that "snapshot" does not have/;

function outcomeOf(ask: () => AskedAgain): unknown {
  try {
    return ask().compare(now);
  } catch (cause) {
    const isRefusal = cause instanceof SyntaxError || AppError.from(cause).code === 'BAD_REQUEST';
    if (!isRefusal) throw cause;
    return ONLY_IN_WHOLE.test(AppError.from(cause).message) ? null : 'refused';
  }
}

describe('an answer that is compared as text', () => {
  const asText = (text: string): AskedAgain =>
    askedAgainIn({ bytes: Buffer.from(text), value: () => JSON.parse(text) as unknown }, services);

  it('is never parsed whole when it came as it was written', () => {
    const value = (): never => expect.fail('read whole');
    const again = askedAgainIn({ bytes: Buffer.from(`{"before":${now}}`), value }, services);
    expect(again.task).to.deep.equal({ kind: 'address', address: answer.address, full: true });
    const { changed, layers } = again.compare(now);
    expect([changed, Object.keys(layers)]).to.deep.equal([[], Object.keys(answer.layers)]);
    const { layers: values, evidence } = answer;
    const later = {
      ...answer,
      layers: { ...values, greenbelt: null },
      evidence: { ...evidence, greenbelt: { ...evidence['greenbelt'], state: 'no_coverage' } },
    };
    expect(again.compare(JSON.stringify(later)).changed).to.deep.equal(['greenbelt']);
  });

  it('is read whole where its members come in another order, of which a part lacks some', () => {
    const { geocode, evidence, snapshot, ...rest } = answer;
    const again = asText(JSON.stringify({ before: { ...rest, evidence, geocode, snapshot } }));
    expect(again.task).to.deep.equal({ kind: 'address', address: answer.address, full: true });
    expect(again.compare(now).changed).to.deep.equal([]);
  });

  it('gives what it gives when it is read whole, whatever becomes of its text', () => {
    let answered = 0;
    const edits = fc.array(edit, { maxLength: 3 });
    fc.assert(
      fc.property(edits, fc.oneof(fc.constant(Object.keys(answer)), orders), (all, order) => {
        const before = Object.fromEntries(order.map((name) => [name, answer[name as keyof typeof answer]]));
        const text = all.reduce(edited, JSON.stringify({ before }));
        const whole = outcomeOf(() => askedAgainBy(JSON.parse(text) as unknown, services));
        if (whole === null) return;
        answered += whole === 'refused' ? 0 : 1;
        expect(outcomeOf(() => asText(text))).to.deep.equal(whole);
      }),
      { numRuns: 3000 },
    );
    expect(answered, 'texts that are still an answer').to.be.above(100);
  });
});
