import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, SettingsRead } from '../../core/settings/config.ts';
import {
  isSecret,
  readSettingsFile,
  type Environment,
  type SettingsFile,
} from '../../core/settings/settings-reader.ts';
import type { Readers } from '../../feature.ts';
import type { User } from './reading.ts';
import { readUnit, type Unit } from '../../core/units/unit-files.ts';

export const SETTINGS = '/etc/land-lookup/land-lookup.env';
export const IMPORT_SETTINGS = '/etc/land-lookup/import.env';
export const SECRETS = '/etc/land-lookup/secrets';
export const RELEASES = '/opt/land-lookup/releases';

/** What a `doctor` looks at. Paths are those of the machine; `at` says where they are below the root. */
export interface Installation {
  readonly nowMs: number;
  /** True with the settings below /etc; false in a clone and in a container, where the environment has them. */
  readonly isInstalled: boolean;
  readonly isContainer: boolean;
  readonly hasSystemd: boolean;
  readonly isRoot: boolean;
  readonly settings: SettingsRead;
  /** Settings of the service's file, of its unit and of the secrets by name, with those that only scripts read. */
  readonly values: Environment;
  readonly importValues: Environment;
  /** Names of the features that its commands have. */
  readonly importFeatures: readonly string[];
  /** What is wrong with them. */
  readonly importFaults: readonly string[];
  readonly dataDir: string;
  readonly backupDir: string;
  readonly config: Partial<Config>;
  readonly users: ReadonlyMap<string, User>;
  /** Started with the machine. */
  readonly enabled: readonly string[];
  /** Names of the enabled instances: their ports. */
  readonly instances: readonly string[];
  readonly at: (path: string) => string;
  readonly unit: (name: string) => Unit | null;
  /** `status`: null when there is no such program, or it did not end in time. */
  readonly run: (
    program: string,
    args: readonly string[],
    options?: { readonly user?: User; readonly env?: Environment },
  ) => { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

/** @throws Error when the settings cannot be read. */
export function lookAt(
  readSettings: Readers['settings'],
  {
    root = '',
    env,
    nowMs = Date.now(),
    run = runHere,
  }: {
    /** Folder that is the root of the machine. */
    readonly root?: string;
    /** This process's own unless a test has another. */
    readonly env?: Environment;
    readonly nowMs?: number;
    readonly run?: Installation['run'];
  } = {},
): Installation {
  const at = (path: string): string => (root === '' ? path : join(root, path));
  const isContainer = ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(at(file)));
  const isInstalled = existsSync(at(SETTINGS)) && !isContainer;
  const unit = (name: string): Unit | null => readUnit(root, name);
  const file = isInstalled ? readSettingsFile(SETTINGS, at(SETTINGS)) : null;
  const values = file ? serviceValues(at, unit('land-lookup@.service'), file) : {};
  const settings = readSettings(env, file && { ...file, values });
  const ofImports = existsSync(at(IMPORT_SETTINGS))
    ? readSettingsFile(IMPORT_SETTINGS, at(IMPORT_SETTINGS))
    : { name: IMPORT_SETTINGS, values: {}, faults: [] };
  const imports = readSettings({}, ofImports);
  const enabled = enabledUnits(root);
  return {
    nowMs,
    isInstalled,
    isContainer,
    settings,
    values,
    enabled,
    at,
    unit,
    run,
    hasSystemd: existsSync(at('/run/systemd/system')),
    isRoot: process.getuid?.() === 0,
    importValues: ofImports.values,
    importFaults: imports.faults,
    importFeatures: imports.draft.features!,
    dataDir: settings.draft.dataDir!,
    backupDir: values['BACKUP_DIR'] ?? '/var/backups/land-lookup',
    config: settings.draft,
    users: readUsers(at),
    instances: enabled.flatMap((name) => /^land-lookup@(.+)\.service$/.exec(name)?.[1] ?? []),
  };
}

/** As the unit gives them to the service: a line of the file has precedence over the unit, and both over a secret. */
function serviceValues(at: Installation['at'], unit: Unit | null, file: SettingsFile): Environment {
  const values: Record<string, string | undefined> = {};
  for (const name of secretNames(at).filter(isSecret))
    values[name] = readFileSync(at(join(SECRETS, name)), 'utf8').trim();
  for (const word of unit?.words('Environment') ?? []) {
    const [name = '', value] = word.split(/=(.*)/s);
    values[name] = value;
  }
  return { ...values, ...file.values };
}

/** @throws Error for all but root, who alone can look into the folder. */
export function secretNames(at: Installation['at']): readonly string[] {
  return existsSync(at(SECRETS)) ? readdirSync(at(SECRETS)) : [];
}

function readUsers(at: Installation['at']): ReadonlyMap<string, User> {
  const lines = (file: string): string[][] =>
    existsSync(at(file))
      ? readFileSync(at(file), 'utf8')
          .split('\n')
          .map((line) => line.split(':'))
      : [];
  const groups = lines('/etc/group');
  const users = lines('/etc/passwd').flatMap(([name, , uid, gid]): [string, User][] => {
    if (name === undefined || uid === undefined) return [];
    const others = groups.flatMap(([, , id, members]) => (members?.split(',').includes(name) ? [Number(id)] : []));
    return [[name, { uid: Number(uid), gid: Number(gid), gids: new Set([Number(gid), ...others]) }]];
  });
  return new Map(users);
}

const RUN_MS = 60_000;

/** Runs a program of this machine. */
export const runHere: Installation['run'] = (program, args, { user, env } = {}) => {
  const ran: { status: number | null; stdout: string | null; stderr: string | null } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: RUN_MS,
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    ...(env === undefined ? {} : { env: { ...env } }),
  });
  // Without the program there is no text.
  return { status: ran.status, stdout: ran.stdout ?? '', stderr: ran.stderr ?? '' };
};

/** What starts a backup, which FEATURES may have left out. */
export function startBackups({ config }: Pick<Installation, 'config'>, command: string): string {
  return config.features!.includes('backup')
    ? command
    : `sudoedit ${SETTINGS}: add backup to FEATURES, then: ${command}`;
}

export type State = 'good' | 'warning' | 'fault' | 'not checked';

/** Something that was looked at. */
export interface Finding {
  readonly state: State;
  readonly text: string;
  /** What to type, or the line to write; null where there is nothing to do. */
  readonly remedy: string | null;
}

/** Looks at one side of an installation, and changes nothing. Without a finding it is good. */
export interface Check {
  readonly name: string;
  readonly run: (installation: Installation) => readonly Finding[] | Promise<readonly Finding[]>;
}

export const good = (text: string): Finding => ({ state: 'good', text, remedy: null });
export const warning = (text: string, remedy: string): Finding => ({ state: 'warning', text, remedy });
export const fault = (text: string, remedy: string): Finding => ({ state: 'fault', text, remedy });
export const unchecked = (text: string): Finding => ({ state: 'not checked', text, remedy: null });

/** Names of the units that are started with the machine: `land-lookup@8081.service`. */
function enabledUnits(root: string): readonly string[] {
  const folder = join(root, '/etc/systemd/system');
  if (!existsSync(folder)) return [];
  const wants = readdirSync(folder).filter((name) => name.endsWith('.wants'));
  const names = wants.flatMap((want) =>
    readdirSync(join(folder, want)).filter((name) => isLink(join(folder, want, name))),
  );
  return [...new Set(names)].filter((name) => name.startsWith('land-lookup')).sort();
}

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) !== '';
  } catch {
    return false;
  }
}
