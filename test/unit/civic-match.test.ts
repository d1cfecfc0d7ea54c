import { expect } from 'chai';
import { civicText, isCivicNumber } from '../../src/addresses/parse-civic.ts';
import { type CivicPoint, encodeBlock, encodeUnits } from '../../workers/engine/gazetteer/civic-block.ts';
import { matchCivic, postalFaults } from '../../workers/engine/gazetteer/civic-match.ts';
import { interpolate, isAcceptable } from '../../workers/engine/gazetteer/match.ts';
import { type StreetSpelling, encodeStreet, Street } from '../../workers/engine/gazetteer/street-record.ts';
import { candidate } from '../../workers/engine/gazetteer/candidate.ts';
import { fault } from '../../src/addresses/faults.ts';

const UNITS_ROW = 1;
const LENGTH_BYTES = 4;
const main: StreetSpelling = { name: 'Main', type: 'ST', direction: null };

const at = (civic: number, more: Partial<CivicPoint> = {}): CivicPoint => ({
  ...{ civic, suffix: null, lat: 44, lon: -79, blockface: false, outlier: false, postalCode: null, spelling: 0 },
  ...more,
});

/** A street as the gazetteer reads it, with these points and the units of each. */
function street(
  points: readonly CivicPoint[],
  { units = [], spellings = [main] }: { units?: string[][]; spellings?: StreetSpelling[] } = {},
): Street {
  const head = { key: 'MAIN', csd: 0, mail: 0, type: 'ST', direction: null, spellings };
  const record = encodeStreet(head, { inline: encodeBlock(points, units.length > 0 ? UNITS_ROW : 0) });
  const reader = { points: () => Buffer.alloc(0), units: () => encodeUnits(units) };
  return new Street(record.subarray(LENGTH_BYTES), reader);
}

const reading = (
  civic: number,
  suffix: string | null = null,
  unit: string | null = null,
  written = ['MAIN', 'ST'],
) => ({
  ...{
    unit,
    civic,
    suffix,
    written,
    municipalities: [],
    divisions: [],
    faults: [],
    needsSuffix: false,
    among: null,
    isFirstOfTwo: false,
    isTurned: false,
  },
  typedStreet: { key: 'MAIN', type: 'ST', direction: null },
});

/** What is found, in short. */
function found(match: ReturnType<typeof matchCivic>): unknown {
  if (match === null) return null;
  const { suffix, postalCode } = match.point;
  return [suffix, postalCode, ...match.faults.map(({ code }) => code)];
}

describe('a civic number on a street', () => {
  it('is never another number', () => {
    const known = street([at(10), at(12)]);
    expect(matchCivic(reading(11), null, known)).to.equal(null);
    expect(found(matchCivic(reading(12), null, known))).to.deep.equal([null, null]);
  });

  it('has the suffix asked for, else that unit, else no suffix', () => {
    const known = street([at(10, { postalCode: 'K1A0A1' }), at(10, { suffix: 'B', postalCode: 'K1A0A2' })], {
      units: [['A', 'PH-2'], []],
    });
    expect(found(matchCivic(reading(10, 'B'), null, known))).to.deep.equal(['B', 'K1A0A2']);
    expect(found(matchCivic(reading(10, 'A'), null, known))).to.deep.equal([null, 'K1A0A1']);
    expect(found(matchCivic(reading(10, 'C'), null, known))).to.deep.equal([null, 'K1A0A1', 'SUFFIX_UNKNOWN']);
    expect(found(matchCivic(reading(10, null, 'PH2'), null, known))).to.deep.equal([null, 'K1A0A1']);
    expect(found(matchCivic(reading(10, null, '9'), null, known))).to.deep.equal([null, 'K1A0A1', 'UNIT_UNKNOWN']);
  });

  it('may be known with a letter only, but is not then asked for with another', () => {
    const known = street([at(10, { suffix: 'B' })]);
    expect(found(matchCivic(reading(10), null, known))).to.deep.equal(['B', null, 'SUFFIX_UNKNOWN']);
    expect(matchCivic(reading(10, 'C'), null, known)).to.equal(null);
  });

  it('is at the postal code asked for, and tells how far the others of the number are', () => {
    const known = street([at(10, { postalCode: 'K1A0A1' }), at(10, { postalCode: 'K1A0A2', lat: 44.001 })]);
    expect(found(matchCivic(reading(10), 'K1A0A2', known))).to.deep.equal([null, 'K1A0A2']);
    expect(matchCivic(reading(10), 'K1A0A2', known)!.spreadM).to.equal(0);
    // A thousandth of a degree of latitude is 111 m.
    expect(matchCivic(reading(10), null, known)!.spreadM).to.be.closeTo(111, 1);
    expect(found(matchCivic(reading(10), 'K1A0B9', known))).to.deep.equal([null, 'K1A0A1', 'POSTAL_CODE_DIFFERS']);
  });

  it('is where the register spells the street as the address does', () => {
    const spellings = [
      { ...main, name: '5' },
      { ...main, name: 'Fifth' },
    ];
    const known = street([at(10), at(10, { spelling: 1, postalCode: 'K1A0A2' })], { spellings });
    expect(found(matchCivic(reading(10, null, null, ['FIFTH', 'ST']), null, known))).to.deep.equal([null, 'K1A0A2']);
    expect(found(matchCivic(reading(10, null, null, ['5TH', 'ST']), null, known))).to.deep.equal([null, null]);
  });

  it('differs by postal code, area or district', () => {
    const codes = (asked: string | null, known: string | null): string[] =>
      postalFaults(asked, known).map(({ code }) => code);
    expect(codes('M5H2N2', 'M5H2N2')).to.deep.equal([]);
    expect(codes(null, 'M5H2N2')).to.deep.equal([]);
    expect(codes('M5H2N2', null)).to.deep.equal([]);
    expect(codes('M5H2N1', 'M5H2N2')).to.deep.equal(['POSTAL_CODE_DIFFERS']);
    expect(codes('M6H2N2', 'M5H2N2')).to.deep.equal(['POSTAL_AREA_DIFFERS']);
    expect(codes('K6H2N2', 'M5H2N2')).to.deep.equal(['POSTAL_DISTRICT_DIFFERS']);
  });

  it('is digits with at most one letter', () => {
    expect(['100', '100A', '999999'].every(isCivicNumber)).to.equal(true);
    expect(['A100', '100AB', '1234567', '1/2', ''].some(isCivicNumber)).to.equal(false);
    expect(civicText('100a')).to.deep.equal({ civic: 100, suffix: 'A' });
    expect(civicText('12 ½')).to.deep.equal({ civic: 12, suffix: '1/2' });
    for (const text of ['100-104', '100 102', 'A', '']) expect(civicText(text), text).to.equal(null);
  });
});

describe('a number between two known ones', () => {
  const known = street([at(10), at(11, { lat: 44.01 }), at(20, { lat: 44.001 }), at(90, { lat: 44.002 })]);

  it('is at its share of the way between the neighbours on its side of the street', () => {
    const between = interpolate(known, 14)!;
    expect(between).to.include({ lat: 44.0004, lon: -79, uncertaintyM: 56 });
    expect(between.between).to.deep.equal([10, 20]);
  });

  it('is not beyond the last, nor where neighbours are far apart or doubtful', () => {
    expect(interpolate(known, 92)).to.equal(null);
    expect(interpolate(known, 8)).to.equal(null);
    expect(interpolate(street([at(10), at(20, { lat: 44.005 })]), 14), '556 m').to.equal(null);
    expect(interpolate(street([at(10), at(112)]), 14), '102 numbers').to.equal(null);
    expect(interpolate(street([at(10), at(20, { outlier: true })]), 14)).to.equal(null);
    expect(interpolate(street([at(10), at(20, { blockface: true })]), 14)).to.equal(null);
  });

  it('fits the postal area of either neighbour', () => {
    const coded = street([at(10, { postalCode: 'K1A0A1' }), at(20, { postalCode: 'K2B0A1' })]);
    const between = interpolate(coded, 14)!;
    expect(between.postalCode).to.equal(null);
    const fitting = [null, 'K1A9Z9', 'K2B9Z9', 'K3C0A1'].filter((code) => between.fits(code));
    expect(fitting).to.deep.equal([null, 'K1A9Z9', 'K2B9Z9']);
  });
});

describe('a candidate', () => {
  const made = (codes: Parameters<typeof fault>[0][]) =>
    candidate({
      ...{ reading: reading(10), street: street([at(10)]), point: at(10, { postalCode: 'K1A0A1' }) },
      ...{ accuracy: 'building', uncertaintyM: 30, faults: codes.map((code) => fault(code, '')) },
    });

  it('is acceptable until too much speaks against it', () => {
    expect(made([]).score).to.equal(1);
    expect(isAcceptable(made([]), null)).to.equal(true);
    expect(isAcceptable(made(['POSITION_DOUBTFUL', 'DIRECTION_MISSING']), null)).to.equal(false);
  });

  it('with another type or direction needs the postal area', () => {
    for (const code of ['TYPE_DIFFERS', 'DIRECTION_DIFFERS'] as const) {
      expect(isAcceptable(made([code]), null), code).to.equal(false);
      expect(isAcceptable(made([code]), 'K1B0A1'), code).to.equal(false);
      expect(isAcceptable(made([code]), 'K1A9Z9'), code).to.equal(true);
    }
  });
});
