import type { Command } from 'commander';
import type { Readers } from '../../feature.ts';
import { messageOf } from '../../words.ts';
import { backupsCheck } from './backups.ts';
import { certificateCheck, proxyCheck } from './proxy.ts';
import { type Check, type Finding, type State, unchecked, type Installation, lookAt } from './installation.ts';
import { clockCheck } from './clock.ts';
import { dataCheck, storesCheck } from './data.ts';
import { diskCheck, memoryCheck } from './disk.ts';
import { jobsCheck, unitsCheck, unitPathsCheck } from './units.ts';
import { redisCheck } from './redis.ts';
import { releasesCheck, layersCheck, portsCheck, settingsCheck } from './settings.ts';
import { rightsCheck } from './rights.ts';
import { textTable } from '../../core/terminal/command.ts';

/** In the order of the table. */
const checks: readonly Check[] = [
  ...[settingsCheck, portsCheck, layersCheck, rightsCheck, unitsCheck, unitPathsCheck, proxyCheck, certificateCheck],
  ...[redisCheck, storesCheck, dataCheck, releasesCheck, jobsCheck, backupsCheck, diskCheck, memoryCheck, clockCheck],
];

/** `land-lookup doctor` */
export function register(program: Command, { settings }: Readers): void {
  program
    .command('doctor')
    .description(
      'look at the whole installation, and say what is good, what is not, and what to type; it changes nothing',
    )
    .option('--json', 'print a list of findings as JSON')
    .addHelpText('after', '\nExit code: 0 all good, 1 warnings, 2 faults.')
    .action(async ({ json }: { json?: true }) => {
      try {
        const findings = await examine(settings);
        console.log(json ? JSON.stringify(findings, null, 2) : table(findings));
        process.exitCode = exitCode(findings);
      } catch (cause) {
        console.error(`land-lookup: ${messageOf(cause)}${asRoot(cause)}`);
        process.exitCode = 2;
      }
    });
}

/** Something that was looked at, and by which check. */
export interface NamedFinding extends Finding {
  readonly check: string;
}

/** Looks at an installation. A check that fails is not checked, and the others go on. @throws Error when the settings cannot be read. */
export async function examine(
  readSettings: Readers['settings'],
  options: Parameters<typeof lookAt>[1] = {},
): Promise<readonly NamedFinding[]> {
  const installation = lookAt(readSettings, options);
  const found: NamedFinding[] = [];
  // One after the other: a program that one waits for holds up the answers of Redis.
  for (const check of checks) found.push(...(await runCheck(check, installation)));
  return found;
}

async function runCheck({ name, run }: Check, installation: Installation): Promise<NamedFinding[]> {
  try {
    return (await run(installation)).map((finding) => ({ check: name, ...finding }));
  } catch (cause) {
    return [{ check: name, ...unchecked(`${messageOf(cause)}${asRoot(cause)}`) }];
  }
}

function asRoot(cause: unknown): string {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return ['EACCES', 'EPERM'].includes(code) ? '; run "sudo land-lookup doctor"' : '';
}

/** 0: good, 1: warnings, 2: faults. What could not be checked counts as good. */
export function exitCode(findings: readonly NamedFinding[]): number {
  const has = (state: State): boolean => findings.some((one) => one.state === state);
  return has('fault') ? 2 : has('warning') ? 1 : 0;
}

/** A line for each finding, and below it what to type. */
export function table(findings: readonly NamedFinding[]): string {
  const rows = findings.flatMap(({ check, state, text, remedy }) => [
    [check, state, text],
    ...(remedy === null ? [] : [['', '', `  -> ${remedy}`]]),
  ]);
  const count = (state: State): number => findings.filter((one) => one.state === state).length;
  const sum = `${count('fault')} faults, ${count('warning')} warnings, ${count('not checked')} not checked, ${count('good')} good`;
  return `${textTable(['check', 'state', ''], rows)}\n\n${sum}`;
}
