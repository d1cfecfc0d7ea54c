/** Bodies that a route refuses, made so that reading them costs as much as it can. */
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';

export interface RefusedBody {
  readonly what: string;
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes that are read of it: as it comes, and what it is decompressed to. */
  readonly readBytes?: number;
}

/** A little less than the routes take. */
const AREA_BYTES = 511 * 1024;
const MESSAGE_BYTES = 575 * 1024;
const SMALL_BYTES = 8 * 1024 - 20;

const MEMBERS = '"geometry":{"type":"Polygon","coordinates":';
const AREA = `{${MEMBERS}`;

/** Repeats a text, with the number of each in place of `#`, until there are so many bytes with what is around them. */
function filled(bytes: number, start: string, one: string, end: string): Buffer {
  const parts = [start];
  for (let length = start.length + end.length, n = 0; ; n++) {
    const part = (n > 0 ? ',' : '') + one.replaceAll('#', n.toString(36));
    length += part.length;
    if (length > bytes) break;
    parts.push(part);
  }
  return Buffer.from(parts.join('') + end);
}

const call = (tool: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{`;

/** A ring of so many positions, each with so many numbers of so many digits behind the point. */
function ringOfDigits(positions: number, numbers: number, digits: number): string {
  let seed = 1;
  const digit = (): number => (seed = (seed * 16_807) % 2_147_483_647) % 10;
  const number = (whole: string): string => `${whole}.${Array.from({ length: digits }, digit).join('')}`;
  const at = (): string => `[${Array.from({ length: numbers }, (_, i) => number(['-78', '44'][i] ?? '200')).join()}]`;
  return Array.from({ length: positions }, at).join();
}

/** A ring of so many positions with 17 digits, all of them in Ontario. */
function ringOf(positions: number): string {
  const at = (i: number): string => {
    const angle = (2 * Math.PI * i) / positions;
    return `[${-78.6 + Math.cos(angle) / 1000},${44.1 + Math.sin(angle) / 1000}]`;
  };
  return Array.from({ length: positions }, (_, i) => at(i)).join(',');
}

const ring = ringOf(5000);
const members = filled(AREA_BYTES, '{', '"m#":1', '}');

const areas: Readonly<Record<string, Buffer>> = {
  'members of the body': members,
  'members of the geometry': filled(AREA_BYTES, '{"geometry":{', '"m#":1', '}}'),
  'one name of 500 kB': Buffer.from(`{"${'n'.repeat(500_000)}":1}`),
  'one name of escapes': Buffer.from(`{"${'\\u00e9'.repeat(83_000)}":1}`),
  'empty rings': filled(AREA_BYTES, `${AREA}[`, '[]', ']}}'),
  'positions beyond the most': filled(AREA_BYTES, `${AREA}[[`, '[1,1]', ']]}}'),
  'numbers in one position': filled(AREA_BYTES, `${AREA}[[[`, '1', ']]]}}'),
  'long numbers': filled(AREA_BYTES, `${AREA}[[[`, `0.${'123456789'.repeat(80)}`, ']]]}}'),
  'short texts': filled(AREA_BYTES, `${AREA}[[[`, '"t#"', ']]]}}'),
  'empty objects': filled(AREA_BYTES, `${AREA}[[[`, '{}', ']]]}}'),
  'nested arrays': Buffer.from(`${AREA}${'['.repeat(250_000)}${']'.repeat(250_000)}}}`),
  'no JSON at its end': Buffer.from(`${AREA}[[${ring}]]`),
  'a wrong last position': Buffer.from(`${AREA}[[${ring},[1,91]]]}}`),
  'a wrong last position behind long numbers': Buffer.from(`${AREA}[[${ringOfDigits(5000, 3, 14)},[1,91]]]}}`),
  'a wrong last position behind numbers of 28 digits': Buffer.from(`${AREA}[[${ringOfDigits(5000, 3, 26)},[1,91]]]}}`),
  'eleven numbers in each position': Buffer.from(`${AREA}[[${ringOfDigits(5000, 11, 4)},[1,91]]]}}`),
  'rings of three positions': Buffer.from(
    `${AREA}[${Array.from({ length: 2400 }, () => `[${ringOfDigits(3, 3, 9)}]`).join()},[[1,91]]]}}`,
  ),
  'the longest blanks': Buffer.from(`${AREA}[[${' '.repeat(500_000)}]]}}`),
};

const messages: Readonly<Record<string, Buffer>> = {
  '40,000 arguments': filled(MESSAGE_BYTES, call('lookup_address'), '"a#":1', '}}}'),
  'arguments of an unknown tool': filled(MESSAGE_BYTES, call('no_tool'), '"a#":1', '}}}'),
  'parameters of an unknown method': filled(
    MESSAGE_BYTES,
    '{"jsonrpc":"2.0","id":1,"method":"x","params":{',
    '"a#":1',
    '}}',
  ),
  'nested arrays': Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(262_000)}${']'.repeat(262_000)}}}`,
  ),
  'flat arrays': filled(MESSAGE_BYTES, `${call('lookup_area')}${MEMBERS}[`, '[]', ']}}}}'),
  'short texts': filled(MESSAGE_BYTES, `${call('lookup_area')}${MEMBERS}[`, '"t#"', ']}}}}'),
  'a wrong last position': Buffer.from(`${call('lookup_area')}${MEMBERS}[[${ring},[1,91]]]}}}}`),
  'a wrong last position behind long numbers': Buffer.from(
    `${call('lookup_area')}${MEMBERS}[[${ringOfDigits(5000, 3, 14)},[1,91]]]}}}}`,
  ),
  'positions beside the arguments': Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_layers","_meta":[${ring}]}}`,
  ),
  'positions as arguments': Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_layers","arguments":[${ring}]}}`,
  ),
  'positions for another tool': Buffer.from(`${call('list_layers')}"layer":[${ring}]}}}`),
  'one id of 500 kB': Buffer.from(`{"jsonrpc":"2.0","id":"${'x'.repeat(500_000)}","method":"tools/list"}`),
};

const MANY_PARTS = `{"unknownShare":0,"parts":[${Array.from({ length: 1900 }, () => '{"value":1,"share":0}').join()}]}`;

/** With an answer of a few members, which is found to be none at its end, or before the area is read. */
const comparisons: Readonly<Record<string, Buffer>> = {
  'members of the body': members,
  'positions and an answer that is none': Buffer.from(
    `{"before":{},"geometry":{"coordinates":[[${ringOfDigits(5000, 3, 14)}]]}}`,
  ),
  'an area of many parts': Buffer.from(
    `{"before":{"areaM2":1,"snapshot":{"dataSets":{}},"layers":{"a":${MANY_PARTS}},"evidence":{}}}`,
  ),
};

const json = { 'content-type': 'application/json' };
const mcp = { ...json, accept: 'application/json, text/event-stream' };

const named = (
  path: string,
  bodies: Readonly<Record<string, Buffer>>,
  headers: RefusedBody['headers'],
): RefusedBody[] => Object.entries(bodies).map(([what, body]) => ({ what, path, body, headers }));

/** The best compression takes a second for each body. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

function compressed(path: string, what: string, plain: Buffer): RefusedBody[] {
  const bodies = { gzip: gzipSync(plain), br: brotliCompressSync(plain, QUICK), zstd: zstdCompressSync(plain) };
  return Object.entries(bodies).map(([encoding, body]) => ({
    ...{ what: `${what}, as ${encoding}`, path, body, headers: { ...json, 'content-encoding': encoding } },
    readBytes: body.length + plain.length,
  }));
}

export const refusedBodies: readonly RefusedBody[] = [
  ...['/api/lookup', '/api/lookup/point'].flatMap((path) =>
    named(path, { 'members of 8 KiB': filled(SMALL_BYTES, '{', '"m#":1', '}') }, json),
  ),
  ...named('/api/lookup/area', areas, json),
  ...[
    'members of the body',
    'a wrong last position',
    'a wrong last position behind long numbers',
    'the longest blanks',
  ].flatMap((what) => compressed('/api/lookup/area', what, areas[what]!)),
  ...named(
    '/api/lookup/area',
    { 'members, as UTF-16': Buffer.from(members.toString().slice(0, 250_000), 'utf16le') },
    {
      'content-type': 'application/json; charset=utf-16le',
    },
  ),
  ...named('/api/compare', comparisons, json),
  ...named('/api/coverage', { 'members of 8 KiB': filled(SMALL_BYTES, '{', '"m#":1', '}') }, json),
  ...named('/mcp', messages, mcp),
  ...named('/mcp', { 'members of 8 KiB': filled(SMALL_BYTES, call('lookup_address'), '"a#":1', '}}}') }, mcp),
];
