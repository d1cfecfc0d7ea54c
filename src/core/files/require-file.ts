import { statSync } from 'node:fs';

/** @throws Error for what cannot be read twice: a pipe, as a shell makes for `<(…)`, a device, or a folder, which a map can be (.gdb), and which lists its files alone. */
export function requireFile(path: string): void {
  const stats = statSync(path);
  if (stats.isFile()) return;
  throw new Error(
    stats.isDirectory()
      ? `${path} is a folder: name a file of CSV or NDJSON`
      : `${path} is no file that can be read twice: save it as one first ("lookup --file -" reads standard input once)`,
  );
}
