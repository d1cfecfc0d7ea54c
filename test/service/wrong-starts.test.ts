/**
 * Ways to start wrongly, as an operator may: each ends in one sentence with what to do and exit code 1, or in a process that is not ready and says
 * why. None ends in a stack trace, and none in a process that seems to be good.
 */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { failureSentence } from '../../src/core/terminal/command.ts';
import { projectDir } from '../../src/project/project.ts';
import { readConfig } from '../../src/config.ts';
import type { Config } from '../../src/core/settings/config.ts';
import { type ServicesOptions, startService } from '../../src/service.ts';
import { readManifest, requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { snapshotsFolder } from '../../src/core/snapshots/folders.ts';
import { cliArguments } from '../support/drivers/cli.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { capturingLogger, NO_EXAMPLES } from '../support/drivers/front-end.ts';
import { GeocoderServer } from '../support/doubles/geocoder-server.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { sharedSample } from '../support/drivers/snapshots.ts';
import { startHere } from '../support/drivers/start-here.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { ownSampleFolder } from '../support/material/served-sample.ts';
import { serveSample, storeSample, writeManifest } from '../support/material/snapshot-copies.ts';
import { given } from '../support/drivers/given.ts';

type Env = Readonly<Record<string, string>>;

interface Refused {
  readonly env?: Env;
  /** Makes the data folder wrong, in which the sample is served. */
  readonly prepare?: (dir: string) => void;
  /** Program and arguments before Node.js. */
  readonly through?: readonly string[];
  /** What the sentence says is wrong, and what to do. */
  readonly says: RegExp;
}

/** Starts the service in this process, and gives what the command would print: a process of its own takes a second longer. */
async function sentenceHere(
  dataDir: string,
  env: Env = {},
  overrides: ServicesOptions['overrides'] = {},
): Promise<string> {
  const { logger } = capturingLogger();
  try {
    await using service = await startService(configOf(dataDir, env), { logger, overrides, startsLate: true });
    throw new Error(`${service.url} serves`);
  } catch (cause) {
    const sentence = `land-lookup: ${failureSentence(cause)}\n`;
    expectSentence(sentence);
    return sentence;
  }
}

const configOf = (dataDir: string, env: Env): Config =>
  readConfig({ DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1', ...env });

function expectSentence(printed: string): void {
  expect(printed).to.match(/^land-lookup: \S[^\n]*\n$/);
  expect(printed, 'a stack trace').not.to.match(/\bat .*:\d+:\d+|\bfile:\/\/|node_modules/);
}

/** Runs `serve` until its end. The sentence on standard error must be the only line there. */
async function sentenceOf(dataDir: string, { env = {}, through = [] }: Refused): Promise<string> {
  const command = [...through, process.execPath, ...cliArguments, 'serve'];
  const [program, args] = [command[0]!, command.slice(1)];
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1', ...env },
    timeout: 600_000,
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code, printed).to.equal(1);
  expectSentence(printed);
  return printed;
}

const NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(NOBODY[0]!, [...NOBODY.slice(1), 'test', '-r', join(projectDir, 'package.json')]).status === 0;

const garbage = (name: string) => (dir: string) => {
  mkdirSync(join(dir, 'batches'), { recursive: true });
  writeFileSync(join(dir, name), 'no database'.repeat(1000));
};
const manifestOf = (dir: string): string => join(requireCurrentSnapshot(dir).dir, 'manifest.json');
const changeManifest = (change: (text: string) => string) => (dir: string) => {
  const file = manifestOf(dir);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
};
const stripe = { STRIPE_API_KEY: 'sk_test_1', STRIPE_METER_EVENT: 'lookup' };
/** A snapshot that is damaged, missing or of another version. */
const REPAIR =
  'put another one into service \\("land-lookup snapshot list", "land-lookup snapshot use"\\), or delete the link';

const settings: Readonly<Record<string, Refused>> = {
  'a port that is no number': {
    env: { PORT: 'http' },
    says: /PORT must be a whole number from 0 to 65535, not "http"/,
  },
  'a port beyond the last': { env: { ADMIN_PORT: '70000' }, says: /ADMIN_PORT must be a whole number/ },
  'no thread': { env: { WORKER_THREADS: '0' }, says: /WORKER_THREADS must be a whole number from 1/ },
  'a mistyped name': {
    env: { MAX_PENDNG: '5' },
    says: /MAX_PENDNG is no setting: correct it to MAX_PENDING, or remove/,
  },
  'a mistyped limit': { env: { RATE_LIMIT_PER_HUOR: '5' }, says: /correct it to RATE_LIMIT_PER_HOUR/ },
  'a mistyped number of proxies': { env: { TRUST_PROXY_HOP: '1' }, says: /correct it to TRUST_PROXY_HOPS/ },
  'trust in every proxy': { env: { TRUST_PROXY_HOPS: 'true' }, says: /TRUST_PROXY_HOPS must be a whole number/ },
  'a Redis without a scheme': {
    env: { REDIS_URL: 'localhost:6379' },
    says: /REDIS_URL must be a URL that begins with/,
  },
  'a database of Redis that is no number': {
    env: { REDIS_URL: 'redis://h/abc' },
    says: /REDIS_URL must end with the number/,
  },
  'a geocoder that does not exist': { env: { GEOCODER: 'bing' }, says: /GEOCODER must be one of local, / },
  'a geocoder without its key': {
    env: { GEOCODER: 'google' },
    says: /GEOCODER_KEY must be set when GEOCODER is google/,
  },
  'a geocoder without its address': { env: { GEOCODER: 'pelias' }, says: /GEOCODER_URL must be the http\(s\) address/ },
  'a public geocoder': {
    env: { GEOCODER: 'nominatim', GEOCODER_URL: 'https://nominatim.openstreetmap.org' },
    says: /GEOCODER_URL is a public instance .*: use your own/,
  },
  'billing without a meter': {
    env: { STRIPE_API_KEY: 'sk_1' },
    says: /STRIPE_METER_EVENT must be set when STRIPE_API_KEY is/,
  },
  'sign-ups without their settings': {
    env: { ...stripe, SIGNUP: 'stripe' },
    says: /SIGNUP=stripe also needs STRIPE_WEBHOOK/,
  },
  'a bucket for batches': {
    env: { BATCH_STORE: 's3://batches' },
    says: /no setting any more: a batch is kept by the machine/,
  },
  'tiles without a place': {
    env: { TILE_URL: 'https://tiles.example' },
    says: /TILE_URL must be an http\(s\) URL with \{z\}/,
  },
  'a network that is none': {
    env: { WEBHOOK_ALLOW: '10.0.0.0/33' },
    says: /WEBHOOK_ALLOW must be networks and hosts such as/,
  },
  'a level that the log does not have': { env: { LOG_LEVEL: 'verbose' }, says: /LOG_LEVEL must be one of error, / },
};

/** Found out when everything else is open. */
const lateSettings: Readonly<Record<string, Refused>> = {
  'an address of another machine': { env: { HOST: '192.0.2.1' }, says: /HOST and PORT/ },
  'a host that does not exist': { env: { HOST: 'nowhere.invalid' }, says: /HOST and PORT/ },
  'a base map that is not there': { env: { BASEMAP: '/nowhere.pmtiles' }, says: /BASEMAP/ },
};

const files: Readonly<Record<string, Refused>> = {
  'no snapshot': {
    prepare: (dir) => {
      rmSync(join(dir, 'current'));
      rmSync(snapshotsFolder(dir), { recursive: true });
    },
    says: /there is no snapshot in .*: import one with "land-lookup load-layers" and "load-addresses"/,
  },
  'a snapshot without layers': {
    prepare: changeManifest((text) => JSON.stringify({ ...(JSON.parse(text) as object), dataSets: {} })),
    says: /has addresses but no layers yet: import them with "land-lookup load-layers"/,
  },
  'a snapshot without the province': {
    prepare: changeManifest((text) => text.replace('"province":', '"elsewhere":')),
    says: /lacks the outline of the province: import it with "land-lookup load-layers --only province"/,
  },
  'a link to a snapshot that is gone': {
    prepare: (dir) => {
      rmSync(requireCurrentSnapshot(dir).dir, { recursive: true });
    },
    says: new RegExp(`current points to a snapshot that does not exist: ${REPAIR}`),
  },
  'a damaged file of a snapshot': {
    prepare: (dir) => {
      writeFileSync(join(requireCurrentSnapshot(dir).dir, 'land.gpkg'), 'x');
    },
    says: new RegExp(`snapshot \\S+ cannot be served \\(land.gpkg has changed: .*\\): ${REPAIR}`),
  },
  'a snapshot without its file': {
    prepare: (dir) => {
      rmSync(join(requireCurrentSnapshot(dir).dir, 'land.gpkg'));
    },
    says: new RegExp(`snapshot \\S+ cannot be served \\(ENOENT: .*land.gpkg.*\\): ${REPAIR}`),
  },
  'half of a manifest': {
    prepare: changeManifest((text) => text.slice(0, 100)),
    says: new RegExp(`manifest.json is damaged: .*\\): ${REPAIR}`),
  },
  'a pipe in the place of a manifest, which nobody writes into': {
    prepare: (dir) => {
      const file = manifestOf(dir);
      rmSync(file);
      spawnSync('mkfifo', [file]);
    },
    says: new RegExp(`manifest.json is no file\\): ${REPAIR}`),
  },
  'a manifest of a later version': {
    prepare: changeManifest((text) => text.replace('"format":1', '"format":2')),
    says: /manifest.json was written by a later version of land-lookup/,
  },
  'a folder for temporary files in which nothing may be written': {
    env: { TMPDIR: '/proc' },
    says: /^land-lookup: GDAL cannot be loaded from a copy in \/proc \(ENOENT.*\): .* TMPDIR names another folder/,
  },
  'a data folder that is a file': {
    prepare: (dir) => {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, '');
    },
    says: /DATA_DIR/,
  },
};

/** Opened after the snapshot. */
const stores: Readonly<Record<string, Refused>> = {
  'keys that are no database': {
    prepare: garbage('accounts.sqlite'),
    says: /accounts.sqlite .*: restore it from a backup/,
  },
  'a journal that is no database': {
    prepare: garbage('usage.sqlite'),
    says: /usage.sqlite .*: restore it from a backup/,
  },
  'a queue that is no database': { prepare: garbage('batches/queue.sqlite'), says: /queue.sqlite .* move it aside/ },
  'webhooks that are no database': {
    prepare: garbage('batches/webhooks.sqlite'),
    says: /webhooks.sqlite .* move it aside/,
  },
  'keys of a later version': {
    prepare: (dir) => {
      const db = new Database(join(dir, 'accounts.sqlite'));
      db.pragma('user_version = 99');
      db.close();
    },
    says: /accounts.sqlite was written by a later version of land-lookup .*: install that version again/,
  },
  'keys that another process keeps to itself': {
    prepare: (dir) => {
      const db = new Database(join(dir, 'accounts.sqlite'));
      db.exec('BEGIN EXCLUSIVE');
      held.push(db);
    },
    says: /accounts.sqlite .*: another process holds the file/,
  },
};

/** For faults that are found when the snapshot is open. */
const withSample = async () => ({ snapshots: await sharedSample() });

/** One of each kind of cause in a process of its own, which must end with what it has opened. */
const asProcess = new Set([
  ...['a port that is no number', 'a mistyped name'],
  ...['no snapshot', 'a damaged file of a snapshot', 'webhooks that are no database'],
  'a folder for temporary files in which nothing may be written',
]);

/** Databases that a case has locked. */
const held: Database.Database[] = [];

const rights: Readonly<Record<string, Refused>> = {
  'too few open files': {
    through: ['prlimit', '--nofile=137:137'],
    says: /WORKER_THREADS=1 needs 138 open files at least, and may have 137: raise the limit \(LimitNOFILE, ulimit -n\)/,
  },
  'a data folder of another user': {
    prepare: (dir) => {
      chmodSync(dir, 0o555);
    },
    through: NOBODY,
    says: /DATA_DIR cannot be written.*make the user of the service the owner/,
  },
  'keys of another user': {
    prepare: (dir) => {
      writeFileSync(join(dir, 'accounts.sqlite'), '', { mode: 0o600 });
      chmodSync(dir, 0o777);
    },
    through: NOBODY,
    says: /DATA_DIR cannot be written.*accounts.sqlite.*owner of the folder and its \*\.sqlite files/,
  },
  'a snapshot that the user may not read': {
    prepare: (dir) => {
      chmodSync(join(requireCurrentSnapshot(dir).dir, 'land.gpkg'), 0o600);
      chmodSync(dir, 0o777);
    },
    through: NOBODY,
    says: /snapshot \S+ cannot be served \(EACCES: permission denied, open '.*land.gpkg'/,
  },
};

describe('A wrong start', function () {
  this.timeout(240_000);
  let good: ReturnType<typeof ownSampleFolder>;
  before(() => {
    good = ownSampleFolder();
  });
  after(() => {
    good[Symbol.dispose]();
  });

  for (const [name, refused] of Object.entries(settings)) {
    it(`is refused with a sentence: ${name}`, async () => {
      const sentence = asProcess.has(name) ? sentenceOf(good.path, refused) : sentenceHere(good.path, refused.env);
      expect(await sentence).to.match(refused.says);
    });
  }

  for (const [name, { env, says }] of Object.entries(lateSettings)) {
    it(`is refused with a sentence: ${name}`, async () => {
      expect(await sentenceHere(good.path, env, await withSample())).to.match(says);
    });
  }

  it('is refused with a sentence: a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as { port: number }).port);
    const own = await sentenceHere(good.path, { PORT: port }, await withSample());
    expect(own).to.match(/the port is taken.*HOST and PORT/);
    const admin = await sentenceHere(good.path, { ADMIN_PORT: port }, await withSample());
    expect(admin).to.match(/the port is taken.*ADMIN_HOST and ADMIN_PORT/);
    taken.close();
  });

  for (const [name, refused] of [files, stores, rights].flatMap((cases) => Object.entries(cases))) {
    given(...(name.startsWith('webhooks') ? ['webhooks'] : [])).it(
      `is refused with a sentence: ${name}`,
      async function () {
        if (refused.through && !canBeNobody) {
          console.log('skipped: needs root, and a checkout that others can read');
          this.skip();
        }
        using folder = temporaryFolder();
        const dataDir = join(folder.path, 'data');
        chmodSync(folder.path, 0o755);
        mkdirSync(dataDir);
        serveSample(dataDir, 1);
        refused.prepare?.(dataDir);
        try {
          const isProcess = refused.through !== undefined || asProcess.has(name);
          const sentence = isProcess
            ? sentenceOf(dataDir, refused)
            : sentenceHere(dataDir, refused.env, name in stores ? await withSample() : {});
          expect(await sentence).to.match(refused.says);
        } finally {
          for (const db of held.splice(0)) db.close();
        }
      },
    );
  }

  for (const [what, options, says] of [
    [
      'a full disk',
      'size=200k',
      /^land-lookup: .*\.sqlite cannot be used \(.*\): check whether the disk is full \(df\)/,
    ],
    ['a disk that is read-only', 'ro', /^land-lookup: DATA_DIR cannot be written.*mount its disk for writing/],
  ] as const) {
    it(`is refused with a sentence: ${what}`, async function () {
      using folder = temporaryFolder();
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.path]).status === 0;
      if (!mounted) {
        console.log('skipped: cannot mount a small file system here');
        this.skip();
      }
      try {
        symlinkSync(requireCurrentSnapshot(sampleDataDir()).dir, join(folder.path, 'current'));
        if (options === 'ro') spawnSync('mount', ['-o', 'remount,ro', folder.path]);
        else spawnSync('dd', ['if=/dev/zero', `of=${folder.path}/filler`, 'bs=4096']);
        expect(await sentenceHere(folder.path, {}, await withSample())).to.match(says);
        if (options === 'ro') return;
        for (const command of [
          ['keys', 'create', '--name', 'x'],
          ['usage', 'trust-clock'],
          ['customers', 'suspend', 'cus_1'],
        ]) {
          const { status, stderr } = await commandHere(folder.path, {}, ...command);
          expect(status, command.join(' ')).to.equal(1);
          expect(stderr).to.match(/^land-lookup: .*\/\w+\.sqlite cannot be used .*df[^\n]*\n$/);
        }
      } finally {
        spawnSync('umount', ['-l', folder.path]);
      }
    });
  }

  it('leads to a process that is not ready, and says why', async () => {
    await using redis = await RedisServer.start();
    await using client = redis.client();
    await client.redis.config('SET', 'requirepass', 'right');
    await using geocoder = await GeocoderServer.start();
    geocoder.reply = () => ({ body: { status: 'REQUEST_DENIED', error_message: 'The provided API key is invalid.' } });
    // Without Redis, one process alone serves a data folder.
    using other = ownSampleFolder();
    using without = temporaryFolder();
    const id = storeSample(without.path, 1);
    const manifest = readManifest(join(snapshotsFolder(without.path), id));
    writeManifest(without.path, { ...manifest, gazetteer: null });
    symlinkSync(join('snapshots', id), join(without.path, 'current'));
    const google = { GEOCODER: 'google', GEOCODER_KEY: 'wrong' };
    const starts = [
      ['no addresses', 'NO_REGISTER', {}, without.path],
      ['a Redis that is not there', 'KEYS_UNREACHABLE', { REDIS_URL: 'redis://127.0.0.1:1' }, good.path],
      ['a Redis whose password is another', 'KEYS_UNREACHABLE', { REDIS_URL: redis.url }, good.path],
      ['TLS to a port without', 'KEYS_UNREACHABLE', { REDIS_URL: `rediss://127.0.0.1:${portOf(geocoder)}` }, good.path],
      [
        'a geocoder that is not there',
        'GEOCODER_UNREACHABLE',
        { ...google, GEOCODER_URL: 'http://127.0.0.1:1' },
        good.path,
      ],
      [
        'a geocoder that does not know the key',
        'GEOCODER_UNREACHABLE',
        { ...google, GEOCODER_URL: geocoder.url },
        other.path,
      ],
    ] as const;
    const judge = async ([what, reason, env, dataDir]: (typeof starts)[number]): Promise<void> => {
      const { lines, logger } = capturingLogger();
      await using service = await startHere(configOf(dataDir, env), { logger, parts: NO_EXAMPLES });
      const response = await fetch(`${service.url}/readyz`);
      expect(response.status, what).to.equal(503);
      const { notReady } = (await response.json()) as { notReady: { reason: string; help: string }[] };
      expect(
        notReady.map((one) => one.reason),
        what,
      ).to.deep.equal([reason]);
      const [line] = lines.filter(({ message }) => message === 'not ready');
      expect(line, what).to.include({ level: 'error', help: notReady[0]!.help });
    };
    // Most of a start is waiting.
    await Promise.all(starts.map(judge));
  });

  it('can be looked into: "snapshot list" and "verify" work when nothing is in service', async () => {
    using folder = temporaryFolder();
    const id = storeSample(folder.path, 1);
    const broken = storeSample(folder.path, 2);
    writeFileSync(join(snapshotsFolder(folder.path), broken, 'manifest.json'), '{');
    symlinkSync('snapshots/gone', join(folder.path, 'current'));
    const list = await commandHere(folder.path, {}, 'snapshot', 'list');
    expect(list).to.include({ status: 0, stderr: '' });
    expect(list.stdout).to.match(new RegExp(`^${id} `, 'm'));
    expect(list.stdout).to.match(new RegExp(`^${broken} .*cannot be served: .*manifest.json is damaged`, 'm'));
    expect(list.stdout).to.match(new RegExp(`^None is in service, because the link .* does not exist: ${REPAIR}`, 'm'));
    expect((await commandHere(folder.path, {}, 'snapshot', 'verify', id)).status).to.equal(0);
    for (const args of [['verify'], ['verify', broken], ['use', broken]]) {
      const { status, stderr } = await commandHere(folder.path, {}, 'snapshot', ...args);
      expect(status, args.join(' ')).to.equal(1);
      expect(stderr).to.match(
        /^land-lookup: [^\n]*(does not exist: put another one|manifest.json is damaged)[^\n]*\n$/,
      );
    }
    expect(await commandHere(folder.path, {}, 'snapshot', 'prune', '--keep', '1')).to.include({
      status: 0,
      stderr: '',
    });
    expect((await commandHere(folder.path, {}, 'snapshot', 'use', id)).status).to.equal(0);
    expect((await commandHere(folder.path, {}, 'snapshot', 'list')).stdout).to.match(
      new RegExp(`^${id} +in service`, 'm'),
    );
  });
});

function portOf({ url }: GeocoderServer): string {
  return new URL(url).port;
}
