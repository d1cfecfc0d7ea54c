import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { missingRight } from '../accounts/backup/unit-rights.ts';
import { ownChanges } from '../catalogue/own-definitions.ts';
import { readCatalogue } from '../catalogue/read-definitions.ts';
import { readSettings, settingNames } from '../config.ts';
import { requireNoRemoved, unknownNames } from '../settings/setting-names.ts';
import { isSecret, type Environment, type Setting, type SettingsFile } from '../settings/settings-reader.ts';
import { textTable } from './text-table.ts';

/** `land-lookup check-config` */
export function register(program: Command): void {
  program
    .command('check-config')
    .description('check the settings, and print what is in force and from where')
    .option('--settings <FILE>', 'also check a file of settings: the environment has precedence over it')
    .addHelpText('after', '\nExit code: 0 when the settings are good, otherwise 1.')
    .action(({ settings }: { settings?: string }) => {
      console.log(checkConfig(settings ?? null));
    });
}

/**
 * Returns a table of the settings in force.
 * @param env this process's own unless a test has another.
 * @throws Error that names a bad value, a name that is no setting (any more), or what is wrong with a definition in LAYERS_DIR.
 */
export function checkConfig(file: string | null, env?: Environment): string {
  const given = file === null ? null : readFile(file);
  const { config, settings } = readSettings(env, given);
  const rows = settings.map((setting) => [setting.name, shown(setting), setting.from]);
  const own = ownChanges(config.layersDir, config.ownLayersDir);
  // All of them are checked together, as a start does.
  if (own.length > 0) readCatalogue(config);
  const definitions = own.length === 0 ? '' : `\nDefinitions in LAYERS_DIR: ${own.join(', ')}`;
  return textTable(['setting', 'in force', 'from'], rows) + definitions + backupsRefused(given);
}

/** The unit of the backup reads this setting from the file. */
function backupsRefused(file: SettingsFile | null): string {
  const folder = file?.values['BACKUP_DIR'];
  const advice = folder ? missingRight(resolve(folder)) : null;
  return advice === null ? '' : `\nBACKUP_DIR: the unit land-lookup-backup cannot write to ${folder!}: ${advice}`;
}

/** A file of settings is for this program, so it has nothing else. @throws Error that lists what is no setting. */
function readFile(name: string): SettingsFile {
  const values = parseEnv(readFileSync(name, 'utf8'));
  requireNoRemoved(Object.keys(values));
  const unknown = unknownNames(Object.keys(values), settingNames()).map(({ given, meant }) =>
    meant === null ? given : `${given} (${meant}?)`,
  );
  if (unknown.length === 0) return { name, values };
  throw new Error(`${name} has names that are no settings: ${unknown.join(', ')}. Correct them, or remove the lines`);
}

function shown({ name, value }: Setting): string {
  if (value === null) return name === 'REDIS_URL' ? 'not set: one process alone can serve DATA_DIR' : 'not set';
  if (name === 'REDIS_URL') return value.replace(/\/\/.*@/, '//…@');
  return isSecret(name) ? '(secret)' : value;
}
