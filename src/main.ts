#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=100 --no-allocation-site-pretenuring
/**
 * The command line: `land-lookup <command>`. Each command is a module, loaded only for that command or for the help.
 */
import './commands/node-version.ts';
import { Command } from 'commander';
import {
  readConfigOfData,
  closeNetworkOfLibraries,
  readClientConfig,
  readConfig,
  readFeatures,
  readSettings,
} from './config.ts';
import type { Commands } from './feature.ts';
import { isToldOfOutput, watchStandardOutput } from './core/terminal/standard-output.ts';
import {
  checkFiles,
  commandsOf,
  fetcherOf,
  keptData,
  leftOutOf,
  loadGeocoding,
  loadReadArea,
  loadRowMembers,
} from './features.ts';

const ofCore: Commands = {
  serve: () => import('./commands/serve.ts'),
  demo: () => import('./commands/demo.ts'),
  'check-config': () => import('./commands/check-config.ts'),
  lookup: () => import('./commands/lookup.ts'),
  'load-layers': () => import('./import/load-layers.ts'),
  'load-addresses': () => import('./import/load-addresses.ts'),
  snapshot: () => import('./commands/snapshot.ts'),
  keys: () => import('./commands/keys.ts'),
  customers: () => import('./commands/customers.ts'),
  usage: () => import('./commands/usage.ts'),
};

closeNetworkOfLibraries();
// What serves has its log there, which goes on by itself (src/core/settings/logger.ts).
if (!['serve', 'demo'].includes(process.argv[2] ?? '')) watchStandardOutput();
const program = new Command('land-lookup')
  .description('Ontario land data for a street address')
  .option('-V, --version', 'print the version, its commit, and what it runs on; with --json also the formats of data')
  .showHelpAfterError()
  .hook('preAction', (_program, command) => {
    refuseSwallowed(command);
  });
try {
  const features = readFeatures();
  const commands = commandsOf(ofCore, features);
  program.configureOutput({
    outputError: (text, write) => {
      write(/^error: unknown (command|option) /.test(text) ? text + leftOutOf(process.argv[2] ?? '', features) : text);
    },
  });
  const asked = commands.filter(([name]) => name === process.argv[2]);
  if (['-V', '--version'].includes(process.argv[2] ?? '')) {
    const { printVersion } = await import('./commands/version.ts');
    await printVersion({ json: process.argv[3] === '--json' });
  } else {
    const modules = await Promise.all((asked.length > 0 ? asked : commands).map(([, load]) => load()));
    const readers = {
      config: readConfig,
      configOfData: readConfigOfData,
      client: readClientConfig,
      settings: readSettings,
      kept: keptData,
      fetcher: () => fetcherOf(features),
      checkFiles,
      geocoding: () => loadGeocoding(features),
      readArea: () => loadReadArea(features),
      rowMembers: () => loadRowMembers(features),
    };
    for (const module of new Set(modules)) await module.register(program, readers);
    await program.parseAsync();
  }
} catch (cause) {
  if (!isToldOfOutput(cause)) {
    const { failureSentence } = await import('./core/terminal/command.ts');
    process.stderr.write(`land-lookup: ${failureSentence(cause)}\n`);
    process.exitCode = 1;
  }
}

/** An option takes the next one for its value where a shell left its own out: a key would be made without its limit, a file with an option for its name. */
function refuseSwallowed(command: Command): void {
  for (const [name, value] of Object.entries(command.opts<Readonly<Record<string, unknown>>>())) {
    const { flags } = command.options.find((option) => option.attributeName() === name)!;
    if ([value].flat().some((one) => typeof one === 'string' && one.startsWith('--')))
      command.error(`error: option '${flags}' has no value before '${String(value)}'`);
  }
}
