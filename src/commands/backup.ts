import { InvalidArgumentError, type Command } from 'commander';
import { makeBackup, type BackupOptions } from '../accounts/backup/make-backup.ts';
import { restoreBackup } from '../accounts/backup/restore-backup.ts';
import { openKeyStore } from '../accounts/keys/open-key-store.ts';
import { readConfig } from '../config.ts';
import { importKeys } from '../accounts/keys/keys-transfer.ts';

const KEPT = 14;

/** `land-lookup backup` and `land-lookup restore` */
export function register(program: Command): void {
  program
    .command('backup')
    .description('copy keys, usage journal and settings into a new folder below DIR, while the service runs')
    .requiredOption('--to <DIR>', 'on another disk')
    .option('--settings <FILE>', 'file with the settings, to be copied too')
    .option('--keep <N>', 'backups that stay in DIR; older ones are deleted', parseCount, KEPT)
    .action(async ({ settings, ...options }: Pick<BackupOptions, 'to' | 'keep'> & { readonly settings?: string }) => {
      console.log(`backup made: ${await makeBackup(readConfig(), { ...options, settings: settings ?? null })}`);
    });
  program
    .command('restore')
    .description('put keys and usage journal of a backup into the data folder; stop the service first')
    .requiredOption('--from <DIR>', 'the folder of one backup')
    .action(({ from }: { from: string }) => restore(from));
}

async function restore(from: string): Promise<void> {
  const config = readConfig();
  const { createdAt, doubted, before, keyLines, settings } = await restoreBackup(config, from);
  console.log(`restored the backup of ${createdAt}`);
  if (before !== null) console.log(`what was there before is in ${before}`);
  if (keyLines !== null) {
    await using store = await openKeyStore(config);
    console.log(await importKeys(store, keyLines));
  }
  if (doubted > 0) {
    console.log(
      `${doubted} lookups were not delivered at that time and are "uncertain" now: compare with "land-lookup usage reconcile"`,
    );
  }
  if (settings !== null) console.log(`the settings of that time are in ${settings}; they were not put into place`);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}
