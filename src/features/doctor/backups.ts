import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_NAME, MANIFEST, type BackupManifest } from '../../core/units/backup-folder.ts';
import { DAY_MS } from '../../messages/time.ts';
import {
  fault,
  good,
  startBackups,
  unchecked,
  warning,
  type Check,
  type Finding,
  type Installation,
} from './installation.ts';

/** Two nights: one may fail. */
const OLD_MS = 2 * DAY_MS;

/** Backups with all files of their manifest, the oldest first. Their checksums are looked at by a restore. */
export function completeBackups(
  installation: Installation,
): readonly { readonly name: string; readonly createdAt: string }[] {
  const folder = installation.at(installation.backupDir);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => BACKUP_NAME.test(name));
  const found = names.flatMap((name) => {
    const manifest = readManifest(join(folder, name));
    return manifest === null ? [] : [{ name, createdAt: manifest.createdAt }];
  });
  return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

function readManifest(folder: string): BackupManifest | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as BackupManifest;
    return Object.keys(manifest.files).every((name) => existsSync(join(folder, name))) ? manifest : null;
  } catch {
    return null;
  }
}

/** How old the newest backup is. */
export const backupsCheck: Check = {
  name: 'backups',
  run: (installation) => {
    const { at, nowMs, isInstalled, backupDir: folder } = installation;
    if (!isInstalled && !existsSync(at(folder))) return [unchecked('where they are: nothing is installed here')];
    const all = completeBackups(installation);
    // One that a clock made which was ahead would hide for as long that there are no others.
    const newest = all.findLast(({ createdAt }) => Date.parse(createdAt) <= nowMs) ?? all.at(-1);
    const make = startBackups(
      installation,
      'sudo systemctl start land-lookup-backup; journalctl -u land-lookup-backup -n 20',
    );
    if (newest === undefined) return [fault(`there is no complete backup in ${folder}`, make)];
    const ageMs = nowMs - Date.parse(newest.createdAt);
    const age = `the newest backup is of ${newest.createdAt}`;
    const found = [
      ...(ageMs > OLD_MS ? [fault(`${age}, ${Math.floor(ageMs / DAY_MS)} days ago`, make)] : []),
      ...incomplete(installation, folder),
    ];
    return found.length > 0 ? found : [good(age)];
  },
};

/** A folder is named as a backup only when it is whole; one that is being made may be under way for an hour. */
function incomplete(installation: Installation, folder: string): Finding[] {
  const { at, nowMs } = installation;
  const complete = new Set(completeBackups(installation).map(({ name }) => name));
  const isOld = (name: string): boolean => nowMs - statSync(join(at(folder), name)).mtimeMs > DAY_MS;
  const names = readdirSync(at(folder)).filter((name) => !complete.has(name));
  return names
    .filter((name) => BACKUP_NAME.test(name) || (BACKUP_NAME.test(name.replace(/\.unfinished$/, '')) && isOld(name)))
    .map((name) => warning(`${join(folder, name)} is no whole backup`, `sudo rm -r ${join(folder, name)}`));
}
