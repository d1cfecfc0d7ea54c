/** The data of further answers, from servers of authorities and municipalities, by the project's own definitions and control points. */
import { expect } from 'chai';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { loadLayers } from '../../src/commands/load-layers.ts';
import { verifyCommand } from '../../src/commands/verify.ts';
import { projectDir } from '../../src/config.ts';
import { allAnswers } from '../../src/shared/catalogue/catalogue.ts';
import type { CompositeSource, DataSetDefinition } from '../../src/shared/catalogue/definition.ts';
import type { DataSetRecord } from '../../src/shared/contract/manifest.ts';
import type { GeoJsonGeometry } from '../../src/shared/downloads/feature.ts';
import type { LayerEvidence } from '../../src/shared/wire/full-lookup.ts';
import type { LayerValue } from '../../src/shared/wire/lookup.ts';
import { requireCurrentSnapshot } from '../../src/snapshots/current.ts';
import { project } from '../../workers/geopackage/projection.ts';
import { openSnapshot, rulesOf } from '../../workers/geopackage/snapshot.ts';
import { neededFromIndex } from '../../workers/lookup/cells/indexed-data-sets.ts';
import { openCells, readDirectory, setsRead } from '../../workers/lookup/cells/open.ts';
import { cellView } from '../../workers/lookup/views/cell-view.ts';
import { referenceView } from '../../workers/lookup/views/reference-view.ts';
import { answerPlace } from '../support/answer-place.ts';
import { adminAreas, type BoxFeature, type DegreeBox } from '../support/arcgis/authorities.ts';
import type { ServedField, ServedLayer } from '../support/arcgis/layers.ts';
import { ArcgisServer } from '../support/arcgis/server.ts';
import { capturedOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/folder.ts';

const DATA_SETS = ['regulated_area', 'wellhead_protection', 'heritage_district'] as const;
const KEYS = ['regulatedArea', 'wellheadProtection', 'heritageDistrict'] as const;

const text = (name: string): ServedField => ({ name, type: 'esriFieldTypeString' });

function box([west, south, east, north]: DegreeBox): Extract<GeoJsonGeometry, { readonly type: 'Polygon' }> {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

function layer(
  place: Pick<ServedLayer, 'service' | 'id' | 'name' | 'fields'>,
  features: readonly BoxFeature[],
): ServedLayer {
  return {
    ...{ ...place, geometry: 'polygon', editedMs: Date.UTC(2026, 5, 7) },
    features: features.map(({ box: one, attributes = {} }) => ({ attributes, geometry: box(one) })),
  };
}

/** What each authority and municipality has round the places at which its service is asked. */
const services: readonly ServedLayer[] = [
  layer(
    {
      ...{ service: 'TRCA_Regulation_Limit2/FeatureServer', id: 0, name: 'RegulationLimit_2025' },
      fields: [text('criteria_layers_contribution')],
    },
    [
      {
        box: [-79.36, 43.65, -79.35, 43.66],
        attributes: { criteria_layers_contribution: 'Flood Plain, Crest of Slope' },
      },
      { box: [-79.5, 43.75, -79.49, 43.76], attributes: { criteria_layers_contribution: null } },
    ],
  ),
  layer({ service: 'OpenData/MapServer', id: 36, name: 'Regulation', fields: [] }, [
    { box: [-79.465, 44.045, -79.455, 44.05] },
  ]),
  layer({ service: 'Hosted/Generic_Regulations_Limit_2025/FeatureServer', id: 0, name: 'Limit', fields: [] }, [
    { box: [-79.59, 43.545, -79.58, 43.555] },
  ]),
  layer({ service: 'CLOCA/OPENDATA/MapServer', id: 15, name: 'Regulated', fields: [] }, [
    { box: [-78.82, 43.87, -78.81, 43.88] },
  ]),
  layer(
    {
      ...{ service: 'OpenData/Clean_Water_Act/MapServer', id: 1, name: 'Clean Water Act Wellhead Protection Areas' },
      fields: [text('WELLHEAD_PROTECTION_AREA'), text('NAME'), { name: 'ZONE', type: 'esriFieldTypeInteger' }],
    },
    [
      {
        box: [-79.7, 43.88, -79.66, 43.92],
        attributes: { WELLHEAD_PROTECTION_AREA: 'WHPA-D', NAME: 'Nobleton', ZONE: 25 },
      },
    ],
  ),
  layer(
    {
      ...{ service: 'cot_geospatial11/MapServer', id: 40, name: 'Heritage Conservation District' },
      fields: [
        ...[text('DESIGNATION_TYPE'), text('HCD_NAME'), text('HCD_BYLAWN')],
        { name: 'HCD_DESDAT', type: 'esriFieldTypeDate' },
      ],
    },
    [
      {
        box: [-79.37, 43.663, -79.364, 43.67],
        attributes: {
          ...{ DESIGNATION_TYPE: 'Designated District', HCD_NAME: 'Cabbagetown', HCD_BYLAWN: '887-2001' },
          HCD_DESDAT: Date.UTC(2002, 2, 4),
        },
      },
      {
        box: [-79.41, 43.65, -79.4, 43.655],
        attributes: {
          ...{ DESIGNATION_TYPE: 'Under Appeal', HCD_NAME: 'King', HCD_BYLAWN: ' ' },
          HCD_DESDAT: Date.UTC(1899, 10, 30),
        },
      },
      { box: [-79.43, 43.65, -79.42, 43.655], attributes: { DESIGNATION_TYPE: 'Under Study', HCD_NAME: 'Study' } },
      { box: [-79.45, 43.65, -79.44, 43.655], attributes: { DESIGNATION_TYPE: 'Proposed', HCD_NAME: 'New word' } },
    ],
  ),
  layer(
    {
      ...{ service: 'Heritage_Conservation_District_Feature_Layer/FeatureServer', id: 0 },
      ...{ name: 'HeritageConservationDistrict', fields: [text('Name')] },
    },
    [{ box: [-89.225, 48.435, -89.215, 48.44], attributes: { Name: 'Waverley Park' } }],
  ),
];

const authorities: readonly BoxFeature[] = [
  {
    box: [-79.56, 43.6, -79.2, 44],
    attributes: { CA_ID: 34, LEGAL_NAME: 'Toronto and Region Conservation Authority' },
  },
  { box: [-79.8, 44, -79.2, 44.4], attributes: { CA_ID: 27, LEGAL_NAME: 'Lake Simcoe Region Conservation Authority' } },
  { box: [-79.8, 43.5, -79.56, 44], attributes: { CA_ID: 9, LEGAL_NAME: 'Credit Valley Conservation Authority' } },
  { box: [-79, 43.8, -78.7, 44], attributes: { CA_ID: 8, LEGAL_NAME: 'Central Lake Ontario Conservation Authority' } },
];

interface Told {
  readonly value: LayerValue;
  readonly state: LayerEvidence['state'];
}

/** An operator's machine, the province's server and one for all others. */
class Further implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly config = { dataDir: join(this.#folder.path, 'data'), layersDir: join(this.#folder.path, 'layers') };
  readonly province: ArcgisServer;
  readonly others: ArcgisServer;

  private constructor(province: ArcgisServer, others: ArcgisServer) {
    this.province = province;
    this.others = others;
    cpSync(join(projectDir, 'layers'), this.config.layersDir, { recursive: true });
    for (const id of DATA_SETS) {
      const file = join(this.config.layersDir, `${id}.json`);
      const definition = JSON.parse(readFileSync(file, 'utf8')) as DataSetDefinition;
      const [source] = definition.sources as readonly [CompositeSource];
      const parts = source.parts.map((part) => ({ ...part, server: others.url }));
      writeFileSync(file, JSON.stringify({ ...definition, sources: [{ ...source, parts }] }));
    }
  }

  static async start(): Promise<Further> {
    return new Further(await ArcgisServer.start([adminAreas(authorities)]), await ArcgisServer.start(services));
  }

  /** Changes the layers of a service. */
  change(service: string, change: (one: ServedLayer) => ServedLayer | null): void {
    this.others.layers = this.others.layers.flatMap((one) => (one.service === service ? (change(one) ?? []) : one));
  }

  async load(...only: readonly string[]): Promise<{ code: number; text: string }> {
    const output = capturedOutput();
    const options = { server: this.province.url, retry: { attempts: 2, firstMs: 1, mostMs: 1 } };
    const code = await loadLayers(this.config, { ...options, only }, output);
    return { code, text: output.text().replace(/\s+/g, ' ') };
  }

  record(id: string): DataSetRecord {
    return requireCurrentSnapshot(this.config.dataDir).manifest.dataSets[id]!;
  }

  /** What both read paths answer. */
  ask(key: string, [lon, lat]: readonly [lon: number, lat: number]): Told {
    const all = allAnswers(readCatalogue(this.config.layersDir));
    const asked = all.filter(({ answer }) => answer.key === key);
    const snapshot = openSnapshot(requireCurrentSnapshot(this.config.dataDir).dir, { rules: rulesOf(all) });
    try {
      const needed = neededFromIndex(all, snapshot);
      const cells = openCells(snapshot, { directory: readDirectory(snapshot), needed });
      const at = project({ lat, lon });
      const [index, reference] = [cellView(snapshot, cells, at), referenceView(snapshot, at)].map((view): Told => {
        const { layers, evidence } = answerPlace(view, asked, 10);
        return { value: layers[key]!, state: evidence[key]!.state };
      });
      expect(index).to.deep.equal(reference);
      return index!;
    } finally {
      snapshot.close();
    }
  }

  /** The data sets of the index, and those of which a lookup reads features at a place: without further answers, and with them. */
  setsAt([lon, lat]: readonly [lon: number, lat: number]) {
    const all = allAnswers(readCatalogue(this.config.layersDir));
    const snapshot = openSnapshot(requireCurrentSnapshot(this.config.dataDir).dir);
    try {
      const cells = openCells(snapshot, {
        directory: readDirectory(snapshot),
        needed: neededFromIndex(all, snapshot),
      });
      const { x, y } = project({ lat, lon });
      const read = (isFurther: boolean): number[] =>
        cells.leafAt(x, y, setsRead(cells, isFurther))!.hits.map(({ set }) => set);
      return { plain: read(false), all: read(true), sets: cells.header.dataSets };
    } finally {
      snapshot.close();
    }
  }

  async verify(sample: number): Promise<string> {
    const output = capturedOutput();
    await verifyCommand(this.config, { sample, seed: 5 }, output);
    return output.text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.province, this.others]) await server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

/** The numbers of the data sets that further answers alone read. */
function furtherOf(sets: readonly string[]): number[] {
  return sets.flatMap((name, set) => (DATA_SETS.some((id) => name.includes(id)) ? [set] : []));
}

describe('the data of further answers', function () {
  this.timeout(240_000);

  describe('downloaded', () => {
    let further: Further;
    before(async () => {
      further = await Further.start();
      const { code, text: printed } = await further.load('ca_admin_areas', ...KEYS);
      expect(code, printed).to.equal(0);
    });
    after(() => further[Symbol.asyncDispose]());

    it('are the regulated areas of four authorities, and "not there" in their areas alone', () => {
      const of = (authority: string, criteria: string | null = null): Told => ({
        ...{ value: { authority: `${authority} Conservation Authority`, criteria }, state: 'present' },
      });
      const ask = (lon: number, lat: number): Told => further.ask('regulatedArea', [lon, lat]);
      expect(ask(-79.3541, 43.6577)).to.deep.equal(of('Toronto and Region', 'Flood Plain, Crest of Slope'));
      expect(ask(-79.495, 43.755)).to.deep.equal(of('Toronto and Region'));
      expect(ask(-79.4608, 44.0478)).to.deep.equal(of('Lake Simcoe Region'));
      expect(ask(-79.5855, 43.5507)).to.deep.equal(of('Credit Valley'));
      expect(ask(-78.8135, 43.8755)).to.deep.equal(of('Central Lake Ontario'));
      expect(ask(-79.3985, 43.7066)).to.deep.equal({ value: null, state: 'absent' });
      expect(ask(-80.5, 43.7)).to.deep.equal({ value: null, state: 'no_coverage' });
      expect(further.record('regulated_area')).to.include({ coverage: 'area', featureCount: 5 });
    });

    it('are wellhead protection areas, and nothing is known beside them', () => {
      const value = { zone: 'WHPA-D', name: 'Nobleton', years: 25 };
      expect(further.ask('wellheadProtection', [-79.68, 43.9])).to.deep.equal({ value, state: 'present' });
      expect(further.ask('wellheadProtection', [-79.6, 43.9])).to.deep.equal({ value: null, state: 'no_coverage' });
    });

    it('are heritage districts with the day of their designation, where it is one', () => {
      const toronto = { municipality: 'City of Toronto' };
      const ask = (lon: number, lat: number): Told => further.ask('heritageDistrict', [lon, lat]);
      expect(ask(-79.367, 43.6665)).to.deep.equal({
        value: {
          ...{ ...toronto, name: 'Cabbagetown', status: 'designated', bylaw: '887-2001' },
          designatedOn: '2002-03-04',
        },
        state: 'present',
      });
      expect(ask(-79.405, 43.652).value, '1899-11-30').to.deep.equal({
        ...{ ...toronto, name: 'King', status: 'under_appeal', bylaw: null, designatedOn: null },
      });
      expect(ask(-79.425, 43.652), 'under study').to.deep.equal({ value: null, state: 'no_coverage' });
      expect(ask(-79.445, 43.652), 'a word that nobody knows').to.deep.equal({ value: null, state: 'unavailable' });
      expect(ask(-89.22, 48.437).value).to.deep.equal({
        ...{ municipality: 'City of Thunder Bay', name: 'Waverley Park', status: 'designated' },
        ...{ bylaw: null, designatedOn: null },
      });
    });

    it('are not read by a lookup that asks for none of them', () => {
      const { plain, all, sets } = further.setsAt([-79.3541, 43.6577]);
      const own = sets.indexOf('regulated_area');
      expect(all).to.include(own);
      expect(plain).to.not.include(own);
      expect(plain, 'all others').to.deep.equal(all.filter((set) => set < Math.min(...furtherOf(sets))));
    });

    it('are the same in the index and in the tables at hundreds of places', async () => {
      expect(await further.verify(600)).to.match(/at 600 places compared, \d+ differ, 0 by more than rounding/);
    });
  });

  describe('where a service does not answer as it is known to', () => {
    const places: readonly (readonly [service: string, key: (typeof KEYS)[number], at: readonly [number, number]])[] = [
      ['TRCA_Regulation_Limit2/FeatureServer', 'regulatedArea', [-79.3541, 43.6577]],
      ['OpenData/MapServer', 'regulatedArea', [-79.4608, 44.0478]],
      ['Hosted/Generic_Regulations_Limit_2025/FeatureServer', 'regulatedArea', [-79.5855, 43.5507]],
      ['CLOCA/OPENDATA/MapServer', 'regulatedArea', [-78.8135, 43.8755]],
      ['OpenData/Clean_Water_Act/MapServer', 'wellheadProtection', [-79.68, 43.9]],
      ['cot_geospatial11/MapServer', 'heritageDistrict', [-79.367, 43.6665]],
      ['Heritage_Conservation_District_Feature_Layer/FeatureServer', 'heritageDistrict', [-89.22, 48.437]],
    ];
    const changes: readonly (readonly [what: string, change: (one: ServedLayer) => ServedLayer | null])[] = [
      ['is gone', () => null],
      ['has moved', (one) => ({ ...one, id: one.id + 1, name: 'Something else' })],
      ['is empty', (one) => ({ ...one, features: [] })],
      [
        'finds a feature everywhere',
        (one) => ({ ...one, features: [{ ...one.features[0]!, geometry: box([-95, 42, -75, 55]) }] }),
      ],
    ];
    for (const [what, change] of changes)
      it(`knows nothing there when it ${what}`, async () => {
        for (const [service, key, at] of places) {
          await using further = await Further.start();
          further.change(service, change);
          const { code, text: printed } = await further.load('ca_admin_areas', key);
          expect(code, `${service}: ${printed}`).to.equal(2);
          // Where no other part is left, the data set is not loaded.
          expect(further.ask(key, at).value, service).to.equal(null);
          expect(further.ask(key, at).state, service).to.be.oneOf(['no_coverage', 'unavailable']);
        }
      });

    it('knows nothing there when its server fails, and keeps the last good data', async () => {
      await using further = await Further.start();
      further.others.faults = () => 'status 500';
      expect((await further.load('ca_admin_areas', ...KEYS)).code).to.equal(2);
      for (const [, key, at] of places)
        expect(further.ask(key, at)).to.deep.equal({ value: null, state: 'unavailable' });
      further.others.faults = () => null;
      expect((await further.load(...KEYS)).code).to.equal(0);
      further.others.faults = () => 'status 500';
      expect((await further.load(...KEYS)).code, 'nothing was imported').to.equal(1);
      for (const [, key, at] of places) expect(further.ask(key, at).state).to.equal('present');
    });
  });

  it('reads a regulated area of 300,000 vertices that comes as one multipolygon', async () => {
    await using further = await Further.start();
    const pieces = 300;
    const coordinates = Array.from({ length: pieces }, (_, i) => {
      const [lon, lat] = [-79.79 + (i % 20) * 0.01, 43.51 + Math.floor(i / 20) * 0.03];
      const corners = Array.from({ length: 1000 }, (_corner, n): [number, number] => {
        const angle = (n / 1000) * 2 * Math.PI;
        const reach = 0.0035 + 0.0005 * (n % 2);
        return [lon + reach * Math.cos(angle), lat + reach * Math.sin(angle)];
      });
      return [[...corners, corners[0]!]];
    });
    const control = box([-79.59, 43.545, -79.58, 43.555]);
    further.change('Hosted/Generic_Regulations_Limit_2025/FeatureServer', (one) => ({
      ...one,
      maxRecordCount: 1,
      features: [
        {
          attributes: {},
          geometry: { type: 'MultiPolygon', coordinates: [...coordinates, control.coordinates] },
        },
      ],
    }));
    const { code, text: printed } = await further.load('ca_admin_areas', 'regulatedArea');
    expect(code, printed).to.equal(0);
    expect(further.record('regulated_area').refused).to.equal(undefined);
    const inPiece = further.ask('regulatedArea', [-79.79, 43.51]);
    expect(inPiece.value).to.include({ authority: 'Credit Valley Conservation Authority' });
    expect(further.ask('regulatedArea', [-79.79, 43.525])).to.deep.equal({ value: null, state: 'absent' });
  });
});
