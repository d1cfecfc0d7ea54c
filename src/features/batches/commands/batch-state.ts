/** What a run of `land-lookup batch run FILE` leaves beside its file until it has all results: `FILE.batch`. */
import { randomUUID } from 'node:crypto';
import { StateFile } from '../state-file.ts';
import { HOUR_MS } from '../../../messages/time.ts';
import { sha256OfFile } from '../../../core/files/sha256.ts';

export interface BatchState {
  readonly url: string;
  /** SHA-256 of the file. */
  readonly input: string;
  readonly detail: string;
  /** Absent: none, or the run of a version without them. */
  readonly layers?: string;
  /** Absent: the address is in one column, or the run of a version without them. */
  readonly addressColumns?: string;
  /** Absent: the snapshot in service, or the run of a version without them. */
  readonly vintage?: string;
  /** A repeated upload with it leads to the same batch. */
  readonly idempotencyKey: string;
  /** ISO 8601. */
  readonly beganAt: string;
  /** Id of the batch; null until the server has accepted the file. */
  readonly batch: string | null;
}

/** Members in which a run must agree with the one that it continues, by their names in a refusal. */
const names = {
  ...{ url: '--url', input: 'file', detail: '--detail', layers: '--layers' },
  ...{ addressColumns: '--address-columns', vintage: '--vintage' },
} as const;
type Asked = Pick<BatchState, keyof typeof names>;

/** Null: not given. */
type Given = Readonly<Record<'layers' | 'addressColumns' | 'vintage', string | null>>;

/** The service keeps an `Idempotency-Key` for 24 hours (docs/api.md, Retries). */
const REPEATABLE_MS = 23 * HOUR_MS;

/** The state of one run. Nobody else can run the same file until it is disposed of. */
export class BatchStateFile implements AsyncDisposable {
  readonly #file: StateFile<BatchState>;
  state: BatchState;

  private constructor(file: StateFile<BatchState>, state: BatchState) {
    this.#file = file;
    this.state = state;
  }

  /** Continues the run that the file began, or begins one. @throws Error when it began otherwise, or another process runs it. */
  static async open(
    file: string,
    { url, detail, layers, addressColumns, vintage }: Pick<Asked, 'url' | 'detail'> & Given,
  ): Promise<BatchStateFile> {
    const asked = {
      ...{ url, detail, input: await sha256OfFile(file), ...(layers === null ? {} : { layers }) },
      ...(addressColumns === null ? {} : { addressColumns }),
      ...(vintage === null ? {} : { vintage }),
    };
    const path = stateOf(file);
    const stateFile = new StateFile<BatchState>({
      path,
      lockPath: `${path}.lock`,
      held: `another process runs a batch of ${file}`,
      repair: 'look for the batch with "batch list", then remove the file',
    });
    try {
      const earlier = await stateFile.read();
      if (earlier) refuseOther(file, earlier, asked);
      const state = earlier ?? {
        ...asked,
        ...{ idempotencyKey: randomUUID(), beganAt: new Date().toISOString(), batch: null },
      };
      await stateFile.write(state);
      return new BatchStateFile(stateFile, state);
    } catch (cause) {
      await stateFile[Symbol.asyncDispose]();
      throw cause;
    }
  }

  /** Remembers the batch. */
  async accepted(batch: string): Promise<void> {
    this.state = { ...this.state, batch };
    await this.#file.write(this.state);
  }

  /** Forgets the run: the next one sends the file anew. */
  async finish(): Promise<void> {
    await this.#file.forget();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

export const stateOf = (file: string): string => `${file}.batch`;

/** @throws Error that says what to do, because a second batch would cost as much as the first. */
function refuseOther(file: string, began: BatchState, asked: Asked): void {
  const members = Object.keys(names) as (keyof Asked)[];
  const others = members.filter((member) => began[member] !== asked[member]);
  const batch = began.batch ?? 'unfinished upload';
  if (others.length > 0) {
    const told = others.map((member) => `another ${names[member]}`).join(' and ');
    const results = began.batch === null ? '' : `"batch run --resume ${began.batch}" gets its results; `;
    throw new Error(
      `${stateOf(file)} belongs to a run (${batch}) with ${told}: ${results}remove ${stateOf(file)} to send the file anew`,
    );
  }
  if (began.batch === null && Date.now() - Date.parse(began.beganAt) > REPEATABLE_MS) {
    throw new Error(
      `an upload of ${file} broke off at ${began.beganAt}, and it is too late to repeat it: if "batch list" shows its batch, ` +
        `get its results with "batch run --resume ID"; remove ${stateOf(file)} to send the file anew`,
    );
  }
}
