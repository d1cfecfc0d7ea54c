import type { Command } from 'commander';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { openKeyStore } from '../../core/keys/open-key-store.ts';
import type { Readers } from '../../feature.ts';
import type { Config } from '../../core/settings/config.ts';
import { importKeys } from '../../core/keys/keys-transfer.ts';
import { asJob, parseKept } from '../../core/terminal/command.ts';

const KEPT = 14;

/** `land-lookup backup` and `land-lookup restore` */
export function register(program: Command, { config: readConfig, configOfData }: Readers): void {
  program
    .command('backup')
    .description('copy keys, usage journal and settings into a new folder below DIR, while the service runs')
    .requiredOption('--to <DIR>', 'on another disk')
    .option('--settings <FILE>', 'file with the settings, to be copied too')
    .option('--keep <N>', 'backups that stay in DIR; older ones are deleted', parseKept, KEPT)
    .action(
      async ({ settings, ...options }: { readonly to: string; readonly keep: number; readonly settings?: string }) => {
        const config = configOfData();
        const make = (): Promise<string> => makeBackup(config, { ...options, settings: settings ?? null });
        console.log(`backup made: ${await asJob(config.dataDir, 'backup', make)}`);
      },
    );
  program
    .command('restore')
    .description('put keys and usage journal of a backup into the data folder; stop the service first')
    .requiredOption('--from <DIR>', 'the folder of one backup')
    .action(({ from }: { from: string }) => restore(readConfig(), from));
}

async function restore(config: Config, from: string): Promise<void> {
  const { createdAt, doubted, before, differences, keyLines, settings } = await restoreBackup(config, from);
  console.log(`restored the backup of ${createdAt}`);
  if (before !== null) console.log(`what was there before is in ${before}`);
  if (keyLines === null) tellDifferences(differences, createdAt);
  else await importRestored(config, keyLines, createdAt);
  if (doubted > 0) {
    console.log(
      `${doubted} lookups were not delivered at that time and are "uncertain" now: compare with "land-lookup usage reconcile"`,
    );
  }
  if (settings !== null) console.log(`the settings of that time are in ${settings}; they were not put into place`);
}

function tellDifferences(differences: readonly string[] | null, createdAt: string): void {
  for (const line of differences ?? []) console.log(line);
  if (differences !== null) return;
  console.log(
    `keys revoked since ${createdAt} are valid again: revoke them. So are secrets that were replaced, former networks, and customers who were suspended: the keys that were here before are not there, or cannot be read`,
  );
}

/** Redis keeps what it has. What it has lost is as it was at the time of the backup, but for revocations that this machine knows of. */
async function importRestored(config: Config, keyLines: string, createdAt: string): Promise<void> {
  await using store = await openKeyStore(config);
  const present = new Map((await store.list()).map((record) => [record.id, record]));
  console.log(await importKeys(store, keyLines, { keepsPresent: true }));
  const lost: string[] = [];
  for (const { id, name } of await store.list()) {
    const isThere = present.has(id);
    // A machine that knows of its revocation repeats it.
    const key = isThere ? null : await store.findById(id);
    if (key?.revokedAt === null) lost.push(`${id} (${name})`);
    else if (key) console.log(`${id} (${name}): was revoked on ${key.revokedAt}, as this machine remembers`);
  }
  if (present.size > 0) console.log(`${present.size} keys were in Redis, and stay as they are there`);
  if (lost.length > 0) {
    console.log(
      `keys revoked since ${createdAt} are valid again: revoke them. So are secrets that were replaced, former networks, and customers who were suspended. Redis did not have ${lost.join(', ')}`,
    );
  }
}
