import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

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
