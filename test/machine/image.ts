/** A bare Debian for `make test-vm`, made from Debian's packages: a folder, and disks of it for a machine that starts from a kernel. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { normaliserVersion, readableNormalisers } from '../../src/addresses/tokens.ts';

export interface Disks {
  readonly kernel: string;
  readonly initrd: string;
  /** The root file system. */
  readonly system: string;
}

export interface ImageOptions {
  /** `bookworm` or `trixie`. */
  readonly suite: string;
  readonly folder: string;
  /** The package to install, the package to upgrade to, the certificate of the proxy. */
  readonly files: { readonly first: string; readonly next: string; readonly certificate: string };
  /** Commands of the runbook. */
  readonly commands: readonly string[];
  /** Whether it has a kernel, and a network of its own. */
  readonly hasKernel: boolean;
}

/** What the walk needs and an operator's machine has: systemd, a proxy, curl and procps. There is no compiler and no Node.js. */
const INCLUDED = 'systemd-sysv,udev,dbus,iproute2,procps,curl,haproxy,ca-certificates';

const UNIT = `[Unit]
Description=The walk through the runbook
Wants=network-online.target
After=network-online.target

[Service]
Type=idle
ExecStart=/root/walk

[Install]
WantedBy=multi-user.target
`;

/**
 * Makes the root folder.
 * @throws Error with what the failing program printed.
 */
export function makeRoot({ suite, folder, files, commands, hasKernel }: ImageOptions): string {
  const root = join(folder, 'root');
  const included = hasKernel ? `${INCLUDED},linux-image-cloud-amd64` : INCLUDED;
  run('mmdebstrap', '--quiet', '--variant=minbase', `--include=${included}`, suite, root);
  const inside = (...path: string[]): string => join(root, ...path);
  copyFileSync(files.first, inside('root/first.deb'));
  copyFileSync(files.next, inside('root/next.deb'));
  copyFileSync(files.certificate, inside('root/tls.pem'));
  writeFileSync(inside('root/commands'), commands.map((command) => `${command}\n`).join(''));
  for (const name of ['steps.sh', 'way-back', 'walk'])
    cpSync(join(projectDir, 'test', 'machine', name), inside('root', name));
  downloadDependencies(root);

  writeFileSync(inside('etc/systemd/system/walk.service'), UNIT);
  mkdirSync(inside('var/lib/land-lookup'), { recursive: true });
  run('chroot', root, 'systemctl', 'enable', 'walk.service');
  if (hasKernel) addNetworkAndMounts(root);
  return root;
}

function addNetworkAndMounts(root: string): void {
  writeFileSync(
    join(root, 'etc/systemd/network/all.network'),
    '[Match]\nName=e*\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\nLinkLocalAddressing=no\n',
  );
  writeFileSync(
    join(root, 'etc/fstab'),
    '/dev/vda / ext4 defaults 0 1\n/dev/vdb /var/lib/land-lookup ext4 defaults 0 2\n',
  );
  run('chroot', root, 'systemctl', 'enable', 'systemd-networkd.service');
}

/** Makes the file with the file system for `/var/lib/land-lookup`: it can fill up by itself. */
export function makeDataDisk(folder: string): string {
  const data = join(folder, 'data.img');
  run('mke2fs', '-q', '-t', 'ext4', data, '2G');
  return data;
}

/** Takes the kernel out of a root folder, and makes a disk of the folder. */
export function makeDisks(folder: string, root: string): Disks {
  const [kernel, initrd] = ['vmlinuz', 'initrd.img'].map((kind) => {
    const name = readdirSync(join(root, 'boot')).find((file) => file.startsWith(`${kind}-`));
    if (name === undefined) throw new Error(`the image has no ${kind}`);
    copyFileSync(join(root, 'boot', name), join(folder, kind));
    return join(folder, kind);
  });
  const system = join(folder, 'system.img');
  run('mke2fs', '-q', '-t', 'ext4', '-d', root, system, '4G');
  rmSync(root, { recursive: true });
  return { kernel: kernel!, initrd: initrd!, system };
}

/** The walk installs from the cache of apt, so that its times say nothing about a network. */
function downloadDependencies(root: string): void {
  for (const name of ['resolv.conf', 'hosts']) copyFileSync(join('/etc', name), join(root, 'etc', name));
  run('chroot', root, 'apt-get', 'update', '-qq');
  run('chroot', root, 'apt-get', 'install', '-y', '-qq', '--download-only', '/root/first.deb');
}

/**
 * Writes a package with a higher version and another release name: what an operator upgrades to. Its imports write addresses of a later kind, which it reads
 * beside those before, and earlier versions do not.
 * @throws Error with what the failing program printed.
 */
export function nextPackage(folder: string, first: string): string {
  const [tree, next] = [join(folder, 'next'), join(folder, 'next.deb')];
  if (existsSync(tree)) rmSync(tree, { recursive: true });
  run('dpkg-deb', '--raw-extract', first, tree);
  for (const name of ['control', 'postinst']) {
    const file = join(tree, 'DEBIAN', name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/^(Version: |release=)(.*)~/m, '$1$2+next~'));
  }
  makeLaterAddresses(join(tree, 'usr/lib/land-lookup/release/dist'));
  run('dpkg-deb', '--root-owner-group', '-Zzstd', '-z1', '--build', tree, next);
  rmSync(tree, { recursive: true });
  return next;
}

/** Changes the number of the kind in the compiled program, which has it in several files. */
function makeLaterAddresses(dist: string): void {
  const readable = `readableNormalisers = [${readableNormalisers.join(', ')}]`;
  const later = normaliserVersion + 1;
  const changes = [
    { from: readable, to: readable.replace(']', `, ${later}]`), count: 0 },
    { from: `normaliser: ${normaliserVersion},`, to: `normaliser: ${later},`, count: 0 },
  ];
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.js'))) {
    let text = readFileSync(join(dist, name), 'utf8');
    for (const change of changes) {
      if (!text.includes(change.from)) continue;
      change.count++;
      text = text.replaceAll(change.from, change.to);
    }
    writeFileSync(join(dist, name), text);
  }
  for (const { from, count } of changes) if (count === 0) throw new Error(`the package has no "${from}"`);
}

export function run(program: string, ...args: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env, maxBuffer: 1 << 26 });
  if (status !== 0) {
    throw new Error(
      `${program} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout.slice(-2000)}${stderr.slice(-4000)}`,
    );
  }
  return stdout;
}
