import { expect } from 'chai';
import type { AnswerDefinition, DataSetDefinition } from '../../src/catalogue/definition.ts';
import { answerLayer } from '../../workers/engine/kinds/kinds.ts';
import { LayersWriter } from '../../workers/engine/answers/lookup-writer.ts';
import { answerPlace } from '../support/oracles/answer-place.ts';
import { evidenceOf } from '../../workers/engine/answers/evidence.ts';
import type { LayerAnswer } from '../../workers/engine/kinds/kind.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import { openSnapshot, type Snapshot } from '../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { writeSnapshot } from '../support/material/hand-made-snapshot.ts';

/** A square with its lower left corner at x, y. */
const square = (x: number, y: number, size: number): string =>
  `${x} ${y}, ${x + size} ${y}, ${x + size} ${y + size}, ${x} ${y + size}, ${x} ${y}`;

/** Distances in these tests are planar: a scale of 1 keeps them what the coordinates say. */
const at = (x: number, y: number): { x: number; y: number; scale: number } => ({ x, y, scale: 1 });

const answers = {
  zone: { kind: 'boolean' },
  soil: {
    kind: 'object',
    members: {
      cliClass: { field: 'CLI1', as: 'string', codes: { '1': '1', O: 'O' }, required: true },
      depth: { field: 'DEPTH', as: 'number' },
    },
  },
  plan: { kind: 'value', field: 'NAME' },
  coded: { kind: 'value', field: 'NAME', codes: { West: 'west' } },
  lake: {
    kind: 'proximity',
    bands: { regulated: 15, adjacent: 30 },
    bandsFor: [{ field: 'NAME', values: ['Lake Ontario'], bands: { adjacent: 120 } }],
  },
  stream: {
    kind: 'proximity',
    bands: { regulated: 15, adjacent: 30 },
    insideWithinM: 2,
    with: [{ dataSet: 'lake', only: { field: 'TYPE', values: ['River'] } }],
  },
  lakesOnly: { kind: 'proximity', bands: { regulated: 15 }, only: { field: 'TYPE', values: ['Lake'] } },
  wells: {
    kind: 'count',
    radiusM: 500,
    members: { count: 'count500m', nearestDistanceM: 'nearestDistanceM' },
    nearest: { nearestWellId: { field: 'WELL_ID', as: 'string' }, nearestDepthM: { field: 'DEPTH', as: 'number' } },
  },
} as const;

describe('the answer of a layer', () => {
  const folder = temporaryFolder();
  let snapshot: Snapshot;

  before(() => {
    writeSnapshot(folder.path, {
      zone: { features: [{ wkt: `POLYGON((${square(0, 0, 100)}),(${square(40, 40, 20)}))` }] },
      parts: { features: [{ wkt: `MULTIPOLYGON(((${square(0, 0, 10)})),((${square(50, 0, 10)})))` }] },
      plan: {
        features: [
          { wkt: `POLYGON((${square(0, 0, 10)}))`, attributes: { NAME: 'West' } },
          { wkt: `POLYGON((${square(10, 0, 10)}))`, attributes: { NAME: 'East' } },
          { wkt: `POLYGON((${square(100, 0, 10)}))`, attributes: { NAME: ' ' } },
          { wkt: `POLYGON((${square(200, 0, 10)}))`, attributes: { NAME: 'L\'île "Ø"\\\n\u2028 2' } },
        ],
      },
      soil: {
        features: [
          { wkt: `POLYGON((${square(0, 0, 10)}))`, attributes: { CLI1: 'O', DEPTH: '1.5' } },
          { wkt: `POLYGON((${square(10, 0, 10)}))`, attributes: { CLI1: '9', DEPTH: 'deep' } },
        ],
        coverage: 'features',
      },
      lake: {
        features: [
          { wkt: `POLYGON((${square(0, 0, 100)}))`, attributes: { NAME: 'Lake Ontario', TYPE: 'Lake' } },
          { wkt: `POLYGON((${square(1000, 0, 100)}))`, attributes: { NAME: 'Mud Lake', TYPE: 'Lake' } },
          { wkt: `POLYGON((${square(2000, 0, 100)}))`, attributes: { NAME: 'Deep River', TYPE: 'River' } },
        ],
      },
      stream: { features: [{ wkt: 'LINESTRING(0 -1000, 100 -1000)' }], coverage: 'area' },
      wells: {
        features: [
          { wkt: 'POINT(0 0)', attributes: { WELL_ID: '7', DEPTH: '41.5' } },
          { wkt: 'POINT(0 499)', attributes: { WELL_ID: '8' } },
          { wkt: 'POINT(0 501)', attributes: { WELL_ID: '9' } },
        ],
      },
      coverage: {
        features: [
          { wkt: `POLYGON((${square(-500, -1500, 3000)}))`, attributes: { data_set: 'stream' } },
          { wkt: `POLYGON((${square(2500, -1500, 3000)}))`, attributes: { data_set: 'stream' } },
          { wkt: `POLYGON((${square(5000, 5000, 10)}))`, attributes: { data_set: 'another' } },
        ],
      },
    });
    snapshot = openSnapshot(folder.path);
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  function ask(dataSet: string, kind: keyof typeof answers, [x, y]: readonly [number, number]): LayerAnswer {
    return answerLayer(referenceView(snapshot, at(x, y)), definition(dataSet), answerOf(kind));
  }

  it('is true inside a polygon and false in its hole', () => {
    expect(ask('zone', 'zone', [10, 10]).value).to.equal(true);
    expect(ask('zone', 'zone', [50, 50])).to.deep.equal({ value: false, state: 'absent', distanceM: null });
    expect(ask('zone', 'zone', [101, 50]).value).to.equal(false);
  });

  it('counts the edge of a polygon and of its hole as inside', () => {
    expect(ask('zone', 'zone', [0, 50]).value).to.equal(true);
    expect(ask('zone', 'zone', [100, 100]).value).to.equal(true);
    expect(ask('zone', 'zone', [40, 50]).value).to.equal(true);
  });

  it('is true in every part of a multipolygon and false between them', () => {
    expect([5, 30, 55].map((x) => ask('parts', 'zone', [x, 5]).value)).to.deep.equal([true, false, true]);
  });

  it('takes the first feature of the source on a shared edge, always the same one', () => {
    expect(ask('plan', 'plan', [10, 5]).value).to.equal('West');
    expect(ask('plan', 'plan', [10.02, 5]).value).to.equal('East');
  });

  it('is null where a feature is found whose code or text says nothing, and does not call it absent', () => {
    expect(ask('plan', 'coded', [5, 5])).to.deep.equal({ value: 'west', state: 'present', distanceM: 0 });
    expect(ask('plan', 'coded', [15, 5])).to.deep.equal({ value: null, state: 'unavailable', distanceM: 0 });
    expect(ask('plan', 'plan', [105, 5])).to.deep.equal({ value: null, state: 'unavailable', distanceM: 0 });
    expect(ask('plan', 'plan', [50, 5])).to.deep.equal({ value: null, state: 'absent', distanceM: null });
  });

  it('gives an object of its members, and null for all when a required member is not known', () => {
    expect(ask('soil', 'soil', [5, 5]).value).to.deep.equal({ cliClass: 'O', depth: 1.5 });
    expect(ask('soil', 'soil', [15, 5])).to.deep.equal({ value: null, state: 'unavailable', distanceM: 0 });
  });

  it('is written as JSON.stringify would write it, whatever is found and however often', () => {
    const asked = (dataSet: string, kind: keyof typeof answers) => ({
      dataSet: definition(dataSet),
      answer: answerOf(kind),
    });
    const catalogue = [
      ...[asked('zone', 'zone'), asked('plan', 'plan'), asked('plan', 'coded'), asked('soil', 'soil')],
      ...[asked('stream', 'stream'), asked('lake', 'lake'), asked('wells', 'wells'), asked('flood', 'zone')],
    ].map(({ dataSet, answer }, i) => ({ dataSet, answer: { ...answer, key: `layer${i}` } }));
    for (const x of [5, 5, 15, 105, 205, 205, 500, 1050, 4000]) {
      const view = referenceView(snapshot, at(x, 5));
      const { layers, evidence } = answerPlace(view, catalogue, 10);
      const writer = new LayersWriter(catalogue);
      expect(writer.plain(view)).to.equal(JSON.stringify(layers));
      const expected = { layers: JSON.stringify(layers), evidence: JSON.stringify(evidence) };
      expect(writer.explained(view, { uncertaintyM: 10 })).to.deep.equal(expected);
    }
    const none = new LayersWriter([]);
    const view = referenceView(snapshot, at(0, 0));
    expect(none.plain(view)).to.equal('{}');
    expect(none.explained(view, { uncertaintyM: 10 })).to.deep.equal({ layers: '{}', evidence: '{}' });
  });

  it('never says no outside what the data set knows, and never for a data set that is not loaded', () => {
    expect(ask('soil', 'soil', [500, 500])).to.deep.equal({ value: null, state: 'no_coverage', distanceM: null });
    expect(ask('stream', 'stream', [4000, 4000])).to.deep.equal({ value: null, state: 'no_coverage', distanceM: null });
    expect(ask('flood', 'zone', [5, 5])).to.deep.equal({ value: null, state: 'unavailable', distanceM: null });
  });

  const lakeClasses: readonly (readonly [number, string])[] = [
    [50, 'inside'],
    [100, 'inside'],
    [115, 'regulated'],
    [115.01, 'adjacent'],
    [220, 'adjacent'],
    [220.01, 'outside'],
    [985, 'regulated'],
    [970, 'adjacent'],
    [969.9, 'outside'],
    [1050, 'inside'],
  ];
  for (const [x, expected] of lakeClasses) {
    it(`classes a place at x = ${x} beside two lakes as ${expected}`, () => {
      expect(ask('lake', 'lake', [x, 50]).value).to.equal(expected);
    });
  }

  it('counts a line as inside within two metres, and a partner data set by its filter', () => {
    expect(ask('stream', 'stream', [50, -998]).value).to.equal('inside');
    expect(ask('stream', 'stream', [50, -997.9]).value).to.equal('regulated');
    expect(ask('stream', 'stream', [2050, 50]).value, 'in a river polygon').to.equal('inside');
    expect(ask('stream', 'stream', [1050, 50]).value, 'in a lake').to.equal('outside');
    expect(ask('lake', 'lakesOnly', [1050, 50]).value, 'a kind that counts').to.equal('inside');
    expect(ask('lake', 'lakesOnly', [2050, 50]).value, 'a kind that does not').to.equal('outside');
  });

  it('counts features within the radius and describes the nearest', () => {
    expect(ask('wells', 'wells', [30, 0]).value).to.deep.equal({
      count500m: 2,
      nearestDistanceM: 30,
      nearestWellId: '7',
      nearestDepthM: 41.5,
    });
    expect(ask('wells', 'wells', [5000, 0])).to.deep.equal({
      value: { count500m: 0, nearestDistanceM: null, nearestWellId: null, nearestDepthM: null },
      state: 'absent',
      distanceM: null,
    });
  });

  it('divides distances by the scale factor', () => {
    const stretched = referenceView(snapshot, { x: 0, y: -10.04, scale: 1.004 });
    expect(stretched.near('wells', 100)[0]!.distanceM).to.be.closeTo(10, 1e-9);
  });

  it('tells how far the place is from where the answer changes, and whether the uncertainty reaches there', () => {
    const evidence = (dataSet: string, kind: keyof typeof answers, [x, y]: readonly [number, number]): unknown => {
      const view = referenceView(snapshot, at(x, y));
      const asked = { dataSet: definition(dataSet), answer: answerOf(kind) };
      return evidenceOf(view, { ...asked, given: answerLayer(view, asked.dataSet, asked.answer), uncertaintyM: 20 });
    };
    expect(evidence('zone', 'zone', [10, 30])).to.deep.equal({
      state: 'present',
      distanceM: 0,
      searchedM: 0,
      boundaryDistanceM: 10,
      nearBoundary: true,
      dataSets: ['zone'],
    });
    expect(evidence('zone', 'zone', [200, 50])).to.deep.equal({
      state: 'absent',
      distanceM: null,
      searchedM: 0,
      boundaryDistanceM: 100,
      nearBoundary: false,
      dataSets: ['zone'],
    });
    expect(evidence('zone', 'zone', [600, 50])).to.deep.include({ boundaryDistanceM: null, nearBoundary: false });
    expect(evidence('lake', 'lake', [118, 50])).to.deep.include({
      distanceM: 18,
      boundaryDistanceM: 3,
      nearBoundary: true,
    });
    expect(evidence('wells', 'wells', [0, 0])).to.deep.include({ distanceM: 0, boundaryDistanceM: 1 });
    expect(evidence('stream', 'stream', [50, -990])).to.deep.include({
      boundaryDistanceM: 5,
      dataSets: ['stream', 'lake'],
    });
  });

  it('tells whether the nearest is found, lies beyond what was searched, or was not searched', () => {
    const searched = (dataSet: string, kind: keyof typeof answers, [x, y]: readonly [number, number]): unknown => {
      const view = referenceView(snapshot, at(x, y));
      const asked = { dataSet: definition(dataSet), answer: answerOf(kind) };
      const given = answerLayer(view, asked.dataSet, asked.answer);
      const { distanceM, searchedM } = evidenceOf(view, { ...asked, given, uncertaintyM: 20 });
      return [distanceM, searchedM];
    };
    expect(searched('zone', 'zone', [200, 50])).to.deep.equal([null, 0]);
    expect(searched('wells', 'wells', [5000, 0])).to.deep.equal([null, 500]);
    // Lake Ontario counts from 120 m, other lakes from 30 m: within 30 m there is none of any.
    expect(searched('lake', 'lake', [500, 50])).to.deep.equal([null, 30]);
    expect(searched('lake', 'lake', [180, 50])).to.deep.equal([80, 30]);
    expect(searched('stream', 'stream', [50, -990])).to.deep.equal([10, 30]);
    expect(searched('stream', 'stream', [4000, 4000]), 'outside of what is known').to.deep.equal([null, null]);
    expect(searched('flood', 'zone', [0, 0]), 'not loaded').to.deep.equal([null, null]);
    expect(searched('plan', 'plan', [105, 5]), 'there, without a value').to.deep.equal([0, 0]);
  });

  it('tells how far the area ends that a data set knows, where the answer rests on it', () => {
    const evidence = (x: number, y: number): unknown => {
      const view = referenceView(snapshot, at(x, y));
      const asked = { dataSet: definition('stream'), answer: answerOf('stream') };
      return evidenceOf(view, { ...asked, given: answerLayer(view, asked.dataSet, asked.answer), uncertaintyM: 20 });
    };
    expect(evidence(-490, 0)).to.deep.include({ state: 'absent', boundaryDistanceM: 10, nearBoundary: true });
    expect(evidence(-530, 0)).to.deep.include({ state: 'no_coverage', boundaryDistanceM: 30, nearBoundary: false });
    expect(evidence(-100, 0)).to.deep.include({ state: 'absent', boundaryDistanceM: null });
    // Two areas that touch at x = 2500 are one.
    expect(evidence(2490, 0)).to.deep.include({ state: 'absent', boundaryDistanceM: null });
  });
});

function answerOf(kind: keyof typeof answers): AnswerDefinition {
  const common = { key: kind, title: kind, description: kind, group: 'nature' } as const;
  return { ...common, ...answers[kind] } as unknown as AnswerDefinition;
}

function definition(id: string): DataSetDefinition {
  return { id } as DataSetDefinition;
}
