import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isUntold, type FileVersion } from './file-version.ts';

/** A file as it was fetched: `state.json` beside it. */
export interface FileState extends FileVersion {
  readonly format: 1;
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** When it was fetched. */
  readonly finishedAt: string;
  /** When an import has ended that read it; null before. */
  readonly usedAt: string | null;
  /**
   * Whether the file is sound inside: null before someone looked. `damaged`: it is fetched anew, because it may have suffered on its way.
   * `damaged at its server`: the same bytes came twice.
   */
  readonly check: null | 'sound' | 'damaged' | 'damaged at its server';
}

/** The beginning of a file that is being fetched. */
export interface PartialFile {
  readonly bytes: number;
  /** As the server described the whole. */
  readonly version: FileVersion;
  /** Nothing is missing: the download ended before it was taken over. */
  readonly isWhole: boolean;
}

/**
 * A fetched file in a folder of its own. `file.part` and `file.part.json` are the beginning of the next one. It is taken over in two
 * renames with `state.next.json` written before, so that a process killed anywhere leaves what the next run can finish.
 */
export class FileStore {
  readonly folder: string;
  readonly #url: string;

  constructor(folder: string, url: string) {
    this.folder = folder;
    this.#url = url;
    mkdirSync(folder, { recursive: true });
    this.#finishTakingOver();
  }

  get partFile(): string {
    return join(this.folder, 'file.part');
  }

  /** What the folder holds of this URL, or null. */
  readState(): FileState | null {
    const stored = readJson(join(this.folder, 'state.json')) as FileState | null;
    if (stored?.url !== this.#url || !existsSync(this.pathOf(stored))) return null;
    // Written before there were these.
    return { ...stored, usedAt: stored.usedAt ?? null, check: stored.check ?? null };
  }

  pathOf({ name }: Pick<FileState, 'name'>): string {
    return join(this.folder, name);
  }

  writeState(state: FileState): void {
    this.#write('state.json', state);
  }

  /** An import has read the file. */
  markUsed(): void {
    const state = this.readState();
    if (state) this.writeState({ ...state, usedAt: new Date().toISOString() });
  }

  readPartial(): PartialFile | null {
    const note = readJson(this.#noteFile) as (FileVersion & { readonly url: string }) | null;
    const bytes = statSync(this.partFile, { throwIfNoEntry: false })?.size ?? 0;
    if (note?.url !== this.#url || bytes === 0 || !('bytes' in note)) return null;
    const { etag, lastModified } = note;
    return { bytes, version: { etag, lastModified, bytes: note.bytes }, isWhole: note.bytes === bytes };
  }

  /** Throws away what a broken attempt left. */
  forgetPartial(): void {
    rmSync(this.partFile, { force: true });
    rmSync(this.#noteFile, { force: true });
  }

  /** Says what the file is that `file.part` is the beginning of. */
  beginPartial(version: FileVersion): void {
    this.forgetPartial();
    this.#write('file.part.json', { url: this.#url, ...version });
  }

  /** Whether the partial file has these bytes there. */
  holds(bytes: Uint8Array, from: number): boolean {
    const descriptor = openSync(this.partFile, 'r');
    try {
      const held = Buffer.alloc(bytes.length);
      return readSync(descriptor, held, 0, held.length, from) === held.length && held.equals(bytes);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Puts `file.part` in the place of the stored file. */
  async takeOver(state: FileState): Promise<void> {
    const part = await open(this.partFile, 'r+');
    await part.sync();
    await part.close();
    this.#write('state.next.json', state);
    this.#finishTakingOver();
  }

  #finishTakingOver(): void {
    const next = join(this.folder, 'state.next.json');
    const state = readJson(next) as FileState | null;
    if (state) {
      const before = readJson(join(this.folder, 'state.json')) as FileState | null;
      if (existsSync(this.partFile)) renameSync(this.partFile, this.pathOf(state));
      renameSync(next, join(this.folder, 'state.json'));
      if (before && before.name !== state.name) rmSync(this.pathOf(before), { force: true });
      rmSync(this.#noteFile, { force: true });
    }
  }

  get #noteFile(): string {
    return join(this.folder, 'file.part.json');
  }

  #write(name: string, content: object): void {
    const file = join(this.folder, name);
    writeFileSync(`${file}.new`, JSON.stringify(content, null, 2), { flush: true });
    renameSync(`${file}.new`, file);
  }
}

/** A run that an interrupted import went on with is not older than this. */
const LONGEST_PAUSE_MS = 7 * 24 * 3600 * 1000;

/**
 * Whether a file that only its length tells from a later one is still good for an import: one that was interrupted goes on with it, any
 * other asks anew.
 */
export function isUnusedAndFresh(state: FileState): boolean {
  return isUntold(state) && state.usedAt === null && Date.now() - Date.parse(state.finishedAt) < LONGEST_PAUSE_MS;
}

/** Null when there is none, or it is cut off. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
