import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EDIT, missingRight } from '../../core/units/unit-rights.ts';

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
