/** Requests made from the OpenAPI document: as it says, and in every way that it does not. */
import { document } from '../oracles/contract.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type Random = () => number;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly enum?: readonly string[] };
}

interface FuzzedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly security?: readonly unknown[];
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as FuzzedOperation,
  })),
);

/** `addresses` are some that are known; they are served whole, in pieces and with letters changed. */
export function fuzzRequest(random: Random, key: string, addresses: readonly string[]): FuzzRequest {
  const { path, method, operation } = pick(random, operations);
  const chance = (share: number): boolean => random() < share;
  const hasBody = operation.requestBody !== undefined;
  return {
    method: chance(0.04)
      ? pick(random, ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'POST'])
      : method.toUpperCase(),
    path: (chance(0.03) ? strangePath(random, path) : filled(random, path)) + query(random, operation.parameters ?? []),
    headers: {
      ...(operation.security?.length === 0 && chance(0.9) ? {} : authorization(random, key)),
      ...(hasBody ? { 'Content-Type': chance(0.95) ? typeOf(random, path) : pick(random, strangeTypes) } : {}),
      ...(chance(0.05) ? { 'Idempotency-Key': idempotencyKey(random) } : {}),
      ...acceptOf(random, path),
      ...(chance(0.05) ? { 'X-Request-Id': text(random, 40).replace(/[^\x20-\x7e]/g, '') } : {}),
    },
    ...(hasBody ? { body: body(random, path, addresses) } : {}),
  };
}

/** What the Model Context Protocol requires, mostly. */
function acceptOf(random: Random, path: string): Record<string, string> {
  return path === '/mcp' && random() < 0.95 ? { Accept: 'application/json, text/event-stream' } : {};
}

const strangeTypes = ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'multipart/form-data', 'x'];

function authorization(random: Random, key: string): Record<string, string> {
  if (random() < 0.93) return { Authorization: `Bearer ${key}` };
  return pick(random, [
    {},
    { Authorization: `Basic ${key}` },
    { Authorization: `Bearer ${key.slice(0, -1)}0` },
    { Authorization: 'Bearer' },
  ]);
}

/** A few that come again, with the same request or another, and some that are none. */
function idempotencyKey(random: Random): string {
  if (random() < 0.5) return `key-${Math.floor(random() * 20)}`;
  return text(random, 300).replace(/[^\x20-\x7e]/g, '');
}

function query(random: Random, parameters: readonly Parameter[]): string {
  const chosen = parameters
    .filter((parameter) => parameter.in === 'query' && random() < 0.4)
    .map(({ name, schema }) => [name, random() < 0.9 ? pick(random, schema.enum ?? ['']) : text(random, 8)]);
  if (random() < 0.04) chosen.push([text(random, 6), text(random, 6)]);
  return chosen.length === 0 ? '' : `?${chosen.map(([name, value]) => `${encode(name!)}=${encode(value!)}`).join('&')}`;
}

/** A path with a text for its parameter. */
function filled(random: Random, path: string): string {
  const id = random() < 0.5 ? `bat_${'0'.repeat(32)}` : encode(text(random, 8)) || 'x';
  return path.replace('{id}', () => id);
}

function strangePath(random: Random, path: string): string {
  return pick(random, [
    `${path}/`,
    `${path}/${encode(text(random, 6))}`,
    path.toUpperCase(),
    '/api',
    '/%00',
    '//x',
    '/api/lookup/..%2f',
  ]);
}

function body(random: Random, path: string, addresses: readonly string[]): string | Uint8Array {
  const share = random();
  if (path === '/mcp' && share < 0.85) return message(random, addresses);
  if (path === '/api/batches' && share < 0.7) return rows(random, addresses);
  const { good, bad } = bodiesOf(random, path, addresses);
  if (share < 0.75) return JSON.stringify(good());
  if (share < 0.85) return JSON.stringify(bad());
  if (share < 0.92) return JSON.stringify(anything(random));
  if (share < 0.96) return text(random, 200);
  return share < 0.98 ? new Uint8Array(64).map(() => Math.floor(random() * 256)) : `{"address":"${'x'.repeat(9000)}"}`;
}

function typeOf(random: Random, path: string): string {
  return path === '/api/batches' ? pick(random, ['text/csv', 'application/x-ndjson']) : 'application/json';
}

/** A file of a few rows. */
function rows(random: Random, addresses: readonly string[]): string {
  const header = pick(random, ['address', 'address', 'custom_id,address', 'lat,lon', text(random, 20)]);
  const lines = Array.from({ length: Math.floor(random() * 20) }, () => `"${addressLike(random, addresses)}"`);
  if (random() < 0.5) return [header, ...lines].join('\n');
  return lines.map((line) => `{"address":${line}}`).join('\n');
}

/** A call of a tool, mostly. */
function message(random: Random, addresses: readonly string[]): string {
  const methods = [
    'tools/call',
    'tools/call',
    'tools/call',
    'tools/list',
    'initialize',
    'server/discover',
    text(random, 9),
  ];
  const call = pick(random, [
    { name: 'lookup_address', arguments: { address: addressLike(random, addresses) } },
    { name: 'lookup_point', arguments: pointLike(random) },
    { name: 'lookup_area', arguments: areaLike(random) },
    { name: 'suggest_address', arguments: { q: addressLike(random, addresses) } },
    { name: 'list_layers', arguments: { layer: pick(random, ['soil', text(random, 9)]) } },
    { name: text(random, 20), arguments: anything(random) },
  ]);
  const params = pick<unknown>(random, [call, call, call, call, anything(random)]);
  return JSON.stringify({
    jsonrpc: '2.0',
    id: pick<unknown>(random, [1, 'a', anything(random)]),
    method: pick(random, methods),
    params,
  });
}

interface Bodies {
  readonly good: () => object;
  readonly bad: () => object;
}

function bodiesOf(random: Random, path: string, addresses: readonly string[]): Bodies {
  switch (path) {
    case '/api/lookup/point':
      return { good: () => pointLike(random), bad: () => ({ ...pointLike(random), lat: anything(random) }) };
    case '/api/lookup/area':
      return { good: () => areaLike(random), bad: () => spoilt(random, areaLike(random)) };
    default:
      return { good: () => ({ address: addressLike(random, addresses) }), bad: () => ({ address: anything(random) }) };
  }
}

function addressLike(random: Random, addresses: readonly string[]): string {
  const known = pick(random, addresses);
  const at = Math.floor(random() * known.length);
  return pick(random, [
    known,
    known,
    known.toLowerCase(),
    known.slice(0, at),
    known.slice(0, at) + text(random, 3) + known.slice(at + 1),
    known.replace(/\d+/, String(Math.floor(random() * 99_999))),
    known.replace(/ON\b.*$/, pick(random, ['ON M5H 2N2', ''])),
    `${known.split(',')[0]}, ${pick(random, ['Gatineau, QC', 'Winnipeg, Manitoba'])}`,
    `${known.split(',')[0]}, ${pick(random, ['Buffalo, NY, USA', 'Montréal, Québec'])}`,
    text(random, 320),
    `PO Box ${Math.floor(random() * 999)}, ${known}`,
  ]);
}

/** Mostly places in the sample and around it, some anywhere, and a few that are none. */
function pointLike(random: Random): object {
  const uncertaintyM = pick(random, [{}, {}, { uncertaintyM: Math.floor(random() * 1100) }]);
  if (random() < 0.7) return { lat: 43.9 + random() * 0.6, lon: -79.7 + random() * 0.8, ...uncertaintyM };
  const odd = [0, -0, 90, -90, 91, 180, -180, 1e-300, 44, -79.3];
  return pick(random, [
    { lat: random() * 200 - 100, lon: random() * 400 - 200, ...uncertaintyM },
    { lat: pick(random, odd), lon: pick(random, odd), ...uncertaintyM },
  ]);
}

/** Mostly areas in the sample and around it; rings that cross themselves, are open, empty, flat or anywhere. */
function areaLike(random: Random): object {
  const [lon, lat] =
    random() < 0.8 ? [-79.7 + random() * 0.8, 43.9 + random() * 0.6] : [random() * 360 - 180, random() * 180 - 90];
  const side = 10 ** (-5 + 4 * random());
  const ring = Array.from({ length: Math.floor(random() * 12) }, () => [lon + side * random(), lat + side * random()]);
  if (random() < 0.9 && ring.length > 0) ring.push(ring[0]!);
  const coordinates = pick(random, [[ring], [ring, ring], [ring, ring.slice(1)]]);
  const type = pick(random, ['Polygon', 'Polygon', 'MultiPolygon', 'Point', 'Feature']);
  return { geometry: { type, coordinates: type === 'MultiPolygon' ? [coordinates, coordinates] : coordinates } };
}

/** Replaces one value somewhere inside. */
function spoilt(random: Random, value: unknown): object {
  if (typeof value !== 'object' || value === null || random() < 0.2) return anything(random) as object;
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  const key = pick(random, keys);
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = spoilt(random, copy[key]);
  return copy;
}

function anything(random: Random, depth = 0): unknown {
  const simple = [null, true, false, 0, -1, 1e308, text(random, 20), '', ' '];
  if (depth > 2 || random() < 0.6) return pick(random, simple);
  if (random() < 0.5) return [anything(random, depth + 1), anything(random, depth + 1)];
  return { [pick(random, ['address', '__proto__', text(random, 5)])]: anything(random, depth + 1) };
}

/** Letters that tend to break things among letters that do not. */
export function text(random: Random, longest: number): string {
  const letters = Array.from('aAeE19 ,.-/#é\'"\\\t\n\u0000\u200b\u202eÅ中😀{}[]<>%&');
  return Array.from({ length: Math.floor(random() * longest) }, () => pick(random, letters)).join('');
}

const encode = encodeURIComponent;

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}
