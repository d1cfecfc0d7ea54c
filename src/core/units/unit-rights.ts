import { readFileSync, statSync, type Stats } from 'node:fs';
import { resolve, dirname } from 'node:path';
import type { Unit } from './unit-files.ts';

const EDIT = 'run "sudo systemctl edit land-lookup-backup", add the lines "[Service]" and';

type Closing = 'ProtectHome' | 'PrivateTmp' | 'ProtectSystem';

/** Folders that a setting of a unit closes: `ProtectHome=yes`, `PrivateTmp=yes`, `ProtectSystem=full` (systemd.exec(5)). */
const CLOSED: Readonly<Record<Closing, readonly string[]>> = {
  ProtectHome: ['/home', '/root', '/run/user'],
  // A unit has folders of its own there, which end with it.
  PrivateTmp: ['/tmp', '/var/tmp'],
  ProtectSystem: ['/usr', '/boot', '/efi', '/etc'],
};

/** Lines that open a folder. */
const LINES: Readonly<Record<Closing, (folder: string) => string>> = {
  ProtectHome: () => 'ProtectHome=no',
  PrivateTmp: () => 'PrivateTmp=no',
  ProtectSystem: (folder) => `ReadWritePaths=${folder}`,
};

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Says how to let the unit of the backup, as it is installed, write to a folder; null: it may, if the folder belongs to its user. */
export function missingRight(folder: string): string | null {
  const closing = (Object.keys(CLOSED) as Closing[]).find((one) => CLOSED[one].some((place) => isBelow(folder, place)));
  const line = closing && LINES[closing](folder);
  return line === undefined ? null : `take a folder below /srv, /mnt or /var, or ${EDIT} "${line}"`;
}

/** Returns the error of a folder for backups that cannot be made, where a right is missing with what to do about it. */
export function backupRefused(to: string, cause: NodeJS.ErrnoException): Error {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(cause.code ?? '')) return cause;
  const folder = resolve(to);
  const own = missingRight(folder);
  const ofUnit = own ?? `${EDIT} "ReadWritePaths=${folder}"`;
  const advice =
    cause.code === 'EROFS'
      ? `mount its disk for writing; where the unit of the backup alone cannot write there, ${ofUnit}`
      : `give it to the user of the service, with "sudo install -d -o land-lookup -g land-lookup -m 0700 ${folder}"`;
  const more = cause.code === 'EROFS' || own === null ? '' : `; for the unit of the backup, ${own}`;
  return new Error(`no backup can be made in ${folder} (${cause.message}): ${advice}${more}`, { cause });
}

/** @throws Error for a folder that ends with the unit which this process runs in: what is written there is lost. */
export function requireLasting(to: string, mounts = readFileSync('/proc/self/mountinfo', 'utf8')): void {
  const folder = resolve(to);
  for (const [, place] of mounts.matchAll(/^\S+ \S+ \S+ \S*\/systemd-private-\S+ (\S+) /gm)) {
    if (folder === place || folder.startsWith(`${place}/`))
      throw new Error(
        `a backup in ${folder} would end with this unit, which has its own ${place}: ${missingRight(folder)!}`,
      );
  }
}

export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly gids: ReadonlySet<number>;
}

/** Returns the path at which a user is stopped on the way to read a file or a folder; null: nowhere. @throws Error when it is not there. */
export function stopsReading(at: (path: string) => string, path: string, user: User): string | null {
  const folders: string[] = [];
  for (let above = dirname(path); ; above = dirname(above)) {
    folders.unshift(above);
    if (above === dirname(above)) break;
  }
  const closed = folders.find((folder) => !may(statSync(at(folder)), user, 1));
  if (closed !== undefined) return closed;
  const stats = statSync(at(path));
  return may(stats, user, stats.isDirectory() ? 5 : 4) ? null : path;
}

/** @param wanted 4: read, 2: write, 1: go through. */
function may({ uid, gid, mode }: Stats, user: User, wanted: number): boolean {
  if (user.uid === 0) return true;
  const bits = uid === user.uid ? mode >> 6 : user.gids.has(gid) ? mode >> 3 : mode;
  return (bits & wanted) === wanted;
}

/** Says what keeps a unit from seeing a path; null: nothing. */
export function hiddenFrom(unit: Unit, path: string): string | null {
  if (unit.is('ProtectHome', 'yes', 'true', 'tmpfs') && isIn('ProtectHome', path)) return 'ProtectHome';
  if (unit.is('PrivateTmp', 'yes', 'true') && isIn('PrivateTmp', path)) return 'PrivateTmp';
  return unit.words('InaccessiblePaths').some((one) => isBelow(path, plain(one))) ? 'InaccessiblePaths' : null;
}

/** Says what keeps a unit from writing into a folder; null: nothing. */
export function closedTo(unit: Unit, path: string): string | null {
  const hidden = hiddenFrom(unit, path);
  if (hidden !== null) return hidden;
  const states = unit.words('StateDirectory').map((name) => `/var/lib/${name}`);
  const open = [...unit.words('ReadWritePaths').map(plain), ...states];
  if (open.some((one) => isBelow(path, one))) return null;
  const isClosed = unit.is('ProtectSystem', 'full') ? isIn('ProtectSystem', path) : unit.is('ProtectSystem', 'strict');
  return isClosed ? 'ProtectSystem' : null;
}

function isIn(closing: Closing, path: string): boolean {
  return CLOSED[closing].some((folder) => isBelow(path, folder));
}

/** Without the marks of systemd for paths that may be missing. */
function plain(path: string): string {
  return path.replace(/^[-+]+/, '');
}
