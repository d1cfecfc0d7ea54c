/** Piscina's entry for reading the usage journal. */
import { workerData } from 'node:worker_threads';
import type { JournalReadTask } from '../../src/messages/journal.ts';
import type { Outcome } from '../../src/messages/outcome.ts';
import { readJournal } from '../journal/reports.ts';

const { file } = workerData as { readonly file: string };

export default function read(task: JournalReadTask): Outcome<unknown> {
  return readJournal(file, task);
}
