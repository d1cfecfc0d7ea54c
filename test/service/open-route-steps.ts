/** Counts what a request costs at each route that needs no key, and prints it as JSON (`Costs`). Other routes than those of this process are not there. */
import { Session, type Profiler } from 'node:inspector/promises';
import type { Router } from 'express';
import { Registry } from 'prom-client';
import { loadFeatures } from '../../src/features.ts';
import { createApp } from '../../src/core/http/app.ts';
import { Content } from '../../src/core/http/content.ts';
import { fileGroups } from '../../src/core/http/file-groups.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { startSignupSide } from '../support/drivers/signup.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { makeTiles } from '../support/material/tiles.ts';

/** By method and path. */
export type Costs = Readonly<Record<string, Cost>>;

interface Cost {
  readonly status: number;
  /** How often blocks of code in `src/` are run: bodies of functions and loops, and branches. */
  readonly steps: number;
  /** Characters of JSON that are written and read. */
  readonly json: number;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
let json = 0;
const { stringify, parse } = JSON;
JSON.stringify = ((...args: Parameters<typeof stringify>) => {
  const text = stringify(...args) as string | undefined;
  json += text?.length ?? 0;
  return text;
}) as typeof stringify;
JSON.parse = ((...args: Parameters<typeof parse>) => {
  json += args[0].length;
  return parse(...args) as unknown;
}) as typeof parse;

const costs: Record<string, Cost> = {};
using folder = temporaryFolder();
const example = {
  outcome: 'restriction' as const,
  address: readExamples().address,
  content: new Content(
    Buffer.from(
      stringify({
        ...readExamples().fullLookup,
        example: { outcome: 'restriction', address: 'x', madeAt: '2026-01-01T00:00:00Z' },
      }),
    ),
  ),
};
{
  const baseMap = makeTiles(folder.path, { lat: 44.3, lon: -79.3 });
  await using front = await startFrontEnd({ baseMap, parts: { examples: { all: [example] } } });
  await countAll(front);
}
{
  await using side = await startSignupSide();
  await countAll(side.front);
}
process.stdout.write(stringify(costs));

async function countAll(front: FrontEnd): Promise<void> {
  const asked = [
    ...pathsOf(createApp({ ...front.services, metrics: new Registry() }, await loadFeatures()).router),
    ...filesServed(),
    ['get', '/no-such-page'] as const,
  ];
  const ask = async ([method, path]: Route): Promise<number> => {
    const headers = { range: 'bytes=0-99', accept: 'text/html', origin: front.url };
    const response = await fetch(front.url + path, { method: method.toUpperCase(), headers, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  };
  // What is counted is a request like two that were answered before. Those with a key come no further than that.
  const open: Route[] = [];
  for (const route of asked) if ((await ask(route)) !== 401) open.push(route);
  for (const route of open) await ask(route);
  await session.post('Profiler.takePreciseCoverage');
  for (const route of open) {
    // A timer of the service may run beside one of them: the one with the fewest counts.
    const counted = [await costOf(() => ask(route)), await costOf(() => ask(route))];
    costs[route.join(' ')] ??= counted.reduce((least, one) => (one.steps < least.steps ? one : least));
  }
}

/** Each look at the counters sets them to 0. */
async function costOf(ask: () => Promise<number>): Promise<Cost> {
  json = 0;
  const status = await ask();
  const cost = { status, json };
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return {
    ...cost,
    steps: result.filter(({ url }) => url.includes('/src/')).reduce((sum, one) => sum + stepsIn(one), 0),
  };
}

function stepsIn({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

type Route = readonly [method: string, path: string];

/** All routes, also of routers inside. */
function pathsOf(router: Router | Layer['handle']): Route[] {
  return ((router as Layer['handle']).stack ?? []).flatMap(({ route, handle }) => {
    if (!route) return pathsOf(handle);
    const path = route.path.replace(':outcome', 'restriction').replace(/:\w+/, 'x');
    return Object.keys(route.methods)
      .filter((method) => ['get', 'post', 'patch', 'delete'].includes(method))
      .map((method) => [method, path] as const);
  });
}

/** One file of each folder. */
function filesServed(): Route[] {
  const { web, mapLibrary, pmtiles, swaggerUi } = fileGroups();
  const files = {
    '/main.js': web,
    '/maplibre-gl.css': mapLibrary,
    '/pmtiles.js': pmtiles,
    '/swagger-ui-bundle.js': swaggerUi,
  };
  return Object.entries(files).map(([file, { url }]) => ['get', url + file] as const);
}
