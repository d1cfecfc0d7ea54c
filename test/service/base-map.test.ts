/** The base map on this machine. */
import { expect } from 'chai';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBaseMap } from '../../src/http/base-map.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startFrontEnd, type FrontEnd } from '../support/front-end.ts';
import { makeTiles } from '../support/tiles.ts';

describe('The base map', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let file = '';
  let front: FrontEnd;
  before(async () => {
    file = makeTiles(folder.path, { lat: 44.3, lon: -79.3 });
    front = await startFrontEnd({ baseMap: file });
  });
  after(async () => {
    await front[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  interface InPage {
    readonly tilesUrl: string;
    readonly layersUrls: Readonly<Record<'en' | 'fr', string>>;
    readonly attribution: string;
  }

  async function inPage(): Promise<InPage> {
    const html = await (await fetch(front.url)).text();
    const [, json] = /id="settings">\s*(\{.*\})\s*<\/script>/.exec(html)!;
    return (JSON.parse(json!) as { readonly baseMap: InPage }).baseMap;
  }

  const part = async (range?: string, init: RequestInit = {}): Promise<Response> =>
    fetch(front.url + (await inPage()).tilesUrl, { ...init, ...(range === undefined ? {} : { headers: { range } }) });

  it('is sent by parts, which browsers keep', async () => {
    const bytes = readFileSync(file);
    const response = await part('bytes=100-299');
    expect(response.status).to.equal(206);
    expect(response.headers.get('content-range')).to.equal(`bytes 100-299/${bytes.length}`);
    expect(response.headers.get('cache-control')).to.contain('immutable');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(100, 300))).to.equal(true);
    const end = await part(`bytes=${bytes.length - 10}-${bytes.length + 5000}`);
    expect(Buffer.from(await end.arrayBuffer()).equals(bytes.subarray(-10))).to.equal(true);
  });

  it('is never sent as a whole, nor in huge parts', async () => {
    for (const range of [
      undefined,
      'bytes=0-',
      'bytes=-5',
      'bytes=5-1',
      'bytes=0-1,5-6',
      'bytes=99999999999-999999999999',
    ]) {
      const response = await part(range);
      expect(response.status, range).to.equal(400);
      expect(((await response.json()) as { readonly code: string }).code).to.equal('BAD_REQUEST');
    }
    expect((await part('bytes=0-1', { method: 'POST' })).status).to.equal(405);
  });

  it('has its layers in both languages, without icons and fonts to fetch', async () => {
    const { layersUrls, attribution } = await inPage();
    for (const url of Object.values(layersUrls)) {
      const layers = (await (await fetch(front.url + url)).json()) as readonly Record<string, unknown>[];
      expect(layers.map(({ id }) => id))
        .to.include.members(['earth', 'water'])
        .and.not.include('pois');
      expect(new Set(layers.map(({ source }) => source))).to.deep.equal(new Set(['basemap']));
      expect(JSON.stringify(layers)).not.to.contain('icon-image');
    }
    expect(attribution).to.contain('OpenStreetMap');
  });

  it('is not sent any more when the file is replaced under its feet', async () => {
    const { tilesUrl } = await inPage();
    utimesSync(file, new Date(), new Date(Date.now() + 5000));
    const response = await fetch(front.url + tilesUrl, { headers: { range: 'bytes=0-9' } });
    expect(response.status).to.equal(404);
  });

  it('stops the start when it is no such file, and says why', () => {
    const other = join(folder.path, 'other.pmtiles');
    writeFileSync(other, 'PK\u0003\u0004'.padEnd(200));
    expect(() => readBaseMap(other)).to.throw(/BASEMAP must be a PMTiles file of version 3/);
    expect(() => readBaseMap(join(folder.path, 'none'))).to.throw(/BASEMAP cannot be read: .*ENOENT/);
    mkdirSync(join(folder.path, 'dir'));
    expect(() => readBaseMap(join(folder.path, 'dir'))).to.throw(/BASEMAP cannot be read/);
    const pictures = readFileSync(file);
    pictures[99] = 2;
    writeFileSync(other, pictures);
    expect(() => readBaseMap(other)).to.throw(/vector tiles/);
  });
});
