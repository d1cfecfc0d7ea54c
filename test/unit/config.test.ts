import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { readConfig, settingNames } from '../../src/config.ts';
import { settingsOf, type Config, type ReadSettings } from '../../src/core/settings/config.ts';
import type { Environment } from '../../src/core/settings/settings-reader.ts';
import { problems } from '../../src/messages/problems.ts';
import { allFeatures } from '../../src/features.ts';
import { batchSettings } from '../../src/features/batches/settings.ts';
import { explainSettings } from '../../src/features/explain/settings.ts';
import { pageSettings, type PageSettings } from '../../src/features/page/settings.ts';
import { signupSettings } from '../../src/features/signup/settings.ts';
import { rulesSettings } from '../../src/features/rules/settings.ts';
import { sourcesSettings } from '../../src/features/sources/settings.ts';
import { suggestSettings } from '../../src/features/suggest/settings.ts';
import { webhookSettings } from '../../src/features/webhooks/settings.ts';
import { checkConfig } from '../../src/commands/check-config.ts';
import { geocoderSettings } from '../../src/features/geocoders/settings.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

interface Variable {
  readonly member: keyof Config;
  readonly fallback: Config[keyof Config];
  readonly good: readonly [text: string, value: Config[keyof Config]];
  /** Values that are refused; a free text has none. */
  readonly bad: readonly string[];
  /** What it means nothing without. */
  readonly with?: Environment;
}

const everything = allFeatures.map(({ name }) => name);

const localOnly: ReturnType<typeof geocoderSettings> = { order: ['local'], remote: null };
const billing = { apiKey: 'sk', meterEvent: 'lookup', apiBase: null, webhookSecret: null };
const signup = { price: 'price_1', termsUrl: 'https://terms.example/', publicUrl: null, isLive: false };
const withSignup = {
  ...{ SIGNUP: 'stripe', STRIPE_API_KEY: 'sk_test_1', STRIPE_METER_EVENT: 'lookup', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
  ...{ STRIPE_PRICE: 'price_1', TERMS_URL: 'https://terms.example/' },
};
/** The settings of features, with some that differ from the defaults. */
const ofFeatures = ({
  batches: { fileThreads = availableParallelism(), ...batches } = {},
  suggest = {},
  rules = {},
  allow = [],
  signup: asked = null,
  page = {},
  statusNote = null,
  feedbackUrl = null,
}: {
  readonly batches?: Partial<ReturnType<typeof batchSettings>>;
  readonly suggest?: Partial<ReturnType<typeof suggestSettings>>;
  readonly rules?: Partial<ReturnType<typeof rulesSettings>>;
  readonly allow?: readonly string[];
  readonly signup?: ReturnType<typeof signupSettings>;
  readonly page?: Partial<PageSettings>;
  readonly statusNote?: string | null;
  readonly feedbackUrl?: string | null;
} = {}): Config['ofFeatures'] =>
  new Map<ReadSettings<unknown>, unknown>([
    [rulesSettings, { ownDir: null, unverified: [], ...rules }],
    [suggestSettings, { perHour: 20_000, ...suggest }],
    [
      batchSettings,
      {
        ...{ diskBytes: 100_000 * 1024 ** 2, diskBytesPerKey: 20_000 * 1024 ** 2, retentionMs: 7 * 86_400_000 },
        ...{ fileThreads, ...batches },
      },
    ],
    [pageSettings, { baseMap: null, tileUrl: null, tileAttribution: '', ...page }],
    [explainSettings, { feedbackUrl }],
    [webhookSettings, { allow }],
    [signupSettings, asked],
    [sourcesSettings, { statusNote }],
    [geocoderSettings, localOnly],
  ]);
const threads = Math.max(1, availableParallelism() - 1);
const port = ['65536', '-1', '80.5', '0x50', 'http', '8080;'] as const;

const credentials = temporaryFolder();
writeFileSync(join(credentials.path, 'secrets_REDIS_URL'), 'redis://:secret@localhost\n');

const variables: Readonly<Record<string, Variable>> = {
  HOST: { member: 'host', fallback: '127.0.0.1', good: ['0.0.0.0', '0.0.0.0'], bad: [] },
  PORT: { member: 'port', fallback: 8080, good: ['0', 0], bad: port },
  ADMIN_HOST: { member: 'adminHost', fallback: '127.0.0.1', good: ['::1', '::1'], bad: [] },
  ADMIN_PORT: { member: 'adminPort', fallback: 9090, good: ['65535', 65535], bad: port },
  DATA_DIR: { member: 'dataDir', fallback: resolve('data'), good: ['/srv/land', '/srv/land'], bad: [] },
  MIN_FREE_DISK_MB: {
    member: 'minFreeDiskBytes',
    fallback: 1024 ** 3,
    good: ['50', 50 * 1024 ** 2],
    bad: ['-1', '1G', '0.5'],
  },
  BATCH_DISK_MB: {
    member: 'ofFeatures',
    fallback: ofFeatures(),
    good: ['50', ofFeatures({ batches: { diskBytes: 50 * 1024 ** 2, diskBytesPerKey: 10 * 1024 ** 2 } })],
    bad: ['0', '1G', '-1'],
  },
  BATCH_RETENTION_DAYS: {
    member: 'ofFeatures',
    fallback: ofFeatures(),
    good: ['1', ofFeatures({ batches: { retentionMs: 86_400_000 } })],
    bad: ['0', '366', '7d'],
  },
  WORKER_THREADS: { member: 'workerThreads', fallback: threads, good: ['3', 3], bad: ['0', '257', '1.5', 'all'] },
  MAX_PENDING: { member: 'maxPending', fallback: 64 * threads, good: ['9', 9], bad: ['0', '100001', 'Infinity'] },
  WEBHOOK_ALLOW: {
    member: 'ofFeatures',
    fallback: ofFeatures(),
    good: ['10.0.0.0/8, ::1,Hooks.internal', ofFeatures({ allow: ['10.0.0.0/8', '::1', 'hooks.internal'] })],
    bad: ['10.0.0.0/33', '10.0.0', 'http://hooks', 'a b', '-x', 'hooks:80'],
  },
  LOOKUP_DEADLINE_MS: { member: 'lookupDeadlineMs', fallback: 2000, good: ['500', 500], bad: ['9', '600001', '2s'] },
  REDIS_URL: {
    member: 'redisUrl',
    fallback: null,
    good: ['redis://u:p@localhost:6379/1', 'redis://u:p@localhost:6379/1'],
    bad: ['localhost:6379', 'http://localhost', 'not a url'],
  },
  RATE_LIMIT_PER_HOUR: { member: 'rateLimitPerHour', fallback: 1000, good: ['50', 50], bad: ['0', '1e3', '-5'] },
  SUGGEST_PER_HOUR: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: ['0', '1e3', '-5'] },
    good: ['50', ofFeatures({ suggest: { perHour: 50 } })],
  },
  RULES_DIR: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: [] },
    good: ['/etc/r', ofFeatures({ rules: { ownDir: '/etc/r' } })],
  },
  RULES_UNVERIFIED: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: [] },
    good: ['one, two', ofFeatures({ rules: { unverified: ['one', 'two'] } })],
  },
  FEEDBACK_URL: {
    ...{ member: 'ofFeatures', fallback: ofFeatures() },
    good: ['mailto:data@land.example', ofFeatures({ feedbackUrl: 'mailto:data@land.example' })],
    bad: ['http://land.example', 'data@land.example', 'javascript:alert(1)', 'mailto:'],
  },
  TRUST_PROXY_HOPS: { member: 'trustProxyHops', fallback: 0, good: ['1', 1], bad: ['true', '17', '-1'] },
  CREDENTIALS_DIRECTORY: {
    member: 'redisUrl',
    fallback: null,
    good: [credentials.path, 'redis://:secret@localhost'],
    bad: [],
  },
  NOTIFY_SOCKET: {
    member: 'systemd',
    fallback: { isListening: false, watchdogMs: null },
    good: ['/run/systemd/notify', { isListening: true, watchdogMs: null }],
    bad: [],
  },
  WATCHDOG_USEC: {
    member: 'systemd',
    fallback: { isListening: false, watchdogMs: null },
    good: ['30000000', { isListening: false, watchdogMs: 30_000 }],
    bad: ['30s', '1'],
  },
  GEOCODER_RATE_PER_S: { member: 'ofFeatures', fallback: ofFeatures(), good: ['1', ofFeatures()], bad: ['0', '1.5'] },
  GEOCODER: { member: 'geocoders', fallback: ['local'], good: ['local', ['local']], bad: ['bing', 'local,'] },
  GEOCODER_URL: { member: 'ofFeatures', fallback: ofFeatures(), good: ['http://localhost', ofFeatures()], bad: [] },
  GEOCODER_KEY: { member: 'ofFeatures', fallback: ofFeatures(), good: ['key', ofFeatures()], bad: [] },
  STATUS_NOTE: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: [] },
    good: ['/etc/land-lookup/status.txt', ofFeatures({ statusNote: '/etc/land-lookup/status.txt' })],
  },
  BASEMAP: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: [] },
    good: ['/srv/ontario.pmtiles', ofFeatures({ page: { baseMap: '/srv/ontario.pmtiles' } })],
  },
  TILE_URL: {
    member: 'ofFeatures',
    fallback: ofFeatures(),
    good: [
      'https://tiles.example/{z}/{x}/{y}.png',
      ofFeatures({ page: { tileUrl: 'https://tiles.example/{z}/{x}/{y}.png' } }),
    ],
    bad: ['tiles', 'https://tiles.example/', 'file:///{z}/{x}/{y}'],
  },
  TILE_ATTRIBUTION: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: [] },
    good: ['© Example', ofFeatures({ page: { tileAttribution: '© Example' } })],
  },
  STRIPE_API_KEY: {
    ...{ member: 'billing', fallback: null, good: ['sk_1', { ...billing, apiKey: 'sk_1' }], bad: ['clé'] },
    with: { STRIPE_METER_EVENT: 'lookup' },
  },
  SIGNUP: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: ['paypal', '1'] },
    good: ['stripe', ofFeatures({ signup })],
    with: withSignup,
  },
  STRIPE_PRICE: {
    ...{ member: 'ofFeatures', fallback: ofFeatures(), bad: ['a b'] },
    good: ['price_2', ofFeatures({ signup: { ...signup, price: 'price_2' } })],
    with: withSignup,
  },
  TERMS_URL: {
    ...{ member: 'ofFeatures', fallback: ofFeatures() },
    bad: ['terms', 'http://terms.example/', 'javascript:alert(1)'],
    good: ['https://t.example/a', ofFeatures({ signup: { ...signup, termsUrl: 'https://t.example/a' } })],
    with: withSignup,
  },
  PUBLIC_URL: {
    ...{ member: 'publicUrl', fallback: null },
    bad: ['land.example', 'http://land.example', 'https://land.example/path'],
    good: ['https://land.example/', 'https://land.example'],
  },
  CONTACT: {
    ...{ member: 'contact', fallback: null },
    bad: ['help', 'http://land.example/help', 'javascript:alert(1)', 'mailto:', 'https://a@land.example', 'help@'],
    good: ['help@land.example', 'mailto:help@land.example'],
  },
  STRIPE_METER_EVENT: {
    ...{
      member: 'billing',
      fallback: null,
      good: ['asked', { ...billing, meterEvent: 'asked' }],
      bad: ['x'.repeat(101)],
    },
    with: { STRIPE_API_KEY: 'sk' },
  },
  STRIPE_API_BASE: {
    ...{
      member: 'billing',
      fallback: null,
      good: ['http://b', { ...billing, apiBase: 'http://b' }],
      bad: ['ftp://b', 'b'],
    },
    with: { STRIPE_API_KEY: 'sk', STRIPE_METER_EVENT: 'lookup' },
  },
  STRIPE_WEBHOOK_SECRET: {
    ...{ member: 'billing', fallback: null, good: ['whsec', { ...billing, webhookSecret: 'whsec' }], bad: [] },
    with: { STRIPE_API_KEY: 'sk', STRIPE_METER_EVENT: 'lookup' },
  },
  USAGE_RETENTION_DAYS: { member: 'usageRetentionDays', fallback: 400, good: ['36', 36], bad: ['35', '36501', 'year'] },
  LAYERS_DIR: { member: 'ownLayersDir', fallback: null, good: ['/etc/l', '/etc/l'], bad: [] },
  LOG_LEVEL: { member: 'logLevel', fallback: 'info', good: ['debug', 'debug'], bad: ['verbose', 'INFO'] },
  LOG_ADDRESSES: { member: 'logAddresses', fallback: false, good: ['1', true], bad: ['yes', '2'] },
};

/** The names that `readConfig` asks the environment for. */
function namesRead(): string[] {
  const names = new Set<string>();
  const env: Environment = new Proxy({}, { get: (_target, name) => void names.add(String(name)) });
  readConfig(env);
  return [...names];
}

const hasLines = (expected: readonly RegExp[]) => (message: string) => {
  const lines = message.split('\n');
  expect(lines, message).to.have.length(expected.length);
  for (const [i, line] of lines.entries()) expect(line).to.match(expected[i]!);
  return true;
};

const apiDoc = readFileSync(join(projectDir, 'docs', 'api.md'), 'utf8');

describe('Configuration', () => {
  it('has a case here for each variable', () => {
    const own = ['FEATURES', ...Object.keys(variables)];
    expect(namesRead()).to.have.members(own);
    expect(settingNames()).to.have.members(own);
  });

  it('has all features without FEATURES, none when it is empty, and otherwise those that it names', () => {
    expect(readConfig({})).to.deep.include({ features: everything, leftOut: [] });
    for (const none of ['', '  ']) expect(readConfig({ FEATURES: none }).features).to.deep.equal([]);
    expect(readConfig({ FEATURES: everything.slice(2).join(',') }).leftOut).to.deep.equal(everything.slice(0, 2));
    expect(readConfig({ FEATURES: 'suggest, batches' }).features).to.deep.equal(['suggest', 'batches']);
    expect(() => readConfig({ FEATURES: 'suggest,zoos' })).to.throw(
      /^FEATURES names "zoos", .*there are areas, .*examples, suggest/,
    );
  });

  for (const [feature, set] of Object.entries({
    suggest: { SUGGEST_PER_HOUR: '5' },
    rules: { RULES_DIR: '/etc/r', RULES_UNVERIFIED: 'one' },
    explain: { FEEDBACK_URL: 'https://land.example/wrong' },
    batches: { BATCH_DISK_MB: '5', BATCH_RETENTION_DAYS: '5' },
    webhooks: { WEBHOOK_ALLOW: '10.0.0.0/8' },
    signup: { SIGNUP: 'stripe', STRIPE_PRICE: 'price_1', TERMS_URL: 'https://terms.example/' },
    geocoders: { GEOCODER: 'local', GEOCODER_URL: 'http://a', GEOCODER_KEY: 'k', GEOCODER_RATE_PER_S: '5' },
  }))
    it(`refuses a setting of a feature that is left out: ${feature}`, () => {
      const others = everything.filter((name) => name !== feature).join(',');
      for (const [name, value] of Object.entries(set)) {
        expect(() => readConfig({ FEATURES: others, [name]: value })).to.throw(
          `${name} is a setting of the feature "${feature}", which FEATURES leaves out: remove it, or add "${feature}" to FEATURES`,
        );
        expect(() => readConfig({ FEATURES: others, [name]: ' ' })).not.to.throw();
      }
    });

  it('lets the core read what it has itself also without the feature that reads it too', () => {
    const core = { HOST: '0.0.0.0', PUBLIC_URL: 'https://land.example', STRIPE_API_KEY: 'sk', STRIPE_METER_EVENT: 'l' };
    expect(readConfig({ FEATURES: '', ...core })).to.include({ host: '0.0.0.0', publicUrl: 'https://land.example' });
  });

  it('gives a command for files all cores, unless WORKER_THREADS says otherwise', () => {
    const threadsOf = (env: Environment) => settingsOf(readConfig(env), batchSettings).fileThreads;
    expect(threadsOf({})).to.equal(availableParallelism());
    expect(threadsOf({ WORKER_THREADS: '3' })).to.equal(3);
  });

  for (const [name, { member, fallback, good, bad, with: others = {} }] of Object.entries(variables)) {
    it(`takes ${name}, has a default, and names it when it is bad`, () => {
      expect(readConfig({})[member]).to.deep.equal(fallback);
      expect(readConfig({ [name]: '  ' })[member]).to.deep.equal(fallback);
      expect(readConfig({ ...others, [name]: good[0] })[member]).to.deep.equal(good[1]);
      for (const value of bad) expect(() => readConfig({ ...others, [name]: value }), value).to.throw(name);
    });
  }

  after(() => {
    credentials[Symbol.dispose]();
  });

  it('prefers a variable to the file of the same name, and reads only secrets from files', () => {
    const env = { CREDENTIALS_DIRECTORY: credentials.path };
    expect(readConfig({ ...env, REDIS_URL: 'redis://other' }).redisUrl).to.equal('redis://other');
    writeFileSync(join(credentials.path, 'secrets_HOST'), '0.0.0.0');
    expect(readConfig(env).host).to.equal('127.0.0.1');
  });

  const signupOf = (env: Environment) => settingsOf(readConfig(env), signupSettings);

  it('takes the mode of sign-ups from the key of the payment processor, and needs PUBLIC_URL beside a live one', () => {
    for (const key of ['sk_live_1', 'rk_live_1']) {
      const live = { ...withSignup, STRIPE_API_KEY: key };
      expect(() => readConfig(live), key).to.throw('PUBLIC_URL');
      expect(signupOf({ ...live, PUBLIC_URL: 'https://land.example' })).to.deep.equal({
        ...{ ...signup, isLive: true },
        publicUrl: 'https://land.example',
      });
    }
    expect(signupOf({ ...withSignup, STRIPE_API_KEY: 'rk_test_1' })).to.include({ isLive: false });
    expect(() => readConfig({ ...withSignup, STRIPE_API_KEY: 'sk' })).to.throw('sk_live_');
  });

  it('notices a name that is nearly one of a setting, and no other name', () => {
    for (const [given, meant] of [
      ['MAX_PENDNG', 'MAX_PENDING'],
      ['RATE_LIMIT_PER_HUOR', 'RATE_LIMIT_PER_HOUR'],
      ['TRUST_PROXY_HOP', 'TRUST_PROXY_HOPS'],
      ['redis_url', 'REDIS_URL'],
      ['GEOCODERS', 'GEOCODER'],
      ['DATADIR', 'DATA_DIR'],
      ['NOTIFYSOCKETS', 'NOTIFY_SOCKET'],
    ] as const) {
      expect(() => readConfig({ [given]: '1' }), given).to.throw(`${given} is no setting: correct it to ${meant}, or`);
    }
    const others = [
      ...['HOME', 'HOSTNAME', 'HOSTS', 'POST', 'LOGNAME', 'PATH', 'TERM', 'USER', 'MAIL', 'REDIS_HOST', 'REDIS_PORT'],
      ...['INVOCATION_ID', 'WATCHDOG_PID', 'STATE_DIRECTORY', 'LOGS_DIRECTORY', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID'],
      ...['NODE_OPTIONS', 'S3_ENDPOINT_URL', 'BACKUP_DIR', 'LAND_LOOKUP_KEY', 'ENCODER', 'MAX_MEMORY'],
    ];
    expect(() => readConfig(Object.fromEntries(others.map((name) => [name, '1'])))).not.to.throw();
    expect(() => readConfig(process.env)).not.to.throw();
  });

  it('says what holds in place of a setting that an earlier version had', () => {
    for (const [name, instead] of [
      ['MAX_CONNECTIONS', '20,000'],
      ['MAX_IN_FLIGHT_PER_KEY', '--in-flight'],
      ['BATCH_DISK_MB_PER_KEY', 'a fifth of BATCH_DISK_MB'],
      ['GEOCODER_TIMEOUT_MS', '1.5 seconds'],
      ['BATCH_STORE', 'by the machine that took it'],
      ['S3_ENDPOINT', 'docs/beyond-one-machine.md'],
      ['S3_PATH_STYLE', 'docs/beyond-one-machine.md'],
      ['SUSPEND_AFTER_REJECTIONS', 'ten rejected lookups'],
    ] as const) {
      expect(() => readConfig({ [name]: '1' }))
        .to.throw(`${name} is no setting any more`)
        .with.property('message')
        .contain(instead);
      expect(() => readConfig({ [name]: ' ' })).not.to.throw();
    }
  });

  it('is refused in a file where systemd and Node.js read a line in different ways, without the text of the line', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'land-lookup.env');
    const check = (text: string): string => {
      writeFileSync(file, text);
      return checkConfig(file, {});
    };
    const uneven = [
      ...['export HOST=::1', '\ufeffHOST=::1', 'CONTACT=https://a.example/#b', 'HOST="::1" # b', 'HOST=`::1`'],
      ...[
        'CONTACT="a\\"@b.example"',
        'LAYERS_DIR=/srv/a\\ b',
        'LAYERS_DIR=/srv/a\\\nb',
        "HOST='::1",
        ';HOST=::1',
        'HOST',
      ],
    ];
    for (const line of uneven)
      expect(() => check(`${line}\nPORT=8081\n`), line).to.throw(/in different ways \(1(, 2)?\): [^:]*$/m);
    const even = `# a\n\n \t# b\\\nHOST = ::1 \r\nCONTACT='https://a.example/#b\\'\nLAYERS_DIR="${folder.path}"\nDATA_DIR=it's a "b"`;
    expect(check(even))
      .to.match(/HOST +::1 /)
      .and.to.match(/CONTACT +https:\/\/a\.example\/#b\\ /)
      .and.to.match(/DATA_DIR +it's a "b" /);
  });

  it('is printed with where each setting is from, and without secrets', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'land-lookup.env');
    writeFileSync(file, 'PORT=8081\nWORKER_THREADS=2\nBACKUP_DIR=/backups\nNODE_EXTRA_CA_CERTS=/ca\n');
    const env = { PORT: '8082', WORKER_THREADS: '2', HOST: '0.0.0.0', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    const table = checkConfig(file, { ...env, CREDENTIALS_DIRECTORY: credentials.path });
    for (const [name, value, from] of [
      ['PORT', '8082', `environment, not ${file}`],
      ['WORKER_THREADS', '2', file],
      ['HOST', '0.0.0.0', 'environment'],
      ['MAX_PENDING', '128', 'default'],
      ['REDIS_URL', 'redis://…@localhost', 'file of the secret'],
      ['STRIPE_WEBHOOK_SECRET', '(secret)', 'environment'],
      ['TILE_URL', 'not set', 'default'],
    ] as const) {
      expect(table).to.match(new RegExp(`^${name} +${value.replace(/[().]/g, '\\$&')} +${from}$`, 'm'));
    }
    for (const name of settingNames().filter((one) => one !== 'CREDENTIALS_DIRECTORY'))
      expect(table).to.match(new RegExp(`^${name} `, 'm'));
    expect(table).not.to.contain('whsec_1').and.not.contain('secret@');
    for (const [place, advice] of [
      ['/home/x/backups', 'ProtectHome=no'],
      ['/tmp', 'PrivateTmp=no'],
      ['/usr/local/../share/b', 'ReadWritePaths=/usr/share/b'],
    ] as const) {
      writeFileSync(file, `BACKUP_DIR=${place}\n`);
      const told = `BACKUP_DIR: the unit land-lookup-backup cannot write to ${place}: take a folder below /srv, /mnt or /var, or run `;
      expect(checkConfig(file, {})).to.contain(told).and.contain(`"${advice}"`);
    }
    for (const place of ['/srv/backups', '/mnt', '/var/backups/land-lookup', '/homes', '/backups', '']) {
      writeFileSync(file, `BACKUP_DIR=${place}\n`);
      expect(checkConfig(file, {}), place).not.to.contain('BACKUP_DIR');
    }
    for (const [line, message] of [
      ['WORKER_THREDS=2', 'names that are no settings: WORKER_THREDS (WORKER_THREADS?)'],
      ['COLOUR=red', 'names that are no settings: COLOUR. Correct them'],
      ['WORKER_THREADS=0', 'WORKER_THREADS must be'],
      ['AWS_REGION=ca-central-1', 'names that are no settings: AWS_REGION. Correct them'],
      ['S3_PATH_STYLE=1', 'S3_PATH_STYLE is no setting any more'],
    ] as const) {
      writeFileSync(file, `${line}\n`);
      expect(() => checkConfig(file, {}), line).to.throw(message);
    }
    for (const shipped of ['land-lookup.env', 'import.env']) {
      const lines = readFileSync(join(projectDir, 'deploy', 'systemd', shipped), 'utf8');
      writeFileSync(file, lines.replace(/^#(\w+=)/gm, '$1'));
      if (shipped === 'import.env') expect(() => checkConfig(file, {}), shipped).not.to.throw();
      else expect(() => checkConfig(file, {}), shipped).to.throw('SIGNUP=stripe also needs');
    }
  });

  it('is refused with all that is wrong with it, each on a line of its own', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'land-lookup.env');
    const layers = join(folder.path, 'layers.d');
    writeFileSync(
      file,
      `COLOUR=red\nWORKER_THREDS=2\nS3_PATH_STYLE=1\nMAX_PENDING=0\nGEOCODER=bing\nADMIN_PORT=8080\nLAYERS_DIR=${layers}\n`,
    );
    const refused = () => checkConfig(file, { LOG_LEVEL: 'loud', BATCH_RETENTION_DAYS: '0', REDIS_ULR: 'redis://h' });
    const lines = [
      /^S3_PATH_STYLE is no setting any more/,
      /^REDIS_ULR is no setting: correct it to REDIS_URL/,
      /names that are no settings: COLOUR, WORKER_THREDS \(WORKER_THREADS\?\)/,
      /^MAX_PENDING must be/,
      /^BATCH_RETENTION_DAYS must be/,
      /^GEOCODER must be one of/,
      /^LOG_LEVEL must be one of/,
      /^PORT and ADMIN_PORT are both 8080: set ADMIN_PORT/,
      /^LAYERS_DIR cannot be read/,
    ];
    expect(refused).to.throw(Error).with.property('message').that.satisfies(hasLines(lines));
    const bad = { WORKER_THREADS: '0', GEOCODER_RATE_PER_S: '0', GEOCODER: 'google' };
    expect(() => readConfig(bad))
      .to.throw(Error)
      .with.property('message')
      .that.satisfies(hasLines([/^WORKER_THREADS/, /^GEOCODER_RATE_PER_S/, /^GEOCODER_KEY/]));
  });

  it('takes one port twice only where the addresses differ, or the system chooses', () => {
    for (const same of [{ PORT: '9090' }, { PORT: '9090', HOST: '0.0.0.0' }, { PORT: '9090', ADMIN_HOST: '::' }])
      expect(() => readConfig(same), JSON.stringify(same)).to.throw('PORT and ADMIN_PORT are both 9090');
    expect(readConfig({ PORT: '9090', ADMIN_HOST: '10.0.0.5' }).adminHost).to.equal('10.0.0.5');
    expect(readConfig({ PORT: '0', ADMIN_PORT: '0' }).port).to.equal(0);
  });

  it('keeps the password of a bad REDIS_URL to itself', () => {
    expect(() => readConfig({ REDIS_URL: 'rdis://:hunter2@localhost' }))
      .to.throw()
      .with.property('message')
      .not.contain('hunter2');
  });
});

describe('docs/api.md', () => {
  it('names each configuration variable', () => {
    for (const name of namesRead()) expect(apiDoc).to.contain(`\`${name}\``);
  });

  it('has a row for each code of the error registry, with its status', () => {
    for (const [code, { status }] of Object.entries(problems)) {
      expect(apiDoc).to.match(new RegExp(`^\\| ${status} +\\| \`${code}\` `, 'm'));
    }
  });
});
