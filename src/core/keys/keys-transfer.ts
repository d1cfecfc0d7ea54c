import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
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
 * Writes all records, one JSON document per line: keys, then sign-ups and suspensions of customers. They contain hashes and names, so protect the
 * output like the store.
 */
export async function exportKeys(store: KeyStore, output: Pick<NodeJS.WritableStream, 'write'>): Promise<void> {
  const write = (line: Line): boolean => output.write(`${JSON.stringify(line)}\n`);
  for (const record of await store.list()) write(record);
  for (const signup of await store.signups.list('all')) write({ signup });
  for (const suspension of await store.customers()) write({ suspension });
}

/** Does the same into a new file that only its owner can read. @throws Error when the file exists. */
export async function exportKeysTo(store: KeyStore, file: string): Promise<void> {
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await once(output, 'open');
  await exportKeys(store, output);
  output.end();
  await finished(output);
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
