/** The `Host` of a request, and messages to `/mcp` that the package behind it would answer with 500. */
import { expect } from 'chai';
import { openSocket, readToEnd } from '../support/drivers/client-socket.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { issueKey } from '../../src/core/keys/keys.ts';
import { given } from '../support/drivers/given.ts';

const TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
const ADDRESS = '{"address":"12 Main St W, Sampleton, ON"}';

/** Sends a request with these `Host` headers. @returns the status, and the detail of a problem document. */
async function ask(front: FrontEnd, target: string, hosts: readonly string[], body: string, version = '1.1') {
  const socket = await openSocket(front.url);
  const lines = [
    ...[`POST ${target} HTTP/${version}`, ...hosts.map((host) => `Host: ${host}`)],
    ...[`Authorization: Bearer ${front.key}`, 'Content-Type: application/json'],
    ...['Accept: application/json, text/event-stream', 'Connection: close', `Content-Length: ${body.length}`],
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const answer = await readToEnd(socket);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]),
    detail: /"detail":"([^"]*)"/.exec(answer)?.[1] ?? null,
  };
}

/** The same front end for another key: what is refused is counted for each. */
async function forNewKey(front: FrontEnd): Promise<FrontEnd> {
  const { key } = await issueKey(front.store, { name: 'test' });
  return { ...front, key };
}

describe('The Host of a request', () => {
  for (const [target, body] of [
    ['/mcp', TOOLS],
    ['/api/lookup', ADDRESS],
  ] as const) {
    it(`must be one, and a host, at ${target}`, async () => {
      await using front = await startFrontEnd();
      for (const hosts of [['a b'], ['['], ['%'], ['a/b?c'], ['a@b'], ['a\\b'], ['x:99999'], ['1.2.3.4.5'], [':80']]) {
        const detail = 'the Host header is not a host';
        expect(await ask(front, target, hosts, body), hosts[0]).to.deep.equal({ status: 400, detail });
      }
      for (const hosts of [
        ['x', 'x'],
        ['x', 'y'],
      ]) {
        const detail = 'the request has more than one Host header';
        expect(await ask(front, target, hosts, body)).to.deep.equal({ status: 400, detail });
      }
      const detail = 'the request has no Host header';
      expect(await ask(front, target, [], body)).to.deep.equal({ status: 400, detail });
    });

    given('agents').it(`may be anything that is a host at ${target}`, async () => {
      await using front = await startFrontEnd();
      for (const host of ['x', 'land_lookup:8080', '[::1]:80', '203.0.113.7', 'land.example.', ''])
        expect((await ask(front, target, [host], body)).status, host).to.equal(200);
      expect((await ask(front, target, [], body, '1.0')).status).to.equal(200);
      expect((await ask(front, `http://land.example:8080${target}`, ['x'], body)).status).to.equal(200);
    });
  }
});

describe('The target of a request', () => {
  it('may be a whole URL, of which the host counts and not the one in Host', async () => {
    await using front = await startFrontEnd();
    const get = async (target: string, host: string): Promise<string> => {
      const socket = await openSocket(front.url);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return readToEnd(socket);
    };
    expect(await get('http://land.example:8080/robots.txt', 'other.example')).to.include('http://land.example:8080/');
    expect(await get('HTTPS://land.example?x', 'other.example')).to.match(/^HTTP\/1\.1 (200|404) /);
    for (const target of ['http://a@b/healthz', 'http://a b/healthz', 'ftp://land.example/healthz', 'land.example:80'])
      expect(await get(target, 'x'), target).to.match(/^HTTP\/1\.1 400 /);
  });
});

describe('The framing of a request', () => {
  const chunked = `${ADDRESS.length.toString(16)}\r\n${ADDRESS}\r\n0\r\n\r\n`;
  const send = async (front: FrontEnd, version: string, lines: readonly string[], body: string): Promise<string> => {
    const socket = await openSocket(front.url);
    const head = [
      ...[`POST /api/lookup HTTP/${version}`, 'Host: x', `Authorization: Bearer ${front.key}`],
      ...['Content-Type: application/json', ...lines],
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    return readToEnd(socket);
  };

  it('is that of HTTP/1.1 or 1.0, with chunked alone, which 1.0 does not have', async () => {
    await using front = await startFrontEnd();
    const close = 'Connection: close';
    const length = `Content-Length: ${ADDRESS.length}`;
    for (const version of ['1.1', '1.0'])
      expect(await send(front, version, [length, close], ADDRESS)).to.match(/^HTTP\/1\.1 200 /);
    expect(await send(front, '1.1', ['Transfer-Encoding: Chunked', close], chunked)).to.match(/^HTTP\/1\.1 200 /);
    for (const version of ['0.9', '2.0'])
      expect(await send(front, version, [length, close], ADDRESS)).to.match(/^HTTP\/1\.1 400 [^]*"NOT_HTTP"/);
    const coded = /^HTTP\/1\.1 400 [^]*"ENCODING"[^]*"Transfer-Encoding"/;
    expect(await send(front, '1.1', ['Transfer-Encoding: gzip, chunked'], chunked)).to.match(coded);
    // It ends, although the client would keep the connection.
    const kept = ['Transfer-Encoding: chunked', 'Connection: keep-alive'];
    expect(await send(front, '1.0', kept, chunked)).to.match(coded);
  });

  it('says that a body ended early', async () => {
    await using front = await startFrontEnd();
    const socket = await openSocket(front.url);
    const head = ['POST /api/lookup HTTP/1.1', 'Host: x', `Authorization: Bearer ${front.key}`];
    socket.end(`${head.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    expect(await readToEnd(socket)).to.match(/^HTTP\/1\.1 400 [^]*"BODY_INCOMPLETE"/);
  });
});

describe('JSON that is nested deeply', () => {
  for (const [path, most] of [
    ['/api/lookup', 4000],
    ['/api/lookup/point', 4000],
    ['/api/lookup/area', 250_000],
  ] as const) {
    given(...(path === '/api/lookup/area' ? ['areas'] : [])).it(`is refused at ${path}`, async () => {
      await using front = await startFrontEnd();
      const deep = '['.repeat(most) + ']'.repeat(most);
      for (const body of [deep, `{"address":${deep}}`, `{"geometry":{"type":"Polygon","coordinates":${deep}}}`])
        expect((await ask(await forNewKey(front), path, ['x'], body)).status).to.equal(400);
    });
  }
});

describe('A message to /mcp', () => {
  given('agents').it('may not be nested deeper than any that it takes', async () => {
    await using front = await startFrontEnd();
    for (const levels of [60, 5000, 250_000]) {
      const deep = '['.repeat(levels) + ']'.repeat(levels);
      for (const message of [
        `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`,
        `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${deep}}}`,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lookup_area","arguments":{"geometry":${deep}}}}`,
        `{"a":${deep}}`,
      ]) {
        const detail = 'the message has over 50 levels';
        expect(await ask(await forNewKey(front), '/mcp', ['x'], message)).to.deep.equal({ status: 400, detail });
      }
    }
  });
});
