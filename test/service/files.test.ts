/** Files that browsers load. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type ErrorRequestHandler } from 'express';
import { createHttpServer, listen, stopServer } from '../../src/core/http/server.ts';
import { AppError } from '../../src/messages/problems.ts';
import { FileGroup, filesIn } from '../../src/core/http/file-groups.ts';
import { asSent } from '../support/drivers/as-sent.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const statusOnly: ErrorRequestHandler = (cause: unknown, _req, res, next) => {
  if (res.headersSent) next(cause);
  else res.status(AppError.from(cause).status).end();
};

const SCRIPT = `export const words = [${'"land", '.repeat(2000)}];\n`;

describe('Files', () => {
  const folder = temporaryFolder();
  let group: FileGroup;
  let url = '';
  let stop = (): Promise<void> => Promise.resolve();

  before(async () => {
    mkdirSync(join(folder.path, 'deep'));
    for (const name of ['page.js', 'deep/style.css', '.hidden', 'LICENSE'])
      writeFileSync(join(folder.path, name), name);
    writeFileSync(join(folder.path, 'words.js'), SCRIPT);
    group = new FileGroup('/files', filesIn(folder.path));
    const app = express().use('/files', group.serve()).use(statusOnly);
    const server = createHttpServer(app, { maxConnections: 10, refuseEarly: () => false });
    url = await listen(server, { host: '127.0.0.1', port: 0 });
    stop = () => stopServer(server, { lastCallMs: 0, quietMs: 0, drainMs: 100 });
  });

  after(async () => {
    await stop();
    folder[Symbol.dispose]();
  });

  it('have their type and length, also those in folders', async () => {
    const script = await fetch(`${url}/files/page.js`);
    expect(script.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect([script.headers.get('content-length'), await script.text()]).to.deep.equal(['7', 'page.js']);
    const style = await fetch(`${url}/files/deep/style.css`);
    expect([style.headers.get('content-type'), await style.text()]).to.deep.equal([
      'text/css; charset=utf-8',
      'deep/style.css',
    ]);
    expect((await fetch(`${url}/files/LICENSE`)).headers.get('content-type')).to.equal('application/octet-stream');
    const head = await fetch(`${url}/files/page.js`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).to.deep.equal([200, '7', '']);
  });

  it('are no others than those of the folder, without dotfiles and listings', async () => {
    for (const path of ['.hidden', '', 'deep', 'deep/', 'none.js', '..%2f..%2f..%2fetc%2fpasswd', 'PAGE.JS']) {
      expect((await fetch(`${url}/files/${path}`)).status, path).to.equal(404);
    }
    const inVersion = `${url}${group.url}`;
    for (const path of ['.hidden', '', 'none.js', '..%2fpage.js']) {
      expect((await fetch(`${inVersion}/${path}`)).status, path).to.equal(404);
    }
    expect((await fetch(`${url}/files/%ff`)).status).to.equal(400);
    expect((await fetch(`${url}/files/page.js`, { method: 'POST' })).status).to.equal(404);
  });

  it('are kept for a year under the version in their path, and asked for each time without it', async () => {
    expect(group.url).to.match(/^\/files\/[0-9a-f]{12}$/);
    const versioned = await fetch(`${url}${group.url}/deep/style.css`);
    expect([versioned.headers.get('cache-control'), await versioned.text()]).to.deep.equal([
      'public, max-age=31536000, immutable',
      'deep/style.css',
    ]);
    // The version of another release must not be kept: it may name other content.
    for (const path of ['/files/deep/style.css', '/files/0123456789ab/deep/style.css']) {
      const other = await fetch(url + path);
      expect([other.headers.get('cache-control'), await other.text()], path).to.deep.equal([
        'no-cache',
        'deep/style.css',
      ]);
    }
  });

  it('have another version when one of them changes', () => {
    using other = temporaryFolder();
    const paths = ['a.js', 'b.js'];
    const versionOf = (texts: readonly string[]): string => {
      paths.forEach((path, i) => {
        writeFileSync(join(other.path, path), texts[i]!);
      });
      return new FileGroup('/files', filesIn(other.path)).url;
    };
    const first = versionOf(['one', 'two']);
    expect(versionOf(['one', 'two'])).to.equal(first);
    expect(versionOf(['one', 'three'])).not.to.equal(first);
    expect(versionOf(['two', 'one'])).not.to.equal(first);
  });

  it('are sent again only when they have changed', async () => {
    const etag = (await fetch(`${url}/files/page.js`)).headers.get('etag')!;
    const again = (headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/files/page.js`, { headers, cache: 'no-store' });
    expect((await again({ 'if-none-match': etag, 'cache-control': 'max-age=0' })).status).to.equal(304);
    expect((await again({ 'if-none-match': 'W/"0"', 'cache-control': 'max-age=0' })).status).to.equal(200);
  });

  it('are compressed as the client likes, the small ones never', async () => {
    const accepted: readonly (readonly [string, string | undefined])[] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
      ['deflate', undefined],
    ];
    for (const [header, expected] of accepted) {
      const { encoding, bytes, headers, text } = await asSent(`${url}/files/words.js`, {
        headers: { 'accept-encoding': header },
      });
      expect(encoding, header).to.equal(expected);
      expect(headers['vary'], header).to.equal('Accept-Encoding');
      expect(headers['content-length'], header).to.equal(String(bytes.length));
      expect(text, header).to.equal(SCRIPT);
      if (encoding !== undefined) expect(bytes.length).to.be.below(SCRIPT.length / 10);
    }
    expect((await asSent(`${url}/files/page.js`, { headers: { 'accept-encoding': 'br' } })).encoding).to.equal(
      undefined,
    );
  });
});
