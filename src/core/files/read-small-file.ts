import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/**
 * Returns the text of a file that another user may have made. A pipe, a device or a link in its place holds nobody up.
 * @throws Error when it is no file, or has more than `mostBytes`.
 */
export function readSmallFile(file: string, mostBytes: number): string {
  return withFile(file, (descriptor, bytes) => {
    if (bytes > mostBytes) throw new Error(`${file} has ${bytes} bytes, and at most ${mostBytes} are read`);
    return readFileSync(descriptor, 'utf8');
  });
}

/** Returns the beginning of such a file, which may be of any length. @throws Error when it is no file. */
export function readBeginning(file: string, mostBytes: number): string {
  return withFile(file, (descriptor) => {
    const bytes = Buffer.alloc(mostBytes);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, mostBytes, 0));
  });
}

function withFile<T>(file: string, read: (descriptor: number, bytes: number) => T): T {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is no file`);
    return read(descriptor, stats.size);
  } finally {
    closeSync(descriptor);
  }
}
