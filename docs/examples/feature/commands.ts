import type { Command } from 'commander';
import type { Readers } from '../../../src/feature.ts';
import { settingsOf } from '../../../src/core/settings/config.ts';
import { noticeSettings } from './settings.ts';

/** `land-lookup notice` */
export function register(program: Command, { config }: Readers): void {
  program
    .command('notice')
    .description('print the notice that clients get')
    .action(() => {
      process.stdout.write(`${settingsOf(config(), noticeSettings).text}\n`);
    });
}
