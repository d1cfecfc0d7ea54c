/** `land-lookup doctor` on a folder that is like the root of a machine: real units, stores, certificates, releases and a real Redis. */
import { beginJob } from '../../../src/core/snapshots/jobs.ts';
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../../src/config.ts';
import { examine, exitCode, table, type NamedFinding } from '../../../src/features/doctor/doctor.ts';
import { closedTo, hiddenFrom } from '../../../src/core/units/unit-rights.ts';
import { readUnit } from '../../../src/core/units/unit-files.ts';
import { sha256 } from '../../../src/core/files/sha256.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { cliArguments } from '../../support/drivers/cli.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { RedisServer } from '../../support/drivers/redis.ts';
import {
  changeManifest,
  makeCertificate,
  must,
  prepareMachine,
  put,
  putOldRelease,
  putRelease,
  runWith,
} from '../../support/material/prepared-machine.ts';
import { DAY_MS } from '../../../src/messages/time.ts';

const SETTINGS = '/etc/land-lookup/land-lookup.env';
const UNITS = '/etc/systemd/system';
const DATA = '/var/lib/land-lookup';
const GOOD_REDIS = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];

interface Fault {
  readonly prepare?: (root: string) => void;
  readonly says?: Readonly<Record<string, string | null>>;
  readonly nowMs?: number;
  /** All that is found: `check state`, what it says, and what to type. */
  readonly found: readonly (readonly [string, RegExp, RegExp])[];
  /** What to type mends it, typed on the prepared machine. */
  readonly isTyped?: true;
}

const setting = (line: string) => (root: string) => {
  put(root, SETTINGS, `${readFileSync(join(root, SETTINGS), 'utf8')}${line}\n`, 0o640);
};
const importSetting = (line: string) => (root: string) => {
  put(root, '/etc/land-lookup/import.env', `${line}\n`);
};
const enable =
  (unit: string, target = 'multi-user.target.wants') =>
  (root: string) => {
    symlinkSync(`${UNITS}/${unit}`, join(root, UNITS, target, unit));
  };
const running = (unit: string) => `${unit} loaded active running x`;
const UNITS_RUN = [
  'land-lookup@8081.service',
  'land-lookup@8082.service',
  'land-lookup-backup.timer',
  'land-lookup-refresh.timer',
];

const faults: Readonly<Record<string, Fault>> = {
  'a bad value and an unknown name': {
    prepare: setting('MAX_PENDING=0\nCOLOUR=red'),
    found: [
      ['settings fault', /names that are no settings: COLOUR/, /sudoedit \/etc\/land-lookup\/land-lookup\.env/],
      ['settings fault', /MAX_PENDING must be/, /sudoedit/],
    ],
  },
  'a line that the service does not get': {
    prepare: setting('export LOG_LEVEL=warn'),
    found: [['settings fault', /land-lookup\.env has lines that systemd and Node\.js read in .* \(\d+\)/, /sudoedit/]],
  },
  'PORT = ADMIN_PORT': {
    prepare: setting('PORT=9090'),
    found: [['settings fault', /PORT and ADMIN_PORT are both 9090/, /sudoedit/]],
  },
  'a secret with a name that nobody reads': {
    prepare: (root) => {
      put(root, '/etc/land-lookup/secrets/STRIPE_KEY', 'sk', 0o600);
    },
    found: [['settings fault', /secrets\/STRIPE_KEY has the name of no secret/, /sudo mv .*STRIPE_KEY/]],
  },
  'a secret in the settings': {
    prepare: setting('GEOCODER_KEY=abc'),
    found: [
      ['settings warning', /has the secret GEOCODER_KEY/, /install -m 0600 \/dev\/stdin .*secrets\/GEOCODER_KEY/],
    ],
  },
  'a process whose metrics have no port': {
    prepare: (root) => {
      enable('land-lookup@10081.service')(root);
      put(
        root,
        '/etc/haproxy/haproxy.cfg',
        readFileSync(join(root, '/etc/haproxy/haproxy.cfg'), 'utf8').replaceAll(
          '8082',
          '8082\n  server c 127.0.0.1:10081',
        ),
      );
    },
    says: { systemctl: [...UNITS_RUN, 'land-lookup@10081.service'].map(running).join('\n') },
    found: [['ports fault', /land-lookup@10081 is named after no port/, /disable --now land-lookup@10081/]],
  },
  'a definition that does not fit': {
    prepare: (root) => {
      put(root, '/etc/land-lookup/layers.d/quiet_zone.json', '{}');
    },
    found: [['layers fault', /quiet_zone\.json/, /correct the file/]],
  },
  'keys that everybody reads': {
    prepare: (root) => {
      chmodSync(join(root, DATA, 'usage.sqlite'), 0o644);
    },
    found: [
      [
        'rights fault',
        /usage\.sqlite can be read by everybody/,
        /^sudo chmod 0600 \/var\/lib\/land-lookup\/usage\.sqlite$/,
      ],
    ],
    isTyped: true,
  },
  'secrets that everybody reads': {
    prepare: (root) => {
      chmodSync(join(root, '/etc/land-lookup/secrets'), 0o755);
      chmodSync(join(root, '/etc/land-lookup/secrets/REDIS_URL'), 0o644);
    },
    found: [
      ['rights fault', /secrets can be read by everybody/, /sudo chmod 0700/],
      ['rights fault', /REDIS_URL can be read by everybody/, /sudo chmod 0600/],
    ],
    isTyped: true,
  },
  'a settings file that everybody writes': {
    prepare: (root) => {
      chmodSync(join(root, SETTINGS), 0o666);
    },
    found: [['rights fault', /land-lookup\.env can be written by everybody/, /sudo chmod 0640/]],
    isTyped: true,
  },
  'a data folder of another user': {
    prepare: (root) => {
      put(
        root,
        '/etc/passwd',
        readFileSync(join(root, '/etc/passwd'), 'utf8').replace(/^(land-lookup-import:x:)\d+/m, '$164999'),
      );
    },
    found: [
      [
        'rights fault',
        /snapshots belongs to \S+, and not to land-lookup-import:land-lookup/,
        /make-data-folder \/var\/lib\/land-lookup land-lookup land-lookup-import/,
      ],
      ['rights fault', /sources belongs to/, /make-data-folder/],
      ['rights fault', /import\.lock belongs to/, /sudo chown land-lookup-import:land-lookup/],
    ],
  },
  'no unit for backups': {
    prepare: (root) => {
      rmSync(join(root, UNITS, 'land-lookup-backup.service'));
    },
    found: [['units fault', /land-lookup-backup\.service is missing/, /apt install --reinstall|make install/]],
  },
  'a unit without its restrictions': {
    prepare: (root) => {
      rmSync(join(root, UNITS, 'land-lookup@.service.d'), { recursive: true });
    },
    found: [['units fault', /land-lookup@\.service runs without its restrictions/, /make install/]],
  },
  'no backups': {
    prepare: (root) => {
      rmSync(join(root, UNITS, 'timers.target.wants/land-lookup-backup.timer'));
    },
    found: [['units fault', /nothing makes backups/, /^sudo systemctl enable --now land-lookup-backup\.timer$/]],
  },
  'units that failed or do not run': {
    says: {
      systemctl: [...UNITS_RUN.slice(1).map(running), 'land-lookup-refresh.service loaded failed failed x'].join('\n'),
    },
    found: [
      ['units fault', /land-lookup@8081\.service is enabled and does not run/, /sudo systemctl start land-lookup@8081/],
      ['units fault', /land-lookup-refresh\.service has failed/, /journalctl -u land-lookup-refresh\.service/],
    ],
  },
  'timers of features that are left out': {
    prepare: (root) => {
      setting('FEATURES=page')(root);
      importSetting('FEATURES=download')(root);
      enable('land-lookup-sources.timer', 'timers.target.wants')(root);
    },
    says: { systemctl: [...UNITS_RUN, 'land-lookup-sources.timer'].map(running).join('\n') },
    found: [
      [
        'units fault',
        /land-lookup-backup\.timer is enabled, and FEATURES leaves out "backup"/,
        /disable --now land-lookup-backup\.timer, or: sudoedit \/etc\/land-lookup\/land-lookup\.env: add backup/,
      ],
      ['units fault', /-sources\.timer is enabled, and FEATURES leaves out "sources"/, /import\.env: add sources/],
    ],
  },
  'no backups, which are left out': {
    prepare: (root) => {
      setting('FEATURES=page')(root);
      rmSync(join(root, UNITS, 'timers.target.wants/land-lookup-backup.timer'));
    },
    found: [
      [
        'units fault',
        /nothing makes backups/,
        /land-lookup\.env: add backup to FEATURES, then: sudo systemctl enable --now land-lookup-backup\.timer$/,
      ],
    ],
  },
  'a folder of backups that the unit may not write to': {
    prepare: (root) => {
      cpSync(join(root, '/var/backups/land-lookup'), join(root, '/usr/backups'), {
        recursive: true,
        preserveTimestamps: true,
      });
      chmodSync(join(root, '/usr/backups'), 0o750);
      setting('BACKUP_DIR=/usr/backups')(root);
    },
    found: [['unit paths fault', /may not write to BACKUP_DIR=\/usr\/backups/, /ReadWritePaths=\/usr\/backups/]],
    isTyped: true,
  },
  'a job that failed': {
    prepare: (root) => {
      beginJob(join(root, '/var/lib/land-lookup'), 'reconcile').failed('the payment processor does not answer');
    },
    found: [
      [
        'jobs warning',
        /reconcile failed at .*: the payment processor does not answer/,
        /journalctl -u land-lookup-reconcile/,
      ],
    ],
  },
  'a folder of backups that is not there': {
    prepare: (root) => {
      rmSync(join(root, '/var/backups/land-lookup'), { recursive: true });
    },
    found: [
      ['unit paths fault', /BACKUP_DIR=\/var\/backups\/land-lookup does not exist/, /install -d -o land-lookup/],
      ['backups fault', /there is no complete backup/, /systemctl start land-lookup-backup/],
    ],
  },
  'another data folder for the service than for imports': {
    prepare: (root) => {
      cpSync(join(root, DATA), join(root, '/srv/land'), { recursive: true, verbatimSymlinks: true });
      for (const folder of ['snapshots', 'sources']) chmodSync(join(root, '/srv/land', folder), 0o2750);
      chmodSync(join(root, '/srv/land'), 0o751);
      setting('DATA_DIR=/srv/land')(root);
    },
    found: [
      [
        'unit paths fault',
        /DATA_DIR is \/srv\/land for the service, and \/var\/lib\/land-lookup for/,
        /remove the lines/,
      ],
      ['unit paths fault', /DATA_DIR is \/srv\/land, where the service may not write/, /mount --bind/],
    ],
  },
  'an empty folder of backups': {
    prepare: (root) => {
      rmSync(join(root, '/var/backups'), { recursive: true });
      setting('BACKUP_DIR=')(root);
    },
    found: [
      ['unit paths fault', /BACKUP_DIR="" is no whole path/, /line: BACKUP_DIR=\/var\/backups/],
      ['backups fault', /there is no complete backup/, /systemctl start/],
    ],
  },
  'a unit that the operator has masked': {
    prepare: (root) => {
      rmSync(join(root, UNITS, 'land-lookup-follow.timer'));
      symlinkSync('/dev/null', join(root, UNITS, 'land-lookup-follow.timer'));
    },
    found: [],
  },
  'sources in a home folder': {
    prepare: (root) => {
      mkdirSync(join(root, '/home/ada/sources'), { recursive: true });
      importSetting('REFRESH_LAYERS_FROM=/home/ada/sources')(root);
    },
    found: [
      [
        'unit paths fault',
        /land-lookup-refresh\.service does not see REFRESH_LAYERS_FROM.*ProtectHome/,
        /sudo mv \/home\/ada\/sources/,
      ],
    ],
  },
  'sources that are not there': {
    prepare: importSetting('REFRESH_ADDRESSES_FROM=/srv/register'),
    found: [['unit paths fault', /REFRESH_ADDRESSES_FROM=\/srv\/register does not exist/, /sudoedit .*import\.env/]],
  },
  'a proxy that is not believed': {
    prepare: setting('TRUST_PROXY_HOPS=0'),
    found: [
      ['proxy fault', /haproxy\.cfg stands before the service, and TRUST_PROXY_HOPS=0/, /line: TRUST_PROXY_HOPS=1/],
    ],
  },
  'a service that others reach past the proxy': {
    prepare: setting('HOST=0.0.0.0'),
    found: [['proxy warning', /HOST=0\.0\.0\.0: who goes past the proxy/, /line: HOST=127\.0\.0\.1/]],
  },
  'a process that the proxy does not know': {
    prepare: enable('land-lookup@8083.service'),
    says: { systemctl: [...UNITS_RUN, 'land-lookup@8083.service'].map(running).join('\n') },
    found: [['proxy warning', /sends nothing to land-lookup@8083/, /line: server p8083 127\.0\.0\.1:8083/]],
  },
  'a certificate that ends soon': {
    prepare: (root) => {
      makeCertificate(root, { days: 10 });
    },
    found: [
      [
        'certificate warning',
        /ends on \d{4}-\d\d-\d\d, in \d+ days/,
        /fullchain\.pem .*privkey\.pem > \/etc\/land-lookup\/tls\.pem/,
      ],
    ],
  },
  'a certificate with the key of another one': {
    prepare: (root) => {
      makeCertificate(root, { days: 80, otherKey: true });
    },
    found: [['certificate fault', /has the key of another certificate/, /privkey\.pem/]],
  },
  'a snapshot without addresses': {
    prepare: (root) => {
      changeManifest(root, (manifest) => ({ ...manifest, gazetteer: null }));
    },
    found: [['data fault', /has no address register/, /load-addresses --from/]],
  },
  'a data set that could not be refreshed': {
    prepare: (root) => {
      changeManifest(root, (manifest) => ({
        ...manifest,
        dataSets: {
          ...manifest.dataSets,
          greenbelt: {
            ...manifest.dataSets['greenbelt']!,
            refreshFailed: { since: '2026-09-03T03:00:00Z', reason: 'truncated' },
          },
        },
      }));
    },
    found: [
      [
        'data warning',
        /greenbelt could not be refreshed since 2026-09-03.*truncated/,
        /load-layers --check --only greenbelt/,
      ],
    ],
  },
  'a snapshot whose file is too short': {
    prepare: (root) => {
      writeFileSync(join(requireCurrentSnapshot(join(root, DATA)).dir, 'land.gpkg'), 'x');
    },
    found: [['data fault', /has 1 bytes, and not \d+/, /snapshot use SNAPSHOT/]],
  },
  'a link to a snapshot that is gone': {
    prepare: (root) => {
      rmSync(requireCurrentSnapshot(join(root, DATA)).dir, { recursive: true });
    },
    found: [['data fault', /points to a snapshot that does not exist/, /snapshot list/]],
  },
  'a store that is no database': {
    prepare: (root) => {
      writeFileSync(join(root, DATA, 'usage.sqlite'), 'no database'.repeat(100));
    },
    found: [['stores fault', /usage\.sqlite is damaged/, /restore --from BACKUP/]],
  },
  'backups and data that are old': {
    nowMs: Date.now() + 50 * DAY_MS,
    found: [
      ['data warning', /is 50 days old|is 49 days old/, /journalctl -u land-lookup-refresh/],
      ['backups fault', /the newest backup is of .* (49|50) days ago/, /systemctl start land-lookup-backup/],
    ],
  },
  'half a backup': {
    prepare: (root) => {
      const folder = join(root, '/var/backups/land-lookup/land-lookup-20260101T030000Z');
      mkdirSync(folder, { mode: 0o700 });
    },
    found: [['backups warning', /land-lookup-20260101T030000Z is no whole backup/, /sudo rm -r /]],
    isTyped: true,
  },
  'a disk without room': {
    prepare: setting('MIN_FREE_DISK_MB=90000000'),
    found: [['disk fault', /less than MIN_FREE_DISK_MB/, /snapshot prune/]],
  },
  'no data folder': {
    prepare: (root) => {
      rmSync(join(root, DATA), { recursive: true });
    },
    found: [
      ['data fault', /there is no snapshot/, /load-layers/],
      ['disk fault', /there is no data folder \/var\/lib\/land-lookup/, /make-data-folder/],
    ],
  },
  'a snapshot that does not fit into the memory': {
    prepare: (root) => {
      put(root, '/proc/meminfo', 'MemTotal: 1000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n');
    },
    found: [
      ['memory warning', /the snapshot has \d+ MB, and the memory has room for 0 MB/, /disable --now land-lookup@8082/],
    ],
  },
  'swap in use': {
    prepare: (root) => {
      put(root, '/proc/meminfo', 'MemTotal: 16000000 kB\nSwapTotal: 4000000 kB\nSwapFree: 1000000 kB\n');
    },
    found: [['memory warning', /MB are swapped out/, /swapoff -a/]],
  },
  'a clock that nobody sets': {
    says: { timedatectl: 'no\n' },
    found: [['clock fault', /no other clock sets this one/, /timedatectl set-ntp true/]],
  },
  'a clock that is behind': {
    nowMs: Date.now() - DAY_MS / 2,
    found: [
      ['certificate fault', /not valid yet/, /timedatectl/],
      ['clock fault', /but the (snapshot|backup) \S+ was made/, /usage trust-clock; otherwise: /],
    ],
  },
  'a backup of a clock that was ahead, which is no reason to think that there are new ones': {
    nowMs: Date.now() + 4 * DAY_MS,
    prepare: (root) => {
      const name = 'land-lookup-21000101T000000Z';
      const manifest = { format: 1, createdAt: '2100-01-01T00:00:00.000Z', files: {} };
      put(root, `/var/backups/land-lookup/${name}/backup.json`, JSON.stringify(manifest));
    },
    found: [
      ['backups fault', /the newest backup is of 20.*, [34] days ago/, /start land-lookup-backup/],
      [
        'clock fault',
        /but the backup land-lookup-21000101T000000Z was made 2100-01-01/,
        /trust-clock; otherwise: move \/var\/backups\/land-lookup\/land-lookup-21000101T000000Z to another folder$/,
      ],
    ],
  },
  'a machine without systemd': {
    prepare: (root) => {
      rmSync(join(root, '/run/systemd'), { recursive: true });
    },
    says: { timedatectl: null },
    found: [],
  },
};

const bad = (findings: readonly NamedFinding[]): NamedFinding[] =>
  findings.filter(({ state }) => state === 'fault' || state === 'warning');

/** Every path with its kind, rights, time of its last change, and content. */
function hashTree(root: string): string {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const lines = paths.map((path) => {
    const stats = lstatSync(join(root, path));
    const content = stats.isFile()
      ? sha256(readFileSync(join(root, path)))
      : stats.isSymbolicLink()
        ? readlinkSync(join(root, path))
        : '';
    return [path, stats.mode, stats.uid, stats.gid, stats.mtimeMs, stats.ctimeMs, content].join(' ');
  });
  return sha256(lines.join('\n'));
}

describe('land-lookup doctor', function () {
  this.timeout(480_000);
  const machine = temporaryFolder();
  let redis: RedisServer;
  before(async () => {
    redis = await RedisServer.start(...GOOD_REDIS);
    await prepareMachine(machine.path, redis.url);
  });
  after(async () => {
    await redis[Symbol.asyncDispose]();
    machine[Symbol.dispose]();
  });

  const copyTo = (root: string): void => {
    must('cp', '-a', `${machine.path}/.`, root);
  };
  const look = (root: string, { says, nowMs }: Partial<Fault> = {}): Promise<readonly NamedFinding[]> =>
    examine(readSettings, { root, env: {}, run: runWith(says), ...(nowMs === undefined ? {} : { nowMs }) });

  it('says nothing bad of a good machine, asks its releases, and changes nothing', async () => {
    using folder = temporaryFolder();
    copyTo(folder.path);
    putRelease(folder.path, '20261101T000000Z-b');
    putOldRelease(folder.path, '20261001T000000Z-a');
    symlinkSync('releases/20261101T000000Z-b', join(folder.path, '/opt/land-lookup/current'));
    const before = hashTree(folder.path);
    const findings = await look(folder.path);
    expect(hashTree(folder.path)).to.equal(before);
    const releases = findings.filter(({ check }) => check === 'releases');
    expect(releases).to.have.length(2);
    expect(releases[0]).to.include({ state: 'warning' });
    expect(releases[0]!.text).to.match(/20261001T000000Z-a \(0\.1\.0\) cannot answer .*normaliser 4.*no way back/);
    expect(releases[1]!.text).to.match(/20261101T000000Z-b \(\d.*in service\) can answer/);
    expect(bad(findings.filter(({ check }) => check !== 'releases'))).to.deep.equal([]);
    rmSync(join(folder.path, '/opt/land-lookup/current'));
    symlinkSync('releases/20261001T000000Z-a', join(folder.path, '/opt/land-lookup/current'));
    const old = (await look(folder.path)).find(({ check, state }) => check === 'releases' && state === 'fault');
    expect(old?.text).to.contain('in service) cannot answer from the snapshot in service');
    expect(old?.remedy).to.contain('load-addresses');
  });

  for (const [what, { found, isTyped, ...fault }] of Object.entries(faults)) {
    it(`names ${what}, and what to type`, async () => {
      using folder = temporaryFolder();
      copyTo(folder.path);
      fault.prepare?.(folder.path);
      const findings = await look(folder.path, fault);
      const seen = bad(findings);
      expect(
        seen.map(({ check, state }) => `${check} ${state}`),
        table(findings),
      ).to.deep.equal(found.map(([kind]) => kind));
      for (const [i, [, text, remedy]] of found.entries()) {
        expect(seen[i]!.text).to.match(text);
        expect(seen[i]!.remedy).to.match(remedy);
      }
      const worst = found.some(([kind]) => kind.endsWith('fault')) ? 2 : found.length > 0 ? 1 : 0;
      expect(exitCode(findings)).to.equal(worst);
      if (!isTyped) return;
      for (const { remedy } of seen) type(folder.path, remedy!);
      expect(bad(await look(folder.path, fault))).to.deep.equal([]);
    });
  }

  it('names what is wrong with Redis, and says when it is not there', async () => {
    const lookWith = async (url: string): Promise<NamedFinding[]> => {
      using folder = temporaryFolder();
      copyTo(folder.path);
      put(folder.path, '/etc/land-lookup/secrets/REDIS_URL', url, 0o600);
      return bad(await look(folder.path));
    };
    await using forgetful = await RedisServer.start('--maxmemory-policy', 'allkeys-lru');
    const lost = await lookWith(forgetful.url);
    expect(lost.map(({ text }) => text).join()).to.match(/maxmemory-policy is allkeys-lru.*appendonly is no/);
    expect(lost.map(({ remedy }) => remedy).join()).to.match(
      /config set maxmemory-policy noeviction.*config set appendonly yes/,
    );
    await using closed = await RedisServer.start(...GOOD_REDIS);
    await using client = closed.client();
    await client.redis.config('SET', 'requirepass', 'hunter2');
    const [login] = await lookWith(closed.url);
    expect(login).to.include({ check: 'redis', state: 'fault' });
    expect(login!.remedy).to.contain('secrets/REDIS_URL');
    await using open = await RedisServer.start(
      ...GOOD_REDIS,
      '--port',
      '0',
      '--protected-mode',
      'no',
      '--bind',
      '127.0.0.1',
    );
    expect(await lookWith(open.url)).to.deep.equal([]);
    const { url } = closed;
    await closed.kill();
    const [gone] = await lookWith(url);
    expect(gone!.text).to.match(/Redis of REDIS_URL cannot be used: /);
    expect(gone!.remedy).to.contain('systemctl start redis-server');
    expect(JSON.stringify([login, gone])).not.to.contain('hunter2');
  });

  it('finds the rights good that an installation sets, with users of its own, and no others', async function () {
    if (process.getuid?.() !== 0) {
      console.log('skipped: other users are not permitted here');
      return this.skip();
    }
    using folder = temporaryFolder();
    copyTo(folder.path);
    chmodSync(folder.path, 0o755);
    const [service, importing] = [64_321, 64_322];
    const at = (path: string): string => join(folder.path, path);
    const user = (name: string, id: number): string => `${name}:x:${id}:${id}::/:/bin/false\n`;
    put(
      folder.path,
      '/etc/passwd',
      user('root', 0) + user('land-lookup', service) + user('land-lookup-import', importing),
    );
    must('chown', '-R', `${service}:${service}`, at(DATA), at('/var/backups/land-lookup'));
    must('chgrp', String(service), at('/etc/land-lookup'), at(SETTINGS));
    const before = bad(await look(folder.path));
    expect(before.map(({ remedy }) => remedy)).to.deep.equal([
      ...Array.from(
        { length: 2 },
        () => `sudo /opt/land-lookup/current/bin/make-data-folder ${DATA} land-lookup land-lookup-import`,
      ),
      `sudo chown land-lookup-import:land-lookup ${DATA}/import.lock`,
    ]);
    must('deploy/make-data-folder', at(DATA), String(service), String(importing));
    expect(bad(await look(folder.path))).to.deep.equal([]);
    must('chmod', 'g-rx', join(requireCurrentSnapshot(at(DATA)).dir, 'land.gpkg'));
    const [closed, ...others] = bad(await look(folder.path));
    expect(others).to.deep.equal([]);
    expect(closed!.text).to.match(/the user land-lookup cannot read .*land\.gpkg: it is stopped at/);
    expect(closed!.remedy).to.match(/sudo chgrp land-lookup .* && sudo chmod g\+rX /);
  });

  it('names two processes without Redis', async () => {
    using folder = temporaryFolder();
    copyTo(folder.path);
    rmSync(join(folder.path, '/etc/land-lookup/secrets/REDIS_URL'));
    const [alone, ...others] = bad(await look(folder.path));
    expect(others).to.deep.equal([]);
    expect(alone!.text).to.contain('2 processes are enabled without REDIS_URL');
    expect(alone!.remedy).to.contain('sudo systemctl disable --now land-lookup@8082');
  });

  it('changes nothing on a disk that is read-only, and says so', async function () {
    using folder = temporaryFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', folder.path]).status !== 0) {
      console.log('skipped: cannot mount a file system here');
      return this.skip();
    }
    try {
      copyTo(folder.path);
      must('mount', '-o', 'remount,ro', folder.path);
      const before = hashTree(folder.path);
      const [readOnly, ...others] = bad(await look(folder.path));
      expect(others).to.deep.equal([]);
      expect(readOnly!.text).to.contain('the disk of /var/lib/land-lookup is read-only');
      expect(hashTree(folder.path)).to.equal(before);
    } finally {
      spawnSync('umount', ['-l', folder.path]);
    }
  });

  it('is a command with exit codes, a table and JSON, also for another user, and leaves the data alone', async function () {
    using folder = temporaryFolder();
    copyTo(folder.path);
    const dataDir = join(folder.path, DATA);
    const before = hashTree(dataDir);
    const { status, stdout, stderr } = await commandHere(dataDir, {}, 'doctor', '--json');
    const findings = JSON.parse(stdout) as NamedFinding[];
    expect(status, stderr).to.equal(exitCode(findings));
    expect(new Set(findings.map(({ check }) => check))).to.include.members([
      'settings',
      'rights',
      'data',
      'disk',
      'clock',
    ]);
    expect((await commandHere(dataDir, {}, 'doctor')).stdout).to.match(
      /^check +state[^]*\d+ faults, \d+ warnings, \d+ not checked, \d+ good\n$/,
    );
    expect(hashTree(dataDir)).to.equal(before);
    const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
    if (
      process.getuid?.() !== 0 ||
      spawnSync(nobody[0]!, [...nobody.slice(1), 'test', '-r', cliArguments[0]!]).status !== 0
    )
      return;
    chmodSync(folder.path, 0o755);
    const other = spawnSync(nobody[0]!, [...nobody.slice(1), process.execPath, ...cliArguments, 'doctor', '--json'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    });
    expect(other.stderr).to.equal('');
    expect(JSON.parse(other.stdout)).to.be.an('array');
    expect(hashTree(dataDir)).to.equal(before);
  });

  it('reads units as systemd does: drop-ins by name, lists that are taken back, instances', () => {
    using folder = temporaryFolder();
    copyTo(folder.path);
    const unit = () => readUnit(folder.path, 'land-lookup-backup.service')!;
    expect(closedTo(unit(), '/var/backups/land-lookup/x')).to.equal(null);
    expect(closedTo(unit(), '/usr/backups')).to.equal('ProtectSystem');
    expect(hiddenFrom(unit(), '/tmp/x')).to.equal('PrivateTmp');
    put(
      folder.path,
      `${UNITS}/land-lookup-backup.service.d/a.conf`,
      '[Unit]\nReadWritePaths=/no\n[Service]\nReadWritePaths=\nReadWritePaths=/a \\\n  -/b\n',
    );
    expect(unit().words('ReadWritePaths')).to.deep.equal(['/a', '-/b']);
    put(
      folder.path,
      '/usr/lib/systemd/system/land-lookup-backup.service.d/a.conf',
      '[Service]\nReadWritePaths=/usr/c\n',
    );
    expect(closedTo(unit(), '/usr/c'), 'the one in /etc is in force').to.equal('ProtectSystem');
    put(folder.path, `${UNITS}/land-lookup@8081.service.d/x.conf`, '[Service]\nReadWritePaths=/d\n');
    expect(
      closedTo(
        readUnit(folder.path, 'land-lookup@8081.service') ?? readUnit(folder.path, 'land-lookup@.service')!,
        '/d',
      ),
    ).to.equal('ProtectSystem');
    utimesSync(folder.path, 0, 0);
  });
});

/** Types a remedy on the prepared machine, as root would. */
function type(root: string, remedy: string): void {
  const command = remedy
    .replaceAll('sudo ', '')
    .replace(/(?<=\s)\/(?=etc|var|srv)/g, `${root}/`)
    .replace(/systemctl daemon-reload/, 'true');
  const { status, stderr } = spawnSync('bash', ['-ec', command], { encoding: 'utf8' });
  expect(status, `${command}: ${stderr}`).to.equal(0);
}
