#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=100 --no-allocation-site-pretenuring
/**
 * The command line: `land-lookup <command>`. Each command is a module, loaded only for that command or for the help.
 */
import './commands/node-version.ts';
import { Command } from 'commander';
import { readConfigOfData } from './commands/data-folder.ts';
import { closeNetworkOfLibraries, readClientConfig, readConfig, readFeatures } from './config.ts';
import type { Commands } from './feature.ts';
import { commandsOf, loadReadArea } from './features.ts';

const ofCore: Commands = {
  serve: () => import('./commands/serve.ts'),
  demo: () => import('./commands/demo.ts'),
  'check-config': () => import('./commands/check-config.ts'),
  doctor: () => import('./commands/doctor.ts'),
  lookup: () => import('./commands/lookup.ts'),
  'load-layers': () => import('./commands/load-layers.ts'),
  'load-addresses': () => import('./commands/load-addresses.ts'),
  snapshot: () => import('./commands/snapshot.ts'),
  verify: () => import('./commands/verify.ts'),
  keys: () => import('./commands/keys.ts'),
  customers: () => import('./commands/customers.ts'),
  usage: () => import('./commands/usage.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/backup.ts'),
};

closeNetworkOfLibraries();
const program = new Command('land-lookup')
  .description('Ontario land data for a street address')
  .option('-V, --version', 'print the version, its commit, and what it runs on; with --json also the formats of data')
  .showHelpAfterError();
try {
  const commands = [ofCore, ...commandsOf(readFeatures())];
  const asked = commands.flatMap((some) => some[process.argv[2] ?? ''] ?? []);
  if (['-V', '--version'].includes(process.argv[2] ?? '')) {
    const { printVersion } = await import('./commands/version.ts');
    await printVersion({ json: process.argv[3] === '--json' });
  } else {
    const all = commands.flatMap((some) => Object.values(some));
    const modules = await Promise.all((asked.length > 0 ? asked : all).map((load) => load()));
    const readers = {
      ...{ config: readConfig, configOfData: readConfigOfData, client: readClientConfig },
      readArea: () => loadReadArea(readFeatures()),
    };
    for (const module of new Set(modules)) module.register(program, readers);
    await program.parseAsync();
  }
} catch (cause) {
  const { failureSentence } = await import('./core/terminal/failure.ts');
  process.stderr.write(`land-lookup: ${failureSentence(cause)}\n`);
  process.exitCode = 1;
}
