import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fetchFromProvince } from '../../src/features/download/fetcher.ts';
import type { LoadLayersOptions } from '../../src/import/load-layers.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { ProgressDisplay } from '../../src/core/terminal/progress-display.ts';
import type { DownloadedDataSet } from '../../src/messages/import.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { FileHost, type HostedFile } from '../support/doubles/file-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { storedRows } from '../support/drivers/import-run.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { packagesRoot, packageZip, publishPackage } from '../support/doubles/packages.ts';
import { polygon, square } from '../support/material/sources.ts';

const SERVICE = 'LIO_OPEN_DATA/LIO_Open01/MapServer';
const LAST_MODIFIED = 'Mon, 05 Oct 2026 04:00:00 GMT';
const retry = { attempts: 2, firstMs: 1, mostMs: 1 };

type Attributes = Readonly<Record<string, string | number | null>>;

function squares(count: number, from: string, more: (i: number) => Attributes = () => ({})) {
  return Array.from({ length: count }, (_, i) =>
    polygon([square(-80 + i * 0.01, 44, 0.005)], { NAME: `${from} ${i}`, ...more(i) }),
  );
}

function layerOf(features: ReturnType<typeof squares>): ServedLayer {
  return {
    ...{ service: SERVICE, id: 4, name: 'Areas', geometry: 'polygon' },
    fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
    features: features.map(({ geometry, properties }) => ({
      attributes: properties,
      geometry: geometry as ServedLayer['features'][number]['geometry'],
    })),
  };
}

/** Other than usual in the definition. */
interface Defined {
  readonly sources?: readonly object[] | undefined;
  readonly fields?: object | undefined;
}

function withCode(layer: ServedLayer): ServedLayer {
  return { ...layer, fields: [{ name: 'CODE', type: 'esriFieldTypeString' }] };
}

/** A data set `areas` with a package AREAS, class AREA, before a service, and an operator's machine. */
class Province implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly service: ArcgisServer;
  readonly host: FileHost;
  package: HostedFile;
  readonly dataDir = join(this.path, 'data');

  private constructor(service: ArcgisServer, host: FileHost) {
    this.service = service;
    this.host = host;
    this.package = this.publish(squares(30, 'package'));
  }

  static async start(): Promise<Province> {
    return new Province(await ArcgisServer.start([layerOf(squares(30, 'service'))]), await FileHost.start());
  }

  publish(features: ReturnType<typeof squares>, layer = 'AREA', crs?: string): HostedFile {
    const content = packageZip(this.path, { layer, features, ...(crs === undefined ? {} : { crs }) });
    return (this.package = publishPackage(this.host, 'AREAS', content, LAST_MODIFIED));
  }

  async load(options: LoadLayersOptions & Defined = {}): Promise<{ code: number; text: string }> {
    const { sources, fields, ...rest } = options;
    const output = capturedOutput();
    const config = this.#config({ sources, fields });
    const code = await loadLayers(config, { ...this.#options(), ...rest }, output);
    return { code, text: output.text() };
  }

  /** What an import would get. */
  async fetch(fields?: object): Promise<DownloadedDataSet> {
    const output = capturedOutput();
    const display = new ProgressDisplay(output);
    const fetched = await fetchFromProvince(this.#config({ fields }), this.#options(), { output, display });
    if (typeof fetched === 'number' || !fetched.dataSets[0]) throw new Error(output.text());
    return fetched.dataSets[0];
  }

  #config({ sources = [aPackage, aService], fields = { NAME: { type: 'string', required: true } } }: Defined) {
    const definition = { ...definitionOf({ geometry: 'polygon' }), fields, sources };
    return { dataDir: this.dataDir, layersDir: writeDefinitions(join(this.path, 'layers'), { areas: definition }) };
  }

  #options() {
    return { server: this.service.url, packages: packagesRoot(this.host), retry };
  }

  get record(): DataSetRecord {
    return currentSnapshot(this.dataDir)!.manifest.dataSets['areas']!;
  }

  get names(): unknown[] {
    return storedRows(this.dataDir, 'areas').map(({ values }) => values['NAME']);
  }

  /** Bodies that the package host sent, by status. */
  get statuses(): number[] {
    return this.host.requests.filter(({ method }) => method === 'GET').map(({ status }) => status);
  }

  /** Requests for features that the service got. */
  get queries(): number {
    return this.service.requests.filter(({ query }) => query.has('objectIds')).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.host[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

const aPackage = { kind: 'package', code: 'AREAS', layer: ['AREA_FT', 'AREA'], confirmed: null };
const aService = { kind: 'arcgis', service: SERVICE, names: ['Areas'], layerIdHint: 4, confirmed: null };

describe('import of packages', function () {
  this.timeout(240_000);

  it('reads the class from the zip, in the CRS that it has, and asks the service for nothing', async () => {
    await using province = await Province.start();
    province.publish(squares(30, 'package'), 'AREA', 'EPSG:3161');
    const { code, text } = await province.load();
    expect(code, text).to.equal(0);
    expect(province.names).to.deep.equal(Array.from({ length: 30 }, (_, i) => `package ${i}`));
    expect(province.service.requests).to.deep.equal([]);
    expect(province.record.files).to.deep.equal([`${packagesRoot(province.host)}/AREAS.zip`]);
    expect(text).to.match(/^areas +30 +new .* AREAS\.zip +\d/m);
    const folder = join(province.dataDir, 'sources', 'areas', 'package');
    expect(readdirSync(folder)).to.have.members(['source-AREAS.zip', 'state.json']);
  });

  it('fetches it again only when it has changed', async () => {
    await using province = await Province.start();
    expect(await province.load()).to.include({ code: 0 });
    const { text } = await province.load();
    expect(text)
      .to.match(/^areas +30 .*unchanged/m)
      .and.to.include('Nothing has changed');
    province.publish(squares(31, 'later'));
    expect(await province.load()).to.include({ code: 0 });
    expect(province.record.featureCount).to.equal(31);
    expect(province.statuses).to.deep.equal([200, 304, 200]);
    expect(province.queries).to.equal(0);
  });

  it('dates the data by its newest effective date, its newest change, or the zip file', async () => {
    await using province = await Province.start();
    await province.load();
    expect(province.record).to.include({ asOf: '2026-10-05', asOfFrom: 'file date' });
    const changed = (i: number) => ({
      SYSTEM_DATETIME: `2025-03-${10 + i}T10:20:30`,
      SPUD_DATE: '2026-01-01T00:00:00',
    });
    province.publish(squares(15, 'changed', changed));
    await province.load({ force: true });
    expect(province.record).to.include({ asOf: '2025-03-24', asOfFrom: 'newest change date' });
    const effective = (i: number) => ({
      ...changed(i),
      EFFECTIVE_DATETIME: i === 3 ? null : `2024-05-${10 + i}T00:00:00`,
    });
    province.publish(squares(15, 'effective', effective));
    await province.load({ force: true });
    expect(province.record).to.include({ asOf: '2024-05-24', asOfFrom: 'newest effective date' });
  });

  it('keeps what the condition of the package says, which the service need not', async () => {
    await using province = await Province.start();
    province.publish(squares(40, 'package', (i) => ({ SHOWN: i % 4 === 0 ? 'No' : 'Yes' })));
    await province.load({ sources: [{ ...aPackage, where: "SHOWN = 'Yes'" }, aService] });
    expect(province.record.featureCount).to.equal(30);
    expect(province.names).not.to.include('package 4');
  });

  const failures: readonly [string, RegExp, (province: Province) => void, object?][] = [
    [
      'is not there',
      /AREAS\.zip: the server answered 404/,
      ({ host }) => {
        host.files.clear();
      },
    ],
    ['cannot be had from an unwell server', /AREAS\.zip: the server answered 503/, ({ host }) => (host.status = 503)],
    [
      'breaks off again and again',
      /AREAS\.zip: the connection failed|AREAS\.zip: the file broke off/,
      ({ host }) => (host.cut = { afterBytes: 0, times: 99 }),
    ],
    ['lacks the class', /has no layer "AREA_FT" or "AREA"; it has: OTHER/, (p) => p.publish(squares(3, 'x'), 'OTHER')],
    [
      'lacks a required field',
      /has no field "CODE"/,
      ({ service }) => (service.layers = [withCode(layerOf(squares(30, 'service', () => ({ CODE: 'c' }))))]),
      { CODE: { type: 'string', required: true } },
    ],
    ['is a web page', /the file is a web page/, (p) => (p.package.content = Buffer.from('<!doctype html>'))],
    // Begun by letters: chance might begin it like a web page.
    ['is no zip file', /is not a zip file/, (p) => (p.package.content = Buffer.from('no zip'.repeat(1000)))],
    [
      'is cut short at its server',
      /the zip file cannot be read/,
      (p) => {
        halve(p.package);
      },
    ],
    [
      'is damaged inside',
      /the checksum of the member .* differs|the zip file cannot be read/,
      (p) => {
        flipByte(p.package);
      },
    ],
    [
      'does not fit on the disk',
      /the disk of .* has \d+ MB free; 953674317 MB more are needed/,
      ({ host }) => (host.statedBytes = 10 ** 15),
    ],
  ];
  for (const [what, why, prepare, fields] of failures) {
    it(`is given up for the service when the package ${what}`, async () => {
      await using province = await Province.start();
      prepare(province);
      const { sources, notUsed } = await province.fetch(fields);
      expect(sources[0]).to.include({ kind: 'chunks', name: `${province.service.url}/${SERVICE}/4`, featureCount: 30 });
      expect(notUsed).to.have.length(1);
      expect(notUsed[0]).to.match(why);
    });
  }

  it('says in the report and in the manifest which source was used, and why not the one before it', async () => {
    await using province = await Province.start();
    province.publish(squares(3, 'x'), 'OTHER');
    const { code, text } = await province.load();
    expect(code, text).to.equal(0);
    const why = /AREAS\.zip: has no layer "AREA_FT" or "AREA"; it has: OTHER$/;
    expect(/^areas +30 .*$/m.exec(text)?.[0])
      .to.match(/ LIO_OPEN_DATA\/LIO_Open01\/MapServer\/4 .*another source was not used: /)
      .and.to.match(why);
    expect(province.record.files[0]).to.match(/\/LIO_Open01\/MapServer\/4$/);
    expect(province.record.notUsed![0]).to.match(why);
  });

  it('takes the package up again when it can be had', async () => {
    await using province = await Province.start();
    const { content } = province.package;
    province.host.status = 503;
    await province.load();
    expect(province.names[0]).to.equal('service 0');
    province.host.status = null;
    expect(province.package.content).to.equal(content);
    expect(await province.load()).to.include({ code: 0 });
    expect(province.names[0]).to.equal('package 0');
    expect(province.record).not.to.have.property('notUsed');
  });

  it('fetches a package once more when it arrived damaged', async () => {
    await using province = await Province.start();
    const sound = province.package.content;
    flipByte(province.package);
    // Size and first answer are the damaged file's.
    const damaged = province.package.content;
    let answers = 0;
    Object.defineProperty(province.package, 'content', { get: () => (answers++ < 2 ? damaged : sound) });
    const { code, text } = await province.load();
    expect(code, text).to.equal(0);
    expect(province.names[0]).to.equal('package 0');
    expect(province.statuses).to.deep.equal([200, 200]);
  });

  it('uses the service first where the definition says so, and the package when it fails', async () => {
    await using province = await Province.start();
    const sources = [aService, aPackage];
    await province.load({ sources });
    expect(province.names[0]).to.equal('service 0');
    expect(province.host.requests).to.deep.equal([]);
    province.service.layers = [];
    const { code } = await province.load({ sources });
    expect(code).to.equal(0);
    expect(province.names[0]).to.equal('package 0');
    expect(province.record.notUsed![0]).to.match(/not found/);
  });

  it('says of each source why it failed when none can be had, and keeps the last good data', async () => {
    await using province = await Province.start();
    await province.load();
    province.host.files.clear();
    province.service.layers = [];
    const { code, text } = await province.load();
    expect(code).to.equal(1);
    expect(text).to.match(/^areas .*FAILED: .*AREAS\.zip: the server answered 404; .*not found/m);
    expect(province.names[0]).to.equal('package 0');
  });

  it('does not ask for packages of the province when another server is meant', async () => {
    await using province = await Province.start();
    const output = capturedOutput();
    const definition = definitionOf({ geometry: 'polygon', fields: { NAME: { type: 'string', required: true } } });
    const sources = [aPackage, aService];
    const layersDir = writeDefinitions(join(province.path, 'layers'), { areas: { ...definition, sources } });
    const config = { dataDir: province.dataDir, layersDir };
    expect(await loadLayers(config, { server: province.service.url, retry }, output), output.text()).to.equal(0);
    expect(province.names[0]).to.equal('service 0');
    expect(province.record).not.to.have.property('notUsed');
    expect(province.host.requests).to.deep.equal([]);
  });

  it('lists with --check what a package weighs and how old it is, and fetches nothing', async () => {
    await using province = await Province.start();
    const { code, text } = await province.load({ check: true });
    expect(code, text).to.equal(0);
    expect(text).to.match(/^areas .*\d MB +2026-10-05 .*AREAS/m);
    expect(province.statuses).to.deep.equal([]);
  });
});

function halve(file: HostedFile): void {
  file.content = file.content.subarray(0, file.content.length / 2);
}

/** A byte of the largest member. */
function flipByte(file: HostedFile): void {
  const bytes = Buffer.from(file.content);
  const at = bytes.indexOf('a00000009.gdbtable') + 200;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  file.content = bytes;
}
