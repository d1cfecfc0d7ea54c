import { availableParallelism } from 'node:os';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';
import { DAY_MS } from '../../messages/time.ts';

export function batchSettings({ integer }: SettingsReader): {
  /** Most bytes of all batches on this machine's disk. */
  readonly diskBytes: number;
  readonly diskBytesPerKey: number;
  /** Time for which results are kept. */
  readonly retentionMs: number;
  /** Threads of a command that looks up a file: all cores, because it serves no HTTP beside. */
  readonly fileThreads: number;
} {
  const diskBytes = integer('BATCH_DISK_MB', 100_000, [1, 100_000_000]) * 1024 ** 2;
  return {
    diskBytes,
    diskBytesPerKey: Math.floor(diskBytes / 5),
    retentionMs: integer('BATCH_RETENTION_DAYS', 7, [1, 365]) * DAY_MS,
    fileThreads: integer('WORKER_THREADS', availableParallelism(), [1, 256]),
  };
}
