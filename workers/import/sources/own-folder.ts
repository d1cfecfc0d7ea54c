import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';

/** Files of one source: a file geodatabase has some hundred. */
const MOST_FILES = 10_000;

/**
 * Returns the path of a file in a folder that holds sources. It also checks what GDAL opens with the file: the files of the
 * same name with another extension, and the content of a file geodatabase.
 * @throws Error when one of them is outside the folder, or is neither file nor folder.
 */
export function pathInside(folder: string, name: string): string {
  const path = resolve(folder, name);
  if (!isBelow(path, resolve(folder))) throw new Error(`${name} is outside the folder: name only files that lie in it`);
  const root = realpathSync(folder);
  for (const member of membersOf(path)) checkMember(member, { root, folder });
  return path;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function checkMember(member: string, { root, folder }: { readonly root: string; readonly folder: string }): void {
  const stats = lstatSync(member);
  const name = member.slice(resolve(folder).length + 1);
  if (stats.isSymbolicLink()) {
    if (!isBelow(targetOf(member) ?? '', root))
      throw new Error(`${name} is a link that leads out of the folder: copy the file`);
  } else if (!stats.isFile() && !stats.isDirectory()) {
    throw new Error(`${name} is neither a file nor a folder`);
  } else if (!isBelow(realpathSync(member), root)) {
    throw new Error(`${name} is reached through a link that leads out of the folder: copy the file`);
  }
}

/** Null when the link leads nowhere, or in a circle. */
function targetOf(link: string): string | null {
  try {
    return realpathSync(link);
  } catch {
    return null;
  }
}

function membersOf(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  const siblings = stats.isDirectory() ? contentOf(path) : siblingsOf(path);
  if (siblings.length > MOST_FILES) throw new Error(`has more than ${MOST_FILES} files`);
  return [path, ...siblings];
}

/** Links are not followed, so a circle of links ends here. */
function contentOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map(({ parentPath, name }) =>
    join(parentPath, name),
  );
}

function siblingsOf(path: string): string[] {
  const stem = `${basename(path, extname(path))}.`.toLowerCase();
  return readdirSync(dirname(path))
    .filter((name) => name.toLowerCase().startsWith(stem))
    .map((name) => join(dirname(path), name));
}
