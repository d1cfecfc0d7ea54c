import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { moveIntoPlace, replaceFileSync, syncPath } from '../../core/files/replace.ts';
import { isUntold, type FileVersion } from './file-version.ts';
import { makeFolder } from '../../core/files/make-folder.ts';

/** State of a fetched file, in `state.json` beside it. */
export interface FileState extends FileVersion {
  readonly format: 1;
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** When it was fetched. */
  readonly finishedAt: string;
  /** Time at which an import that read it ended; null before. */
  readonly usedAt: string | null;
  /**
   * Result of the check of the file's content; null before the check. `damaged`: fetched again, because it may have
   * been damaged on its way. `damaged at its server`: the same bytes arrived twice.
   */
  readonly check: null | 'sound' | 'damaged' | 'damaged at its server';
}

/** The beginning of a file that is being fetched. */
export interface PartialFile {
  readonly bytes: number;
  /** The server's description of the whole file. */
  readonly version: FileVersion;
  /** True when no byte is missing: the process ended before the file replaced the stored one. */
  readonly isWhole: boolean;
}

/**
 * A fetched file in its own folder. `file.part` and `file.part.json` are the beginning of the next version. Two renames
 * replace the file, after `state.next.json` is written. Wherever a process is killed, the next run can finish the
 * replacement.
 */
export class FileStore {
  readonly folder: string;
  readonly #url: string;

  constructor(folder: string, url: string) {
    this.folder = folder;
    this.#url = url;
    makeFolder(folder);
    this.#finishTakingOver();
  }

  get partFile(): string {
    return join(this.folder, 'file.part');
  }

  /** Returns the state of the file of this URL, or null. */
  readState(): FileState | null {
    const stored = readJson(join(this.folder, 'state.json')) as FileState | null;
    if (stored?.url !== this.#url || !existsSync(this.pathOf(stored))) return null;
    // Older versions wrote files without these members.
    return { ...stored, usedAt: stored.usedAt ?? null, check: stored.check ?? null };
  }

  pathOf({ name }: Pick<FileState, 'name'>): string {
    return join(this.folder, name);
  }

  writeState(state: FileState): void {
    this.#write('state.json', state);
  }

  /** Notes that an import has read the file. */
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

  /** Deletes the remains of a failed attempt. */
  forgetPartial(): void {
    rmSync(this.partFile, { force: true });
    rmSync(this.#noteFile, { force: true });
  }

  /** Writes the description of the file that `file.part` begins. */
  beginPartial(version: FileVersion): void {
    this.forgetPartial();
    this.#write('file.part.json', { url: this.#url, ...version });
  }

  /** Says whether the partial file has these bytes at this position. */
  holds(bytes: Uint8Array, from: number): boolean {
    const descriptor = openSync(this.partFile, 'r');
    try {
      const held = Buffer.alloc(bytes.length);
      return readSync(descriptor, held, 0, held.length, from) === held.length && held.equals(bytes);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Replaces the stored file by `file.part`. */
  takeOver(state: FileState): void {
    syncPath(this.partFile);
    this.#write('state.next.json', state);
    this.#finishTakingOver();
  }

  #finishTakingOver(): void {
    const next = join(this.folder, 'state.next.json');
    const state = readJson(next) as FileState | null;
    if (state) {
      const before = readJson(join(this.folder, 'state.json')) as FileState | null;
      if (existsSync(this.partFile)) moveIntoPlace(this.partFile, this.pathOf(state));
      moveIntoPlace(next, join(this.folder, 'state.json'));
      if (before && before.name !== state.name) rmSync(this.pathOf(before), { force: true });
      rmSync(this.#noteFile, { force: true });
    }
  }

  get #noteFile(): string {
    return join(this.folder, 'file.part.json');
  }

  #write(name: string, content: object): void {
    replaceFileSync(join(this.folder, name), JSON.stringify(content, null, 2));
  }
}

/** Largest age of a download that an interrupted import continues with. */
const LONGEST_PAUSE_MS = 7 * 24 * 3600 * 1000;

/**
 * Says whether an import may use a file that only its length distinguishes from a later one: an interrupted import
 * continues with it, any other fetches it again.
 */
export function isUnusedAndFresh(state: FileState): boolean {
  return isUntold(state) && state.usedAt === null && Date.now() - Date.parse(state.finishedAt) < LONGEST_PAUSE_MS;
}

/** Returns null when the file does not exist or is truncated. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
