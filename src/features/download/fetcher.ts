import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { takeLock } from '../../core/files/lock.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { patient } from '../../core/outbound/retry.ts';
import { sourcesFolder } from '../../core/snapshots/folders.ts';
import { sayingWaits, whileReminding } from '../../core/terminal/progress-display.ts';
import type { SourceFetcher } from '../../import/source-fetcher.ts';
import { IDLE_MS } from './arcgis.ts';
import { markUsed } from './download-data-sets.ts';
import { downloadRegister } from './download-register.ts';
import { askProvince, fetchFromProvince } from './fetch-from-province.ts';

/** Fetches from the province, and the address register from any server. */
export const fetcher: SourceFetcher = {
  addOptions: (loadLayers) => {
    loadLayers
      .option('--check', 'ask every source and print what an import would do; exit code 2 when something does not fit')
      .addOption(new Option('--dry-run').hideHelp().implies({ check: true }))
      .option('--server <URL>', "root of the ArcGIS services, instead of the province's: …/rest/services")
      .option('--packages <URL>', "root of the packages (URL/CODE.zip), instead of the province's")
      .option(
        '--layer-id <DATA_SET=SERVICE/ID...>',
        'use this layer for a data set, instead of the one in its definition',
      );
  },
  check: askProvince,
  layers: (config, options, shown, take) =>
    whileLocked(config.dataDir, async () => {
      const fetched = await fetchFromProvince(config, options, shown);
      if (typeof fetched === 'number') return fetched;
      const code = await take(fetched);
      markUsed(fetched.dataSets);
      return code;
    }),
  register: (url, { dataDir, minFreeBytes, display }, take) =>
    whileLocked(dataDir, async () => {
      const folder = join(sourcesFolder(dataDir), 'addresses');
      const onBytes = (done: number, total: number): void => {
        display.show({ kind: 'rows', name: 'register (download)', unit: 'bytes', done, total });
      };
      const retry = sayingWaits(patient, display);
      const download = { url, folder, retry, idleMs: IDLE_MS, minFreeBytes, onBytes };
      await whileReminding(display, () => downloadRegister(download));
      const result = await take(folder);
      rmSync(folder, { recursive: true });
      return result;
    }),
};

/** Has the lock of the downloaded sources until what was fetched is imported. @throws Error when another download is running. */
async function whileLocked<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const folder = sourcesFolder(dataDir);
  makeFolder(folder);
  const lock = takeLock(join(folder, '.lock'), 'another download is running');
  try {
    return await work();
  } finally {
    lock[Symbol.dispose]();
  }
}
