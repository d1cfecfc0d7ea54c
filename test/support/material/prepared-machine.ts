import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeBackup } from '../../../src/features/backup/make-backup.ts';
import { runHere, type Installation } from '../../../src/features/doctor/installation.ts';
import { projectDir } from '../../../src/project/project.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { cliIn } from '../drivers/cli.ts';
import { mainFile } from '../drivers/program.ts';
import { serveSample, writeManifest } from './snapshot-copies.ts';

const ENABLED = {
  'multi-user.target.wants': ['land-lookup@8081.service', 'land-lookup@8082.service'],
  'timers.target.wants': ['land-lookup-backup.timer', 'land-lookup-refresh.timer'],
};

/** Writes a file below a root, with the folders above it. */
export function put(root: string, path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
}

/**
 * Makes a folder that is like the root of a machine with everything installed and good, as docs/operations.md says: two processes behind HAProxy, with Redis.
 * The three users are the one of this process.
 */
export async function prepareMachine(root: string, redisUrl: string): Promise<void> {
  must(join(projectDir, 'deploy/fill-root'), root, 'etc/systemd/system', 'usr/local');
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  const users = ['root', 'land-lookup', 'land-lookup-import'];
  put(root, '/etc/passwd', users.map((name) => `${name}:x:${uid}:${gid}::/:/bin/false\n`).join(''));
  put(root, '/etc/group', '');
  put(root, '/etc/land-lookup/secrets/REDIS_URL', `${redisUrl}\n`, 0o600);
  chmodSync(join(root, '/etc/land-lookup'), 0o751);
  chmodSync(join(root, '/etc/land-lookup/secrets'), 0o700);
  // The disk of a test is not that of a service.
  put(root, SETTINGS, `${readFileSync(join(root, SETTINGS), 'utf8')}MIN_FREE_DISK_MB=1\n`, 0o640);
  makeCertificate(root, { days: 80 });
  put(root, '/etc/haproxy/haproxy.cfg', readFileSync(join(projectDir, 'deploy/proxy/haproxy.cfg'), 'utf8'));
  mkdirSync(join(root, '/run/systemd/system'), { recursive: true });
  put(root, '/proc/meminfo', 'MemTotal:       16000000 kB\nSwapTotal:       2000000 kB\nSwapFree:        1990000 kB\n');
  for (const [target, units] of Object.entries(ENABLED)) {
    mkdirSync(join(root, '/etc/systemd/system', target));
    for (const unit of units)
      symlinkSync(
        `/etc/systemd/system/${unit.replace(/@.*\./, '@.')}`,
        join(root, '/etc/systemd/system', target, unit),
      );
  }
  await prepareData(root, redisUrl);
}

const SETTINGS = '/etc/land-lookup/land-lookup.env';

async function prepareData(root: string, redisUrl: string): Promise<void> {
  const dataDir = join(root, '/var/lib/land-lookup');
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o751);
  serveSample(dataDir, 1);
  changeManifest(root, (manifest) => ({ ...manifest, sample: false, createdAt: new Date().toISOString() }));
  for (const folder of ['snapshots', 'sources']) {
    mkdirSync(join(dataDir, folder), { recursive: true });
    chmodSync(join(dataDir, folder), 0o2750);
  }
  put(dataDir, 'import.lock', '', 0o640);
  for (const command of [
    ['keys', 'create', '--name', 'Ada'],
    ['usage', 'trust-clock'],
  ]) {
    const { status, stderr } = cliIn(dataDir, { REDIS_URL: redisUrl }, ...command);
    if (status !== 0) throw new Error(stderr);
  }
  const to = join(root, '/var/backups/land-lookup');
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o750);
  await makeBackup({ dataDir, redisUrl, minFreeDiskBytes: 0 }, { to, settings: null, keep: 14 });
}

type Manifest = ReturnType<typeof requireCurrentSnapshot>['manifest'];

/** Changes the manifest of the snapshot in service. */
export function changeManifest(root: string, change: (manifest: Manifest) => Manifest): void {
  const dataDir = join(root, '/var/lib/land-lookup');
  writeManifest(dataDir, change(requireCurrentSnapshot(dataDir).manifest));
}

export interface CertificateOptions {
  readonly days: number;
  /** Of another certificate. */
  readonly otherKey?: boolean;
}

/** `/etc/land-lookup/tls.pem`, made by openssl. */
export function makeCertificate(root: string, { days, otherKey = false }: CertificateOptions): void {
  const [key, certificate] = ['key', 'certificate'].map((name) => join(root, `etc/land-lookup/${name}.part`)) as [
    string,
    string,
  ];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=land.example', '-addext', 'subjectAltName=DNS:land.example'];
  must('openssl', 'req', '-x509', ...curve, '-days', String(days), ...subject, '-keyout', key, '-out', certificate);
  const text = readFileSync(certificate, 'utf8');
  if (otherKey) must('openssl', 'req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate);
  put(root, '/etc/land-lookup/tls.pem', text + readFileSync(key, 'utf8'), 0o600);
  must('rm', key, certificate);
}

/** A release that runs this program. */
export function putRelease(root: string, name: string): void {
  const folder = join(root, '/opt/land-lookup/releases', name);
  put(folder, 'bin/node', `#!/bin/sh\nexec ${process.execPath} "$@"\n`, 0o755);
  copyFileSync(join(projectDir, 'package.json'), join(folder, 'package.json'));
  mkdirSync(join(folder, 'dist/src'), { recursive: true });
  symlinkSync(mainFile, join(folder, 'dist/src/main.js'));
}

/** A release that ends as version 0.1.0 does on a snapshot whose addresses a later one imported. */
export function putOldRelease(root: string, name: string): void {
  const folder = join(root, '/opt/land-lookup/releases', name);
  put(folder, 'bin/node', `#!/bin/sh\nexec ${process.execPath} "$@"\n`, 0o755);
  put(folder, 'package.json', '{"version":"0.1.0"}');
  put(
    folder,
    'dist/src/main.js',
    `console.error('land-lookup: the gazetteer was built with address normaliser 4, but this program has 3'); process.exitCode = 1;`,
  );
}

/** What systemd's programs print on a good machine (systemctl(1), timedatectl(1)). */
const SAYS: Readonly<Record<string, string>> = {
  timedatectl: 'yes\n',
  systemctl: [
    'land-lookup-backup.service loaded inactive dead    land-lookup: back up',
    'land-lookup@8081.service   loaded active   running land-lookup on port 8081',
    'land-lookup@8082.service   loaded active   running land-lookup on port 8082',
    'land-lookup-backup.timer   loaded active   waiting land-lookup: back up each day',
    'land-lookup-refresh.timer  loaded active   waiting land-lookup: refresh the data',
    '',
  ].join('\n'),
};

/** Runs programs, but for those of systemd, which say what they would say. Null: the program is not there. */
export function runWith(says: Readonly<Record<string, string | null>> = {}): Installation['run'] {
  const all: Readonly<Record<string, string | null>> = { ...SAYS, ...says };
  return (program, args, options) => {
    const said = all[program];
    if (said === undefined) return runHere(program, args, options);
    return said === null ? { status: null, stdout: '', stderr: '' } : { status: 0, stdout: said, stderr: '' };
  };
}

/** @throws Error with what it printed when a program fails. */
export function must(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
