import { expect } from 'chai';
import type { AnswerDefinition, DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { LayerEvidence } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { answerLayer } from '../../workers/engine/kinds/kinds.ts';
import { evidenceOf } from '../../workers/engine/answers/evidence.ts';
import { cellView } from '../../workers/engine/views/cell-view.ts';
import { indexedDataSets } from '../../workers/engine/kinds/indexed-data-sets.ts';
import type { CellIndex } from '../../workers/engine/cells/open.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import type { PlaceView } from '../../workers/engine/views/view.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openWithCells, writeSnapshot } from '../support/material/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];

const box = (west: number, south: number, east: number, north: number): string =>
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
    .map(([x = 0, y = 0]) => `${X + x} ${Y + y}`)
    .join(',');

const dataSet = { id: 'flood', fields: {} } as DataSetDefinition;
const answer = {
  ...{ order: 1, key: 'flood', title: '', description: '', group: 'nature', kind: 'proximity' },
  bands: { regulated: 15, adjacent: 100 },
  wholeBand: true,
  deciding: {
    publisher: { description: '', field: 'SOURCE', as: 'string' },
    basis: { description: '', field: 'BASIS', as: 'string', codes: { E: 'engineered' } },
  },
} as const satisfies AnswerDefinition;

describe('a layer that must know the whole band around a place', () => {
  const folder = temporaryFolder();
  const answers = [{ dataSet, answer }];
  let snapshot: Snapshot;
  let cells: CellIndex;

  before(async () => {
    writeSnapshot(folder.path, {
      flood: {
        features: [
          { wkt: `POLYGON((${box(5000, 5000, 5200, 5200)}))`, attributes: { SOURCE: 'West', BASIS: 'E' } },
          { wkt: `POLYGON((${box(5190, 5000, 5400, 5200)}))`, attributes: { SOURCE: 'East', BASIS: '?' } },
          // Beyond the area that is known.
          { wkt: `POLYGON((${box(20_000, 0, 20_100, 100)}))`, attributes: { SOURCE: 'Far', BASIS: 'E' } },
        ],
        coverage: 'area',
      },
      coverage: {
        features: [
          {
            wkt: `POLYGON((${box(0, 0, 10_000, 10_000)}),(${box(2000, 2000, 3000, 3000)}))`,
            attributes: { data_set: 'flood' },
          },
          { wkt: `POLYGON((${box(0, 20_000, 150, 20_150)}))`, attributes: { data_set: 'flood' } },
          { wkt: `POLYGON((${box(-5000, -5000, 30_000, 5000)}))`, attributes: { data_set: 'another' } },
        ],
      },
    });
    const { manifest } = (snapshot = await open());
    expect(manifest.dataSets['flood']?.coverage).to.equal('area');
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  async function open(): Promise<Snapshot> {
    const dataSets = indexedDataSets(answers, { dataSets: { flood: { coverage: 'area' } as never } });
    const opened = await openWithCells(folder.path, dataSets);
    cells = opened.cells;
    return opened.snapshot;
  }

  const at = (x: number, y: number) => ({ x: X + x, y: Y + y, scale: 1 });

  function views(x: number, y: number): Record<string, PlaceView> {
    const place = at(x, y);
    return {
      index: cellView(snapshot, cells, place),
      reference: referenceView(snapshot, place),
    };
  }

  function values(x: number, y: number): Record<string, LayerValue> {
    const entries = Object.entries(views(x, y));
    return Object.fromEntries(entries.map(([path, view]) => [path, answerLayer(view, dataSet, answer).value]));
  }

  const places: readonly (readonly [what: string, x: number, y: number, LayerValue])[] = [
    ['in the middle of the area', 7000, 7000, 'outside'],
    ['101 m inside its edge', 101, 7000, 'outside'],
    ['exactly 100 m inside its edge', 100, 7000, 'outside'],
    ['99.9 m inside its edge', 99.9, 7000, null],
    ['on its edge', 0, 7000, null],
    ['outside it', -1, 7000, null],
    ['99 m beside a hole', 1901, 2500, null],
    ['101 m beside a hole', 1899, 2500, 'outside'],
    ['in a hole', 2500, 2500, null],
    ['in an area too narrow for the band', 75, 20_075, null],
    ['in a feature', 5100, 5100, 'inside'],
    ['near a feature', 4990, 5100, 'regulated'],
    ['in a feature where nothing is known', 20_050, 50, 'inside'],
    ['near a feature where nothing is known', 20_150, 50, 'adjacent'],
    ['too far from a feature where nothing is known', 20_201, 50, null],
  ];
  for (const [what, x, y, value] of places) {
    it(`answers ${JSON.stringify(value)} ${what}, on every path`, () => {
      expect(values(x, y)).to.deep.equal({ index: value, reference: value });
    });
  }

  it('reads nothing but the leaf', () => {
    const broken = { ...snapshot, layer: () => expect.fail('the leaf is enough') };
    for (const [, x, y, value] of places) {
      const view = cellView(broken, cells, at(x, y));
      expect(answerLayer(view, dataSet, answer).value).to.equal(value);
    }
    expect(cells.edgeSets.get('flood')).to.be.a('number');
    expect(cells.edgeSets.get('another')).to.equal(undefined);
  });

  it('answers the same on every path at random places beside the edges', () => {
    const seed = 5;
    const random = seededRandom(seed);
    let unknown = 0;
    for (let i = 0; i < 600; i++) {
      const along = random() * 10_000;
      const off = random() * 300 - 150;
      const [x, y] = [
        [along, off],
        [off, along],
        [2000 + off, 2000 + along / 10],
      ][i % 3] as [number, number];
      const { index, reference } = values(x, y);
      const edgeM = referenceView(snapshot, at(x, y)).coverageEdgeM('flood', 200);
      if (edgeM < 0.02 || Math.abs(edgeM - 100) < 0.02) continue;
      expect(index, `${x}, ${y} (seed ${seed})`).to.deep.equal(reference);
      unknown += Number(reference === null);
    }
    expect(unknown).to.be.within(300, 590);
  });

  function evidence(x: number, y: number): LayerEvidence {
    const view = views(x, y)['index']!;
    return evidenceOf(view, { dataSet, answer, given: answerLayer(view, dataSet, answer), uncertaintyM: 20 });
  }

  it('tells how far it is to where "outside" begins or ends', () => {
    expect(evidence(130, 7000)).to.deep.include({ state: 'absent', boundaryDistanceM: 30, nearBoundary: false });
    expect(evidence(110, 7000)).to.deep.include({ state: 'absent', boundaryDistanceM: 10, nearBoundary: true });
    expect(evidence(90, 7000)).to.deep.include({ state: 'no_coverage', boundaryDistanceM: 10, nearBoundary: true });
    expect(evidence(-30, 7000)).to.deep.include({ state: 'no_coverage', boundaryDistanceM: 130, nearBoundary: false });
    expect(evidence(340, 7000)).to.deep.include({ state: 'absent', boundaryDistanceM: 240 });
    expect(evidence(360, 7000)).to.deep.include({ state: 'absent', boundaryDistanceM: null });
  });

  it('names what decides: the nearest of the features that give the closest class', () => {
    expect(evidence(4990, 5100).feature).to.deep.equal({ publisher: 'West', basis: 'engineered' });
    // A basis that the definition does not list is not known.
    expect(evidence(5300, 5100).feature).to.deep.equal({ publisher: 'East', basis: null });
    expect(evidence(5450, 5100).feature).to.deep.equal({ publisher: 'East', basis: null });
    expect(evidence(7000, 7000).feature).to.equal(null);
  });
});
