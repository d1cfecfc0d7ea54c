import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadLayersOptions } from '../../src/import/load-layers.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { verifyCommand } from '../../src/commands/snapshot.ts';
import { checksumFile } from '../../workers/geopackage/checksum.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { serveFile, type FileServer } from '../support/doubles/file-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';
import { writeZip } from '../support/material/zip.ts';

const SERVICE = 'LIO_OPEN_DATA/LIO_Open01/MapServer';
const retry = { attempts: 2, firstMs: 1, mostMs: 1 };

/** `count` squares in a row; `south` moves them to another country. */
function squares(count: number, south = 44): ReturnType<typeof polygon>[] {
  return Array.from({ length: count }, (_, i) =>
    polygon([square(-80 + i * 0.01, south, 0.005)], { NAME: `area ${i}` }),
  );
}

function layerOf(features: ReturnType<typeof squares>): ServedLayer {
  return {
    service: SERVICE,
    id: 4,
    name: 'Areas',
    geometry: 'polygon',
    fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
    features: features.map(({ geometry, properties }) => ({
      attributes: properties,
      geometry: geometry as ServedLayer['features'][number]['geometry'],
    })),
    maxRecordCount: 7,
  };
}

function zipOf(folder: string, members: Readonly<Record<string, Buffer>>): Buffer {
  const file = join(folder, 'made.zip');
  writeZip(file, members);
  return readFileSync(file);
}

/** Two data sets, `areas` from a service and `packed` from a zip file at a URL, and an operator's machine. */
class Province implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly service: ArcgisServer;
  readonly file: FileServer;
  readonly config: { readonly dataDir: string; readonly layersDir: string };

  private constructor(service: ArcgisServer, file: FileServer) {
    this.service = service;
    this.file = file;
    const fields = { NAME: { type: 'string', required: true } } as const;
    const arcgis = { kind: 'arcgis', service: SERVICE, names: ['Areas'], layerIdHint: 4, confirmed: null } as const;
    const zipped = { kind: 'file', url: file.url, confirmed: null } as const;
    const layersDir = writeDefinitions(join(this.path, 'layers'), {
      areas: definitionOf({ geometry: 'polygon', fields, sources: [arcgis] }),
      packed: definitionOf({ geometry: 'polygon', fields, sources: [zipped] }),
    });
    this.config = { dataDir: join(this.path, 'data'), layersDir };
  }

  static async start(): Promise<Province> {
    const province = new Province(await ArcgisServer.start([layerOf(squares(40))]), await serveFile(Buffer.alloc(0)));
    province.publish(zipOf(province.path, { 'areas.geojson': Buffer.from(geoJson(squares(40, 45))) }));
    return province;
  }

  /** Puts other content behind the URL. */
  publish(content: Buffer): void {
    this.file.content = content;
    this.file.etag = `"${content.length}-${this.file.requests.length}"`;
    this.file.lastModified = null;
  }

  async load(options: LoadLayersOptions = {}): Promise<{ code: number; text: string }> {
    const output = capturedOutput();
    const code = await loadLayers(this.config, { server: this.service.url, retry, ...options }, output);
    return { code, text: output.text() };
  }

  /** Everything of the snapshots that a running service could notice. */
  state(): object {
    const { id, dir } = currentSnapshot(this.config.dataDir)!;
    return { id, ...checksumFile(join(dir, 'land.gpkg')), stored: readdirSync(join(this.config.dataDir, 'snapshots')) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.file[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

describe('import of downloads', function () {
  this.timeout(240_000);

  it('says with --check what would be fetched, and fetches nothing', async () => {
    await using province = await Province.start();
    const { code, text } = await province.load({ check: true });
    expect(code).to.equal(0);
    expect(text).to.match(/^areas +by name +\w+ +4 +40 +\d.* MB +none .* LIO_OPEN_DATA\/.*MapServer\/4 +fetch it/m);
    expect(text).to.match(/^packed +yes +\d.* MB +not read +data\.zip +fetch it if it has changed$/m);
    expect(text).to.match(/^An import would download about /m);
    expect(currentSnapshot(province.config.dataDir)).to.equal(null);
    expect(readdirSync(join(province.config.dataDir, 'sources'))).to.deep.equal(['.lock']);

    province.service.layers = [];
    const without = await province.load({ check: true });
    expect(without.code).to.equal(2);
    expect(without.text).to.match(/^areas +NO .*FAIL +layers\/areas\.json:1 does not fit: .*404/m);
  });

  it('leaves the snapshot in service as it was when a file is not what it says, and tells what came', async () => {
    await using province = await Province.start();
    expect(await province.load()).to.include({ code: 0 });
    const good = zipOf(province.path, { 'areas.geojson': Buffer.from(geoJson(squares(39, 45))) });
    const bomb = zipOf(province.path, { 'areas.geojson': Buffer.alloc(2_000_000) });
    bomb.writeUInt32LE(3_000_000_000, bomb.indexOf('PK\x01\x02') + 24);
    const otherFields = geoJson([polygon([square(-80, 44, 0.1)], { TITLE: 'a' })]);
    const points = geoJson([{ geometry: { type: 'Point', coordinates: [-80, 44] }, properties: { NAME: 'a' } }]);
    const faults: readonly [string, Buffer, RegExp][] = [
      ['a web page', Buffer.from('<!DOCTYPE html><title>Maintenance</title>'), /is a web page: "<!DOCTYPE html>/],
      ['nothing', Buffer.alloc(0), /the file is empty \(0 bytes\)/],
      ['half a zip file', good.subarray(0, good.length / 2), /zip/i],
      ['a zip bomb', bomb, /would unpack from \d+ to 3000000000 bytes: that is not data but a zip bomb/],
      ['other fields', zipOf(province.path, { 'a.geojson': Buffer.from(otherFields) }), /"NAME"/],
      ['other geometry', zipOf(province.path, { 'a.geojson': Buffer.from(points) }), /none of 1 features was kept: 1 /],
    ];
    const before = province.state();
    for (const [what, content, says] of faults) {
      province.publish(content);
      const { code, text } = await province.load({ only: ['packed'] });
      expect(code, `${what}: ${text}`).to.equal(1);
      expect(/^packed .*FAILED: .*$/m.exec(text)?.[0], what).to.match(says);
      expect(text, what).to.include('the snapshot in service is unchanged');
      expect(province.state(), what).to.deep.equal(before);
    }
    await verifyCommand(province.config, null, capturedOutput());

    province.publish(good);
    expect(await province.load({ only: ['packed'] })).to.include({ code: 0 });
    expect(currentSnapshot(province.config.dataDir)?.manifest.dataSets['packed']?.featureCount).to.equal(39);
  });

  it('keeps the last good data of what failed, marks it, and takes up the rest', async () => {
    await using province = await Province.start();
    expect(await province.load()).to.include({ code: 0 });
    province.publish(Buffer.from('<html>'));
    province.service.layers = [layerOf(squares(41))];
    const partial = await province.load();
    expect(partial.code).to.equal(2);
    const { areas, packed } = currentSnapshot(province.config.dataDir)!.manifest.dataSets;
    expect(areas).to.include({ featureCount: 41 }).and.not.to.have.property('refreshFailed');
    expect(packed?.featureCount).to.equal(40);
    expect(packed?.refreshFailed?.reason).to.include('is a web page');

    province.publish(zipOf(province.path, { 'areas.geojson': Buffer.from(geoJson(squares(42, 45))) }));
    expect(await province.load()).to.include({ code: 0 });
    const again = currentSnapshot(province.config.dataDir)!.manifest.dataSets['packed'];
    expect(again).to.include({ featureCount: 42 }).and.not.to.have.property('refreshFailed');
  });

  it('fetches a layer anew for each import when its service tells no change', async () => {
    await using province = await Province.start();
    const fetched = () => province.service.requests.filter(({ query }) => query.has('objectIds')).length;
    expect(await province.load({ only: ['areas'] })).to.include({ code: 0 });
    const first = fetched();
    expect(first).to.equal(Math.ceil(40 / 7));
    expect(await province.load({ only: ['areas'] })).to.include({ code: 0 });
    expect(fetched()).to.equal(2 * first);
  });

  it('refuses a data set that lost more than 5 % or left Ontario, unless forced', async () => {
    await using province = await Province.start();
    const only = { only: ['areas'] };
    expect(await province.load(only)).to.include({ code: 0 });
    const before = province.state();
    const refusals: readonly [ReturnType<typeof squares>, RegExp][] = [
      [squares(37), /has 37 features, but the last snapshot has 40: --force accepts the loss/],
      [[...squares(37), ...squares(3, 20)], /Ontario/],
    ];
    for (const [features, says] of refusals) {
      province.service.layers = [layerOf(features)];
      const { code, text } = await province.load(only);
      expect(code).to.equal(1);
      expect(/^areas .*FAILED: .*$/m.exec(text)?.[0]).to.match(says);
      expect(province.state()).to.deep.equal(before);
    }
    province.service.layers = [layerOf(squares(10))];
    expect(await province.load({ ...only, force: true })).to.include({ code: 0 });
    expect(currentSnapshot(province.config.dataDir)?.manifest.dataSets['areas']?.featureCount).to.equal(10);
  });
});
