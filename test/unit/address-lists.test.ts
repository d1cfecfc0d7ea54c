/** The lists that a person reads and corrects: what a slip of the hand would do to them. */
import { expect } from 'chai';
import counties from '../../src/addresses/lists/counties.json' with { type: 'json' };
import former from '../../src/addresses/lists/former-municipalities.json' with { type: 'json' };
import municipalities from '../../src/addresses/lists/municipalities.json' with { type: 'json' };
import regions from '../../src/addresses/lists/regions.json' with { type: 'json' };
import types from '../../src/addresses/lists/street-types.json' with { type: 'json' };
import villages from '../../src/addresses/lists/villages.json' with { type: 'json' };
import { municipalityKey } from '../../src/addresses/municipality-name.ts';
import { tokenise } from '../../src/addresses/tokens.ts';

interface StreetType {
  readonly spellings?: readonly string[];
  readonly sameAs?: readonly string[];
}

const keyOf = (name: string): string => municipalityKey(tokenise(name));

/** Names that stand in a list more than once, however they are written. */
function doubles(names: readonly string[]): readonly string[] {
  const keys = names.map(keyOf);
  return names.filter((_, i) => keys.indexOf(keys[i]!) !== i);
}

describe('The lists of places', () => {
  it('name each place once, in words that an address can have', () => {
    const { inCounties, alone } = municipalities;
    const lists = [villages, ...Object.values(former), ...Object.values(inCounties), ...Object.values(alone)];
    for (const list of [...lists, regions.placesElsewhere]) {
      expect(doubles(list), list[0]).to.deep.equal([]);
      for (const name of list) expect(keyOf(name), name).to.match(/^[A-Z]+$/);
    }
  });

  it('have the counties and the names for comparisons in the form of words that were read', () => {
    const names = [
      ...Object.keys(counties),
      ...Object.keys(municipalities.inCounties),
      ...Object.values(regions).flat(),
    ];
    for (const name of names) expect(tokenise(name).join(' '), name).to.equal(name);
    for (const codes of Object.values(counties)) for (const code of codes) expect(code).to.match(/^[0-6]\d$/);
  });

  it('say of each former municipality where it is today, and know that municipality', () => {
    const today = new Set(Object.keys(former).map(keyOf));
    const known = new Set(
      Object.values({ ...municipalities.inCounties, ...municipalities.alone })
        .flat()
        .map(keyOf),
    );
    for (const name of today) expect(known.has(name), name).to.equal(true);
  });
});

describe('The list of street types', () => {
  const all = Object.entries(types as Readonly<Record<string, StreetType>>);

  it('has each spelling for one type alone', () => {
    const spellings = all.flatMap(([token, { spellings: others = [] }]) => [token, ...others]);
    expect(spellings.filter((word, i) => spellings.indexOf(word) !== i)).to.deep.equal([]);
    for (const word of spellings) expect(tokenise(word), word).to.deep.equal([word]);
  });

  it('equals only types that it has', () => {
    for (const [token, { sameAs = [] }] of all)
      for (const other of sameAs)
        expect(
          all.map(([name]) => name),
          token,
        ).to.include(other);
  });
});
