import type { KeptData, DataHolder } from '../../feature.ts';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readStore, removeFromStore } from '../../core/files/scrub.ts';
import { type BatchRow, BATCH_COLUMNS, jobOf } from './store/batch-table.ts';
import { type BatchJob, hasEnded } from './job.ts';

/** Batches of a customer, with their files. */
export const keptBatches: KeptData = {
  noun: 'batches',
  *read(dataDir, holder) {
    for (const batch of readBatches(dataDir, holder)) {
      yield { batch };
      for (const batchFile of readBatchFiles(dataDir, batch)) yield { batchFile };
    }
  },
  cannotForget: (dataDir, holder) => cannotForgetBatches(readBatches(dataDir, holder)),
  forget: forgetBatches,
};

// Batches of somebody who asks what is kept, or to be forgotten.

/** Reads the records of batches, oldest first: those of keys, and those that a customer was billed for. */
function readBatches(dataDir: string, holder: DataHolder): readonly BatchJob[] {
  const rows = readStore(queueIn(dataDir), (db) =>
    db
      .prepare<[object], BatchRow>(`SELECT ${BATCH_COLUMNS} FROM batch WHERE ${OF_HOLDER} ORDER BY id`)
      .all(named(holder)),
  );
  return (rows ?? []).map(jobOf);
}

/** A file of a batch: its rows as they came, their answers, or answers in another format. */
interface BatchFile {
  readonly batch: string;
  readonly file: string;
  readonly bytes: number;
  /** Lines of a text file, each a JSON document; null for other formats, which have the same answers. */
  readonly lines: readonly unknown[] | null;
}

/** Reads the files of a batch, one after the other. */
function* readBatchFiles(dataDir: string, { id }: Pick<BatchJob, 'id'>): Generator<BatchFile> {
  const folder = join(dataDir, 'batches', id);
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return;
  for (const file of readdirSync(folder).sort()) {
    const path = join(folder, file);
    const lines = file.endsWith('.ndjson') ? linesOf(readFileSync(path, 'utf8')) : null;
    yield { batch: id, file, bytes: statSync(path).size, lines };
  }
}

/** Says why batches cannot be forgotten yet; null when they can. */
function cannotForgetBatches(batches: readonly BatchJob[]): string | null {
  const running = batches.find((job) => !hasEnded(job));
  return running
    ? `the batch ${running.id} has not ended: the running service ends it soon after its key was revoked; try again then`
    : null;
}

/** Removes batches that have ended, with their files, and returns how many. */
async function forgetBatches(dataDir: string, holder: DataHolder): Promise<number> {
  const ids = await removeFromStore(queueIn(dataDir), (db) => {
    const ended = db
      .prepare<[object], string>(`SELECT id FROM batch WHERE (${OF_HOLDER}) AND ended_at IS NOT NULL`)
      .pluck()
      .all(named(holder));
    const remove = ['DELETE FROM chunk WHERE batch_id = ?', 'DELETE FROM batch WHERE id = ?'].map((sql) =>
      db.prepare(sql),
    );
    for (const id of ended) for (const statement of remove) statement.run(id);
    return ended;
  });
  for (const id of ids ?? []) rmSync(join(dataDir, 'batches', id), { recursive: true, force: true, maxRetries: 3 });
  return ids?.length ?? 0;
}

const OF_HOLDER = 'key_id IN (SELECT value FROM json_each(@keyIds)) OR customer = @customer';

function named({ customer, keyIds }: DataHolder): object {
  return { customer, keyIds: JSON.stringify(keyIds) };
}

function queueIn(dataDir: string): string {
  return join(dataDir, 'batches', 'queue.sqlite');
}

/** A line that a process has not finished is given as text. */
function linesOf(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      return line;
    }
  });
}
