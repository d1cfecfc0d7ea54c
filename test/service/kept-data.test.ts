/** Data of earlier versions is read, and data of later ones is refused with a clear line. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { projectDir } from '../../src/project/project.ts';
import { readConfig } from '../../src/config.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { KnownKeys } from '../../src/core/keys/known-keys.ts';
import { createServiceLogger } from '../../src/core/settings/logger.ts';
import { commandHere, commandHereOrThrow } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { inputs } from '../support/drivers/inputs.ts';
import type { KeptData } from '../tools/keep-data.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { ServiceProcess } from '../support/drivers/service-process.ts';
import { sharedSample } from '../support/drivers/snapshots.ts';
import { startHere } from '../support/drivers/start-here.ts';
import { given } from '../support/drivers/given.ts';

const kept = join(projectDir, 'test', 'kept-data');

/** A data folder as the version left it. */
function unpack(version: string, dataDir: string): KeptData {
  mkdirSync(dataDir);
  execFileSync('tar', ['-C', dataDir, '-xzf', join(kept, `${version}.tar.gz`)]);
  return JSON.parse(readFileSync(join(dataDir, 'expected.json'), 'utf8')) as KeptData;
}

/** Files with the format that this version writes. */
const stores = {
  keys: { file: 'accounts.sqlite', format: 2 },
  'the usage journal': { file: 'usage.sqlite', format: 1 },
  'the queue of batches': { file: 'batches/queue.sqlite', format: 1 },
  'deliveries of webhooks': { file: 'batches/webhooks.sqlite', format: 1 },
} as const;

/** Data sets that the version imported before their definitions had rules for which features count. */
const importedByOtherRules: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': ['ansi', 'orwn_track', 'provincial_park_regulated', 'utility_line', 'well_records'],
  '0.2.0': ['orwn_track'],
};

function userVersion(file: string, later?: number): number {
  const db = new Database(file);
  if (later !== undefined) db.pragma(`user_version = ${later}`);
  const found = Number(db.pragma('user_version', { simple: true }));
  db.close();
  return found;
}

/** Starts a service that says nothing, and serves the sample instead of the snapshot that is there. */
async function start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<AsyncDisposable> {
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1', ...env });
  const logger = createServiceLogger('error', new PassThrough().resume());
  return startHere(config, { logger, overrides: { snapshots: await sharedSample() } });
}

/** Why nothing started; what started is stopped. */
async function refusal(starting: Promise<AsyncDisposable>): Promise<string> {
  try {
    await using started = await starting;
    return `${started.constructor.name} started`;
  } catch (cause) {
    return String(cause);
  }
}

/** Oldest first. */
const versions = readdirSync(kept)
  .flatMap((name) => (name.endsWith('.tar.gz') ? [name.replace('.tar.gz', '')] : []))
  .sort();

describe('Data of earlier versions', function () {
  this.timeout(480_000);

  it('are kept for the tests', () => {
    expect(versions).to.include.members(['0.1.0', '0.2.0']);
  });

  // The newest; all of them in `make release`.
  for (const version of versions.slice(-inputs(versions.length, 1))) {
    given('batches').it(`${version}: answers, keys, usage and batches are as they were`, async () => {
      using folder = temporaryFolder();
      const dataDir = join(folder.path, 'data');
      const expected = unpack(version, dataDir);
      expect(await commandHereOrThrow(dataDir, 'usage', 'report')).to.equal(expected.usage);
      await commandHereOrThrow(dataDir, 'snapshot', 'verify');
      // Nothing expires, whenever this runs.
      const env = { USAGE_RETENTION_DAYS: '36500', BATCH_RETENTION_DAYS: '365' };
      await using service = await ServiceHere.start(dataDir, env);
      const answer = await service.lookup(expected.key, SAMPLE_ADDRESS);
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.equal(expected.answer);
      const slower = service.lines.find(({ message }) => String(message).includes('imported by other rules'));
      expect(slower?.['dataSets'], 'what should be imported again').to.deep.equal(importedByOtherRules[version]);
      const headers = { Authorization: `Bearer ${expected.key}` };
      const batch = await fetch(`${service.url}/api/batches/${expected.batch}`, { headers });
      // The service deletes results after some days, and then the record.
      expect(batch.status).to.be.oneOf([200, 404, 410]);
      if (batch.status === 200) expect(await batch.json()).to.deep.include({ id: expected.batch });
      await service[Symbol.asyncDispose]();
      for (const { file, format } of Object.values(stores))
        expect(userVersion(join(dataDir, file)), file).to.equal(format);
    });
  }
});

describe('Data of a later version', function () {
  this.timeout(480_000);

  for (const [what, { file, format }] of Object.entries(stores)) {
    it(`are refused before anything is changed: ${what}`, async () => {
      using folder = temporaryFolder();
      const dataDir = join(folder.path, 'data');
      unpack('0.1.0', dataDir);
      userVersion(join(dataDir, file), 7);
      const refused = await refusal(start(dataDir));
      expect(refused).to.match(
        new RegExp(
          `${file} was written by a later version of land-lookup \\(format 7; this version knows ${format}\\)`,
        ),
      );
      expect(userVersion(join(dataDir, file))).to.equal(7);
    });
  }

  it('are refused before anything is changed: keys in Redis', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    unpack('0.1.0', dataDir);
    await using redis = await RedisServer.start();
    await using client = redis.client();
    await client.redis.set('{land-lookup:keys}:format', '7');
    const refused = await refusal(start(dataDir, { REDIS_URL: redis.url }));
    expect(refused).to.match(/was written by a later version of land-lookup \(format 7; this version knows 1\)/);
  });

  it('are refused by the commands that read them', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    unpack('0.1.0', dataDir);
    for (const { file } of [stores.keys, stores['the usage journal']]) userVersion(join(dataDir, file), 7);
    for (const [format, ...command] of [
      ['2', 'keys', 'list'],
      ['1', 'usage', 'report'],
    ]) {
      const { status, stderr } = await commandHere(dataDir, {}, ...command);
      expect(status, command.join(' ')).to.equal(1);
      expect(stderr).to.contain(
        `was written by a later version of land-lookup (format 7; this version knows ${format})`,
      );
    }
    expect(await refusal(ServiceProcess.start(dataDir))).to.match(
      /^Error: serve ended with 1: .*was written by a later version of land-lookup \(format 7; this version knows [12]\)/s,
    );
  });

  it('are refused: a snapshot, and remembered keys', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    unpack('0.1.0', dataDir);
    const manifest = join(requireCurrentSnapshot(dataDir).dir, 'manifest.json');
    const text = readFileSync(manifest, 'utf8');
    copyFileSync(manifest, `${manifest}.before`);
    writeFileSync(manifest, text.replace('"format": 1', '"format": 2'));
    expect((await commandHere(dataDir, {}, 'lookup', SAMPLE_ADDRESS.address)).stderr).to.contain(
      'was written by a later version of land-lookup',
    );
    const known = join(dataDir, 'known-keys.sqlite');
    new KnownKeys(known)[Symbol.dispose]();
    userVersion(known, 7);
    expect(() => new KnownKeys(known)).to.throw('was written by a later version of land-lookup');
  });
});

describe('land-lookup --version', function () {
  this.timeout(240_000);

  it('says the version, the commit, and what it runs on', async () => {
    using folder = temporaryFolder();
    const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
    const printed = await commandHereOrThrow(folder.path, '--version');
    expect(printed).to.match(
      /^land-lookup \d+\.\d+\.\d+ \(commit (unknown|[0-9a-f]{12})\), Node\.js \d+\.\d+\.\d+, GDAL \d+\.\d+\.\d+\S*\n$/,
    );
    expect(printed).to.contain(`land-lookup ${version} `);
    const told = JSON.parse(await commandHereOrThrow(folder.path, '--version', '--json')) as Readonly<
      Record<string, string | null>
    >;
    expect(told).to.include({ version, node: process.versions.node });
    expect(printed)
      .to.contain(`GDAL ${told['gdal']!}\n`)
      .and.to.contain(`(commit ${told['commit'] ?? 'unknown'})`);
    expect(told['sqlite']).to.match(/^3\.\d+/);
    expect(told['formats']).to.have.keys('accounts', 'addresses', 'cells', 'suggestions', 'usage');
    const changes = readFileSync(join(projectDir, 'CHANGELOG.md'), 'utf8');
    expect(changes, 'CHANGELOG.md').to.match(new RegExp(`^## ${version.replaceAll('.', '\\.')}( |$)`, 'm'));
  });
});
