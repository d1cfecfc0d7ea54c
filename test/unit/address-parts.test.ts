/** The small readers of address text, each by itself: how they work together is in the tests of the geocoder. */
import { expect } from 'chai';
import { isOneEdit, isOneEditAt } from '../../src/addresses/one-edit.ts';
import { foldOrdinals } from '../../src/addresses/ordinals.ts';
import { withoutGlue, type AddressWords } from '../../src/addresses/address-words.ts';
import { streetTypesLike } from '../../src/addresses/street-types.ts';
import { numberReadings } from '../../src/addresses/civic-readings.ts';
import { parseCivic } from '../../src/addresses/parse-civic.ts';
import { removeDelivery, takeTail, type Tail } from '../../src/addresses/parse-ends.ts';
import { isOntarioPostalCode, isRural, postalCode, repairedPostalCode } from '../../src/addresses/postal-code.ts';
import {
  canada,
  ontario,
  otherCountries,
  otherProvinces,
  placesElsewhere,
  stateCodes,
  stateNames,
} from '../../src/addresses/regions.ts';
import { tokenise } from '../../src/addresses/tokens.ts';
import { unitPhrase } from '../../src/addresses/units.ts';

const words = (text: string): string[] => text.split(' ').filter(Boolean);
const unbroken = (text: string): AddressWords => ({ words: words(text), begins: words(text).map((_, i) => i === 0) });

describe('the tail of an address', () => {
  const municipalities = new Set(['TORONTO', 'SCOTLAND', 'DYSART ET AL', 'OTTAWA', 'LONDON']);
  const take = (text: string): Tail => takeTail(unbroken(text), (name) => municipalities.has(name.join(' ')));

  const cases: Readonly<Record<string, readonly [left: string, code: string | null, elsewhere: string | null]>> = {
    '1 MAIN ST TORONTO': ['1 MAIN ST TORONTO', null, null],
    '1 MAIN ST TORONTO ON': ['1 MAIN ST TORONTO', null, null],
    '1 MAIN ST TORONTO ON M5H 2N2 CANADA': ['1 MAIN ST TORONTO', 'M5H2N2', null],
    '1 MAIN ST TORONTO M5H2N2 ONTARIO': ['1 MAIN ST TORONTO', 'M5H2N2', null],
    '1 MAIN ST TORONTO CANADA ONT M5H - 2N2': ['1 MAIN ST TORONTO', 'M5H2N2', null],
    '1 MAIN ST TORONTO ON CA': ['1 MAIN ST TORONTO', null, null],
    '1 ONTARIO ST TORONTO': ['1 ONTARIO ST TORONTO', null, null],
    // The letter O for the digit 0.
    '1 MAIN ST OTTAWA ON K1A OB1': ['1 MAIN ST OTTAWA', 'K1A0B1', null],
    '1 MAIN ST M5H 2N2 TORONTO': ['1 MAIN ST TORONTO', 'M5H2N2', null],
    // No postal code has the letter D.
    '1 MAIN ST TORONTO ON M5D 2N2': ['1 MAIN ST TORONTO ON M5D 2N2', null, null],
    '1 MAIN ST MONTREAL QC': ['1 MAIN ST MONTREAL', null, 'QC'],
    '1 MAIN ST VICTORIA BRITISH COLUMBIA': ['1 MAIN ST VICTORIA', null, 'BRITISH COLUMBIA'],
    '1 MAIN ST SCOTLAND ON': ['1 MAIN ST SCOTLAND', null, null],
    '1 MAIN ST GLASGOW SCOTLAND': ['1 MAIN ST GLASGOW SCOTLAND', null, null],
    '1 MAIN ST LONDON ENGLAND': ['1 MAIN ST LONDON', null, 'ENGLAND'],
    '1 MAIN ST BUFFALO NY 14201': ['1 MAIN ST BUFFALO NY', null, 'NY (United States)'],
    '1 MAIN ST BUFFALO NEW YORK 14201 - 1234': ['1 MAIN ST BUFFALO NEW YORK', null, 'NEW YORK (United States)'],
    '1 MAIN ST CUPERTINO CA 95014': ['1 MAIN ST CUPERTINO CA', null, 'CA (United States)'],
    '1 MAIN ST BUFFALO NY': ['1 MAIN ST BUFFALO', null, 'NY (United States)'],
    '1 MAIN ST TORONTO CA': ['1 MAIN ST TORONTO', null, null],
    // AL is Alabama, too.
    '1 MAIN ST DYSART ET AL': ['1 MAIN ST DYSART ET AL', null, null],
    // Five digits behind no state are a civic number.
    'MAIN ST TORONTO 14201': ['MAIN ST TORONTO 14201', null, null],
    '': ['', null, null],
  };
  for (const [text, [left, code, elsewhere]] of Object.entries(cases)) {
    it(`of "${text}"`, () => {
      const tail = take(text);
      expect([tail.rest.words, tail.postalCode, tail.elsewhere]).to.deep.equal([words(left), code, elsewhere]);
    });
  }
});

describe('the regions that end an address', () => {
  const sets = { canada, ontario, otherProvinces, otherCountries, stateCodes, stateNames, placesElsewhere };

  it('are written as words are read', () => {
    for (const [name, set] of Object.entries(sets))
      for (const text of set) expect(tokenise(text).join(' '), name).to.equal(text);
  });

  it('are 50 states and one district by their codes, and no province is among them', () => {
    expect([stateCodes.size, stateNames.size]).to.deep.equal([51, 50]);
    expect([...otherProvinces, ...ontario].filter((name) => stateCodes.has(name))).to.deep.equal([]);
    for (const name of ontario) expect(otherProvinces.has(name) || otherCountries.has(name), name).to.equal(false);
  });
});

describe('the civic part of an address', () => {
  type Parts = readonly [unit: string | null, civic: number, suffix: string | null, street: string];
  const cases: Readonly<Record<string, Parts | null>> = {
    '100 QUEEN ST W': [null, 100, null, 'QUEEN ST W'],
    '100A QUEEN ST W': [null, 100, 'A', 'QUEEN ST W'],
    '12 1/2 JOHN ST': [null, 12, '1/2', 'JOHN ST'],
    '302 - 1055 BAY ST': ['302', 1055, null, 'BAY ST'],
    'APT 2 210 BAY ST': ['2', 210, null, 'BAY ST'],
    '# 5 - 123 BAY ST': ['5', 123, null, 'BAY ST'],
    'SUITE 800 - 666 BAY ST': ['800', 666, null, 'BAY ST'],
    'BSMT - 12 BAY ST': ['BSMT', 12, null, 'BAY ST'],
    '100 BAY ST APT 1201': ['1201', 100, null, 'BAY ST'],
    '100 BAY ST LOWER LEVEL': ['LOWER', 100, null, 'BAY ST'],
    '100 BAY ST 2ND FLOOR': ['FL 2', 100, null, 'BAY ST'],
    '5432 HWY # 7': [null, 5432, null, 'HWY # 7'],
    '5432 COUNTY RD # 7': [null, 5432, null, 'COUNTY RD # 7'],
    '5432 SMITH RD # 7': ['7', 5432, null, 'SMITH RD'],
    '0 BAY ST': null,
    '100': null,
    '1234567 BAY ST': null,
    'BAY ST': null,
    '100 #': null,
  };
  for (const [text, parts] of Object.entries(cases)) {
    it(`of "${text}"`, () => {
      const read = parseCivic(words(text));
      expect(read && [read.unit, read.civic, read.suffix, read.streetWords.join(' ')]).to.deep.equal(parts);
    });
  }
});

describe('a unit phrase', () => {
  const cases: Readonly<Record<string, readonly [unit: string, length: number] | null>> = {
    'APT 2': ['2', 2],
    '# 5 BAY': ['5', 2],
    'SUITE # B': ['B', 3],
    'UNIT BSMT': ['BSMT', 2],
    'UNIT NO 7': ['7', 3],
    'FLOOR 2': ['FL 2', 2],
    '3RD FLOOR': ['FL 3', 2],
    'LOWER LEVEL': ['LOWER', 2],
    // Sainte, not suite.
    'STE FOY': null,
    'STE 200': ['200', 2],
    'STE UPPER': null,
    'LOWER ST': null,
    'UNIT LONGSTREETNAME': null,
    BAY: null,
  };
  for (const [text, phrase] of Object.entries(cases)) {
    it(`in "${text}"`, () => {
      const read = unitPhrase(words(text), 0);
      expect(read && [read.unit, read.length]).to.deep.equal(phrase);
    });
  }
});

describe('postal delivery', () => {
  const cases: Readonly<Record<string, readonly [left: string, label: string | null]>> = {
    '100 BAY ST TORONTO': ['100 BAY ST TORONTO', null],
    'PO BOX 12 PERTH': ['PERTH', 'post office box'],
    'P O BOX # 12 PERTH': ['PERTH', 'post office box'],
    'CP 12 PERTH': ['PERTH', 'post office box'],
    'RR 2 PERTH': ['PERTH', 'rural route'],
    'RR NO 2 SITE 5 COMP 9 PERTH': ['PERTH', 'rural route'],
    'GENERAL DELIVERY PERTH': ['PERTH', 'general delivery'],
    'STN MAIN PERTH': ['PERTH', 'postal station'],
    'PT LOT 5 CON 3 PERTH': ['PERTH', 'lot and concession'],
    'PT LT 12 CON 5 PERTH': ['PERTH', 'lot and concession'],
    '100 BAY ST RR 2 PERTH': ['100 BAY ST PERTH', 'rural route'],
    // A regional road.
    '1234 RR 25 PERTH': ['1234 RR 25 PERTH', null],
    '12 BOX GROVE RD': ['12 BOX GROVE RD', null],
    '100 BAY ST RR 2 PO BOX 7': ['100 BAY ST', 'post office box'],
  };
  for (const [text, [left, label]] of Object.entries(cases)) {
    it(`in "${text}"`, () => {
      const { rest, label: found } = removeDelivery(unbroken(text));
      expect([rest.words, found]).to.deep.equal([words(left), label]);
    });
  }
});

describe('a postal code', () => {
  it('has letters and digits in turn, without the letters that Canada Post does not use', () => {
    expect(postalCode('M5H2N2')).to.equal('M5H2N2');
    for (const text of ['M5H 2N2', 'm5h2n2', 'D5H2N2', 'W5H2N2', 'M5O2N2', 'M5H2N', '55H2N2', 'M5H2N22'])
      expect(postalCode(text), text).to.equal(null);
  });

  it('is put right where signs look alike', () => {
    expect(repairedPostalCode('K1AOB1', false)).to.equal('K1A0B1');
    expect(repairedPostalCode('1IL2O3', false)).to.equal(null);
    expect(repairedPostalCode('15L2N3', false)).to.equal('L5L2N3');
    expect(repairedPostalCode('KIAOBI', false)).to.equal(null);
    expect(repairedPostalCode('KIAOBI', true)).to.equal('K1A0B1');
  });

  it('tells province and countryside', () => {
    expect(['K1A0B1', 'L1A0B1', 'M5H2N2', 'N1A0B1', 'P1A0B1'].every(isOntarioPostalCode)).to.equal(true);
    expect(['J8X1A1', 'R3C0A1', 'H2Y1A1'].some(isOntarioPostalCode)).to.equal(false);
    expect([isRural('K0A1A0'), isRural('K1A0A0')]).to.deep.equal([true, false]);
  });
});

describe('ordinals', () => {
  const cases: Readonly<Record<string, string>> = {
    'FIRST AVE': '1 AVE',
    'TWENTY FIRST ST': '21 ST',
    'NINETY NINTH': '99',
    'TWENTIETH ST': '20 ST',
    'TWENTY ST': 'TWENTY ST',
    '1ST AVE': '1 AVE',
    '3EME RUE': '3 RUE',
    'PREMIERE AVE': '1 AVE',
    '5 TH LINE': '5 LINE',
    '12TH': '12',
    '5 ST': '5 ST',
    '1234TH': '1234TH',
    FIRSTBROOKE: 'FIRSTBROOKE',
  };
  for (const [text, folded] of Object.entries(cases)) {
    it(`in "${text}" read "${folded}"`, () => {
      expect(foldOrdinals(words(text)).join(' ')).to.equal(folded);
    });
  }
});

describe('one typing error', () => {
  const edits = ['MAIN MAN', 'MAIN MAINE', 'MAIN AMAIN', 'MAIN MAIM', 'MAIN MIAN', 'A B', 'AB BA'];
  const others = ['MAIN MAIN', 'MAIN MANI S', 'MAIN MAXXIN', 'MAIN NIAM', 'MAIN MA', 'ABCD BADC'];
  for (const text of [...edits, ...others]) {
    const isEdit = edits.includes(text);
    it(`${isEdit ? 'lies' : 'does not lie'} between ${text.replace(' ', ' and ')}`, () => {
      const [a, b] = [text.slice(0, text.indexOf(' ')), text.slice(text.indexOf(' ') + 1)];
      expect([isOneEdit(a, b), isOneEdit(b, a)]).to.deep.equal([isEdit, isEdit]);
      expect(isOneEditAt(a, `,${b},`, 1, b.length)).to.equal(isEdit);
    });
  }
});

describe('the numbers before a street', () => {
  const shown = (text: string): string[] =>
    numberReadings(words(text)).map(
      ({ unit, civic, suffix, among }) =>
        `${unit ?? ''}/${civic}${suffix ?? ''}${among === null ? '' : among.isList ? ' list' : among.isRange ? ' range' : ' next'}`,
    );
  const cases: Readonly<Record<string, readonly string[]>> = {
    '100 BAY ST': ['/100'],
    '302 - 1055 BAY ST': ['302/1055', '/302 next', '/1055 next'],
    '37 - 16 BAY ST': ['37/16', '/37 next', '/16 next', '16/37'],
    '12 14 BAY ST': ['/12', '/12 list', '/14 list', '12/14'],
    '12 TO 16 BAY ST': ['/12 range', '/16 range'],
    '12A A 16 BAY ST': ['/12A range', '/16 range'],
    '12 14 AND 16 BAY ST': ['/12', '/12 list', '/14 list', '12/14', '/12 list', '/14 list', '/16 list'],
    '2 - 12 1/2 BAY ST': ['2/121/2', '/2 range', '/121/2 range'],
    'APT 4 12 TO 14 BAY ST': ['4/12 range', '4/14 range'],
    '1 050 BAY ST': ['/1', '/1050'],
    // No unit has so many digits.
    '102599 - 136205 BAY ST': ['/102599 next', '/136205 next'],
    '12 TO BAY ST': ['/12'],
    'BAY ST': [],
  };
  for (const [text, readings] of Object.entries(cases)) {
    it(`in "${text}"`, () => {
      expect(shown(text)).to.deep.equal(readings);
    });
  }

  it('are a range on one side of the street, and near each other', () => {
    const isRange = (text: string): boolean => numberReadings(words(text)).some(({ among }) => among?.isRange === true);
    expect(['12 - 16 BAY', '12 - 13 BAY', '16 - 12 BAY', '12 - 98 BAY'].map(isRange)).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('words that are written in one', () => {
  const cases: Readonly<Record<string, string>> = {
    'UNIT910 35 BAY ST': 'UNIT 910 35 BAY ST',
    'PH9 TH3 PHC': 'PH 9 TH 3 PH C',
    'RR3 POBOX283 POBOX 12': 'RR 3 PO BOX 283 PO BOX 12',
    '1500 HWY7': '1500 HWY 7',
    '1500 PROV HWY 7': '1500 HWY 7',
    '1500 ON - 7': '1500 HWY 7',
    '1542ROBINSON CT': '1542 ROBINSON CT',
    // Ordinals, a letter's number, a postal code and the province stay.
    '21ST 3EME 12TH': '21ST 3EME 12TH',
    'B2 35 BAY ST K7L1A1': 'B2 35 BAY ST K7L1A1',
    'KINGSTON ON': 'KINGSTON ON',
    '1813 CR 2': '1813 COUNTY RD 2',
    '1813 CR2': '1813 COUNTY RD 2',
    '12 PALM CR 5': '12 PALM CR 5',
  };
  for (const [text, apart] of Object.entries(cases)) {
    it(`in "${text}"`, () => {
      expect(withoutGlue(words(text)).join(' ')).to.equal(apart);
    });
  }
});

describe('a street type that was cut off or misspelt', () => {
  it('may be each type with a spelling that it begins, or is one letter away from', () => {
    expect(streetTypesLike('STREE')).to.deep.equal(['ST']);
    expect(streetTypesLike('BV')).to.include('BLVD');
    expect(streetTypesLike('CL')).to.include('CLOSE');
    for (const word of ['ST', 'N', 'A', 'QXQ', '12', 'ZZZZ']) expect(streetTypesLike(word), word).to.deep.equal([]);
  });
});
