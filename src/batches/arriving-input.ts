import { Loop } from '../background/loop.ts';
import type { AskedRow } from '../rows/row.ts';
import type { BatchInput } from './batch-store.ts';
import type { BatchBlobs, BatchChanges } from './parts.ts';
import { uploadLost } from './room.ts';
import { ROWS_PER_CHUNK } from './job.ts';

export interface ArrivingInputOptions {
  readonly changes: BatchChanges;
  readonly blobs: BatchBlobs;
  /** Asks one of them; see `StoreParts`. */
  readonly ask: <T>(work: () => T | Promise<T>) => Promise<T>;
  readonly onEnd: (input: ArrivingInput) => unknown;
}

/** An upload is prolonged so many times before it would count as ended. */
const RENEWALS = 3;

/** The rows of a batch that arrive, one file or object for each chunk. A record names the upload, so that nothing of it stays when its process dies. */
export class ArrivingInput implements BatchInput {
  readonly #id: string;
  readonly #options: ArrivingInputOptions;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #prolonging: Loop;
  #fault: Error | null = null;
  #chunks = 0;
  #bytes = 0;

  constructor(id: string, options: ArrivingInputOptions) {
    this.#id = id;
    this.#options = options;
    const everyMs = options.changes.uploadLeaseMs / RENEWALS;
    this.#prolonging = new Loop({
      everyMs,
      firstMs: everyMs,
      turn: async () => {
        await options.changes.prolongUpload(id, this.#bytes);
      },
      // The next attempt may succeed. Without any, the upload is given up.
      onFailure: () => undefined,
    });
  }

  /** Bytes that are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  async begin(): Promise<void> {
    const { changes, blobs, ask } = this.#options;
    // Before its place, which would be deleted without it.
    await ask(() => changes.beginUpload(this.#id));
    await ask(() => blobs.begin(this.#id));
  }

  async add(rows: readonly AskedRow[]): Promise<void> {
    const { changes, blobs, ask } = this.#options;
    const write = this.#write(Buffer.from(linesOf(rows))).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    if (this.#writes.size >= blobs.writesAtOnce) await Promise.race(this.#writes);
    if (this.#fault) throw this.#fault;
    if (!(await ask(() => changes.prolongUpload(this.#id, this.#bytes)))) throw uploadLost();
  }

  /** Waits until all of it is stored. @throws AppError. */
  async settle(): Promise<void> {
    const { blobs, ask } = this.#options;
    await Promise.all(this.#writes);
    if (this.#fault) throw this.#fault;
    if (!(await ask(() => blobs.sync(this.#id)))) throw uploadLost();
  }

  async discard(): Promise<void> {
    this.end();
    const { changes, blobs, ask } = this.#options;
    await Promise.all(this.#writes);
    // The batch exists when only the end of `create` failed; its client was told that it does not.
    await ask(() => changes.remove(this.#id));
    await ask(() => blobs.remove(this.#id));
    await ask(() => changes.endUpload(this.#id));
  }

  /** Prolongs it no more. */
  end(): void {
    this.#prolonging.stop();
    this.#options.onEnd(this);
  }

  /** Never fails: a fault is thrown by whoever waits for the writes. */
  async #write(lines: Uint8Array): Promise<void> {
    const { blobs, ask } = this.#options;
    const chunk = { id: this.#id, index: this.#chunks++ };
    try {
      if (!(await ask(() => blobs.writeRows(chunk, lines)))) throw uploadLost();
      this.#bytes += lines.length;
    } catch (cause) {
      this.#fault ??= cause as Error;
    }
  }
}

/** The rows of a chunk as they are stored: NDJSON. */
function linesOf(rows: readonly AskedRow[]): string {
  if (rows.length > ROWS_PER_CHUNK) throw new Error(`a chunk holds ${ROWS_PER_CHUNK} rows, not ${rows.length}`);
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Reads what `linesOf` wrote. */
export function rowsOfLines(text: string): readonly AskedRow[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AskedRow);
}
