/** Requests as bytes, wrong in their request line, headers, query, body, key or framing. */
import { createKey } from '../../../src/core/keys/key-format.ts';
import { fuzzRequest, pick, text, type FuzzRequest, type Random } from './fuzz-requests.ts';

export interface RawRequest {
  readonly bytes: Buffer;
  readonly method: string;
  /** Whether the connection can be used again: where the request ends is clear, and the server need not close. */
  readonly isFramed: boolean;
}

interface Draft {
  method: string;
  target: string;
  version: string;
  readonly headers: [name: string, value: string][];
  body: Buffer;
  /** Sent instead of the body's own length. */
  framing: string[] | null;
}

type Fault = (random: Random, draft: Draft, key: string) => void;

/** One request of the OpenAPI document with one to three faults. `key` is one in force. */
export function malformedRequest(random: Random, key: string, addresses: readonly string[]): RawRequest {
  const draft = draftOf(fuzzRequest(random, key, addresses));
  // From many addresses: the limit of bad keys of one would answer most.
  draft.headers.push(['X-Forwarded-For', clientAddress(random)]);
  for (let faults = 1 + Math.floor(random() * 3); faults > 0; faults--) pick(random, faultKinds)(random, draft, key);
  return rawRequest(draft);
}

const strangeHeader: Fault = (random, { headers }) => {
  headers.push(
    pick<[string, string]>(random, [
      ['X-Request-Id', visible(text(random, 200))],
      ['Idempotency-Key', pick(random, ['', ' ', visible(text(random, 400)), 'k'.repeat(256), '"'])],
      ['Content-Encoding', pick(random, ['gzip', 'br', 'identity', 'x', 'gzip, gzip'])],
      ['Accept', pick(random, ['', '*/*;q=x', 'text/'.repeat(50)])],
      ['Expect', pick(random, ['100-continue', '200-ok', ''])],
      ['Upgrade', pick(random, ['websocket', 'h2c'])],
      ['Range', 'bytes=5-1,x'],
      ['If-None-Match', visible(text(random, 50))],
      ['Forwarded', 'for="[::1'],
      ['X-Forwarded-For', pick(random, ['', ',,,', visible(text(random, 60)), '999.1.1.1', '::ffff:1.2.3.4, x'])],
      ['X-Forwarded-Proto', 'javascript'],
      ['Cookie', visible(text(random, 300))],
      [`X-${'long'.repeat(1 + Math.floor(random() * 300))}`, 'x'],
      ['Sec-Fetch-Site', pick(random, ['cross-site', 'x'])],
      [
        'Content-Type',
        pick(random, ['', ';', 'application/json;charset=x', 'application/json', 'application/json;;=']),
      ],
      ['traceparent', '00-x'],
    ]),
  );
};

/** The parser refuses these. */
const brokenHeader: Fault = (random, draft) => {
  draft.headers.push(
    pick<[string, string]>(random, [
      ['X-Nul', 'a\0b'],
      ['X Space', 'a'],
      ['', 'no name'],
      ['X-Bell', '\x07'],
      ['X-Fold', 'a\r\n b'],
      ['X-Large', 'x'.repeat(20_000)],
      ['X-\u00e9', 'x'],
      ['X-Split', 'a\rb'],
      ['Connection', pick(random, ['close, x', 'upgrade', '\u00ff'])],
    ]),
  );
  draft.framing ??= [lengthOf(draft)];
};

const strangeQuery: Fault = (random, draft) => {
  const query = pick(random, [
    'detail=',
    'detail=full&detail=full',
    'detail[]=full',
    'detail[a][b]=1',
    'detail=FULL',
    'detail=%00',
    'detail=%ff',
    'detail=%',
    '__proto__=1&constructor=2',
    '&'.repeat(100),
    `a=${'x'.repeat(4000)}`,
    Array.from({ length: 1200 }, (_, i) => `p${i}=1`).join('&'),
    encodeURI(visible(text(random, 100))).replace(/\s/g, ''),
  ]);
  draft.target += (draft.target.includes('?') ? '&' : '?') + query;
};

const strangeBody: Fault = (random, draft) => {
  draft.body = Buffer.from(
    pick<string | Buffer>(random, [
      '',
      '{',
      '{"address":',
      '{"address":"1 Main St","address":null}',
      '[]',
      '"text"',
      'null',
      'NaN',
      '1e999',
      '\ufeff{"address":"1 Main St, Toronto, ON"}',
      '{"address":"\\ud800"}',
      '{"address":"\\u0000"}',
      '{"__proto__":{"address":"x"},"constructor":{"prototype":1}}',
      '['.repeat(4000),
      `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`,
      JSON.stringify({ address: text(random, 600) }),
      JSON.stringify({ address: { toString: 'x' }, lat: 1, lon: 'x' }),
      'x'.repeat(9000),
      Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
      Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256))),
    ]),
  );
};

const strangeKey: Fault = (random, { headers }, key) => {
  const index = headers.findIndex(([name]) => name === 'Authorization');
  if (index >= 0) headers.splice(index, 1);
  const flipped = Math.floor(random() * key.length);
  const values = [
    '',
    'Bearer',
    'Bearer ',
    `bearer ${key}`,
    `Bearer  ${key}`,
    `Bearer ${key} x`,
    `Bearer ${key}, Bearer ${key}`,
    `Bearer ${key.slice(0, flipped)}${pick(random, ['a', 'Z', '0', '-', '%'])}${key.slice(flipped + 1)}`,
    `Bearer ${key.slice(0, flipped)}`,
    `Bearer ${createKey()}`,
    `Bearer ${createKey()}`,
    `Bearer ${'A'.repeat(8000)}`,
    `Bearer ${visible(text(random, 60))}`,
    `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
    key,
    'Bearer \u00e9\u00ff',
    'Digest username="x"',
  ];
  headers.push(['Authorization', pick(random, values)]);
  if (random() < 0.2) headers.push(['Authorization', pick(random, values)]);
};

const strangeLine: Fault = (random, draft) => {
  const change = pick<Partial<Draft>>(random, [
    {
      method: pick(random, ['get', 'BREW', 'POST\t', 'P\0ST', '', 'CONNECT', 'TRACE', 'PROPFIND', 'M-SEARCH', 'HEAD']),
    },
    { version: pick(random, ['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/', 'http/1.1', 'FTP/1.1', '']) },
    {
      target: pick(random, [
        '*',
        '/api/lookup#x',
        '//api/lookup',
        '/api//lookup',
        '/api/lookup/',
        '/api/lookup%00',
        '/api/%6cookup',
        '/%',
        '/%ff%fe',
        '/..%2f..%2fetc/passwd',
        '/docs/../../package.json',
        '/web/..%5c..%5cx',
        'http://other.example/api/lookup',
        'api/lookup',
        '/\u00e9',
        `/${'a'.repeat(5000)}`,
        `/${'a/'.repeat(9000)}`,
        '',
      ]),
    },
  ]);
  Object.assign(draft, change);
  draft.framing ??= [lengthOf(draft)];
};

const strangeFraming: Fault = (random, draft) => {
  const length = lengthOf(draft);
  draft.framing = pick(random, [
    ['Content-Length: -1'],
    ['Content-Length: x'],
    ['Content-Length: 99999999999999999999'],
    [length, length],
    [length, 'Content-Length: 1'],
    [length, 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked'],
    ['Transfer-Encoding: x'],
    ['Transfer-Encoding: chunked, chunked'],
    [`Content-Length: ${draft.body.length + 1 + Math.floor(random() * 50)}`],
    [`Content-Length: ${Math.floor(draft.body.length / 2)}`],
    [],
  ]);
};

/** Those that are refused early more often than those that a lookup may survive. */
const faultKinds: readonly Fault[] = [
  ...[strangeHeader, strangeQuery, strangeQuery, strangeQuery, strangeBody, strangeBody, strangeBody],
  ...[strangeKey, strangeKey, strangeKey, strangeLine, strangeLine, brokenHeader, strangeFraming],
];

function draftOf({ method, path, headers, body }: FuzzRequest): Draft {
  return {
    ...{ method, target: path, version: 'HTTP/1.1', framing: null },
    headers: [['Host', 'localhost'], ...Object.entries(headers)],
    body: Buffer.from(body ?? ''),
  };
}

function rawRequest(draft: Draft): RawRequest {
  const { method, target, version, headers, body, framing } = draft;
  const lines = [
    [method, target, version].join(' '),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(framing ?? [lengthOf(draft)]),
  ];
  const bytes = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  return { bytes, method, isFramed: framing === null };
}

function lengthOf({ body }: Draft): string {
  return `Content-Length: ${body.length}`;
}

function clientAddress(random: Random): string {
  const byte = (): number => Math.floor(random() * 256);
  if (random() < 0.5) return [10, byte(), byte(), byte()].join('.');
  return `2001:db8:${byte().toString(16)}:${byte().toString(16)}::${byte().toString(16)}`;
}

/** What may stand in a header without ending it. */
function visible(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '');
}
