/** Files that browsers load. */
import { expect } from 'chai';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type ErrorRequestHandler } from 'express';
import { createHttpServer, listen, stopServer } from '../../src/http/server.ts';
import { AppError } from '../../src/shared/problems.ts';
import { filesIn, serveFiles } from '../../src/http/files.ts';
import { temporaryFolder } from '../support/folder.ts';

const statusOnly: ErrorRequestHandler = (cause: unknown, _req, res, next) => {
  if (res.headersSent) next(cause);
  else res.status(AppError.from(cause).status).end();
};

describe('Files', () => {
  const folder = temporaryFolder();
  let url = '';
  let stop = (): Promise<void> => Promise.resolve();

  before(async () => {
    mkdirSync(join(folder.path, 'deep'));
    for (const name of ['page.js', 'deep/style.css', '.hidden', 'LICENSE'])
      writeFileSync(join(folder.path, name), name);
    const app = express()
      .use('/files', serveFiles(filesIn(folder.path)))
      .use(statusOnly);
    const server = createHttpServer(app, { maxConnections: 10, refuseEarly: () => false });
    url = await listen(server, { host: '127.0.0.1', port: 0 });
    stop = () => stopServer(server, { lastCallMs: 0, drainMs: 100 });
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
    expect((await fetch(`${url}/files/%ff`)).status).to.equal(400);
    expect((await fetch(`${url}/files/page.js`, { method: 'POST' })).status).to.equal(404);
  });

  it('are sent again only when they have changed', async () => {
    const first = await fetch(`${url}/files/page.js`);
    const etag = first.headers.get('etag')!;
    const since = first.headers.get('last-modified')!;
    const again = (headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/files/page.js`, { headers, cache: 'no-store' });
    expect((await again({ 'if-none-match': etag, 'cache-control': 'max-age=0' })).status).to.equal(304);
    expect((await again({ 'if-modified-since': since, 'cache-control': 'max-age=0' })).status).to.equal(304);
    writeFileSync(join(folder.path, 'page.js'), 'changed');
    utimesSync(join(folder.path, 'page.js'), new Date(), new Date(Date.now() + 5000));
    const changed = await again({ 'if-none-match': etag, 'cache-control': 'max-age=0' });
    expect([changed.status, await changed.text()]).to.deep.equal([200, 'changed']);
  });
});
