/** A machine follows another one: real commands, the admin port, a web server of others, a network that breaks. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patient } from '../../../src/core/outbound/retry.ts';
import { currentSnapshot, requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { snapshotsFolder } from '../../../src/core/snapshots/folders.ts';
import { cliArguments, cliOrThrow, type CliRun } from '../../support/drivers/cli.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { cuttingProxy } from '../../support/doubles/cutting-proxy.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { freePort } from '../../support/drivers/free-port.ts';
import { serveLeadingSample } from '../../support/material/leading-sample.ts';
import { serveFiles } from '../../support/drivers/proxies.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import { SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { slowProxy } from '../../support/doubles/slow-proxy.ts';
import { ServiceHere } from '../../support/drivers/service-here.ts';
import { newKey } from '../../support/drivers/service-process.ts';
import { damages, serveSample, storedNames } from '../../support/material/snapshot-copies.ts';

const MB = 1_000_000;
/** Of the snapshots that a leader offers (decision 0155). */
const CHUNK_BYTES = 1024 ** 2;

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const landOf = (dataDir: string): string => join(requireCurrentSnapshot(dataDir).dir, 'land.gpkg');

describe('A follower', function () {
  this.timeout(480_000);
  const folder = temporaryFolder();
  const leaderDir = join(folder.path, 'leader');
  let leader: ServiceHere;
  let snapshot = '';
  let n = 0;
  const newFolder = (): string => join(folder.path, `follower-${++n}`);
  const pull = (dataDir: string, from: string, env: Readonly<Record<string, string>> = {}): Promise<CliRun> =>
    commandHere(dataDir, env, 'snapshot', 'pull', '--from', from);

  before(async () => {
    sampleDataDir();
    snapshot = serveLeadingSample(leaderDir, 12 * MB);
    leader = await ServiceHere.start(leaderDir);
  });
  after(async () => {
    await leader[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('gets the snapshot of the admin port over a connection that is cut more often than it has attempts, and answers the same', async () => {
    await using network = await cuttingProxy(leader.adminUrl);
    const { bytes } = requireCurrentSnapshot(leaderDir).manifest.checksum;
    const afterBytes = Math.floor(bytes / 30);
    for (let i = 0; i <= patient.attempts; i++) network.cuts.push({ side: 'server', afterBytes });
    const dataDir = newFolder();
    const { status, stdout, stderr } = await pull(dataDir, `${network.url}/snapshots`);
    expect(status, stdout + stderr).to.equal(0);
    expect(network.cutCount()).to.equal(patient.attempts + 1);
    expect(network.passedBytes() / bytes).to.be.below(1.1);
    expect(stdout).to.contain(`Snapshot ${snapshot} is in service`);
    expect(sha256(landOf(dataDir))).to.equal(sha256(landOf(leaderDir)));

    const again = await pull(dataDir, `${leader.adminUrl}/snapshots`);
    expect(again.stdout).to.equal(`Snapshot ${snapshot} is in service already.\n`);

    const leaderKey = await newKey(leaderDir);
    const key = await newKey(dataDir);
    await using follower = await ServiceHere.start(dataDir);
    const answers = await Promise.all([leader.lookup(leaderKey, SAMPLE_ADDRESS), follower.lookup(key, SAMPLE_ADDRESS)]);
    const [expected, answer] = await Promise.all(answers.map((one) => one.text()));
    expect(answers.map((one) => one.status)).to.deep.equal([200, 200]);
    expect(answer).to.equal(expected);
    const metrics = await follower.metrics();
    expect(metrics).to.contain(`land_lookup_snapshot_info{id="${snapshot}",sample="true"} 1\n`);
    expect(metrics).to.match(/^land_lookup_last_success_seconds\{job="follow"\} \d/m);
    expect(await leader.metrics()).not.to.contain('job="follow"');
  });

  it('goes on where a killed process stopped, after each of many kills', async () => {
    const dataDir = newFolder();
    await using slow = await slowProxy(leader.adminUrl, 30);
    const args = [...cliArguments, 'snapshot', 'pull', '--from', slow.url];
    for (let kills = 0; kills < 3; kills++) {
      const before = heldChunkBytes(dataDir, landOf(leaderDir));
      const child = spawn(process.execPath, args, { env: { ...process.env, DATA_DIR: dataDir }, stdio: 'ignore' });
      const ended = once(child, 'exit');
      // Not the blocks of the file: a file system may count them later.
      while (child.exitCode === null && heldChunkBytes(dataDir, landOf(leaderDir)) <= before) await sleep(300);
      expect(child.exitCode).to.equal(null);
      child.kill('SIGKILL');
      await ended;
    }
    expect(currentSnapshot(dataDir)).to.equal(null);
    const held = heldChunkBytes(dataDir, landOf(leaderDir));
    expect(held).to.be.above(0);
    const { status, stdout } = await pull(dataDir, leader.adminUrl);
    expect(status, stdout).to.equal(0);
    const { bytes } = requireCurrentSnapshot(leaderDir).manifest.checksum;
    const fetched = Number(/\(([\d.]+) MB of/.exec(stdout)![1]) * 1e6;
    expect(fetched).to.be.at.most(bytes - held + 1e5);
    expect(sha256(landOf(dataDir))).to.equal(sha256(landOf(leaderDir)));
  });

  it('refuses a snapshot with a flipped bit, by name, and keeps its own', async () => {
    const badDir = join(folder.path, 'bad');
    serveLeadingSample(badDir, MB);
    damages['a bit of the file is flipped']!(landOf(badDir));
    const dataDir = newFolder();
    const { status, stdout } = await pull(dataDir, badDir);
    expect(status).to.equal(1);
    expect(stdout).to.match(/land\.gpkg is damaged: bytes \d+ to \d+ have another checksum than chunks\.json states/);
    expect(stdout).to.contain('the snapshot in service is unchanged');
    expect(currentSnapshot(dataDir)).to.equal(null);
  });

  it('refuses a file that is no snapshot although every checksum agrees', async () => {
    const text = 'CREATE VIRTUAL TABLE';
    const sum = createHash('sha256').update(text).digest('hex');
    const { manifest } = requireCurrentSnapshot(leaderDir);
    const id = `20260101T000000Z-${sum.slice(0, 12)}`;
    const place = join(folder.path, 'place');
    mkdirSync(join(place, id), { recursive: true });
    const checksum = { file: 'land.gpkg', sha256: sum, bytes: text.length };
    const list = { format: 1, file: 'land.gpkg', bytes: text.length, chunkBytes: 1 << 20, sha256: [sum] };
    writeFileSync(join(place, id, 'land.gpkg'), text);
    writeFileSync(join(place, id, 'manifest.json'), JSON.stringify({ ...manifest, id, checksum }));
    writeFileSync(join(place, id, 'chunks.json'), JSON.stringify(list));
    writeFileSync(join(place, 'current'), JSON.stringify({ format: 1, snapshot: id }));
    const dataDir = newFolder();
    const { status, stdout } = await pull(dataDir, place);
    expect(status).to.equal(1);
    expect(stdout).to.contain('GeoPackage');
    expect(storedNames(dataDir)).to.deep.equal([]);
  });

  it('gets it from a web server of others that offers the folder of a push, over a connection that is cut', async () => {
    const place = join(folder.path, 'pushed');
    mkdirSync(place);
    const push = (): Promise<CliRun> => commandHere(leaderDir, {}, 'snapshot', 'push', '--to', place);
    expect((await push()).stdout).to.contain(`${place} offers snapshot ${snapshot}.`);
    await using files = await serveFiles(place);
    await using network = await cuttingProxy(files.url);
    const { bytes } = requireCurrentSnapshot(leaderDir).manifest.checksum;
    for (let cuts = 1; cuts <= 3; cuts++) network.cuts.push({ side: 'server', afterBytes: Math.floor(bytes / 10) });
    const dataDir = newFolder();
    const { status, stdout, stderr } = await pull(dataDir, `${network.url}/`);
    expect(status, stdout + stderr).to.equal(1);
    expect(stdout).to.contain('there is no current');
    const pulled = await pull(dataDir, `${network.url}/files`);
    expect(pulled.status, pulled.stdout + pulled.stderr).to.equal(0);
    expect(network.cutCount()).to.equal(3);
    expect(sha256(landOf(dataDir))).to.equal(sha256(landOf(leaderDir)));
    expect((await push()).stdout).to.contain('offers already');
  });

  it('is told where to go when somebody names a bucket', async () => {
    const pulled = await pull(newFolder(), 's3://land/snapshots');
    expect(pulled.status).to.equal(1);
    expect(pulled.stdout).to.contain('pull from the https:// address of the bucket');
    const pushed = await commandHere(leaderDir, {}, 'snapshot', 'push', '--to', 's3://land/snapshots');
    expect(pushed.status).to.equal(1);
    expect(pushed.stderr).to.contain('push into a folder that another program copies to the bucket');
  });

  it('says at the first failure that it tries again, long before it gives up', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    const env = { ...process.env, DATA_DIR: dataDir };
    const args = [...cliArguments, 'snapshot', 'pull', '--from', `http://127.0.0.1:${await freePort()}/snapshots`];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(first.toString()).to.match(/^http:\/\/127\.0\.0\.1:\d+\/snapshots: .*: attempt 1 of 10, next in \d+ s\n$/);
  });

  it('is told how to make the folder for a push', async () => {
    const to = join(folder.path, 'none', 'place');
    const { status, stderr } = await commandHere(leaderDir, {}, 'snapshot', 'push', '--to', to);
    expect(status).to.equal(1);
    expect(stderr).to.match(new RegExp(`there is no folder ${to}: make it .* "sudo install -d -o \\S+ ${to}"\n$`));
  });

  it('gets a list of chunks for a snapshot of an earlier version by "snapshot verify"', () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    const id = serveSample(dataDir, 1);
    const file = join(dataDir, 'snapshots', id, 'chunks.json');
    expect(existsSync(file)).to.equal(false);
    cliOrThrow(dataDir, 'snapshot', 'verify');
    expect(existsSync(file)).to.equal(true);
  });

  it('is offered the stored snapshots on the admin port, also in parts, and nothing else of the disk', async () => {
    const id = snapshot;
    const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${leader.adminUrl}${path}`, { headers });
    expect(await (await get('/snapshots/current')).json()).to.deep.equal({ format: 1, snapshot: id });
    const whole = Buffer.from(await (await get(`/snapshots/${id}/land.gpkg`)).arrayBuffer());
    expect(whole.equals(readFileSync(landOf(leaderDir)))).to.equal(true);
    const part = await get(`/snapshots/${id}/land.gpkg`, { Range: 'bytes=100-199' });
    expect(part.status).to.equal(206);
    expect(part.headers.get('content-range')).to.equal(`bytes 100-199/${whole.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(100, 200))).to.equal(true);
    expect((await get(`/snapshots/${id}/land.gpkg`, { Range: `bytes=${whole.length}-` })).status).to.equal(416);
    const absent = [
      '',
      '/',
      '/current/',
      `/${id}`,
      `/${id}/`,
      `/${id}/land.gpkg-wal`,
      `/${id.slice(0, -1)}${id.endsWith('0') ? 1 : 0}/land.gpkg`,
    ];
    const outside = ['/../accounts.sqlite', `/${id}/../../accounts.sqlite`, `/..%2f..%2faccounts.sqlite/land.gpkg`];
    for (const path of [...absent, ...outside, `/${id}/..%2f..%2fusage.sqlite`, `/%2e%2e/land.gpkg`, '/%zz/land.gpkg'])
      expect((await get(`/snapshots${path}`)).status, path).to.be.oneOf([400, 404]);
    expect((await fetch(`${leader.adminUrl}/snapshots/current`, { method: 'POST' })).status).to.equal(404);
    expect((await fetch(`${leader.url}/snapshots/current`)).status).to.equal(404);
  });
});

/** Bytes of the whole chunks that an unfinished pull has. A kill in the middle of a write leaves a part of one, which is of no use. */
function heldChunkBytes(dataDir: string, leaderFile: string): number {
  const file = pulledFile(dataDir);
  if (file === null || !existsSync(file)) return 0;
  const held = readFileSync(file);
  const wanted = readFileSync(leaderFile);
  let bytes = 0;
  for (let at = 0; at < wanted.length; at += CHUNK_BYTES) {
    const chunk = wanted.subarray(at, at + CHUNK_BYTES);
    if (chunk.equals(held.subarray(at, at + CHUNK_BYTES))) bytes += chunk.length;
  }
  return bytes;
}

function pulledFile(dataDir: string): string | null {
  const folder = snapshotsFolder(dataDir);
  const name = existsSync(folder) ? readdirSync(folder).find((one) => one.startsWith('pulling-')) : undefined;
  return name === undefined ? null : join(folder, name, 'land.gpkg');
}
