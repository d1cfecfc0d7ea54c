import { existsSync } from 'node:fs';
import { open as openFile, stat, type FileHandle } from 'node:fs/promises';
import { StateFile } from '../state-file.ts';
import { noRows, totalOf, type OutcomeCounts } from '../rows/row.ts';

/** All that the bytes of an answer file depend on. */
export interface Run {
  /** SHA-256; `-` for standard input. */
  readonly input: string;
  readonly format: string;
  readonly detail: string;
  readonly snapshot: string;
  readonly definitions: string;
  readonly geocoder: string;
  /** Statements of the licences. */
  readonly attribution: string;
  /** Columns that make the address; absent: the column `address` does. */
  readonly addressColumns?: string;
  /** Further answers; absent: none. */
  readonly layers?: string;
  /** What is asked of features; absent: nothing. */
  readonly members?: string;
}

/** Names of the members of `Run` in a refusal. */
const names: Readonly<Record<keyof Run, string>> = {
  input: 'input',
  format: '--format',
  detail: '--detail',
  snapshot: 'snapshot in service',
  definitions: 'layer definitions',
  geocoder: 'GEOCODER',
  attribution: 'attribution',
  addressColumns: '--address-columns',
  layers: '--layers',
  members: 'choice of members',
};

interface State {
  readonly run: Run;
  /** What is on the disk for certain: the answers to the first rows. */
  readonly done: { readonly bytes: number; readonly counts: OutcomeCounts };
}

/** Longest time between two states, which a resumed run does again. */
const STATE_EVERY_MS = 500;

/**
 * A file of answers that a later run can continue. As long as it is not complete, `FILE.resume` beside it says which run it belongs
 * to and how many bytes are on the disk for certain; whatever is behind them is cut. `FILE.lock` keeps a second process away.
 */
export class AnswerFile implements AnswerSink {
  readonly before: OutcomeCounts;
  readonly #run: Run;
  readonly #file: FileHandle;
  readonly #state: StateFile<State>;
  #done: State['done'];
  #savedMs = performance.now();

  private constructor(file: FileHandle, state: StateFile<State>, { run, done }: State) {
    this.#file = file;
    this.#state = state;
    this.#run = run;
    this.#done = done;
    this.before = done.counts;
  }

  /**
   * Opens the file for a run. @throws Error when another process writes it; with `resume`, when the file is not of this run; without,
   * when it holds answers of an interrupted run.
   */
  static async open(path: string, run: Run, resume: boolean): Promise<AnswerFile> {
    const state = new StateFile<State>({
      path: stateOf(path),
      lockPath: `${path}.lock`,
      held: `another process writes ${path}`,
      repair: `remove it and ${path}, and start again`,
    });
    try {
      const earlier = existsSync(path) ? await state.read() : null;
      const done = await whereToBegin(path, { earlier, run }, resume);
      await state.write({ run, done });
      const file = await openFile(path, 'a');
      await file.truncate(done.bytes);
      return new AnswerFile(file, state, { run, done });
    } catch (cause) {
      await state[Symbol.asyncDispose]();
      throw cause;
    }
  }

  get isEmpty(): boolean {
    return this.#done.bytes === 0;
  }

  async write(text: string, counts: OutcomeCounts): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#file.appendFile(bytes);
    this.#done = { bytes: this.#done.bytes + bytes.length, counts };
    if (performance.now() - this.#savedMs >= STATE_EVERY_MS) await this.pause();
  }

  /** Makes sure that a later run continues here. */
  async pause(): Promise<void> {
    // The state must never be ahead of the answers, not even after a power failure.
    await this.#file.datasync();
    await this.#state.write({ run: this.#run, done: this.#done });
    this.#savedMs = performance.now();
  }

  async finish(): Promise<void> {
    await this.#file.datasync();
    await this.#state.forget();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    await this.#state[Symbol.asyncDispose]();
  }
}

const stateOf = (path: string): string => `${path}.resume`;

/** @param earlier null: there is nothing to go on with. */
async function whereToBegin(
  path: string,
  { earlier, run }: { earlier: State | null; run: Run },
  resume: boolean,
): Promise<State['done']> {
  if (!resume) {
    if (!earlier || totalOf(earlier.done.counts) === 0) return { bytes: 0, counts: noRows };
    throw new Error(`${path} holds answers of an interrupted run: continue it with --resume, or remove the file`);
  }
  if (!existsSync(path)) return { bytes: 0, counts: noRows };
  if (!earlier)
    throw new Error(`${path} is no interrupted run, so there is nothing to resume: ${stateOf(path)} is missing`);
  refuseOther(path, earlier.run, run);
  if ((await stat(path)).size >= earlier.done.bytes) return earlier.done;
  throw new Error(`${path} has lost answers since the interrupt: remove it and start again`);
}

/** @throws Error that says how the interrupted run differs. */
function refuseOther(path: string, began: Run, now: Run): void {
  const members = Object.keys(names) as (keyof Run)[];
  const differences = members.filter((member) => began[member] !== now[member]);
  if (differences.length === 0) return;
  const told = differences.map(
    (member) => `another ${names[member]} (${began[member] ?? 'none'}, now ${now[member] ?? 'none'})`,
  );
  throw new Error(
    `${path} cannot be resumed: its run began with ${told.join(' and ')}. Resume with the same, or remove the file and start again`,
  );
}

/** Where the answers to a file go. */
export interface AnswerSink extends AsyncDisposable {
  /** Rows that an earlier run has answered. */
  readonly before: OutcomeCounts;
  /** Whether nothing was written yet, not even by an earlier run. */
  readonly isEmpty: boolean;
  /** Writes text that ends with a row; `counts` are of all rows up to there. */
  write(text: string, counts: OutcomeCounts): Promise<void>;
  /** Called in place of `finish` when the run is interrupted. */
  pause(): Promise<void>;
  finish(): Promise<void>;
}

/** Writes the answers to standard output. `onClosed` is called when its reader has left. */
export function standardOutput(onClosed: () => void): AnswerSink {
  const { stdout } = process;
  // Without a listener the error, which `write` gets too, would end the process.
  stdout.on('error', onClosed);
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    before: noRows,
    isEmpty: true,
    write: writeOut,
    pause: nothing,
    finish: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

/** Writes to standard output, and waits until it has taken it. A reader that has left is no failure. */
export function writeOut(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (fault) => {
      if (fault && (fault as NodeJS.ErrnoException).code !== 'EPIPE') reject(fault);
      else resolve();
    });
  });
}
