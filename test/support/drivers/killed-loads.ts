import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChunkStore } from '../../../src/features/download/chunk-store.ts';
import { sourcesFolder } from '../../../src/core/snapshots/folders.ts';
import { objectIdOf } from '../doubles/arcgis/layers.ts';
import type { ArcgisServer } from '../doubles/arcgis/server.ts';
import type { FileHost } from '../doubles/file-server.ts';
import { packagesRoot } from '../doubles/packages.ts';

export interface KilledLoads {
  readonly dataDir: string;
  readonly layersDir: string;
  readonly server: ArcgisServer;
  /** Host of the packages that stand before services in the definitions. */
  readonly host: FileHost;
  readonly kills: number;
  readonly random: () => number;
  readonly onKill: (row: KillRow) => void;
}

/** What a kill met, and what the next run made of it. */
export interface KillRow {
  /** After the start. */
  readonly seconds: number;
  /** What the command said last. */
  readonly phase: string;
  /** On the disk at the kill. */
  readonly chunksHeld: number;
  /** Of those, asked for by the next run. */
  fetchedAgain: number;
}

export interface KilledLoadsReport {
  readonly rows: readonly KillRow[];
  readonly chunks: number;
  /** Features of answers that had gone out whole, and were asked for again. */
  readonly deliveredTwice: number;
  /** What the packages cost, of their size. */
  readonly packageShare: number;
  /** Answers of the package host that did not go out to their end. */
  readonly packageCuts: number;
}

const script = new URL(`./load-layers-process${extname(import.meta.url)}`, import.meta.url).pathname;

/** Life of a process that is to be killed: from before its first request to the end of an import. */
const [LEAST_MS, MOST_MS] = [1000, 30_000];

/** Half of the kills come early, so that the download is not over with the first of them. */
const EARLY_MS = 8000;

/**
 * Starts `load-layers` and kills it, each time at another moment, and lets the last run come to its end. A run that ends before its
 * moment does not count, and the next begins with nothing.
 * @throws Error when a run fails by itself.
 */
export async function killedLoads(loads: KilledLoads): Promise<KilledLoadsReport> {
  const rows: KillRow[] = [];
  let mostMs = MOST_MS;
  let held = new Map<string, readonly string[]>();
  let [start, hostStart] = [0, 0];
  const cut = { ...loads.host.cut };
  while (rows.length <= loads.kills) {
    const isLast = rows.length === loads.kills;
    const latestMs = rows.length < loads.kills / 2 ? EARLY_MS : mostMs;
    const lifeMs = isLast ? Infinity : LEAST_MS + loads.random() * (latestMs - LEAST_MS);
    const before = loads.server.requests.length;
    const { phase, seconds, wasKilled } = await runFor(lifeMs, loads);
    const last = rows.at(-1);
    if (last) last.fetchedAgain += fetchedAgain(held, loads.server, before);
    if (isLast) break;
    if (wasKilled) {
      held = heldChunks(loads);
      const row = { seconds, phase, chunksHeld: held.size, fetchedAgain: 0 };
      loads.onKill(row);
      rows.push(row);
      continue;
    }
    mostMs = seconds * 1000 * 0.9;
    rmSync(loads.dataDir, { recursive: true });
    held = new Map();
    start = loads.server.requests.length;
    hostStart = loads.host.requests.length;
    loads.host.cut = { ...cut };
  }
  const sent = loads.host.requests.slice(hostStart);
  const sizes = [...loads.host.files.values()].map(({ content }) => content.length);
  return {
    rows,
    chunks: heldChunks(loads).size,
    deliveredTwice: deliveredTwice(loads.server, start),
    packageShare: sum(sent.map(({ bytes }) => bytes)) / sum(sizes),
    packageCuts: sent.filter(({ status, bytes, wanted }) => status < 300 && bytes < wanted).length,
  };
}

async function runFor(lifeMs: number, { dataDir, layersDir, server, host }: KilledLoads) {
  const args = [script, dataDir, layersDir, server.url, packagesRoot(host)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const startMs = performance.now();
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const stop = new AbortController();
  if (lifeMs !== Infinity)
    sleep(lifeMs, undefined, { signal: stop.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
  const [code, signal] = await ended;
  stop.abort();
  if (signal === null && code !== 0) throw new Error(`load-layers ended with ${code ?? 'nothing'}\n${text}`);
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  return { phase: phaseOf(text), seconds, wasKilled: signal !== null };
}

/** What the last line is about. */
function phaseOf(text: string): string {
  const last = text.trim().split('\n').at(-1) ?? '';
  return last === '' ? 'begins' : `after: ${last.split('  ')[0]!.slice(0, 60)}`;
}

/** Chunks on the disk, by name, as requests that would fetch them again: path and object id. */
function heldChunks({ dataDir, server }: KilledLoads): Map<string, readonly string[]> {
  const held = new Map<string, readonly string[]>();
  const sources = sourcesFolder(dataDir);
  for (const id of existsSync(sources) ? readdirSync(sources) : []) {
    const store = new ChunkStore(join(sources, id, '0'));
    const plan = store.readPlan();
    if (!plan) continue;
    const path = plan.url.slice(server.url.length + 1);
    const layer = server.layers.find((served) => path === `${served.service}/${served.id}`)!;
    const ids = layer.features.map(objectIdOf).sort((a, b) => a - b);
    for (let chunk = 0; chunk * plan.idsPerChunk < ids.length; chunk++) {
      if (!store.has(chunk)) continue;
      const chunkIds = ids.slice(chunk * plan.idsPerChunk, (chunk + 1) * plan.idsPerChunk);
      held.set(
        `${path} ${chunk}`,
        chunkIds.map((objectId) => `${path}/query ${objectId}`),
      );
    }
  }
  return held;
}

/** How many of the chunks were asked for since the request of this number. */
function fetchedAgain(held: Map<string, readonly string[]>, { requests }: ArcgisServer, since: number): number {
  const asked = new Set(requests.slice(since).flatMap(featuresAsked));
  return [...held.values()].filter((features) => features.some((feature) => asked.has(feature))).length;
}

function featuresAsked({ path, query }: ArcgisServer['requests'][number]): string[] {
  const ids = query.get('objectIds');
  return ids === null ? [] : ids.split(',').map((id) => `${path} ${id}`);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function deliveredTwice({ requests }: ArcgisServer, since: number): number {
  const features = requests
    .slice(since)
    .filter(({ delivered }) => delivered)
    .flatMap(featuresAsked);
  return features.length - new Set(features).size;
}
