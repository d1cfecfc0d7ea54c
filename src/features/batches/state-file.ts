import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { takeLock } from '../../core/files/lock.ts';
import { replaceFile } from '../../core/files/replace.ts';

/** What a command remembers on the disk, so that a later run can go on. One process at a time holds it. */
export class StateFile<State> implements AsyncDisposable {
  readonly #options;
  readonly #lock: Disposable;

  /** @throws LockHeld when another process holds it. */
  constructor(options: {
    readonly path: string;
    /** File of the lock. It exists as long as the state is held. */
    readonly lockPath: string;
    /** Says what another process does that holds it. */
    readonly held: string;
    /** What to do about a state that cannot be read. */
    readonly repair: string;
  }) {
    this.#options = options;
    this.#lock = takeLock(options.lockPath, options.held);
  }

  /** Returns null when nothing is remembered. @throws Error that says what to do when it cannot be read. */
  async read(): Promise<State | null> {
    const { path, repair } = this.#options;
    if (!existsSync(path)) return null;
    try {
      return JSON.parse(await readFile(path, 'utf8')) as State;
    } catch (cause) {
      throw new Error(`${path} cannot be read: ${repair}`, { cause });
    }
  }

  async write(state: State): Promise<void> {
    await replaceFile(this.#options.path, (part) => part.writeFile(`${JSON.stringify(state)}\n`));
  }

  /** Nothing is left to go on with. */
  async forget(): Promise<void> {
    await rm(this.#options.path, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // While nobody else can hold it.
    await rm(this.#options.lockPath, { force: true });
    this.#lock[Symbol.dispose]();
  }
}
