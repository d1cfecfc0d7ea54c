import { expect } from 'chai';
import { compareNames, encodeNames, NameList, type Range } from '../../workers/suggest/name-list.ts';
import { namesNear } from '../../workers/suggest/search.ts';
import { NumberRow, NumberRowWriter } from '../../workers/suggest/number-row.ts';
import { isOneEdit } from '../../src/addresses/one-edit.ts';
import fc from '../support/drivers/fast-check.ts';
import { inputs } from '../support/drivers/inputs.ts';

const name = fc.string({ unit: fc.constantFrom('A', 'B', 'C', 'É'), minLength: 1, maxLength: 7 });
const names = fc.array(name, { minLength: 1, maxLength: 60 });

function listOf(texts: readonly string[]): NameList {
  const streets = texts.map((key, i) => ({
    key,
    type: i % 2 ? 'ST' : null,
    direction: null,
    csd: 1,
    mail: i,
    rows: i,
  }));
  const sorted = texts
    .map((text, street) => ({ name: Buffer.from(text), street }))
    .sort((a, b) => compareNames(a.name, b.name));
  const bytes = encodeNames(streets, sorted);
  const shared = new SharedArrayBuffer(bytes.length);
  bytes.copy(new Uint8Array(shared));
  return new NameList(shared);
}

/** The texts in a range, by the streets that have them. */
function textsIn(list: NameList, { from, to }: Range): string[] {
  return Array.from({ length: to - from }, (_, i) => list.keyOf(list.street[from + i]!));
}

/** Bytes, of which an accented letter has two, as one sign each. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

describe('the list of street names', () => {
  it('finds the names that begin with a text, and those that are it', () => {
    fc.assert(
      fc.property(names, name, (texts, text) => {
        const list = listOf(texts);
        const sorted = texts.toSorted((a, b) => compareNames(Buffer.from(a), Buffer.from(b)));
        const asked = Buffer.from(text);
        expect(textsIn(list, list.beginningWith(asked))).to.deep.equal(sorted.filter((one) => one.startsWith(text)));
        expect(textsIn(list, list.equalTo(asked))).to.deep.equal(sorted.filter((one) => one === text));
      }),
      { numRuns: inputs(2000) },
    );
  });

  it('finds every name whose beginning one typing error separates from a text, and no other', () => {
    fc.assert(
      fc.property(names, name, (texts, text) => {
        const list = listOf(texts);
        const found = new Set(namesNear(list, Buffer.from(text)).flatMap((range) => textsIn(list, range)));
        const asked = bytesOf(text);
        for (const one of texts) {
          const beginnings = [-1, 0, 1].map((more) => bytesOf(one).slice(0, asked.length + more));
          const isNear = beginnings.some((beginning) => isOneEdit(asked, beginning));
          const isExact = bytesOf(one).startsWith(asked);
          if (!isExact) expect(found.has(one), `${one} for ${text}`).to.equal(isNear);
        }
      }),
      { numRuns: inputs(2000) },
    );
  });

  it('keeps type, municipality and rows of each street, and names the streets with the most rows first', () => {
    const list = listOf(['B', 'A', 'C', 'A']);
    const [second, fourth] = [list.street[0]!, list.street[1]!];
    expect([second, fourth].sort()).to.deep.equal([1, 3]);
    expect(list.types[list.type[1]!]).to.equal('ST');
    expect(list.types[list.type[0]!]).to.equal(null);
    expect([...list.mail]).to.deep.equal([0, 1, 2, 3]);
    expect([...list.common].map((position) => list.street[position])).to.deep.equal([3, 2, 1, 0]);
  });

  it('refuses bytes of another format', () => {
    const bytes = new SharedArrayBuffer(24);
    new Uint32Array(bytes)[0] = 99;
    expect(() => new NameList(bytes)).to.throw('the list of street names has format 99');
  });
});

describe('the row of a civic number', () => {
  it('gives the positions within any range', () => {
    const positions = fc.uniqueArray(fc.nat(3000), { maxLength: 700 }).map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(positions, fc.nat(3000), fc.nat(3000), (all, from, length) => {
        const writer = new NumberRowWriter();
        for (const position of all) writer.add(position);
        const row = new NumberRow(writer.take());
        const found: number[] = [];
        row.visit({ from, to: from + length }, (position) => found.push(position));
        expect(found).to.deep.equal(all.filter((position) => position >= from && position < from + length));
        expect(row.has(from)).to.equal(all.includes(from));
      }),
      { numRuns: inputs(1000) },
    );
  });

  it('is empty for a number that no street has', () => {
    expect(new NumberRow(Buffer.alloc(0)).has(1)).to.equal(false);
  });
});
