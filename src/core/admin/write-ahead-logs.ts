import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import { runWorker } from '../pool/run-worker.ts';
import { HOUR_MS } from '../../messages/time.ts';
import { labelled } from './gauges.ts';

/** Folders of the data folder with SQLite files that the service keeps open. */
const FOLDERS = ['', 'batches'];

const ENDING = '-wal';

/**
 * Empties the write-ahead logs of the SQLite files of a data folder every hour: one that grew while another program read the file stays as
 * large as it was.
 */
export function keepLogsSmall({ dataDir, logger }: { readonly dataDir: string; readonly logger: Logger }): Loop {
  return new Loop({
    everyMs: HOUR_MS,
    firstMs: HOUR_MS,
    turn: () => emptyLogs(dataDir),
    onFailure: (cause) => logger.warn('write-ahead logs could not be emptied', { detail: String(cause) }),
  });
}

/** Empties them once, in a thread of its own. @throws AppError when one of the files cannot be used. */
export async function emptyLogs(dataDir: string): Promise<void> {
  const files = logsIn(dataDir).map(({ file }) => join(dataDir, file));
  if (files.length > 0) await runWorker('empty-logs', { files }, () => undefined);
}

export function measureLogs(registry: Registry, dataDir: string): void {
  const help = 'Size of the write-ahead log of an SQLite file.';
  labelled(registry, 'land_lookup_write_ahead_log_bytes', help, ['file'], (set) => {
    for (const { file, bytes } of logsIn(dataDir)) set({ file }, bytes);
  });
}

/** The SQLite files that have a write-ahead log, by their paths in the data folder, with its size. */
export function logsIn(dataDir: string): readonly { readonly file: string; readonly bytes: number }[] {
  return FOLDERS.flatMap((folder) => {
    const logs = namesIn(join(dataDir, folder)).filter((name) => name.endsWith(`.sqlite${ENDING}`));
    return logs.map((name) => ({
      file: join(folder, name.slice(0, -ENDING.length)),
      bytes: statSync(join(dataDir, folder, name), { throwIfNoEntry: false })?.size ?? 0,
    }));
  });
}

/** None where there is no such folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
