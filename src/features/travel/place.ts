/** A place that holds snapshots for other machines: a service's admin port or another web server, or a folder. */
import { isSnapshotId } from '../../messages/manifest.ts';
import { replaceFile } from '../../core/files/replace.ts';
import { TooLarge } from '../../core/outbound/failures.ts';
import type { DiskFloor } from '../../messages/disk-floor.ts';
import { checkDiskSpace } from '../../core/snapshots/building.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { checkStatus, contentRange, readBody, send, type Answer } from '../../core/outbound/client.ts';
import { createReadStream, existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { readFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Files of a snapshot, in the order in which they are stored: a snapshot whose manifest is there is whole. */
export const snapshotFiles = ['land.gpkg', 'chunks.json', 'manifest.json'] as const;
export type SnapshotFile = (typeof snapshotFiles)[number];

type PlacePath = 'current' | `${string}/${SnapshotFile}`;

/**
 * A place is a folder of files: `current` names the snapshot to serve, and each snapshot has a folder with its id. Failures that may pass are
 * `Transient`.
 */
export interface SnapshotPlace extends Disposable {
  /** As messages name it, without secrets. */
  readonly name: string;
  /** Reads a whole file. @throws NotThere, TooLarge. */
  readText(path: PlacePath, mostBytes: number): Promise<string>;
  /** Reads from the byte `from` to before `to`, as they come; fewer when it breaks off. @throws NotThere. */
  readPart(path: PlacePath, from: number, to: number): AsyncIterable<Uint8Array>;
}

/** The place has no such file. */
export class NotThere extends Error {
  override readonly name = 'NotThere';
}

const MOST_CURRENT_BYTES = 4096;

/** @throws NotThere when the place has no snapshot; Error when what it has is not understood. */
export async function readCurrentId(place: SnapshotPlace): Promise<string> {
  const text = await place.readText('current', MOST_CURRENT_BYTES);
  const current = parseJson(text) as { readonly format?: unknown; readonly snapshot?: unknown } | null;
  const id = current?.snapshot;
  if (current?.format === 1 && typeof id === 'string' && isSnapshotId(id)) return id;
  throw new Error('"current" does not name a snapshot in a format that this version knows');
}

/** Returns the text of the file `current`. */
export function currentText(id: string): string {
  return `${JSON.stringify({ format: 1, snapshot: id })}\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A folder that `snapshot push` filled, or the data folder of a land-lookup, for example on a mounted disk. */
export class FolderPlace implements SnapshotPlace {
  readonly name: string;
  /** The snapshot in service, where the folder is a data folder. */
  readonly #inService: string | null;
  readonly #root: string;
  readonly #floor: DiskFloor;

  /** @param minFreeBytes free disk that a file which is written leaves. @throws Error when there is no such folder. */
  constructor(folder: string, minFreeBytes: number) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new Error(`there is no folder ${folder}`);
    this.name = folder;
    this.#floor = { folder, minFreeBytes };
    const link = join(folder, 'current');
    const isDataFolder = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isDataFolder && !existsSync(link)) throw new Error(`${link} points to a snapshot that does not exist`);
    this.#inService = isDataFolder ? realpathSync(link) : null;
    this.#root = this.#inService === null ? folder : dirname(this.#inService);
  }

  async readText(path: PlacePath, mostBytes: number): Promise<string> {
    if (path === 'current' && this.#inService !== null) return currentText(basename(this.#inService));
    const { size } = this.#stat(path);
    if (size > mostBytes) throw new TooLarge(`${path} is longer than ${mostBytes} bytes`);
    return await readFile(join(this.#root, path), 'utf8');
  }

  async *readPart(path: PlacePath, from: number, to: number): AsyncGenerator<Uint8Array> {
    this.#stat(path);
    yield* createReadStream(join(this.#root, path), { start: from, end: to - 1 }) as AsyncIterable<Buffer>;
  }

  /** Replaces a file by this text, wholly or not at all. */
  async writeText(path: PlacePath, text: string): Promise<void> {
    await this.#replace(path, (target) => target.writeFile(text));
  }

  /** Does the same by the content of a file on this machine. @param onBytes called with the bytes so far. */
  async writeFile(path: PlacePath, file: string, onBytes: (bytes: number) => void): Promise<void> {
    checkDiskSpace(this.#floor, statSync(file).size);
    let bytes = 0;
    const pieces = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
        onBytes((bytes += piece.length));
        yield piece;
      }
    };
    await this.#replace(path, (target) => target.writeFile(pieces()));
  }

  /** Ids of the stored snapshots, also of unfinished ones. */
  list(): readonly string[] {
    return readdirSync(this.#root).filter(isSnapshotId);
  }

  remove(id: string): void {
    rmSync(join(this.#root, id), { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    // Nothing is open between two calls.
  }

  #stat(path: PlacePath) {
    const found = statSync(join(this.#root, path), { throwIfNoEntry: false });
    if (found?.isFile() !== true) throw new NotThere(`there is no ${path}`);
    return found;
  }

  /** A reader sees the file before or the file after, never half of it. */
  async #replace(path: PlacePath, write: (target: FileHandle) => Promise<void>): Promise<void> {
    if (this.#inService !== null)
      throw new Error(`${this.name} is the data folder of a service: use "snapshot pull" there`);
    const file = join(this.#root, path);
    makeFolder(dirname(file));
    await replaceFile(file, write);
  }
}

/** The admin port of a service (`http://host:18081/snapshots`), or a web server that serves a folder that `snapshot push` filled. */
export class UrlPlace implements SnapshotPlace {
  readonly name: string;
  readonly #idleMs: number;

  /**
   * @param idleMs longest silence of the server.
   * @throws Error when it is no URL, or has a password: a snapshot is public data, and URLs stand in logs.
   */
  constructor(url: string, { idleMs }: { idleMs: number }) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (!parsed || parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
      throw new Error('the address of the snapshots must be http(s)://host/folder, without user, password and query');
    // The admin port itself is enough.
    this.name = parsed.pathname === '/' ? `${parsed.origin}/snapshots` : parsed.href.replace(/\/+$/, '');
    this.#idleMs = idleMs;
  }

  async readText(path: PlacePath, mostBytes: number): Promise<string> {
    const answer = await this.#get(path, {});
    return (await readBody(answer, mostBytes)).toString('utf8');
  }

  async *readPart(path: PlacePath, from: number, to: number): AsyncGenerator<Uint8Array> {
    const answer = await this.#get(path, { range: `bytes=${from}-${to - 1}` });
    if (answer.status !== 206 || contentRange(answer.headers)?.from !== from) {
      await answer.cancel();
      throw new Error('the server does not give parts of files (Range), which a pull needs');
    }
    yield* answer.body;
  }

  [Symbol.dispose](): void {
    // Connections are of the one client.
  }

  async #get(path: PlacePath, headers: Readonly<Record<string, string>>): Promise<Answer> {
    // Ranges count the bytes that are sent, so the server must not compress them.
    const encoding = { 'accept-encoding': 'identity' };
    const answer = await send({
      url: `${this.name}/${path}`,
      idleMs: this.#idleMs,
      headers: { ...encoding, ...headers },
      redirect: 'manual',
    });
    if (answer.status < 300) return answer;
    await answer.cancel();
    if (answer.status < 400) throw redirected(answer);
    if (answer.status === 404 || answer.status === 410) throw new NotThere(`there is no ${path}`);
    checkStatus(answer);
    return answer;
  }
}

/** Followed, it could lead to any host, also one of the operator's own network. */
function redirected({ status, headers }: Answer): Error {
  const to = headers.get('location') ?? 'nowhere';
  return new Error(`the server answered ${status}, a redirect to ${to}: give that address if you trust it`);
}
