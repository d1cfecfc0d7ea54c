import { resolve } from 'node:path';
import type { Command } from 'commander';
import { missingRight, closedTo } from '../core/units/unit-rights.ts';
import { readSettings } from '../config.ts';
import type { Config } from '../core/settings/config.ts';
import type { Readers } from '../feature.ts';
import { checkDefinitions } from '../core/layers/check-definitions.ts';
import {
  isSecret,
  readSettingsFile,
  type Environment,
  type Setting,
  type SettingsFile,
} from '../core/settings/settings-reader.ts';
import { textTable } from '../core/terminal/command.ts';
import { readUnit } from '../core/units/unit-files.ts';

/** `land-lookup check-config` */
export function register(program: Command, { checkFiles }: Pick<Readers, 'checkFiles'>): void {
  program
    .command('check-config')
    .description('check the settings, and print what is in force and from where')
    .option('--settings <FILE>', 'also check a file of settings: the environment has precedence over it')
    .addHelpText('after', '\nExit code: 0 when the settings are good, otherwise 1.')
    .action(async ({ settings = null }: { settings?: string | null }) => {
      const table = checkConfig(settings);
      await checkFiles(readSettings(undefined, settings === null ? null : readSettingsFile(settings)).draft as Config);
      console.log(table);
    });
}

/**
 * Returns a table of the settings in force.
 * @param env this process's own unless a test has another.
 * @throws Error with a line for each bad value, each name that is no setting (any more), and what is wrong with a definition in LAYERS_DIR.
 */
export function checkConfig(file: string | null, env?: Environment): string {
  const given = file === null ? null : readSettingsFile(file);
  const { settings, faults } = readSettings(env, given);
  const own = checkDefinitions(settings);
  const all = [...faults, ...own.faults];
  if (all.length > 0) throw new Error(all.join('\n'));
  const rows = settings.map((setting) => [setting.name, shown(setting), setting.from]);
  const definitions = own.changes.length === 0 ? '' : `\nDefinitions in LAYERS_DIR: ${own.changes.join(', ')}`;
  return textTable(['setting', 'in force', 'from'], rows) + definitions + backupsRefused(given);
}

/** The unit of the backup reads this setting from the file. */
function backupsRefused(file: SettingsFile | null): string {
  const folder = file?.values['BACKUP_DIR'];
  const unit = readUnit('/', 'land-lookup-backup.service');
  // An operator may have opened the folder.
  const isOpen = !folder || (unit !== null && closedTo(unit, resolve(folder)) === null);
  const advice = isOpen ? null : missingRight(resolve(folder));
  return advice === null ? '' : `\nBACKUP_DIR: the unit land-lookup-backup cannot write to ${folder!}: ${advice}`;
}

function shown({ name, value }: Setting): string {
  if (value === null) return name === 'REDIS_URL' ? 'not set: one process alone can serve DATA_DIR' : 'not set';
  if (name === 'REDIS_URL') return value.replace(/\/\/.*@/, '//…@');
  return isSecret(name) ? '(secret)' : value;
}
