/**
 * The servers of all data sets, the province's packages and an operator's machine that asks them each night. What may become of a source: its server is
 * gone, moves, wants a login, stalls, or has another certificate; its layer is called otherwise, has another number, other fields, other words, fewer
 * features, or answers otherwise at a known place.
 */
import { projectDir } from '../../../src/project/project.ts';
import { createServer, type Server } from 'node:https';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { CompositeSource, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { fetcher } from '../../../src/features/download/fetcher.ts';
import { sources } from '../../../src/features/sources/commands.ts';
import { DAY_MS } from '../../../src/messages/time.ts';
import { capturedOutput } from '../drivers/captured-output.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import { definitionsWithAddresses } from '../material/layer-definitions.ts';
import type { FaultKind } from './arcgis/faults.ts';
import type { ServedLayer } from './arcgis/layers.ts';
import { ArcgisServer } from './arcgis/server.ts';
import { makeCertificate } from './certificate.ts';
import { FileHost } from './file-server.ts';
import { furtherServices } from './further-servers.ts';
import { packagesRoot } from './packages.ts';
import { province } from './province/catalogue.ts';
import { servedProvince } from './province/serve.ts';

/** The first night. */
export const FIRST_MS = Date.UTC(2026, 10, 3, 2);

export interface Told {
  readonly dataSet: string;
  readonly source: string;
  readonly finding: string;
  readonly reason: string;
  readonly since: string;
  readonly seenAt: string;
  readonly before: { readonly finding: string; readonly since: string; readonly until: string } | null;
}

export interface Night {
  readonly code: number;
  /** Sources that are not as they should be. */
  readonly drifting: readonly Told[];
  readonly all: readonly Told[];
  /** What it says of what changed. */
  readonly said: readonly string[];
}

/** What becomes of a source, and what must be found the same night. */
export interface Trouble {
  readonly what: string;
  readonly dataSet: string;
  readonly finding: string;
  readonly reason: RegExp;
  readonly change: (province: WatchedProvince) => void;
}

/** Of the province's server, or of one of the others. */
function layerOf(dataSet: string): { readonly service: string; readonly id: number } {
  const { service, id } = province[dataSet]!;
  return { service: service.startsWith('/') ? service.slice(1) : `LIO_OPEN_DATA/${service}`, id };
}

const fault = (dataSet: string, kind: FaultKind) => (watched: WatchedProvince) => {
  const { service, id } = layerOf(dataSet);
  watched.faults.set(`${service}/${id}`, kind);
};

const other = (dataSet: string, change: (layer: ServedLayer) => ServedLayer) => (watched: WatchedProvince) => {
  const { service, id } = layerOf(dataSet);
  watched.changeLayer((one) => (one.service === service && one.id === id ? change(one) : one));
};

const renamedField = (from: string, to: string) => (layer: ServedLayer) => ({
  ...layer,
  fields: layer.fields.map((field) => (field.name === from ? { ...field, name: to } : field)),
});

const withValue = (field: string, value: string) => (layer: ServedLayer) => ({
  ...layer,
  features: layer.features.map((one) => ({ ...one, attributes: { ...one.attributes, [field]: value } })),
});

const box = ([west, south, east, north]: readonly [number, number, number, number]) => ({
  attributes: {},
  geometry: {
    type: 'Polygon' as const,
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  },
});

export const troubles: readonly Trouble[] = [
  {
    ...{ what: 'a service that is gone (404)', dataSet: 'constructed_drain', finding: 'gone' },
    ...{ reason: /answered 404/, change: fault('constructed_drain', 'status 404') },
  },
  {
    ...{ what: 'a service that is gone for good (410)', dataSet: 'orwn_track', finding: 'gone' },
    ...{ reason: /answered 410/, change: fault('orwn_track', 'status 410') },
  },
  {
    ...{
      what: 'a package that is gone',
      dataSet: 'clupa_provincial',
      finding: 'gone',
      reason: /CLUPAPRO\.zip.*answered 404/,
    },
    change: ({ packages }) => packages.files.delete('/fmedatadownload/Packages/fgdb/CLUPAPRO.zip'),
  },
  {
    ...{ what: 'a web page in place of JSON', dataSet: 'wooded_area', finding: 'unreachable' },
    ...{ reason: /a web page/, change: fault('wooded_area', 'web page') },
  },
  {
    ...{ what: 'a service whose server sends requests on', dataSet: 'ansi', finding: 'moved' },
    ...{
      reason: /sends requests on to http\S+\/server\/rest\/services\/LIO_OPEN_DATA/,
      change: fault('ansi', 'redirect'),
    },
  },
  {
    ...{ what: 'a layer of another name', dataSet: 'wetland', finding: 'names_changed', reason: /"Wetlands 2027" now/ },
    change: other('wetland', (layer) => ({ ...layer, name: 'Wetlands 2027' })),
  },
  {
    ...{
      what: 'a layer of another number',
      dataSet: 'ecoregion',
      finding: 'moved',
      reason: /the number 61 now, and had 16/,
    },
    change: other('ecoregion', (layer) => ({ ...layer, id: 61 })),
  },
  {
    ...{ what: 'a required field of another name', dataSet: 'owb_tertiary', finding: 'names_changed' },
    ...{
      reason: /has no field "WATERSHED_NAME"/,
      change: other('owb_tertiary', renamedField('WATERSHED_NAME', 'TITLE')),
    },
  },
  {
    ...{ what: 'an optional field of another name', dataSet: 'geographic_township', finding: 'names_changed' },
    reason: /no longer has the fields ANNULMENT_STATUS_FLG/,
    change: other('geographic_township', renamedField('ANNULMENT_STATUS_FLG', 'ANNULLED')),
  },
  {
    ...{ what: 'authorities that are merged', dataSet: 'ca_admin_areas', finding: 'names_changed' },
    reason:
      /1 before, 1 now; gone: Lake Simcoe Region Conservation Authority 27; new: Central Conservation Authority 27/,
    change: other('ca_admin_areas', withValue('LEGAL_NAME', 'Central Conservation Authority')),
  },
  {
    ...{ what: 'a word that no definition knows', dataSet: 'greenbelt', finding: 'words_unknown' },
    reason: /the words DESIGNATION "Protected Land" 3/,
    change: other('greenbelt', withValue('DESIGNATION', 'Protected Land')),
  },
  {
    ...{
      what: 'a tenth of the features lost',
      dataSet: 'built_up_area',
      finding: 'fewer',
      reason: /18 features, and had 20/,
    },
    change: other('built_up_area', (layer) => ({ ...layer, features: layer.features.slice(0, 18) })),
  },
  {
    ...{ what: 'a layer that is empty', dataSet: 'airport_official', finding: 'fewer', reason: /has no features/ },
    change: other('airport_official', (layer) => ({ ...layer, features: [] })),
  },
  {
    ...{
      what: 'nothing at a place that is known to be inside',
      dataSet: 'regulated_area',
      finding: 'control_point_wrong',
    },
    reason: /finds nothing at 44\.0478, -79\.4608/,
    change: (watched) => {
      watched.changeLayer((one) =>
        one.service === 'OpenData/MapServer' ? { ...one, features: [box([-79, 45, -78.9, 45.1])] } : one,
      );
    },
  },
  {
    ...{
      what: 'a feature at a place that is known to be outside',
      dataSet: 'heritage_district',
      finding: 'control_point_wrong',
    },
    reason: /finds a feature at 43\.7066, -79\.3985/,
    change: (watched) => {
      watched.changeLayer((one) =>
        one.service === 'cot_geospatial11/MapServer'
          ? { ...one, features: [...one.features, box([-79.4, 43.7, -79.39, 43.71])] }
          : one,
      );
    },
  },
  {
    ...{ what: 'a server that wants a token', dataSet: 'lot_fabric', finding: 'gone' },
    ...{ reason: /499: Token Required/, change: fault('lot_fabric', 'error 499 in 200') },
  },
  {
    ...{ what: 'a server that is silent', dataSet: 'tile_drainage_area', finding: 'unreachable' },
    ...{ reason: /was silent/, change: fault('tile_drainage_area', 'silence') },
  },
  {
    ...{
      what: 'a certificate that nobody trusts',
      dataSet: 'nep_boundary',
      finding: 'unreachable',
      reason: /connection failed: .*certificate/,
    },
    change: (watched) => {
      watched.untrusted.add('nep_boundary');
    },
  },
  {
    ...{ what: 'data that were not renewed within their term', dataSet: 'aggregate_site_active', finding: 'overdue' },
    reason: /last changed on 2026-06-01/,
    change: other('aggregate_site_active', (layer) => ({ ...layer, editedMs: Date.UTC(2026, 5, 1) })),
  },
];

/** All layers as they are when all is well. */
function soundLayers(editedMs: number): ServedLayer[] {
  return servedProvince().map((layer) => {
    const { features } = layer;
    const many =
      layer.name === 'Built Up Area' ? Array.from({ length: 20 }, (_, i) => features[i % features.length]!) : features;
    return { ...layer, features: many, editedMs };
  });
}

/** Without the features whose words no definition is to know. */
function withKnownWords(layer: ServedLayer): ServedLayer {
  const isUnknown = (word: unknown): boolean => word === 'Under Study' || word === 'Proposed';
  return { ...layer, features: layer.features.filter(({ attributes }) => !isUnknown(attributes['DESIGNATION_TYPE'])) };
}

/** Definitions whose servers are the stand-ins. */
function writeFolder(folder: string, server: string, others: string): string {
  definitionsWithAddresses(folder, server);
  for (const id of ['regulated_area', 'wellhead_protection', 'heritage_district']) {
    const name = `${id}.json`;
    cpSync(join(projectDir, 'layers', name), join(folder, name));
    const definition = JSON.parse(readFileSync(join(folder, name), 'utf8')) as DataSetDefinition;
    const [source] = definition.sources as readonly [CompositeSource];
    const parts = source.parts.map((part) => ({ ...part, server: others }));
    writeFileSync(join(folder, name), JSON.stringify({ ...definition, sources: [{ ...source, parts }] }));
  }
  return folder;
}

export class WatchedProvince implements AsyncDisposable {
  /** Of layers, by service and id. */
  readonly faults = new Map<string, FaultKind>();
  /** Data sets that are asked at a server with a certificate of its own. */
  readonly untrusted = new Set<string>();
  readonly config: { readonly dataDir: string; readonly layersDir: string };
  readonly packages: FileHost;
  readonly #folder = temporaryFolder();
  readonly #province: ArcgisServer;
  readonly #others: ArcgisServer;
  readonly #badServer: Server;
  #nights = 0;

  private constructor(servers: readonly [ArcgisServer, ArcgisServer], packages: FileHost) {
    [this.#province, this.#others] = servers;
    this.packages = packages;
    this.config = {
      dataDir: join(this.#folder.path, 'data'),
      layersDir: writeFolder(join(this.#folder.path, 'layers'), this.#province.url, this.#others.url),
    };
    const pem = readFileSync(makeCertificate(this.#folder.path).file);
    this.#badServer = createServer({ cert: pem, key: pem }, (_, response) => response.end('{}'));
    this.reconnect();
  }

  static async start(): Promise<WatchedProvince> {
    const servers = [await ArcgisServer.start([]), await ArcgisServer.start([])] as const;
    const watched = new WatchedProvince(servers, await FileHost.start());
    await new Promise<void>((resolve) => watched.#badServer.listen(0, '127.0.0.1', resolve));
    return watched;
  }

  get dataSets(): readonly DataSetDefinition[] {
    return readCatalogue(this.config).dataSets;
  }

  /** All is as it should be. */
  makeSound(): void {
    this.faults.clear();
    this.untrusted.clear();
    // A month ago.
    const editedMs = FIRST_MS + (this.#nights - 33) * DAY_MS;
    this.#province.layers = soundLayers(editedMs);
    this.#others.layers = furtherServices.map(withKnownWords);
    for (const source of this.dataSets.flatMap((one) => one.sources))
      if (source.kind === 'package')
        this.packages.files.set(`/fmedatadownload/Packages/fgdb/${source.code}.zip`, {
          ...{ content: Buffer.from('PK'), etag: '"a"', lastModified: new Date(editedMs).toUTCString() },
        });
  }

  changeLayer(change: (layer: ServedLayer) => ServedLayer): void {
    this.#province.layers = this.#province.layers.map(change);
    this.#others.layers = this.#others.layers.map(change);
  }

  /** No server answers. */
  cutOff(): void {
    for (const server of [this.#province, this.#others]) server.faults = () => 'lost connection';
    this.packages.status = 503;
  }

  /** They answer again, as those that are sound. */
  reconnect(): void {
    this.#province.faults = (_query, path) => this.faults.get(path.replace(/\/query$/, '')) ?? null;
    this.#others.faults = () => null;
    this.packages.status = null;
    this.makeSound();
  }

  /** Asks all sources, one night after the last time. */
  async night(): Promise<Night> {
    const nowMs = FIRST_MS + this.#nights++ * DAY_MS;
    const [out, err] = [capturedOutput(), capturedOutput()];
    const options = {
      ...{ check: true, json: true, nowMs, server: this.#province.url, packages: packagesRoot(this.packages) },
      ...{ retry: { attempts: 2, firstMs: 1, mostMs: 1 }, idleMs: 4000 },
    };
    const config = { ...this.config, ownLayersDir: this.#untrustedDefinitions() };
    const code = await sources(config, options, fetcher, { out, err });
    const { sources: all } = JSON.parse(out.text()) as { sources: readonly Told[] };
    const said = err
      .text()
      .split('\n')
      .filter((line) => line.startsWith('sources: '));
    return { code, all, drifting: all.filter(({ finding }) => finding !== 'ok'), said };
  }

  #untrustedDefinitions(): string | null {
    if (this.untrusted.size === 0) return null;
    const folder = join(this.#folder.path, 'own');
    const { port } = this.#badServer.address() as AddressInfo;
    cpSync(this.config.layersDir, folder, {
      recursive: true,
      filter: (path) =>
        path === this.config.layersDir || [...this.untrusted].some((id) => path.endsWith(`/${id}.json`)),
    });
    for (const id of this.untrusted) {
      const file = join(folder, `${id}.json`);
      const definition = JSON.parse(readFileSync(file, 'utf8')) as DataSetDefinition;
      const served = definition.sources.map((source) => ({
        ...source,
        server: `https://127.0.0.1:${port}/arcgis/rest/services`,
      }));
      writeFileSync(file, JSON.stringify({ ...definition, sources: served }));
    }
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#province, this.#others, this.packages]) await server[Symbol.asyncDispose]();
    this.#badServer.closeAllConnections();
    await new Promise((resolve) => this.#badServer.close(resolve));
    this.#folder[Symbol.dispose]();
  }
}
