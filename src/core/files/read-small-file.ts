import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Returns the text of a file that another user may have made. A pipe, a device or a link in its place holds nobody up.
 * @throws Error when it is no file, or has more than `mostBytes`.
 */
export function readSmallFile(file: string, mostBytes: number): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is no file`);
    if (stats.size > mostBytes) throw new Error(`${file} has ${stats.size} bytes, and at most ${mostBytes} are read`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
