import { expect } from 'chai';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { tokenise } from '../../../src/addresses/tokens.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { importAddresses } from '../../../workers/import/addresses/import-register.ts';
import fc from '../../support/drivers/fast-check.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { KnownRegister } from '../../support/material/questions/known-register.ts';
import { ways } from '../../support/material/questions/ways/all.ts';
import { partsOf } from '../../support/material/questions/ways/way.ts';
import { inventedName } from '../../support/material/questions/words.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { oddAddress } from '../../support/material/odd-addresses.ts';
import {
  emptyGeoPackage,
  imported,
  openImmutable,
  openSuggesting,
  type ImportedRegister,
  type SuggestingGazetteer,
} from '../../support/material/small-gazetteer.ts';
import { smallRegister, writeRegister, type RegisterRow } from '../../support/material/small-register.ts';

const MOST = 10;

function textsOf(gazetteer: SuggestingGazetteer, typed: string, limit = 5): string[] {
  return gazetteer.suggest(typed, limit)!.map(({ text }) => text);
}

describe('suggestions', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let register: ImportedRegister;
  let gazetteer: SuggestingGazetteer;
  const known = new KnownRegister(smallRegister, () => true);
  before(async () => {
    register = await imported(smallRegister);
    gazetteer = openSuggesting(register.dataset);
    writeRegister(folder.path, smallRegister);
  });
  after(() => {
    register[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  const queen = '100 Queen St W, Toronto, ON M5H 2N2';
  const princess = '123 Princess St, Kingston, ON K7L 1A1';
  /** What is typed, and what must be the first suggestion. */
  const first: Record<string, string> = {
    '100 q': queen,
    '100 QUEE': queen,
    '100 queen s': queen,
    '100 queen st w tor': queen,
    '100, queen street west, toronto, ont': queen,
    '100 queen w, toronto ontario cana': queen,
    '100 queen st m5h': queen,
    '100 queen st w, toronto, on m5h 2n1': '100 Queen St W, Toronto, ON M5H 2N1',
    '100 rue que': queen,
    '100 queen ouest': queen,
    '100 queen st oues': queen,
    '100 w queen': queen,
    '123 princ': princess,
    '123 prinecss': princess,
    '123 prncess st kin': princess,
    '123 princess st kingtson': princess,
    '2-123 prin': '2-123 Princess St, Kingston, ON K7L 1A1',
    'apt 2, 123 prin': '2-123 Princess St, Kingston, ON K7L 1A1',
    '123 princess st apt 2': '2-123 Princess St, Kingston, ON K7L 1A1',
    '123 princess st apt': princess,
    '125 princ': '125A Princess St, Kingston, ON K7L 1A1',
    '125a princ': '125A Princess St, Kingston, ON K7L 1A1',
    '125 a princ': '125A Princess St, Kingston, ON K7L 1A1',
    '12½ jo': '12 1/2 John St, Kingston, ON',
    '300 rue rid': '300 Rideau St, Ottawa, ON K1N 5Y4',
    '50 ocon': "50 O'Connor St, Ottawa, ON K1P 6L2",
    "50 o'con": "50 O'Connor St, Ottawa, ON K1P 6L2",
    '499 des epin': '499 Des Épinettes Ave, Orléans, ON K1E 2Z5',
    '499 avenue des épi': '499 Des Épinettes Ave, Orléans, ON K1E 2Z5',
    '5432 highw': '5432 Highway 7, Ottawa, ON',
    '5432 hwy 7': '5432 Highway 7, Ottawa, ON',
    '200 conces': '200 Concession 4, Kingston, ON',
    '200 conc 4': '200 Concession 4, Kingston, ON',
    '15 fif': '15 5th Line, Kingston, ON',
    '15 5th l': '15 5th Line, Kingston, ON',
    '15 line 5': '15 5th Line, Kingston, ON',
    '77 lakesh': '77 Lake Shore Blvd, Kingston, ON',
    '77 lake sh': '77 Lake Shore Blvd, Kingston, ON',
    '10 saint cl': '10 St. Clair Ave W, Kingston, ON',
    '10 st. c': '10 St. Clair Ave W, Kingston, ON',
    '399 west m': '399 The West Mall, Etobicoke, ON M9C 2Y2',
    '399 the w': '399 The West Mall, Etobicoke, ON M9C 2Y2',
    '28 nelson scar': '28 Nelson St, Scarborough, ON M1J 2V3',
    '28 nelson m1': '28 Nelson St, Scarborough, ON M1J 2V3',
    princ: 'Princess St, Kingston, ON',
    'queen st w, t': 'Queen St W, Toronto, ON',
    '7 queen': 'Queen St W, Toronto, ON',
    kings: 'Kingston, ON',
    'st cath': 'St. Catharines, ON',
    'saint cath': 'St. Catharines, ON',
    'grand sud': 'Greater Sudbury, ON',
    k7l: 'Kingston, ON',
    é: 'Etobicoke, ON',
    orle: 'Orléans, ON',
  };
  for (const [typed, text] of Object.entries(first)) {
    it(`completes "${typed}"`, () => {
      expect(textsOf(gazetteer, typed)[0]).to.equal(text);
    });
  }

  it('suggests nothing where nothing fits', () => {
    for (const typed of ['123 zzzz', 'qqqqqqq', '??', ' ', '-', '123456789', '100 queen st, calgary', '中']) {
      expect(textsOf(gazetteer, typed), typed).to.deep.equal([]);
    }
  });

  it('never suggests a street of another type, direction or municipality than was typed', () => {
    for (const typed of ['330 spadina rd', '100 queen st nor', '123 princess st ottawa', '300 rideau st k7l']) {
      expect(
        textsOf(gazetteer, typed, MOST).filter((text) => /^\d/.test(text)),
        typed,
      ).to.deep.equal([]);
    }
  });

  it('tells addresses from streets and municipalities, and gives their positions', () => {
    expect(gazetteer.suggest('123 princess', 1)).to.deep.equal([
      { kind: 'address', text: princess, lat: 44.2311, lon: -76.4826 },
    ]);
    expect(gazetteer.suggest('princess', 1)).to.deep.equal([{ kind: 'street', text: 'Princess St, Kingston, ON' }]);
    expect(gazetteer.suggest('kingston', 1)).to.deep.equal([{ kind: 'municipality', text: 'Kingston, ON' }]);
  });

  it('suggests only addresses that a lookup finds as they are, whatever was typed', () => {
    const oneOf = fc.constantFrom;
    let suggested = 0;
    fc.assert(
      fc.property(fc.nat(), oneOf(...Object.keys(ways)), fc.integer(), fc.nat(60), (row, way, seed, letters) => {
        const parts = partsOf(known.addresses[row % known.addresses.length]!, true);
        const text = ways[way]!(parts, seededRandom(seed), known);
        for (const { kind, text: address, lat, lon } of gazetteer.suggest((text ?? '').slice(0, letters), MOST)!) {
          if (kind !== 'address') continue;
          suggested++;
          expect(gazetteer.geocode(address)).to.deep.nested.include({
            'found.address': `${address}, Canada`,
            'found.lat': lat,
            'found.lon': lon,
          });
        }
      }),
      { numRuns: inputs(3000) },
    );
    expect(suggested).to.be.greaterThan(inputs(1000));
  });

  it('never fails, and gives at most the wanted number of different texts', () => {
    fc.assert(
      fc.property(oddAddress, fc.integer({ min: 1, max: MOST }), (typed, limit) => {
        const texts = textsOf(gazetteer, typed.slice(0, 100), limit);
        expect(texts.length).to.be.at.most(limit);
        expect(new Set(texts).size).to.equal(texts.length);
      }),
      { numRuns: inputs(5000) },
    );
  });

  it('has none in a snapshot whose register was imported before there were suggestions', async () => {
    const gpkg = emptyGeoPackage(join(folder.path, 'older.gpkg'));
    await importAddresses({ from: folder.path, gpkg, asOf: '2026-06-26' });
    const db = new Database(gpkg);
    for (const table of ['gazetteer_prefixes', 'gazetteer_numbers']) {
      db.exec(`DROP TABLE ${table}; DELETE FROM gpkg_contents WHERE table_name = '${table}'`);
    }
    db.close();
    const dataset = openImmutable(gpkg);
    const older = openSuggesting(dataset);
    expect(older.suggest('123 princess', 5)).to.equal(null);
    expect(older.geocode('123 Princess St, Kingston')).to.have.property('found');
    dataset.close();
  });
});

describe('suggestions from a register of invented streets', function () {
  this.timeout(240_000);
  let register: ImportedRegister;
  let gazetteer: SuggestingGazetteer;
  const rows = inventedRows();
  before(async () => {
    register = await imported(rows);
    gazetteer = openSuggesting(register.dataset);
  });
  after(() => {
    register[Symbol.dispose]();
  });

  it('holds every address with the number and the first letters, while there are not more than are wanted', () => {
    let checked = 0;
    for (const { civic, street } of rows) {
      for (let letters = 1; letters <= 8; letters++) {
        const typed = street[0].slice(0, letters);
        const fitting = rows.filter((row) => row.civic === civic && folded(row.street[0]).startsWith(folded(typed)));
        const expected = new Set(fitting.map(({ street: [name], mail }) => `${name}|${mail}`));
        if (expected.size > MOST) continue;
        checked++;
        const texts = textsOf(gazetteer, `${civic} ${typed}`, MOST).map((text) => text.toUpperCase());
        for (const one of expected) {
          const [name = '', mail = ''] = one.split('|');
          const isThere = texts.some(
            (text) => text.startsWith(`${civic} ${name.toUpperCase()} `) && text.includes(mail),
          );
          expect(isThere, `${one} for "${civic} ${typed}" among ${texts.join('; ')}`).to.equal(true);
        }
      }
    }
    expect(checked).to.be.greaterThan(500);
  });
});

function folded(name: string): string {
  return tokenise(name).join('');
}

function inventedRows(): RegisterRow[] {
  const random = seededRandom(7);
  const places = [
    ['KINGSTON', 3510010, 'Kingston', 44.23, -76.48],
    ['OTTAWA', 3506008, 'Ottawa', 45.42, -75.69],
    ['OWEN SOUND', 3542059, 'Owen Sound', 44.56, -80.94],
  ] as const;
  return Array.from({ length: 50 }, () => inventedName(random)).flatMap((name, street) =>
    places
      .filter(() => random() < 0.7)
      .flatMap(([mail, code, english, lat, lon]) =>
        [1, 2, 3].map((n): RegisterRow => ({
          civic: n * 7 + Math.floor(random() * 4),
          street: [name, 'ST'],
          mail,
          csd: [code, english],
          at: [lat + street / 1000, lon + n / 2000],
        })),
      ),
  );
}
