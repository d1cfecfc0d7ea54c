// Measure what rules, comparison and features that nobody asks for add to a lookup, in turns (PART=thread, http or compare)
/**
 * Processor time of lookups in pairs of turns: `make bench NAME=members`. In a lookup thread, and over HTTP at two services that differ in `FEATURES`. The same work against
 * itself says how much of a ratio is noise. On the real extracts where they are at hand, else on the sample (DATA_DIR as in `details`).
 */
import autocannon from 'autocannon';
import { readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { allFeatures } from '../../src/features.ts';
import { idsOf, readRules, releasedRules } from '../../src/features/rules/read-rules.ts';
import { projectDir } from '../../src/project/project.ts';
import { threadFeatures } from '../../workers/threads/features.ts';
import { realDataOrSample } from '../stress/parts/real-data-or-sample.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { cpuMs } from './parts/http-load.ts';
import { percentiles } from './parts/percentiles.ts';
import { openReader, type Detail, type Reader } from './parts/reader.ts';

const PAIRS = Number(process.env['ROUNDS'] ?? 21);
/** In a thread turns are short, so that what else the machine does meets both. */
const PAIRS_IN_THREAD = 101;
/** Pairs that do not count, until the code is compiled. */
const WARM_UP_PAIRS = 4;
const LOOKUPS = 1000;
const REQUESTS = 2000;
const CONNECTIONS = 32;
/** A comparison carries a whole answer. */
const COMPARED = 300;

const LEFT_OUT = ['rules', 'explain', 'compare', 'coverage', 'sources'];
const { PART = 'all' } = process.env;

/** Gives the processor time of a lookup in ms. */
type Turn = () => number | Promise<number>;

interface Case {
  readonly what: string;
  /** Most times that the other one may take; null: nothing is promised. */
  readonly most: number | null;
  readonly base: Turn;
  readonly other: Turn;
}

interface Subject extends Pick<ServiceProcess, 'url' | 'pid'> {
  readonly headers: Readonly<Record<string, string>>;
}

const catalogue = readCatalogue(join(projectDir, 'layers'));
const names = readdirSync(releasedRules).filter((name) => name.endsWith('.json'));
const ids = names.map((name) => basename(name, '.json'));
const everyRule = readRules({ ownDir: null, unverified: ids }, catalogue);
const ownRules = readRules({ ownDir: null, unverified: [] }, catalogue);

using data = realDataOrSample();
if (PART === 'all' || PART === 'thread') await inThread();
if (PART !== 'thread') await overHttp();

async function inThread(): Promise<void> {
  const folder = requireCurrentSnapshot(data.folder.path).dir;
  const fewer = threadFeatures.filter(({ name }) => !LEFT_OUT.includes(name));
  using all = openReader(folder, catalogue);
  using without = openReader(folder, catalogue, fewer);
  const asked = data.addresses.filter((address) => all.lookUp(address, all.cells) !== null);
  const turn = (reader: Reader, detail: Detail, rules?: typeof ownRules): Turn => {
    const members = rules && { rules: { json: JSON.stringify(rules) } };
    return () => {
      const before = process.cpuUsage();
      for (let i = 0; i < LOOKUPS; i++) reader.lookUp(asked[i % asked.length]!, reader.cells, detail, members);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / LOOKUPS;
    };
  };
  const [plain, full] = [turn(all, 'plain'), turn(all, 'full')];
  await tell('in a lookup thread', PAIRS_IN_THREAD, [
    { what: 'plain, against itself', most: null, base: plain, other: turn(all, 'plain') },
    { what: 'plain with all features', most: 1.01, base: turn(without, 'plain'), other: plain },
    { what: 'full, against itself', most: null, base: full, other: turn(all, 'full') },
    { what: 'full with the rules of the release', most: 1.15, base: full, other: turn(all, 'full', ownRules) },
    { what: `full with ${ids.length} rules`, most: 1.15, base: full, other: turn(all, 'full', everyRule) },
  ]);
}

async function overHttp(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const start = async (more: Readonly<Record<string, string>>): Promise<Subject> => {
    // Processes that do not share Redis may not share a data folder.
    const { path } = opened.use(temporaryFolder());
    symlinkSync(requireCurrentSnapshot(data.folder.path).dir, join(path, 'current'));
    const [key] = await issueKeys({ dataDir: path }, { count: 1, limitPerHour: 100_000_000 });
    const env = { WORKER_THREADS: '1', MAX_PENDING: '256', ...more };
    const service = await ServiceProcess.start(path, env, { program: compiledService, dropsRequests: true });
    const { url, pid } = opened.use(service);
    return { url, pid, headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key!}` } };
  };
  const all = await start({ RULES_UNVERIFIED: ids.join() });
  const { places, ...compared } = await bodiesFrom(all);
  const plain = turn(all, '/api/lookup', places);
  const full = turn(all, '/api/lookup?detail=full', places);
  const compare = (what: keyof typeof compared): Turn => turn(all, '/api/compare', compared[what]);
  const comparisons: Case[] = [
    { what: 'full, against itself', most: null, base: full, other: turn(all, '/api/lookup?detail=full', places) },
    { what: 'comparison against full', most: 1.1, base: full, other: compare('same') },
    { what: 'comparison with other data', most: null, base: full, other: compare('other') },
  ];
  if (PART === 'compare') {
    await tell('over HTTP', PAIRS, comparisons);
    return;
  }
  const again = await start({ RULES_UNVERIFIED: ids.join() });
  const kept = allFeatures.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
  const without = await start({ FEATURES: kept.join() });
  const withRules = (rules: string): Turn => turn(all, `/api/lookup?detail=full&rules=${rules}`, places);
  await tell('over HTTP', PAIRS, [
    { what: 'plain at two equal services', most: null, base: turn(again, '/api/lookup', places), other: plain },
    { what: 'plain with all features', most: 1.01, base: turn(without, '/api/lookup', places), other: plain },
    { what: 'full with the rules of the release', most: 1.15, base: full, other: withRules(idsOf(ownRules).join()) },
    { what: `full with ${ids.length} rules`, most: 1.15, base: full, other: withRules('all') },
    ...comparisons,
  ]);
}

/** A load of requests, always the same. */
function turn({ url, pid, headers }: Subject, path: string, bodies: readonly string[]): Turn {
  const requests = bodies.map((body) => ({ method: 'POST' as const, headers, body }));
  return async () => {
    const before = cpuMs(pid);
    const load = { url: url + path, connections: CONNECTIONS, amount: REQUESTS };
    const { non2xx, errors } = await autocannon({ ...load, requests });
    if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} requests failed`);
    return (cpuMs(pid) - before) / REQUESTS;
  };
}

/** Bodies of requests that are answered, so that each turn has the same work. */
async function bodiesFrom({ url, headers }: Subject): Promise<Readonly<Record<'places' | 'same' | 'other', string[]>>> {
  const places: string[] = [];
  const same: string[] = [];
  const other: string[] = [];
  for (const address of data.addresses.slice(0, COMPARED)) {
    const body = JSON.stringify({ address });
    const response = await fetch(`${url}/api/lookup?detail=full`, { method: 'POST', headers, body });
    const answer = await response.text();
    if (!response.ok) continue;
    places.push(body);
    same.push(`{"before":${answer}}`);
    other.push(`{"before":${JSON.stringify(ofOtherData(JSON.parse(answer) as FullLookupBody))}}`);
  }
  console.log(`${places.length} places are found and asked for`);
  return { places, same, other };
}

/** As it was before all data were imported anew, when a layer was not known. */
function ofOtherData({ address, lat, lon, layers, dataAsOf, geocode, evidence, snapshot }: FullLookupBody): object {
  const dataSets = Object.fromEntries(Object.keys(snapshot.dataSets).map((id) => [id, 'aaaaaaaa']));
  return {
    // In the order of an answer.
    ...{ address, lat, lon, layers: { ...layers, greenbelt: null }, dataAsOf, geocode },
    evidence: { ...evidence, greenbelt: { ...evidence['greenbelt']!, state: 'no_coverage' } },
    snapshot: { ...snapshot, dataSets },
  };
}

async function tell(where: string, count: number, cases: readonly Case[]): Promise<void> {
  const rows: Record<string, number | string>[] = [];
  for (const { what, most, base, other } of cases) {
    const pairs = await pairsOf(count, base, other);
    const ratios = pairs.map(([one, next]) => next / one).toSorted((a, b) => a - b);
    const at = (share: number): number => Number(ratios[Math.round((ratios.length - 1) * share)]!.toFixed(3));
    rows.push({
      [where]: what,
      'ms before': percentiles(pairs.map(([one]) => one)).p50,
      ms: percentiles(pairs.map(([, next]) => next)).p50,
      times: at(0.5),
      'middle half': `${at(0.25)} to ${at(0.75)}`,
      'at most': most ?? '',
    });
  }
  console.table(rows);
}

/** Each second pair the other way round: what one turn leaves behind, as garbage, would always be at the cost of the other. */
async function pairsOf(count: number, base: Turn, other: Turn): Promise<(readonly [number, number])[]> {
  const pairs: (readonly [number, number])[] = [];
  for (let i = -WARM_UP_PAIRS; i < count; i++) {
    const isSwapped = i % 2 !== 0;
    const first = await (isSwapped ? other : base)();
    const second = await (isSwapped ? base : other)();
    if (i >= 0) pairs.push(isSwapped ? [second, first] : [first, second]);
  }
  return pairs;
}
