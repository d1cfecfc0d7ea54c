/** Piscina's entry for the usage journal: runs a list of operations in one transaction. */
import { workerData } from 'node:worker_threads';
import type { JournalTask } from '../../src/messages/journal.ts';
import type { Outcome } from '../../src/messages/outcome.ts';
import { JournalWriter } from '../journal/writer.ts';

const { file } = workerData as { readonly file: string };

const writer = new JournalWriter(file);

export default function journal(tasks: readonly JournalTask[]): Outcome<unknown[]> {
  return writer.run(tasks);
}
