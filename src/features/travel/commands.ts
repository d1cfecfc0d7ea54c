import type { Command } from 'commander';
import { pullCommand, pushCommand, type PushOptions } from './snapshot-transfer.ts';
import { parseKept } from '../../core/terminal/whole-number.ts';
import type { Readers } from '../../feature.ts';

/** Adds to `land-lookup snapshot` what moves snapshots between machines. */
export function register(program: Command, { config, configOfData }: Readers): void {
  const snapshot = program.commands.find((one) => one.name() === 'snapshot')!;
  snapshot
    .command('pull')
    .description('fetch the snapshot that another machine has in service, check it, and put it into service')
    .requiredOption(
      '--from <URL|DIR>',
      'admin port of the other machine (http://host:18081/snapshots), or where "snapshot push" stores',
    )
    .addHelpText('after', '\nOnly what differs is fetched. An interrupted pull goes on where it stopped.')
    .action(async ({ from }: { from: string }) => {
      process.exitCode = await pullCommand(config(), from);
    });
  snapshot
    .command('push')
    .description('store a snapshot in a folder, for "snapshot pull" on other machines')
    .argument('[id]', 'default: the snapshot in service')
    .requiredOption('--to <DIR>', 'a folder that other machines reach, or that a web server offers')
    .option('--keep <N>', 'number of newest snapshots that stay there', parseKept, 3)
    .action((id: string | undefined, options: PushOptions) => pushCommand(configOfData(), id ?? null, options));
}
