import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { CLOSED, isBelow, type Closing } from './unit-rights.ts';
import type { Unit } from './unit-files.ts';

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
