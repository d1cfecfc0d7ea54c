/** The base map on this machine. */
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBaseMap } from '../../src/features/page/base-map.ts';
import { openSocket, readToEnd, statusesIn } from '../support/drivers/client-socket.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { untilSucceeds } from '../support/drivers/patience.ts';
import { makeTiles } from '../support/material/tiles.ts';
import { given } from '../support/drivers/given.ts';

given('page', 'maps').describe('The base map', function () {
  this.timeout(240_000);
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
    readonly layersUrls: Readonly<Record<`${'en' | 'fr'}-${'light' | 'dark'}`, string>>;
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

  it('has its layers in both languages, for the light and for the dark, without icons and fonts to fetch', async () => {
    const { layersUrls, attribution } = await inPage();
    for (const url of Object.values(layersUrls)) {
      const layers = (await (await fetch(front.url + url)).json()) as readonly Record<string, unknown>[];
      expect(layers.map(({ id }) => id))
        .to.include.members(['earth', 'water'])
        .and.not.include('pois');
      expect(new Set(layers.map(({ source }) => source))).to.deep.equal(new Set(['basemap']));
      expect(JSON.stringify(layers)).not.to.contain('icon-image');
      const earth = layers.find(({ id }) => id === 'earth') as { readonly paint: { readonly 'fill-color': string } };
      const isDark = Number.parseInt(earth.paint['fill-color'].slice(1, 3), 16) < 64;
      expect(isDark, url).to.equal(url.includes('dark'));
    }
    expect(attribution).to.contain('OpenStreetMap');
  });

  describe('to clients that ask for much and read nothing', () => {
    const MIB = 1024 ** 2;
    let large: FrontEnd;
    let content: Buffer;
    let path = '';
    before(async () => {
      const padded = join(folder.path, 'large.pmtiles');
      content = Buffer.concat([readFileSync(file), randomBytes(12 * MIB)]);
      writeFileSync(padded, content);
      large = await startFrontEnd({ baseMap: padded, limits: { readTimeoutMs: 600_000 } });
      path = /"tilesUrl":"([^"]+)"/.exec(await (await fetch(large.url)).text())![1]!;
    });
    after(() => large[Symbol.asyncDispose]());

    const request = (from: number, to: number, ...more: string[]): string =>
      [`GET ${path} HTTP/1.1`, 'Host: x', `Range: bytes=${from}-${to}`, ...more, '', ''].join('\r\n');

    it('keeps little of it in memory', async () => {
      global.gc?.();
      const before = process.memoryUsage.rss();
      const sockets = await Promise.all([1, 2, 3].map(() => openSocket(large.url)));
      for (const socket of sockets) {
        socket.pause();
        socket.write(request(0, 4 * MIB - 1).repeat(60));
      }
      let most = 0;
      for (let n = 0; n < 20; n++) {
        await sleep(100);
        most = Math.max(most, process.memoryUsage.rss() - before);
      }
      for (const socket of sockets) socket.destroy();
      console.log(`        ${Math.round(most / MIB)} MiB of 720`);
      expect(most).to.be.below(100 * MIB);
      expect((await fetch(large.url + path, { headers: { range: 'bytes=0-9' } })).status).to.equal(206);
    });

    it('sends parts that were asked for at once in their order', async () => {
      const socket = await openSocket(large.url);
      const parts = Array.from({ length: 10 }, (_, n) => [n * MIB + 7, (n + 1) * MIB + n] as const);
      const asked = parts.map(([from, to]) => request(from, to)).join('');
      socket.write(asked + request(0, 9, 'Connection: close'));
      const answer = await readToEnd(socket);
      expect(statusesIn(answer)).to.deep.equal([...parts, 'the last'].map(() => 206));
      let at = 0;
      for (const [from, to] of parts) {
        at = answer.indexOf('\r\n\r\n', at) + 4;
        const bytes = Buffer.from(answer.slice(at, at + to - from + 1), 'latin1');
        expect(bytes.equals(content.subarray(from, to + 1)), `from ${from}`).to.equal(true);
        at += bytes.length;
      }
    });

    /** Whether all who do not read are ended, when each may take a third of the pause. */
    async function endsAllWithin(pauseMs: number): Promise<boolean> {
      const limits = { readTimeoutMs: pauseMs / 3 };
      await using front = await startFrontEnd({ baseMap: join(folder.path, 'large.pmtiles'), limits });
      const sockets = await Promise.all(Array.from({ length: 64 }, () => openSocket(front.url)));
      for (const socket of sockets) {
        socket.pause();
        // More than the kernel takes of a connection.
        socket.write(request(0, 4 * MIB - 1).repeat(6));
      }
      const ask = (): Promise<Response> => fetch(front.url + path, { headers: { range: 'bytes=0-9' } });
      const endMs = performance.now() + pauseMs;
      let refused: Response;
      do refused = await ask();
      while (refused.status === 206 && performance.now() < endMs);
      // On a busy machine, the first may be at their end before the last begin.
      if (refused.status === 206) return false;
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '5']);
      let { status } = refused;
      while (status !== 206) {
        await sleep(100);
        ({ status } = await ask());
      }
      // Until the time of all of them is over.
      await sleep(pauseMs);
      const received = await Promise.all(
        sockets.map(async (socket) => {
          const text = readToEnd(socket);
          socket.resume();
          return (await text).length;
        }),
      );
      return Math.max(...received) < 24 * MIB;
    }

    it('ends those that do not read, and has room for as many again', async () => {
      await untilSucceeds(9000, endsAllWithin);
    });
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
