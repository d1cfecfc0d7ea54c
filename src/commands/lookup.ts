import { Option, type Command } from 'commander';
import { lookupOne, type LookupOneOptions } from '../core/terminal/lookup-one.ts';
import type { Readers } from '../feature.ts';

export function register(program: Command, { config, geocoding }: Readers): void {
  program
    .command('lookup')
    .description('answer without a server: one place')
    .argument('[address]', 'an Ontario street address')
    .option('--at <LAT,LON>', 'a place in decimal degrees')
    .addOption(
      new Option('--detail <DETAIL>', 'full: with the evidence of each answer')
        .choices(['plain', 'full'])
        .default('full'),
    )
    .option('--layers <KEYS>', 'further answers: all, or their keys with commas between them')
    .action((address: string | undefined, options: LookupOneOptions) =>
      lookupOne({ config, geocoding }, address, options),
    );
}
