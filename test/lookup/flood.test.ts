import { expect } from 'chai';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompositeSource, ControlPoints, DataSetDefinition, SourcePart } from '../../src/catalogue/definition.ts';
import { describeLayers } from '../../src/core/layers/describe-layers.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { verifyCommand } from '../../src/features/verify/verify.ts';
import { projectDir } from '../../src/project/project.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import type { LayerEvidence } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { answerPlace } from '../support/oracles/answer-place.ts';
import { cellView } from '../../workers/engine/views/cell-view.ts';
import { indexedDataSets } from '../../workers/engine/kinds/indexed-data-sets.ts';
import { openCells, readDirectory } from '../../workers/engine/cells/open.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import { openSnapshot } from '../../workers/geopackage/snapshot.ts';
import {
  adminAreas,
  authorityRoots,
  lsrcaLayers,
  polygonOf,
  trcaFloodplain,
  trcaStalls,
  type BoxFeature,
} from '../support/doubles/arcgis/authorities.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const TRCA = 'Toronto and Region Conservation Authority';
const LSRCA = 'Lake Simcoe Region Conservation Authority';

/** Degrees of latitude that are so many metres on the ground here, to a third of a percent. */
const north = (metres: number): number => metres / 111_100;
/** Degrees of longitude, at 44 degrees north. */
const east = (metres: number): number => metres / 80_300;

/** Where the two authorities meet; the north is Lake Simcoe Region's. */
const BORDER = 44;

const floods = {
  trca: { box: [-79.6, 43.9, -79.59, 43.91], attributes: { FloodPlainSource: 'Engineered' } },
  trcaEstimated: { box: [-79.5, 43.9, -79.49, 43.91], attributes: { FloodPlainSource: 'Estimated' } },
  // Both authorities map the stream that crosses their border.
  trcaAtBorder: { box: [-79.4, 43.99, -79.39, 44.005], attributes: { FloodPlainSource: 'Estimated' } },
  lsrcaAtBorder: {
    box: [-79.395, 43.995, -79.38, 44.01],
    attributes: { STORM_LEVEL: 'Regional', FLOODPLAIN_TYPE: 'One Zone', PUBLISH_DATE: Date.UTC(2024, 0, 2) },
  },
  shoreline: { box: [-79.5, 44.2, -79.49, 44.21], attributes: { STORM_LEVEL: '100 Year' } },
  // Beyond the area of its authority.
  beyond: { box: [-79.6, 44.41, -79.59, 44.42], attributes: { STORM_LEVEL: 'Regional' } },
} as const satisfies Readonly<Record<string, BoxFeature>>;

/** So many that a page of all of them stalls. */
const many = Array.from({ length: 240 }, (_, i): BoxFeature => {
  const west = -79.7 + i * 0.0005;
  return { box: [west, 43.7, west + 0.0002, 43.7002], attributes: { FloodPlainSource: 'Engineered' } };
});

/** The shoreline flood is where the floodplain was. */
function renumbered(layers: readonly ServedLayer[]): ServedLayer[] {
  const ids: Readonly<Record<number, number>> = { 76: 77, 59: 76 };
  return layers.map((layer) => ({ ...layer, id: ids[layer.id] ?? layer.id }));
}

const emptied = (layer: ServedLayer): ServedLayer => ({ ...layer, features: [] });
const withoutFirst = (layer: ServedLayer): ServedLayer => ({ ...layer, features: layer.features.slice(1) });

/** The first feature of a layer, as large as the area of Lake Simcoe Region. */
function everywhere(layer: ServedLayer): ServedLayer {
  return { ...layer, features: [{ ...layer.features[0]!, geometry: polygonOf(lsrcaArea.box) }] };
}

/** Places of which the drawn floods are known, instead of those of the real ones. */
const controls: Readonly<Record<string, ControlPoints>> = {
  [TRCA]: { inside: [[-79.595, 43.905]], outside: [[-79.75, 43.65]], confirmed: null },
  [LSRCA]: { inside: [[-79.3875, 44.005]], outside: [[-79.3, 44.3]], confirmed: null },
};

function withControl(part: SourcePart): SourcePart {
  if (!part.control) return part;
  const { inside, ...control } = controls[part.publisher]!;
  return { ...part, control: { ...control, inside: part.control.inside.length === 0 ? [] : inside } };
}

const trcaArea: BoxFeature = { box: [-79.8, 43.6, -79.2, BORDER], attributes: { CA_ID: 34, LEGAL_NAME: TRCA } };
const lsrcaArea: BoxFeature = { box: [-79.8, BORDER, -79.2, 44.4], attributes: { CA_ID: 27, LEGAL_NAME: LSRCA } };

type Answers = Readonly<Record<'index' | 'reference', { value: LayerValue; evidence: LayerEvidence }>>;

/** The province and two authorities, and an operator's machine. */
class Flooded implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly config = { dataDir: join(this.#folder.path, 'data'), layersDir: join(this.#folder.path, 'layers') };
  readonly servers: { readonly province: ArcgisServer; readonly trca: ArcgisServer; readonly lsrca: ArcgisServer };

  private constructor(servers: Flooded['servers']) {
    this.servers = servers;
    cpSync(join(projectDir, 'layers'), this.config.layersDir, { recursive: true });
    this.editSource(({ parts, ...source }) => ({ ...source, parts: parts.map(withControl) }));
  }

  static async start(): Promise<Flooded> {
    const province = await ArcgisServer.start([adminAreas([trcaArea, lsrcaArea])]);
    const trca = await ArcgisServer.start([
      trcaFloodplain([floods.trca, floods.trcaEstimated, floods.trcaAtBorder, ...many]),
    ]);
    trca.faults = trcaStalls;
    const regulated: BoxFeature[] = [{ box: [-79.8, BORDER, -79.2, 44.4] }];
    const watershed: BoxFeature[] = [{ box: [-79.8, BORDER, -79.5, 44.4] }, { box: [-79.5, BORDER, -79.2, 44.4] }];
    const floodplain = [floods.lsrcaAtBorder, floods.beyond];
    const layers = lsrcaLayers({ floodplain, shoreline: [floods.shoreline], watershed, regulated });
    return new Flooded({ province, trca, lsrca: await ArcgisServer.start(layers) });
  }

  #catalogue: Catalogue | undefined;

  get catalogue(): Catalogue {
    return (this.#catalogue ??= readCatalogue(this.config.layersDir));
  }

  /** Changes where flood hazard comes from; the authorities' servers are the ones of this test. */
  editSource(change: (source: CompositeSource) => CompositeSource): void {
    const file = join(this.config.layersDir, 'flood_hazard.json');
    const definition = JSON.parse(readFileSync(file, 'utf8')) as DataSetDefinition;
    const text = JSON.stringify({
      ...definition,
      sources: definition.sources.map((one) => change(one as CompositeSource)),
    });
    const local = text
      .replaceAll(authorityRoots.trca, this.servers.trca.url)
      .replaceAll(authorityRoots.lsrca, this.servers.lsrca.url);
    writeFileSync(file, local);
    this.#catalogue = undefined;
    const { parts } = (JSON.parse(local) as { sources: [CompositeSource] }).sources[0];
    const stray = parts.find(({ server, use }) => use === true && !server?.startsWith('http://127.0.0.1'));
    expect(stray, 'a part in use at a real server').to.equal(undefined);
  }

  async load(...only: readonly string[]): Promise<{ code: number; text: string }> {
    const output = capturedOutput();
    const options = { server: this.servers.province.url, retry: { attempts: 2, firstMs: 1, mostMs: 1 }, idleMs: 500 };
    const code = await loadLayers(this.config, { ...options, only }, output);
    return { code, text: output.text() };
  }

  get record(): DataSetRecord {
    return requireCurrentSnapshot(this.config.dataDir).manifest.dataSets['flood_hazard']!;
  }

  /** What the catalogue that is served says of the data. */
  get notes(): string {
    const { manifest } = requireCurrentSnapshot(this.config.dataDir);
    const { layers } = describeLayers(this.catalogue, manifest);
    return layers.find(({ key }) => key === 'floodProximity')!.dataSets[0]!.provenance.join(' ');
  }

  /** What each path answers at a place. */
  ask(place: Coordinate): Answers {
    return this.askAll([place])[0]!;
  }

  askAll(places: readonly Coordinate[]): readonly Answers[] {
    const snapshot = openSnapshot(requireCurrentSnapshot(this.config.dataDir).dir);
    try {
      const answers = this.catalogue.answers.filter(({ answer }) => answer.key === 'floodProximity');
      const needed = indexedDataSets(this.catalogue.answers, snapshot.manifest);
      const cells = openCells(snapshot, { directory: readDirectory(snapshot), needed });
      return places.map((place) => {
        const at = project(place);
        const [index, reference] = [cellView(snapshot, cells, at), referenceView(snapshot, at)].map((view) => {
          const { layers, evidence } = answerPlace(view, answers, 10);
          return { value: layers['floodProximity']!, evidence: evidence['floodProximity']! };
        });
        return { index: index!, reference: reference! };
      });
    } finally {
      snapshot.close();
    }
  }

  /** Compares both paths at many places; gives what the command printed. */
  async verify(): Promise<{ code: number; text: string }> {
    const output = capturedOutput();
    const code = await verifyCommand(this.config, { sample: 600, seed: 3 }, output);
    return { code, text: output.text() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of Object.values(this.servers)) await server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

type Case = readonly [what: string, lat: number, lon: number, value: LayerValue, feature?: object | null];

function expectCases(flooded: Flooded, cases: readonly Case[]): void {
  const given = flooded.askAll(cases.map(([, lat, lon]) => ({ lat, lon })));
  for (const [i, [what, , , value, feature]] of cases.entries()) {
    const { index, reference } = given[i]!;
    expect([index.value, reference.value], what).to.deep.equal([value, value]);
    const state = value === null ? 'no_coverage' : value === 'outside' ? 'absent' : 'present';
    expect(index.evidence.state, what).to.equal(state);
    if (feature !== undefined) expect(index.evidence.feature, what).to.deep.include(feature);
    expect(index.evidence, what).to.deep.equal(reference.evidence);
  }
}

const engineered = {
  publisher: TRCA,
  kind: 'floodplain',
  basis: 'engineered',
  storm: null,
  type: null,
  asOf: '2025-03-04',
};
const storm = { publisher: LSRCA, kind: 'floodplain', basis: 'storm', storm: 'Regional', type: 'One Zone' };

describe('flood hazard of conservation authorities', function () {
  this.timeout(240_000);

  describe('downloaded', () => {
    let flooded: Flooded;
    before(async () => {
      flooded = await Flooded.start();
      const { code, text } = await flooded.load('ca_admin_areas', 'floodProximity');
      expect(code, text).to.equal(0);
    });
    after(() => flooded[Symbol.asyncDispose]());

    it('answers by the nearest class of any part, and "outside" only where the whole band is known', () => {
      const west = -79.6;
      expectCases(flooded, [
        ['inside one', 43.905, -79.595, 'inside', engineered],
        ['inside one that is estimated', 43.905, -79.495, 'inside', { ...engineered, basis: 'estimated' }],
        ['on the edge', 43.905, west, 'inside', engineered],
        ['10 m beside it', 43.905, west - east(10), 'regulated', engineered],
        ['60 m beside it', 43.905, west - east(60), 'adjacent', engineered],
        ['140 m beside it', 43.905, west - east(140), 'outside'],
        ['inside those of two authorities', 44.0, -79.3925, 'inside', { publisher: TRCA }],
        ['inside the one, 160 m from the other', 44.0, -79.395 + east(560), 'inside', { ...storm }],
        ['inside the one, on the edge of the other', 43.9975, -79.395, 'inside', { publisher: TRCA }],
        ['near the one, inside the other', 44.0075, -79.3899, 'inside', storm],
        [
          'inside a shoreline flood',
          44.205,
          -79.495,
          'inside',
          { publisher: LSRCA, kind: 'shoreline_flood', basis: null },
        ],
        ['where the two areas meet', BORDER, -79.7, 'outside'],
        ['140 m inside the area', 44.4 - north(140), -79.7, 'outside'],
        ['60 m inside the area', 44.4 - north(60), -79.7, null],
        ['60 m outside the area', 44.4 + north(60), -79.7, null],
        ['outside all areas', 45.2, -79.7, null],
        ['in a flood outside its area', 44.415, -79.595, 'inside', { publisher: LSRCA, basis: 'storm' }],
        ['near a flood outside its area', 44.42 + north(60), -79.595, 'adjacent', { publisher: LSRCA }],
        ['farther from a flood outside its area', 44.42 + north(160), -79.595, null],
      ]);
    });

    it('does not count what is only regulated', () => {
      // All of Lake Simcoe Region is in a regulated area of its server.
      expect(flooded.servers.lsrca.requests.filter(({ path }) => path.includes('MapServer/36'))).to.deep.equal([]);
      expectCases(flooded, [['in a regulated area', 44.3, -79.3, 'outside']]);
    });

    it('tells how far the answer is from another one beside the edge of the area', () => {
      const evidence = (metres: number): LayerEvidence =>
        flooded.ask({ lat: 44.4 - north(metres), lon: -79.7 }).index.evidence;
      expect(evidence(150).boundaryDistanceM).to.be.closeTo(50, 1);
      expect(evidence(105)).to.include({ state: 'absent', nearBoundary: true });
      expect(evidence(95)).to.include({ state: 'no_coverage', nearBoundary: true });
      expect(evidence(-60).boundaryDistanceM).to.be.closeTo(160, 1);
      expect(evidence(-60).nearBoundary).to.equal(false);
    });

    it('asks the server that stalls for 100 features at a time', () => {
      const asked = flooded.servers.trca.requests.filter(({ query }) => query.has('objectIds'));
      expect(asked.map(({ query }) => query.get('objectIds')!.split(',').length)).to.have.members([100, 100, 43]);
    });

    it('names the parts it holds', () => {
      expect(flooded.record).to.include({ coverage: 'area', featureCount: 246 });
      expect(flooded.record.attribution).to.match(
        /\(TRCA\) Open Data Licence v1\.0\. .*Lake Simcoe Region[^.]* v1\.0\.$/,
      );
      expect(flooded.record.attribution.match(/Lake Simcoe/g)).to.have.length(1);
    });

    it('is the same in the index and in the tables at hundreds of places, those beside the areas among them', async () => {
      const { code, text } = await flooded.verify();
      expect(text).to.match(/at 600 places compared, \d+ differ, 0 by more than rounding/);
      expect(code).to.equal(0);
    });
  });

  it('may say yes, but never "outside", by a part that is positive only', async () => {
    await using flooded = await Flooded.start();
    const mvca: BoxFeature = { box: [-76.1, 45, -76.09, 45.01] };
    const place = { service: 'MVCA_Regulatory_Floodplain_Polygon_20240919/FeatureServer', id: 0, name: 'Floodplain' };
    const served = { ...trcaFloodplain([mvca]), ...place, fields: [] };
    flooded.servers.trca.layers = [...flooded.servers.trca.layers, served];
    flooded.editSource(({ parts, ...source }) => ({
      ...source,
      parts: parts.map((part) =>
        part.publisher.startsWith('Mississippi')
          ? { ...part, layerIdHint: 0, licence: { id: 'test', url: null }, attribution: 'Contains MVCA.', use: true }
          : part,
      ),
    }));
    const { code, text } = await flooded.load('ca_admin_areas', 'floodProximity');
    expect(code, text).to.equal(0);
    const feature = { publisher: 'Mississippi Valley Conservation Authority', basis: null, asOf: '2024-09-19' };
    expectCases(flooded, [
      ['inside', 45.005, -76.095, 'inside', feature],
      ['regulated', 45.01 + north(10), -76.095, 'regulated', feature],
      ['adjacent', 45.01 + north(60), -76.095, 'adjacent', feature],
      ['beyond the band', 45.01 + north(140), -76.095, null],
      ['far away', 45.2, -76.095, null],
      ['where another authority knows', 44.3, -79.3, 'outside'],
    ]);
    expect((await flooded.verify()).text).to.include(' 0 by more than rounding');
  });

  it('takes an area of coverage from a layer of its own', async () => {
    await using flooded = await Flooded.start();
    const layer = { server: authorityRoots.lsrca, service: 'OpenData/MapServer', names: [], layerIdHint: 20 };
    flooded.editSource(({ parts, ...source }) => ({
      ...source,
      parts: parts.map((part) =>
        part.publisher === LSRCA && part.kind === 'floodplain' ? { ...part, coverage: { layer } } : part,
      ),
    }));
    const { code, text } = await flooded.load('ca_admin_areas', 'floodProximity');
    expect(code, text).to.equal(0);
    expect(flooded.record.featureCount).to.equal(246);
    expectCases(flooded, [
      ['inside the watershed', 44.3, -79.7, 'outside'],
      ['where two of its polygons meet', 44.3, -79.5, 'outside'],
      ['60 m inside its edge', 44.4 - north(60), -79.7, null],
      ['outside it', 44.4 + north(60), -79.7, null],
    ]);
    expect((await flooded.verify()).text).to.include(' 0 by more than rounding');
  });

  describe('when a part does not answer as it is known to', () => {
    /** What has become of Lake Simcoe Region's service. */
    const changes: readonly (readonly [what: string, change: (server: ArcgisServer) => void, says: string])[] = [
      ['is dead', (server) => (server.faults = () => 'status 500'), 'OpenData/MapServer'],
      ['is gone', (server) => (server.layers = []), '404: Service OpenData/MapServer not found'],
      [
        'has moved its layers',
        (server) => (server.layers = renumbered(server.layers)),
        'finds nothing at 44.005, -79.3875',
      ],
      ['is empty', (server) => (server.layers = server.layers.map(emptied)), 'has no features'],
      [
        'answers nothing where there is a flood',
        (server) => (server.layers = server.layers.map(withoutFirst)),
        'finds nothing at 44.005, -79.3875, which is known to be inside',
      ],
      [
        'finds a flood everywhere',
        (server) => (server.layers = server.layers.map(everywhere)),
        'finds a feature at 44.3, -79.3, which is known to be outside',
      ],
    ];
    for (const [what, change, says] of changes)
      it(`leaves out the one that ${what}: its area is not known, the other's is`, async () => {
        await using flooded = await Flooded.start();
        change(flooded.servers.lsrca);
        const { code, text } = await flooded.load('ca_admin_areas', 'floodProximity');
        expect(code, text).to.equal(2);
        const refused = flooded.record.refused!;
        expect(refused.map(({ part }) => part)).to.include(`${LSRCA}, floodplain`);
        expect(refused.map(({ reason }) => reason).join('; ')).to.include(says);
        expect(text.replace(/\s+/g, ' ')).to.include(`${LSRCA}, floodplain: NOT USED, and not known in its area: `);
        expectCases(flooded, [
          ['in its area', 44.3, -79.7, null],
          ['in what it would call a flood', 44.0075, -79.3875, null],
          ["in the other's area", 43.95, -79.7, 'outside'],
          ["in the other's flood", 43.905, -79.595, 'inside', engineered],
        ]);
        expect(flooded.notes).to.include(says);
      });

    it('finds a layer of Toronto and Region by its name alone, whatever is at its id now', async () => {
      await using flooded = await Flooded.start();
      const { trca } = flooded.servers;
      const [layer] = trca.layers;
      trca.layers = [
        { ...layer!, id: 4 },
        { ...layer!, name: 'Something else', features: [] },
      ];
      expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(0);
      expectCases(flooded, [['inside', 43.905, -79.595, 'inside', engineered]]);

      trca.layers = [{ ...layer!, name: 'Something else' }];
      expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(2);
      expect(flooded.record.refused?.[0]?.reason).to.include('has no layer named "Floodline TRCA Polygon"');
      expectCases(flooded, [['no longer known', 43.905, -79.595, null]]);
    });

    it('keeps the last good data while a server is silent', async () => {
      await using flooded = await Flooded.start();
      expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(0);
      flooded.servers.lsrca.faults = () => 'status 500';
      expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(2);
      expect(flooded.record.refreshFailed?.reason).to.include('OpenData/MapServer');
      expectCases(flooded, [['with the last good data', 44.3, -79.7, 'outside']]);
    });

    it('fails when no part is left', async () => {
      await using flooded = await Flooded.start();
      flooded.servers.lsrca.layers = [];
      flooded.servers.trca.layers = [];
      expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(2);
      expect(flooded.ask({ lat: 44.3, lon: -79.7 }).index.evidence.state).to.equal('unavailable');
    });
  });

  it('fails when a part has lost what the whole would not miss', async () => {
    await using flooded = await Flooded.start();
    expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(0);
    const { lsrca } = flooded.servers;
    const { layers } = lsrca;
    lsrca.layers = layers.map((layer) =>
      layer.id === 76 ? { ...layer, features: layer.features.slice(0, 1) } : layer,
    );
    const { code, text } = await flooded.load('ca_admin_areas', 'floodProximity');
    expect(code).to.equal(2);
    expect(text.replace(/\s+/g, ' ')).to.include('MapServer/76: has 1 features, but the last snapshot has 2');
    lsrca.layers = layers.map((layer) =>
      layer.id === 59 ? { ...layer, features: [{ attributes: {}, geometry: null }] } : layer,
    );
    const empty = await flooded.load('ca_admin_areas', 'floodProximity');
    expect(empty.text).to.match(/MapServer\/59: .*: none of 1 features was kept: 1 no geometry/);
  });

  it('fails without the areas of the authorities, and follows them when they change', async () => {
    await using flooded = await Flooded.start();
    const without = await flooded.load('floodProximity');
    expect(without.code).to.equal(1);
    expect(without.text.replace(/\s+/g, ' ')).to.include(
      `the area of "${TRCA}", which the data set ca_admin_areas does not contain`,
    );

    for (const server of [flooded.servers.province, flooded.servers.lsrca])
      server.layers = server.layers.map((layer) => ({ ...layer, editedMs: Date.UTC(2025, 0, 1) }));
    expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(0);
    const { importedAt } = flooded.record;
    expectCases(flooded, [['before', 44.35, -79.7, 'outside']]);
    await flooded.load('ca_admin_areas', 'floodProximity');
    expect(flooded.record.importedAt, 'nothing has changed').to.equal(importedAt);

    const smaller: BoxFeature = { ...lsrcaArea, box: [-79.8, BORDER, -79.2, 44.3] };
    flooded.servers.province.layers = [{ ...adminAreas([trcaArea, smaller]), editedMs: Date.UTC(2025, 0, 2) }];
    expect((await flooded.load('ca_admin_areas', 'floodProximity')).code).to.equal(0);
    expect(flooded.record.importedAt).not.to.equal(importedAt);
    expectCases(flooded, [['after', 44.35, -79.7, null]]);
  });
});
