import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { requireFile } from '../../../core/files/require-file.ts';
import type { ReadOptions } from '../rows/lines.ts';
import { formatOfName, readRows } from '../rows/read-rows.ts';
import type { AskedRow } from '../rows/row.ts';

/** A file of places that a command looks up. */
export interface PlacesFile {
  readonly name: string;
  /** Number of its rows; null when it can be read once only. */
  readonly rowCount: number | null;
  /** Names of columns that are not used, as far as the file has been read. */
  readonly ignored: readonly string[];
  /** SHA-256 of its bytes; null when it can be read once only. */
  readonly sha256: string | null;
  /** Yields its rows until the signal. @throws Error when it cannot be read, or names no places. */
  rows(stop: AbortSignal): AsyncGenerator<AskedRow>;
}

/** Opens a file, `-`: standard input. A file is read once to count its rows. @throws as `rows`. */
export async function openPlaces(
  path: string,
  options: Pick<ReadOptions, 'addressColumns' | 'readArea'>,
): Promise<PlacesFile> {
  const ignored: string[] = [];
  const onIgnored = (name: string): void => void ignored.push(name);
  if (path === '-') {
    return {
      name: 'standard input',
      rowCount: null,
      ignored,
      sha256: null,
      rows: (stop) => readRows(until(stop, process.stdin), null, { onIgnored, ...options }),
    };
  }
  requireFile(path);
  const format = formatOfName(path);
  const hash = createHash('sha256');
  let rowCount = 0;
  const counted = readRows(hashed(createReadStream(path), hash), format, { onIgnored, ...options });
  while ((await counted.next()).done !== true) rowCount++;
  return {
    name: basename(path),
    rowCount,
    ignored,
    sha256: hash.digest('hex'),
    rows: (stop) => readRows(until(stop, createReadStream(path)), format, options),
  };
}

/** Returns the format that the ending of an output names; NDJSON when it names none. */
export function formatOfEnding<Format extends string>(
  out: string | null,
  formats: readonly Format[],
): Format | 'ndjson' {
  const ending = /\.(\w+)$/.exec(out ?? '')?.[1]?.toLowerCase();
  return formats.find((format) => format === ending) ?? 'ndjson';
}

/** Says whether two paths lead to one file. */
export function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false }));
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino;
}

type Chunks = AsyncIterable<Uint8Array>;

async function* hashed(chunks: Chunks, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Ends at the signal, also while it waits for bytes. */
async function* until(
  stop: AbortSignal,
  stream: NodeJS.ReadableStream & { destroy(): unknown },
): AsyncGenerator<Uint8Array> {
  const end = (): unknown => stream.destroy();
  stop.addEventListener('abort', end);
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (cause) {
    if (!stop.aborted) throw cause;
  } finally {
    stop.removeEventListener('abort', end);
  }
}
