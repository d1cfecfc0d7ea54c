import { expect } from 'chai';
import type * as Together from '../../../web/answers/together.ts';
import type * as AnsweredTable from '../../../web/batch/answered-table.ts';
import type * as BatchInput from '../../../web/batch/batch-input.ts';
import type * as BatchRows from '../../../web/batch/batch-rows.ts';
import type * as I18n from '../../../web/shared/i18n.ts';
import { webModule } from './web-module.ts';

const { linesTogether } = (await webModule('answers/together.ts')) as typeof Together;
const { answeredTable } = (await webModule('batch/answered-table.ts')) as typeof AnsweredTable;
const { readPlaces } = (await webModule('batch/batch-input.ts')) as typeof BatchInput;
const { rowOf, townsOf } = (await webModule('batch/batch-rows.ts')) as typeof BatchRows;
const { loadTexts, speak } = (await webModule('shared/i18n.ts')) as typeof I18n;

type Layer = Parameters<typeof linesTogether>[0][number];

const layerOf = (key: string, kind: string, concern: string): Layer =>
  ({
    key,
    title: key,
    kind,
    reader: { concern },
    dataSets: [{ state: 'loaded' }],
    bandsM: {},
    french: null,
  }) as unknown as Layer;

const layers = [
  layerOf('flood', 'proximity', 'hazard'),
  layerOf('waste', 'boolean', 'hazard'),
  layerOf('greenbelt', 'boolean', 'restriction'),
  layerOf('county', 'value', 'naming'),
];

const evidence = (state: string) => ({
  ...{ state, distanceM: null, searchedM: 0, boundaryDistanceM: null, nearBoundary: false, dataSets: [] },
});

/** A full answer: flood is known nowhere, a waste site in every second row, and the Greenbelt in the first. */
const line = (row: number) => ({
  ...{ row, custom_id: null, status: 200, code: null, ...(row === 1 ? { attribution: ['Contains data.'] } : {}) },
  body: {
    ...{ address: `${row} A St`, lat: 44, lon: -79, dataAsOf: {} },
    geocode: {
      address: `${row} A St`,
      accuracy: 'building',
      uncertaintyM: 10,
      faults: [{ code: 'X', detail: 'differs' }],
    },
    layers: { flood: null, waste: row % 2 === 1 ? null : true, greenbelt: row === 1, county: null },
    evidence: {
      ...{ flood: evidence('no_coverage'), waste: evidence(row % 2 === 1 ? 'unavailable' : 'present') },
      ...{ greenbelt: evidence(row === 1 ? 'present' : 'absent'), county: evidence('absent') },
    },
  },
});
const lines = Array.from({ length: 4 }, (_, i) => line(i + 1)) as unknown as readonly BatchRows.Line[];

async function* each<T>(some: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* some;
}

describe('Many answers together', () => {
  before(async () => {
    await Promise.all([loadTexts('en'), loadTexts('fr')]);
    speak('en');
  });
  const rows = (some: readonly BatchRows.Line[]) => some.map((one) => rowOf(one, { asked: new Map(), layers }));

  it('have the headlines of one, what nobody knows first, each with the rows that it counts for', () => {
    const told = rows(lines).flatMap((row) => row.told ?? []);
    const texts = (language: 'en' | 'fr') => {
      speak(language);
      return linesTogether(layers, told).map(({ kind, strong, rest }) => [kind, strong + rest]);
    };
    expect(texts('en')).to.deep.equal([
      ['unknown', 'Not known for 4 of 4: flood'],
      ['unknown', 'Not known for 2 of 4: waste'],
      ['found hazard', '1 hazard: waste (2 of 4)'],
      ['found restriction', '1 thing restricts land: greenbelt (1 of 4)'],
    ]);
    expect(texts('fr')[0]).to.deep.equal(['unknown', 'Inconnu pour 4 sur 4\u00a0: flood']);
  });

  it('are in towns, those with most rows first, each in the middle of its rows', () => {
    const at = (lat: number, town: string | null) => ({ place: { lat, lon: -79 }, town });
    expect(townsOf([at(45, 'A'), at(44, 'B'), at(44.5, 'B'), at(50, null), { place: null, town: 'C' }])).to.deep.equal([
      { text: 'B', lat: 44.25, lon: -79 },
      { text: 'A', lat: 45, lon: -79 },
    ]);
    const municipality = layerOf('municipality', 'object', 'naming');
    const [first] = lines.slice(0, 1).map((one) => structuredClone(one) as unknown as { body: Record<string, object> });
    Object.assign(first!.body['layers']!, { municipality: { munId: '1', name: 'TOWN OF MAPLE' } });
    Object.assign(first!.body['evidence']!, { municipality: evidence('present') });
    const row = rowOf(first as unknown as BatchRows.Line, { asked: new Map(), layers: [...layers, municipality] });
    expect([row.town, rows(lines)[0]!.town]).to.deep.equal(['Town of Maple', null]);
    Object.assign(first!.body, { address: '2-1 A St, Maple, ON L0X 5X8, Canada' });
    expect(rows([first as unknown as BatchRows.Line])[0]!.town).to.equal('Maple');
  });

  it('are counted by layer as a single answer says it', () => {
    expect(rows(lines)[1]!.found).to.deep.equal({ flood: 'unknown', waste: 'here', greenbelt: 'none', county: 'none' });
    const failed = {
      row: 5,
      custom_id: 'e',
      code: 'ADDRESS_NOT_FOUND',
      body: { reason: 'AMBIGUOUS' },
    } as BatchRows.Line;
    expect(rows([failed])[0]).to.deep.include({ outcome: 'notFound', told: null, isFull: false });
  });

  it('are a table in the words of the language', async () => {
    const saved = async (language: 'en' | 'fr') => {
      speak(language);
      return (await answeredTable({ own: null, lines: each(lines), layers })).arrayBuffer();
    };
    const text = Buffer.from(await saved('en')).toString();
    expect(text.charCodeAt(0)).to.equal(0xfeff);
    expect(text.split('\r\n')[1]).to.equal(
      '1,,,Found,1 A St,"At the building, within about 10\u00a0m (9 cases in 10)",differs,44,-79,Not known (the data does not reach this place),Not known (the source gives no usable value here),Yes,None here,Contains data.',
    );
    const french = Buffer.from(await saved('fr')).toString();
    expect(french).to.contain(';Inconnu (').and.contain(';Oui;').and.contain('Adresse trouvée');
  });

  it('are behind the properties of the parcels that were asked for', async () => {
    speak('en');
    const ring = [[-79, 44], [-79, 44.01], [-78.99, 44], [-79, 44]]; // prettier-ignore
    const rows = ['03600-0123', '03600-0124'].map((PIN, i) => ({
      geometry: { type: 'Polygon', coordinates: [ring] },
      properties: { PIN, ...(i === 0 ? { owner: 'Côté' } : { zone: 7 }) },
      custom_id: PIN,
    }));
    const file = new File([rows.map((row) => `${JSON.stringify(row)}\n`).join('')], 'lots.ndjson');
    const places = (await readPlaces(file)) as AnsweredTable.Own['places'];
    const blob = await answeredTable({ own: { file, places }, lines: each(lines.slice(0, 2)), layers });
    const [head, ...saved] = (await blob.text()).split('\r\n');
    expect(head).to.match(/^\ufeff?PIN,owner,custom_id,zone,Asked for,Outcome,/);
    expect(saved.map((line) => line.split(',').slice(0, 4))).to.deep.equal([
      ['03600-0123', 'Côté', '03600-0123', ''],
      ['03600-0124', '', '03600-0124', '7'],
      [''],
    ]);
    expect(saved[0]).to.contain(',Found,1 A St,').and.to.contain(',Yes,None here,');
  });

  it('do not say "none" where an answer without evidence does not tell it from "not known"', async () => {
    speak('en');
    const plain = lines.map(({ ...one }) => {
      const known = Object.entries(one.body).filter(([name]) => name !== 'geocode' && name !== 'evidence');
      const body = Object.fromEntries(known) as object;
      return { ...one, body } as unknown as BatchRows.Line;
    });
    const blob = await answeredTable({ own: null, lines: each(plain), layers });
    expect((await blob.text()).split('\r\n')[2]).to.contain('"None, or not known",Yes,No,"None, or not known"');
    expect(rows(plain)[0]!.isFull).to.equal(false);
  });
});
