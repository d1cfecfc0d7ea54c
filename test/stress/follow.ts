// Pull a snapshot of 2 GB from another machine over a connection that is cut 20 times (SIZE=MB CUTS=N)
/**
 * A follower pulls a large snapshot from another machine while the connection is cut 20 times: `make stress NAME=follow`. SIZE in MB (2000), CUTS (20). The
 * snapshot is the sample with a table of noise of that size, which no compression and no chance makes smaller.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { cliBeside, type CliRun } from '../support/drivers/cli.ts';
import { cuttingProxy, type CuttingProxy } from '../support/doubles/cutting-proxy.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { serveLeadingSample } from '../support/material/leading-sample.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';

const size = Number(process.env['SIZE'] ?? 2000) * 1_000_000;
const CUTS = Number(process.env['CUTS'] ?? 20);

using folder = temporaryFolder();
const [leaderDir, followerDir, otherDir] = ['leader', 'follower', 'other'].map((name) => join(folder.path, name)) as [
  string,
  string,
  string,
];
serveLeadingSample(leaderDir, size);
await using leader = await ServiceProcess.start(leaderDir);
const { bytes } = requireCurrentSnapshot(leaderDir).manifest.checksum;
console.log(`a snapshot of ${(bytes / 1e6).toFixed(0)} MB`);
const figures: Figure[] = [...(await pullOverCuts()), ...(await answerAlike()), ...(await refuseFlippedByte())];
tell(figures);

async function pullOverCuts(): Promise<Figure[]> {
  await using network = await cuttingProxy(leader.adminUrl);
  for (let i = 0; i < CUTS; i++) network.cuts.push({ side: 'server', afterBytes: Math.floor(bytes / (CUTS * 1.3)) });
  const startMs = performance.now();
  const { status, stdout, stderr } = await pull(followerDir, network);
  console.log(`${stdout}${stderr}exit code ${String(status)}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  const [sent, arrived] = await Promise.all([leaderDir, followerDir].map(sumOf));
  return [
    atLeast('connections that were cut', network.cutCount(), CUTS),
    atMost('bytes over the network / bytes of the snapshot', network.passedBytes() / bytes, 1.1),
    atLeast('the same checksum (1: yes)', Number(sent === arrived), 1),
  ];
}

/** Both machines give the same answer, from the same snapshot. */
async function answerAlike(): Promise<Figure[]> {
  await using follower = await ServiceProcess.start(followerDir);
  const services = [
    [leader, leaderDir],
    [follower, followerDir],
  ] as const;
  const answers = await Promise.all(
    services.map(async ([service, dataDir]) => {
      const query = '?detail=full';
      const answer = await service.lookup(await newKey(dataDir), SAMPLE_ADDRESS, { query });
      return `${answer.status} ${await answer.text()}`;
    }),
  );
  const isAlike = answers[0] === answers[1] && answers[0]!.startsWith('200 ');
  return [atLeast('the same answer with all details (1: yes)', Number(isAlike), 1)];
}

async function refuseFlippedByte(): Promise<Figure[]> {
  const file = join(requireCurrentSnapshot(leaderDir).dir, 'land.gpkg');
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  // Behind the first chunks, so that the run stays short.
  const at = Math.floor(bytes / 50);
  readSync(descriptor, byte, 0, 1, at);
  byte[0]! ^= 1;
  writeSync(descriptor, byte, 0, 1, at);
  closeSync(descriptor);
  await using network = await cuttingProxy(leader.adminUrl);
  const { status, stdout } = await pull(otherDir, network);
  console.log(stdout.trim().split('\n').at(-1));
  const isRefused = status === 1 && stdout.includes('land.gpkg is damaged');
  return [atLeast('a flipped byte is refused (1: yes)', Number(isRefused), 1)];
}

function pull(dataDir: string, network: CuttingProxy): Promise<CliRun> {
  return cliBeside(dataDir, {}, 'snapshot', 'pull', '--from', `${network.url}/snapshots`);
}

async function sumOf(dataDir: string): Promise<string> {
  const hash = createHash('sha256');
  const file = join(requireCurrentSnapshot(dataDir).dir, 'land.gpkg');
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}
