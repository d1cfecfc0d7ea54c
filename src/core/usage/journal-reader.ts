import type { JournalRead, JournalReadTask, JournalReads } from '../../messages/journal.ts';
import { unwrap, type Outcome } from '../../messages/outcome.ts';
import { journalThreads, type JournalThread } from './journal-threads.ts';

/**
 * Reads a usage journal in a thread of its own, on a read-only connection: a report over millions of lookups holds up no
 * commit. It sees what was committed before the operation began.
 */
export class JournalReader implements AsyncDisposable {
  readonly #thread: JournalThread<JournalReadTask, Outcome<unknown>>;

  constructor(file: string, { reader } = journalThreads) {
    this.#thread = reader(file);
  }

  /** @throws AppError DB_ERROR when there is no such file, or it cannot be read. */
  async read<Name extends JournalRead>(name: Name, input: JournalReads[Name][0]): Promise<JournalReads[Name][1]> {
    return unwrap(await this.#thread.run({ name, input } as JournalReadTask)) as JournalReads[Name][1];
  }

  /** Waits for operations under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close();
  }
}
