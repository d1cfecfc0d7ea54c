// Measure requests per second, compared with a bare Express route
/**
 * The whole request path over HTTP with keep-alive, against a bare Express route that sends the same body: `make bench NAME=http`.
 * Servers are processes of their own, compiled; rounds take turns, so that a noisy machine is noisy for all.
 */
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { cliIn, cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { load, lookupRequest, startSubject, type Round, type Subject } from './parts/http-load.ts';
import { percentiles } from './parts/percentiles.ts';
import { partFile } from './parts/part.ts';

const ROUNDS = 5;
/** Rounds that do not count: some ten thousand requests, until the code is compiled. */
const WARM_UP_ROUNDS = 4;
const LOAD = { connections: 32, durationS: 5 } as const;

using folder = temporaryFolder();
await using redis = await RedisServer.start();
const service = [join(projectDir, 'dist', 'src', 'main.js'), 'serve'];
cliOrThrow(folder.path, 'load-layers', '--sample');
cliOrThrow(folder.path, 'load-addresses', '--sample');
const create = ['keys', 'create', '--name', 'bench', '--limit', '100000000'];
const inFolder = { DATA_DIR: folder.path };
const inRedis = { ...inFolder, REDIS_URL: redis.url };

const subjects: Subject[] = [];
try {
  const memory = { name: 'land-lookup, memory limiter', key: keyOf(cliOrThrow(folder.path, ...create)) };
  subjects.push(await startSubject(memory, service, inFolder));
  const shared = { name: 'land-lookup, Redis', key: keyOf(cliIn(folder.path, inRedis, ...create).stdout) };
  subjects.push({ ...(await startSubject(shared, service, inRedis)), redisPid: redis.pid });
  const answer = await fetch(subjects[0]!.url, lookupRequest(memory.key));
  if (answer.status !== 200) throw new Error(await answer.text());
  subjects.push(
    await startSubject({ name: 'bare Express', key: '' }, [partFile('bare-express')], { BODY: await answer.text() }),
  );
  console.table(await measure());
} finally {
  for (const subject of subjects) subject.process.kill('SIGTERM');
}

function keyOf(printed: string): string {
  return /olk_\w+/.exec(printed)![0];
}

/** Rounds take turns; the medians of each subject, and how it compares with bare Express. */
async function measure(): Promise<Record<string, string | number>[]> {
  const rounds = new Map(subjects.map((subject) => [subject, [] as Round[]]));
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    for (const [subject, results] of rounds) {
      const result = await load(subject, LOAD);
      if (round > 0) results.push(result);
    }
  }
  const median = (results: readonly Round[], of: (round: Round) => number): number => percentiles(results.map(of)).p50;
  const bare = median(rounds.get(subjects.at(-1)!)!, (round) => round.perSecond);
  return [...rounds].map(([{ name }, results]) => ({
    name,
    'requests/s': median(results, (round) => round.perSecond),
    'of bare Express': Math.round((median(results, (round) => round.perSecond) / bare) * 100) / 100,
    'p99 ms': median(results, (round) => round.p99Ms),
    'CPU ms a request': median(results, (round) => round.cpuMsPerRequest),
    'of Redis': median(results, (round) => round.redisCpuMsPerRequest),
  }));
}
