import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing.
 * @throws Error with the reason. On a read-only disk Node.js says ENOENT for a path of which several parts may be made, as if the path were wrong.
 */
export function makeFolder(folder: string, mode?: number): void {
  const options = { recursive: true, ...(mode === undefined ? {} : { mode }) };
  try {
    mkdirSync(folder, options);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    mkdirSync(firstMissing(folder));
    mkdirSync(folder, options);
  }
}

function firstMissing(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(above) ? folder : firstMissing(above);
}
