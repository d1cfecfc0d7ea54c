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
  /** What is wrong with its lines. */
  readonly faults: readonly string[];
}

/** @throws Error when the file cannot be read. */
export function readSettingsFile(name: string, file = name): SettingsFile {
  const text = readFileSync(file, 'utf8');
  return { name, values: parseEnv(text), faults: unevenLines(name, text) };
}

/** A line that is the same to systemd, which gives it to the service, and to Node.js, which reads it here and for commands. */
const EVEN_LINE = /^[ \t]*(#.*|\w+[ \t]*=[ \t]*([^ \t"'`#\\][^#\\]*|'[^']*'|"[^"\\]*")?)?[ \t]*$/;

/** Names the lines of which a command would say something else than what the service gets. Their text may be a secret. */
function unevenLines(name: string, text: string): readonly string[] {
  const lines = text.split(/\r?\n/).flatMap((line, index) => (EVEN_LINE.test(line) ? [] : [index + 1]));
  return lines.length === 0
    ? []
    : [
        `${name} has lines that systemd and Node.js read in different ways (${lines.join(', ')}): each is a comment, or NAME=value without "export"; put a value with # or \\ between quotes, with nothing behind them, and save the file without a byte order mark`,
      ];
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

/** Settings that other programs of an installation read from the same files. */
const OF_SCRIPTS = ['RECONCILE_JOURNALS', 'REFRESH_LAYERS_FROM', 'REFRESH_ADDRESSES_FROM'];

/** Settings of commands that ask a server. */
const OF_CLIENTS = ['LAND_LOOKUP_URL', 'LAND_LOOKUP_KEY'];

/** What a file of settings may also hold: variables of Node.js, of the C library and of OpenSSL. */
const OF_OTHERS = /^(NODE_\w+|TZ|LANG|LC_\w+|SSL_\w+|PATH|HOME|TMPDIR)$/;

/** Settings of earlier versions, and what holds in their place. */
const REMOVED: Readonly<Record<string, string>> = {
  MAX_CONNECTIONS: 'a process takes 20,000 connections',
  MAX_IN_FLIGHT_PER_KEY:
    'a key may have MAX_PENDING lookups under way, or as many as "land-lookup keys set KEY --in-flight N" says',
  BATCH_DISK_MB_PER_KEY: 'the batches of a key may have a fifth of BATCH_DISK_MB',
  GEOCODER_TIMEOUT_MS: 'a geocoder has 1.5 seconds for an address',
  BATCH_STORE:
    'a batch is kept by the machine that took it, in DATA_DIR/batches, and a proxy sends all batches of a key to the same one (docs/beyond-one-machine.md). Version 0.2.0 has to finish those that are in Redis and the bucket (docs/operations.md, Upgrade)',
  S3_ENDPOINT: 'neither batches nor snapshots are stored in a bucket (docs/beyond-one-machine.md)',
  S3_PATH_STYLE: 'neither batches nor snapshots are stored in a bucket (docs/beyond-one-machine.md)',
  SUSPEND_AFTER_REJECTIONS: 'a customer is suspended after ten rejected lookups',
};

/** What is wrong with the names in the environment and in a file of settings, which is for this program and so has nothing else. */
export function nameFaults(
  env: Environment,
  file: SettingsFile | null,
  settings: readonly string[],
): readonly string[] {
  const inFile = Object.keys(file?.values ?? {});
  const set = [env, file?.values ?? {}].flatMap((values) => Object.keys(values).filter((name) => values[name]?.trim()));
  const removed = [...new Set([...set, ...inFile])].filter((name) => Object.hasOwn(REMOVED, name));
  const mistyped = unknownNames(Object.keys(env), settings).flatMap(({ given, meant }) =>
    meant === null || inFile.includes(given)
      ? []
      : [`${given} is no setting: correct it to ${meant}, or remove it from the environment`],
  );
  const unknown = unknownNames(inFile, settings).filter(({ given }) => !removed.includes(given));
  const words = unknown.map(({ given, meant }) => (meant === null ? given : `${given} (${meant}?)`)).join(', ');
  return [
    ...(file?.faults ?? []),
    ...removed.map((name) => `${name} is no setting any more: ${REMOVED[name]!}. Remove it`),
    ...mistyped,
    ...(file === null || words === ''
      ? []
      : [`${file.name} has names that are no settings: ${words}. Correct them, or remove the lines`]),
  ];
}

/**
 * Returns the names that are no setting, each with the setting whose name it is one or two typing errors away from.
 * @param settings names that `config.ts` reads, and those of the scripts of features.
 */
function unknownNames(
  names: readonly string[],
  settings: readonly string[],
): readonly {
  readonly given: string;
  /** The setting that was probably meant; null: none is near. */
  readonly meant: string | null;
}[] {
  const known = new Set([...settings, ...OF_SCRIPTS, ...OF_CLIENTS]);
  return names
    .filter((name) => !known.has(name))
    .map((given) => ({ given, meant: [...known].find((name) => isMistyped(given.toUpperCase(), name)) ?? null }))
    .filter(({ given, meant }) => meant !== null || !OF_OTHERS.test(given));
}

/** Short names are near to many words, so they may have fewer errors. */
function isMistyped(given: string, name: string): boolean {
  const mostErrors = name.length < 6 ? 0 : name.length < 9 ? 1 : 2;
  return Math.abs(given.length - name.length) <= mostErrors && typingErrors(given, name) <= mostErrors;
}

/** Letters that were added, left out, changed or swapped with their neighbour (optimal string alignment). */
function typingErrors(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const errors = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      next.push(isSwapped ? Math.min(errors, before[j - 2]! + 1) : errors);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
