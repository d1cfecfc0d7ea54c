import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Collection } from '../stores/documents.ts';
import type { KeyStore } from './key-store.ts';
import { auditEntry, importKey } from './keys.ts';
import {
  CUSTOMERS,
  customerSchema,
  KEYS,
  keySchema,
  SIGNUPS,
  signupSchema,
  type CustomerRecord,
  type KeyRecord,
  type SignupRecord,
} from './records.ts';

/** A line of an export: the record of a key as it is, another record under the name of its kind. */
type Line = KeyRecord | { readonly signup: SignupRecord } | { readonly suspension: CustomerRecord };

/**
 * Yields all records, one JSON document per line: keys, then sign-ups and suspensions of customers. They contain hashes and names, so protect them like
 * the store.
 */
export async function* exportedLines(store: KeyStore): AsyncGenerator<string> {
  const text = (line: Line): string => `${JSON.stringify(line)}\n`;
  for (const record of await store.list()) yield text(record);
  for (const signup of await store.signups.list('all')) yield text({ signup });
  for (const suspension of await store.customers()) yield text({ suspension });
}

/** Writes them into a new file that only its owner can read. @throws Error when the file exists, or cannot be written: then there is none. */
export async function exportKeysTo(store: KeyStore, file: string): Promise<void> {
  const output = await open(file, 'wx', 0o600);
  try {
    await output.writeFile(exportedLines(store));
    await output.sync();
  } catch (cause) {
    await rm(file).catch(() => undefined);
    throw cause;
  } finally {
    await output.close();
  }
}

/**
 * Imports the records of an export. A key that already exists unchanged, and a sign-up or a suspension that the store has, stay as they are. Returns a
 * text that says what was done.
 * @param keepsPresent true: a key that already exists stays as it is, whatever the line says.
 * @throws Error before anything is written when a line is not a record or a key differs from an existing one that does not just stay.
 */
export async function importKeys(
  store: KeyStore,
  file: string,
  { keepsPresent = false }: { keepsPresent?: boolean } = {},
): Promise<string> {
  const { keys, signups, suspensions } = readLines(file);
  const present = new Map((await store.list()).map((record) => [record.id, record]));
  const missing = keys.filter((record) => {
    const own = present.get(record.id);
    if (own && !keepsPresent && !isDeepStrictEqual(own, record))
      throw new Error(`${record.id} already exists and differs`);
    return !own;
  });
  for (const record of missing) await importKey(store, record);
  for (const signup of signups) await store.signups.update(signup.id, (before) => (before ? null : signup));
  for (const record of suspensions) {
    const audit = auditEntry(record.customer, 'import', record.reason);
    await store.updateCustomer(record.customer, (before) => (before ? null : { record, audit }));
  }
  return `${missing.length} keys imported, ${keys.length - missing.length} existed already`;
}

/** What the lines of an export hold. */
function readLines(file: string) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  const checks = {
    key: checker(ajv, keySchema, KEYS),
    signup: checker(ajv, signupSchema, SIGNUPS),
    suspension: checker(ajv, customerSchema, CUSTOMERS),
  };
  const read = { keys: [] as KeyRecord[], signups: [] as SignupRecord[], suspensions: [] as CustomerRecord[] };
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parse(line, index);
    if ('signup' in value) read.signups.push(checks.signup(value['signup'], index));
    else if ('suspension' in value) read.suspensions.push(checks.suspension(value['suspension'], index));
    else read.keys.push(checks.key(value, index));
  }
  return read;
}

/** Makes a function that adds what records of earlier versions lack, and throws for what is no such record. */
function checker<T>(ajv: Ajv, schema: object, { complete = (stored) => stored }: Collection<T>) {
  const validate: ValidateFunction<T> = ajv.compile<T>(schema);
  return (value: unknown, index: number): T => {
    const record: unknown = complete(value as T);
    if (validate(record)) return record;
    const [first] = validate.errors ?? [];
    throw new Error(`line ${index + 1}: ${first?.instancePath ?? ''} ${first?.message ?? 'is not such a record'}`);
  };
}

function parse(line: string, index: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new Error(`line ${index + 1} is not JSON`, { cause });
  }
  throw new Error(`line ${index + 1} is not a record`);
}
