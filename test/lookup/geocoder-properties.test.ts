import { expect } from 'chai';
import { addressWords } from '../../src/addresses/address-words.ts';
import { formatAddress } from '../../src/addresses/format.ts';
import { municipalityKey } from '../../src/addresses/municipality-name.ts';
import { isOneEdit, isOneEditAt } from '../../src/addresses/one-edit.ts';
import { parseAddress } from '../../src/addresses/parse.ts';
import { parseStreet } from '../../src/addresses/street-name.ts';
import { tokenise } from '../../src/addresses/tokens.ts';
import type { AddressComponents } from '../../src/messages/wire/geocode.ts';
import type { Gazetteer } from '../../workers/engine/gazetteer/open.ts';
import type { GeocodeResult } from '../../src/messages/lookup.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import fc from '../support/drivers/fast-check.ts';
import { accidentIn } from '../support/oracles/accidental-match.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { KnownRegister } from '../support/material/questions/known-register.ts';
import { phraseKinds, places, withPhrase } from '../support/material/questions/ways/inserted.ts';
import { streetWays } from '../support/material/questions/ways/streets.ts';
import { townWays } from '../support/material/questions/ways/towns.ts';
import { unitWays } from '../support/material/questions/ways/units.ts';
import { partsOf } from '../support/material/questions/ways/way.ts';
import { inventedName } from '../support/material/questions/words.ts';
import { oddAddress } from '../support/material/odd-addresses.ts';
import { imported, type ImportedRegister } from '../support/material/small-gazetteer.ts';
import { smallRegister } from '../support/material/small-register.ts';

const ODD_INPUTS = inputs(20_000);

/** The same cases each time. `make stress NAME=fuzz-geocoder` gives others. */
const SEED = Number(process.env['SEED'] ?? 1);

const oneOf = fc.constantFrom;
const seed = fc.integer();

/** What people put between the parts of an address. */
const phrase = oneOf(
  ...Object.entries(phraseKinds).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)),
);

/** Addresses whose parts are known because they were made from them. */
const components: fc.Arbitrary<AddressComponents> = fc.record({
  unit: oneOf(null, '12', '302', 'A', 'PH2', 'BSMT'),
  civicNumber: fc.integer({ min: 1, max: 99_999 }),
  civicSuffix: oneOf(null, 'A', 'C', '1/2'),
  streetName: seed.map((n) => inventedName(seededRandom(n))),
  streetType: oneOf(null, 'ST', 'AVE', 'RD', 'CRES', 'LANE', 'RUE', 'CH', 'PROM'),
  streetDirection: oneOf(null, 'N', 'E', 'SW'),
  municipality: oneOf('Toronto', 'St. Catharines', 'Niagara-on-the-Lake', 'South Bruce Peninsula', 'Orléans'),
  censusSubdivision: oneOf('any'),
  province: oneOf('ON' as const),
  postalCode: oneOf(null, 'M5H 2N2', 'K0A 1A0'),
});

/** Other ways to write the same letters. @param gaps what may stand between words. */
function disguised(text: string, random: () => number, gaps = [' ', '  ', '\u00a0', '\u2003']): string {
  const chance = (share: number): boolean => random() < share;
  const marked = Array.from(text, (sign) => {
    const letter = chance(0.5) ? sign.toUpperCase() : sign.toLowerCase();
    return /[a-z]/i.test(sign) && chance(0.2) ? letter + '\u0301\u0308\u0327'[Math.floor(random() * 3)]! : letter;
  });
  const words = marked
    .join('')
    .normalize(chance(0.5) ? 'NFC' : 'NFD')
    .split(' ');
  return words.map((word) => word + (chance(0.1) ? '.' : '') + gaps[Math.floor(random() * gaps.length)]!).join('');
}

/** Every text one letter of ABC away. */
function editsOf(text: string): Set<string> {
  const edits = new Set<string>();
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    edits.add(before + after.slice(1));
    edits.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
    for (const letter of 'ABC') edits.add(before + letter + after).add(before + letter + after.slice(1));
  }
  return edits;
}

describe('the geocoder, whatever is written', function () {
  this.timeout(240_000);
  const known = new KnownRegister(smallRegister, () => true);
  let register: ImportedRegister;
  let gazetteer: Gazetteer;
  before(async () => {
    register = await imported(smallRegister);
    gazetteer = openGazetteer(register.dataset);
  });
  after(() => {
    register[Symbol.dispose]();
  });

  /** A register row and how people write it. */
  const written = fc
    .tuple(oneOf(...known.addresses), oneOf(...Object.values({ ...unitWays, ...streetWays, ...townWays })), seed)
    .map(([address, way, n]) => {
      const random = seededRandom(n);
      return { address, text: way(partsOf(address, random() < 0.5), random, known) ?? '' };
    })
    .filter(({ text }) => text !== '');

  it('tells one typing error from none and from two', () => {
    const letters = fc.string({ unit: oneOf('A', 'B', 'C'), maxLength: 6 });
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        expect(isOneEdit(a, b)).to.equal(editsOf(a).has(b) && a !== b);
        expect(isOneEditAt(a, `XY${b}Z`, 2, b.length)).to.equal(isOneEdit(a, b));
      }),
      { numRuns: inputs(3000), seed: SEED },
    );
  });

  it('splits a text of letters, digits and commas as it splits the same with another sign, for which every pattern is tried', () => {
    const pieces =
      'Attn J|Located at 12|situe au 12|PIN 123456789|file B12|dossier B12|Fire number 12 Main|No civique 12 Main|Nr 12 Main|Emergency nos 3 Main|H number 5 Main|Mun nos 5 Main|Municipal number 5 Main|Rural nos 5 Main|postal code K7P 1J9|postalcode K7P1J9|code postal K7P1J9|pc K7P 1J9|rear of 12|arriere du 12|arriere de 12|in the City of|known municipally as|known as|dans la ville de|Tel 613 555 0199|613 5550199|12345|1,050|1|12|,|K 7 P 1 J 9|Unit null|Apt none|app nan|suite nil|bureau undefined|ON K7P|K7P1|A|Main St';
    const text = fc
      .array(fc.tuple(oneOf(...pieces.split('|')), oneOf(' ', ' ', ' ', '', '  ')), { maxLength: 5 })
      .map((all) => all.flat().join(''));
    fc.assert(
      fc.property(text, (plain) => {
        expect(addressWords(plain)).to.deep.equal(addressWords(`${plain};`));
      }),
      { numRuns: inputs(30_000), seed: SEED },
    );
  });

  it('takes apart what it put together', () => {
    fc.assert(
      fc.property(components, (parts) => {
        const names = new Set([municipalityKey(tokenise(parts.municipality))]);
        const parsed = parseAddress(formatAddress(parts), { has: (key) => names.has(key), ofLength: () => [] });
        if ('reason' in parsed) throw new Error(parsed.detail);
        const [reading] = parsed.readings.plain;
        const street = parseStreet(tokenise(parts.streetName))!;
        expect(reading).to.deep.include({ unit: parts.unit, civic: parts.civicNumber, suffix: parts.civicSuffix });
        expect(reading!.typedStreet).to.deep.equal({
          ...{ key: street.key, type: parts.streetType, direction: parts.streetDirection },
        });
        expect(reading!.municipalities).to.deep.equal([...names]);
        expect(parsed.postalCode).to.equal(parts.postalCode?.replace(' ', '') ?? null);
      }),
      { numRuns: inputs(3000), seed: SEED },
    );
  });

  it('finds the same point by the address that it answers', () => {
    let found = 0;
    fc.assert(
      fc.property(written, ({ text }) => {
        const first = gazetteer.geocode(text);
        if (!('found' in first)) return;
        found++;
        const { address, lat, lon } = first.found;
        expect(gazetteer.geocode(address)).to.deep.nested.include({
          'found.address': address,
          'found.lat': lat,
          'found.lon': lon,
        });
      }),
      { numRuns: inputs(3000), seed: SEED },
    );
    expect(found).to.be.greaterThan(inputs(2000));
  });

  it('gives the same result whatever the case, accents, spacing and full stops', () => {
    fc.assert(
      fc.property(written, seed, ({ text }, n) => {
        expect(gazetteer.geocode(disguised(text, seededRandom(n)))).to.deep.equal(gazetteer.geocode(text));
      }),
      { numRuns: inputs(4000), seed: SEED },
    );
  });

  it('finds no other place where commas, tabs and lines divide the words anew', () => {
    let found = 0;
    fc.assert(
      fc.property(written, seed, ({ address, text }, n) => {
        const divided = gazetteer.geocode(disguised(text, seededRandom(n), [' ', ' ', ', ', ' ; ', '\t', '\n']));
        if (!('found' in divided)) return;
        found++;
        const plain = gazetteer.geocode(text);
        const points = 'found' in plain ? [plain.found] : address.points;
        const { lat, lon } = divided.found;
        expect(points.map((point) => [point.lat, point.lon])).to.deep.include([lat, lon]);
      }),
      { numRuns: inputs(4000), seed: SEED },
    );
    expect(found).to.be.greaterThan(inputs(1000));
  });

  it('finds the same place whatever stands between the parts', () => {
    let asked = 0;
    let found = 0;
    fc.assert(
      fc.property(
        oneOf(...known.addresses),
        phrase,
        oneOf(...places),
        fc.boolean(),
        seed,
        (address, [kind, text], place, comma, n) => {
          const parts = partsOf(address, n % 2 === 0);
          const plain = gazetteer.geocode(`${parts.line}${parts.tail}`);
          const more = gazetteer.geocode(withPhrase(parts, text, { place, comma }));
          if ('found' in plain && (kind === 'delivery' || kind === 'unit')) asked++;
          if (!('found' in more)) return;
          if (kind === 'delivery' || kind === 'unit') found++;
          const points = 'found' in plain ? [plain.found] : address.points;
          const { lat, lon } = more.found;
          expect(points.map((point) => [point.lat, point.lon])).to.deep.include([lat, lon]);
          if (kind === 'delivery' && 'found' in plain) expect(more.found.address).to.equal(plain.found.address);
        },
      ),
      { numRuns: inputs(10_000), seed: SEED },
    );
    expect(found / asked).to.be.at.least(0.95);
  });

  it('lets nothing hide another province', () => {
    fc.assert(
      fc.property(
        oneOf(...known.addresses),
        phrase,
        oneOf(...places),
        fc.boolean(),
        fc.boolean(),
        (address, [, text], place, comma, isMontreal) => {
          const { line, town, code } = partsOf(address, true);
          const parts = { line, town: isMontreal ? 'Montréal' : town, code };
          const elsewhere = withPhrase(parts, text, { place, comma }).replace(/\bON\b/, 'QC');
          expect(gazetteer.geocode(elsewhere)).not.to.have.property('found');
        },
      ),
      { numRuns: inputs(10_000), seed: SEED },
    );
  });

  it('would know an accident', () => {
    const result = gazetteer.geocode('123 Princess St, Kingston');
    if (!('found' in result)) throw new Error('not found');
    const accidents = [
      '123 Princess St, Kingston',
      '124 Princess St, Kingston',
      '123 Queen St, Kingston',
      '123 Princess St, Ottawa',
    ].map((text) => accidentIn(text, result.found));
    expect(accidents).to.deep.equal([null, 'number', 'street', 'place']);
  });

  it(`neither throws nor matches by accident on ${ODD_INPUTS} odd inputs`, () => {
    let found = 0;
    fc.assert(
      fc.property(oddAddress, (text) => {
        const result: GeocodeResult = gazetteer.geocode(text);
        if (!('found' in result)) return;
        found++;
        expect(accidentIn(text, result.found), `${JSON.stringify(text)}: ${result.found.address}`).to.equal(null);
      }),
      { numRuns: ODD_INPUTS, seed: SEED },
    );
    console.log(`        ${found} of them are addresses after all`);
    expect(found).to.be.greaterThan(0);
  });
});
