import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from '../../words.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting in force. */
export interface Setting {
  readonly name: string;
  /** Null: it has none, and no default. */
  readonly value: string | null;
  /** Where it is from: the environment, a file, or nowhere. */
  readonly from: string;
}

/** A file of settings, over which the environment has precedence. */
export interface SettingsFile {
  readonly name: string;
  readonly values: Environment;
}

/** @throws Error when the file cannot be read. */
export function readSettingsFile(name: string, file = name): SettingsFile {
  return { name, values: parseEnv(readFileSync(file, 'utf8')) };
}

/** Values that a process of systemd reads from files that only it can see (systemd.exec, LoadCredential). */
const SECRETS: ReadonlySet<string> = new Set(['STRIPE_API_KEY', 'STRIPE_WEBHOOK_SECRET', 'REDIS_URL', 'GEOCODER_KEY']);

/** Says whether the value of a setting must not be shown. */
export function isSecret(name: string): boolean {
  return SECRETS.has(name);
}

/**
 * Reads settings by their names, and notes each with where it is from, and what is wrong with it: all faults are told at once. An empty variable counts
 * as not set.
 */
export class SettingsReader {
  readonly #env: Environment;
  readonly #file: SettingsFile | null;
  readonly #read = new Map<string, Setting>();
  readonly #faults = new Set<string>();

  constructor(env: Environment, file: SettingsFile | null = null) {
    this.#env = env;
    this.#file = file;
  }

  /** Every setting that was asked for, in this order. */
  get settings(): readonly Setting[] {
    return [...this.#read.values()];
  }

  /** What is wrong with the settings that were read so far. */
  get faults(): readonly string[] {
    return [...this.#faults];
  }

  /** Reads settings that belong together. What it throws is a fault; the result is then undefined, and nobody may use it. */
  readonly attempt = <T>(read: () => T): T => {
    try {
      return read();
    } catch (cause) {
      this.#faults.add(messageOf(cause));
      return undefined as T;
    }
  };

  /** A file with a secret that cannot be read is a fault, and the setting counts as not set. */
  readonly text = ((name: string, fallback?: string): string | undefined => {
    const { value, from } = this.#find(name);
    if (!this.#read.has(name)) this.#read.set(name, { name, value: value ?? fallback ?? null, from });
    return value ?? fallback;
  }) as ReadText;

  /** Another value is a fault, which names the setting and what it takes, and the fallback holds. */
  readonly integer: ReadInteger = (name, fallback, [least, most]) => {
    const given = this.text(name, String(fallback));
    const value = /^\d{1,12}$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    this.#faults.add(`${name} must be a whole number from ${least} to ${most}, not "${given}"`);
    return fallback;
  };

  isSet(name: string): boolean {
    return this.#find(name).value !== undefined;
  }

  /** A list with commas between its members; null when it is not set. Set and empty, it has none. */
  list(name: string): readonly string[] | null {
    const given = this.text(name);
    if (given !== undefined) return given.split(',').map((member) => member.trim());
    return (this.#env[name] ?? this.#file?.values[name]) === undefined ? null : [];
  }

  #find(name: string): { readonly value: string | undefined; readonly from: string } {
    const variable = valueIn(this.#env, name);
    const inFile = this.#file ? valueIn(this.#file.values, name) : undefined;
    if (variable !== undefined && inFile === undefined) return { value: variable, from: 'environment' };
    if (this.#file && inFile !== undefined) {
      const isOverruled = variable !== undefined && variable !== inFile;
      return { value: variable ?? inFile, from: `${isOverruled ? 'environment, not ' : ''}${this.#file.name}` };
    }
    const value = this.attempt(() => credential(this.#env, name));
    return { value, from: value === undefined ? 'default' : 'file of the secret' };
  }
}

function valueIn(values: Environment, name: string): string | undefined {
  return values[name]?.trim() || undefined;
}

/** Returns a setting, or the fallback when it is not set. */
export interface ReadText {
  (name: string): string | undefined;
  (name: string, fallback: string): string;
}
export type ReadInteger = (name: string, fallback: number, range: readonly [number, number]) => number;

/** @throws Error when the file is there and cannot be read. */
function credential(env: Environment, name: string): string | undefined {
  const folder = env['CREDENTIALS_DIRECTORY'];
  if (!folder || !SECRETS.has(name)) return undefined;
  const file = join(folder, `secrets_${name}`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined;
}
