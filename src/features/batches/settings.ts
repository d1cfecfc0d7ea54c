import type { SettingsReader } from '../../core/settings/settings-reader.ts';
import { DAY_MS } from '../../messages/time.ts';

/** Batches on this machine's disk. */
export interface BatchSettings {
  /** Most bytes of all batches. */
  readonly diskBytes: number;
  readonly diskBytesPerKey: number;
  /** Time for which results are kept. */
  readonly retentionMs: number;
}

export function batchSettings({ integer }: SettingsReader): BatchSettings {
  const diskBytes = integer('BATCH_DISK_MB', 100_000, [1, 100_000_000]) * 1024 ** 2;
  return {
    diskBytes,
    diskBytesPerKey: Math.floor(diskBytes / 5),
    retentionMs: integer('BATCH_RETENTION_DAYS', 7, [1, 365]) * DAY_MS,
  };
}
