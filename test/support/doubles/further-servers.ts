/** Servers of authorities and municipalities from which further answers have their data, and an operator's machine that imports from them. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { loadLayers } from '../drivers/load-layers.ts';
import { verifyCommand } from '../../../src/features/verify/verify.ts';
import { projectDir } from '../../../src/project/project.ts';
import { allAnswers } from '../../../src/catalogue/catalogue.ts';
import type { CompositeSource, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { project } from '../../../workers/geopackage/lambert.ts';
import { openSnapshot } from '../../../workers/geopackage/snapshot.ts';
import { neededFromIndex } from '../../../workers/engine/kinds/indexed-data-sets.ts';
import { openCells, readDirectory, setsRead } from '../../../workers/engine/cells/open.ts';
import { answersAt, type Told } from '../oracles/answers-at.ts';
import { adminAreas, boxLayer, text, type BoxFeature } from './arcgis/authorities.ts';
import type { ServedLayer } from './arcgis/layers.ts';
import { ArcgisServer } from './arcgis/server.ts';
import { capturedOutput } from '../drivers/captured-output.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import type { LonLat } from '../material/sample/frame.ts';

export const DATA_SETS = ['regulated_area', 'wellhead_protection', 'heritage_district'] as const;
export const KEYS = ['regulatedArea', 'wellheadProtection', 'heritageDistrict'] as const;

type Place = Parameters<typeof boxLayer>[0];

function layer(place: Place, features: readonly BoxFeature[]): ServedLayer {
  return { ...boxLayer(place, features), editedMs: Date.UTC(2026, 5, 7) };
}

/** What each authority and municipality has round the places at which its service is asked. */
export const furtherServices: readonly ServedLayer[] = [
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

export const authorities: readonly BoxFeature[] = [
  {
    box: [-79.56, 43.6, -79.2, 44],
    attributes: { CA_ID: 34, LEGAL_NAME: 'Toronto and Region Conservation Authority' },
  },
  { box: [-79.8, 44, -79.2, 44.4], attributes: { CA_ID: 27, LEGAL_NAME: 'Lake Simcoe Region Conservation Authority' } },
  { box: [-79.8, 43.5, -79.56, 44], attributes: { CA_ID: 9, LEGAL_NAME: 'Credit Valley Conservation Authority' } },
  { box: [-79, 43.8, -78.7, 44], attributes: { CA_ID: 8, LEGAL_NAME: 'Central Lake Ontario Conservation Authority' } },
];

/** An operator's machine, the province's server and one for all others. */
export class Further implements AsyncDisposable {
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

  static async start(services = furtherServices): Promise<Further> {
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
  ask(key: string, at: LonLat): Told {
    return this.askAll(key, [at])[0]!;
  }

  askAll(key: string, places: readonly LonLat[]): readonly Told[] {
    return answersAt(this.config, key, places);
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
