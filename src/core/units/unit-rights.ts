import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const EDIT = 'run "sudo systemctl edit land-lookup-backup", add the lines "[Service]" and';

export type Closing = 'ProtectHome' | 'PrivateTmp' | 'ProtectSystem';

/** Folders that a setting of a unit closes: `ProtectHome=yes`, `PrivateTmp=yes`, `ProtectSystem=full` (systemd.exec(5)). */
export const CLOSED: Readonly<Record<Closing, readonly string[]>> = {
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

export function isBelow(path: string, folder: string): boolean {
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
