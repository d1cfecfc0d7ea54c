import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Ajv } from 'ajv';
import { NO_LIMITS, type CustomerRecord, type KeyRecord, type KeyStore } from './key-store.ts';
import type { SignupRecord } from './signup-store.ts';
import { auditEntry, importKey } from './keys.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' } as const;
const timeOrNull = { ...time, type: ['string', 'null'] } as const;

const countOrNull = { type: ['integer', 'null'], minimum: 1 } as const;

const recordSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'limitPerHour', 'customer', 'createdAt', 'expiresAt', 'revokedAt', 'secrets'],
  properties: {
    id: { ...text, pattern: '^key_[0-9a-f]{16}$' },
    name: text,
    limitPerHour: countOrNull,
    customer: { type: ['string', 'null'] },
    createdAt: time,
    expiresAt: timeOrNull,
    revokedAt: timeOrNull,
    // Missing in exports of earlier versions.
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        budgetPerMonth: countOrNull,
        ownBudgetPerMonth: countOrNull,
        burstPerS: countOrNull,
        inFlight: countOrNull,
        networks: { type: 'array', items: text },
        batchRowsPerDay: { type: 'integer', minimum: 0 },
      },
    },
    secrets: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['hash', 'createdAt', 'expiresAt'],
        properties: { hash: { ...text, pattern: '^[0-9a-f]{64}$' }, createdAt: time, expiresAt: timeOrNull },
      },
    },
  },
} as const;

const textOrNull = { type: ['string', 'null'] } as const;

const otherSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    signup: {
      type: 'object',
      additionalProperties: false,
      required: [
        'id',
        'state',
        'createdAt',
        'changedAt',
        'attempt',
        'price',
        'customer',
        'subscription',
        'keyId',
        'reason',
      ],
      properties: {
        id: { ...text, pattern: '^sgn_[0-9a-f]{64}$' },
        state: { enum: ['begun', 'open', 'paid', 'issued', 'shown', 'ending', 'ended'] },
        ...{ createdAt: time, changedAt: time, price: text, sessionId: textOrNull, customer: textOrNull },
        attempt: { type: 'integer', minimum: 1 },
        ...{ subscription: textOrNull, keyId: textOrNull, salt: textOrNull, reason: text },
      },
    },
    suspension: {
      type: 'object',
      additionalProperties: false,
      required: ['customer', 'suspendedAt', 'reason', 'resumedAt', 'cause'],
      properties: {
        ...{ customer: text, suspendedAt: timeOrNull, reason: text, resumedAt: timeOrNull },
        cause: { enum: ['operator', 'rejections', 'payment', 'forgiven'] },
      },
    },
  },
} as const;

type ReadRecord = Omit<KeyRecord, 'limits'> & { readonly limits?: Partial<KeyRecord['limits']> };

/** A line about something else than a key. */
type OtherLine = { readonly signup: SignupRecord } | { readonly suspension: CustomerRecord };

/**
 * Writes all records, one JSON document per line: keys, then sign-ups and suspensions of customers. They contain hashes and names, so protect the
 * output like the store.
 */
export async function exportKeys(store: KeyStore, output: Pick<NodeJS.WritableStream, 'write'>): Promise<void> {
  for (const record of await store.list()) output.write(`${JSON.stringify(normalised(record))}\n`);
  for (const signup of await store.signups.list('all')) output.write(`${JSON.stringify({ signup })}\n`);
  for (const suspension of await store.customers()) output.write(`${JSON.stringify({ suspension })}\n`);
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
 * Imports the records of an export, and skips one that already exists unchanged. Returns a text that says what was
 * done.
 * @throws Error before anything is written when a line is not a record or differs from an existing record.
 */
export async function importKeys(store: KeyStore, file: string): Promise<string> {
  const { records, others } = readLines(file);
  const present = new Map((await store.list()).map((record) => [record.id, JSON.stringify(normalised(record))]));
  const missing = records.filter((record) => {
    const own = present.get(record.id);
    if (own !== undefined && own !== JSON.stringify(record)) throw new Error(`${record.id} already exists and differs`);
    return own === undefined;
  });
  for (const record of missing) await importKey(store, record);
  for (const line of others) await importOther(store, line);
  return `${missing.length} keys imported, ${records.length - missing.length} existed already`;
}

/** Adds a sign-up or a suspension; what the store has already stays as it is. */
async function importOther(store: KeyStore, line: OtherLine): Promise<void> {
  if ('signup' in line) {
    await store.signups.update(line.signup.id, (before) => before ?? line.signup);
    return;
  }
  const { suspension } = line;
  await store.updateCustomer(suspension.customer, (before) => ({
    record: before ?? suspension,
    audit: auditEntry(suspension.customer, 'import', suspension.reason),
  }));
}

function readLines(file: string): { readonly records: KeyRecord[]; readonly others: OtherLine[] } {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile<ReadRecord>(recordSchema);
  const lines = readFileSync(file, 'utf8').split('\n');
  const others: OtherLine[] = [];
  const records = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const record: unknown = parse(line, index);
    if (isOther(record)) {
      others.push(record);
      return [];
    }
    if (validate(record)) return [normalised(record)];
    const [first] = validate.errors ?? [];
    throw new Error(`line ${index + 1}: ${first?.instancePath ?? ''} ${first?.message ?? 'is not a key record'}`);
  });
  return { records, others };
}

const isOther = new Ajv({ strict: true, allowUnionTypes: true }).compile<OtherLine>(otherSchema);

/** Puts the members in the order of the stores, so that texts can be compared. */
function normalised({
  id,
  name,
  limitPerHour,
  customer,
  limits,
  createdAt,
  expiresAt,
  revokedAt,
  secrets,
}: ReadRecord): KeyRecord {
  return {
    ...{ id, name, limitPerHour, customer, limits: { ...NO_LIMITS, ...limits } },
    ...{ createdAt, expiresAt, revokedAt },
    secrets: secrets.map(({ hash, createdAt: since, expiresAt: until }) => ({
      hash,
      createdAt: since,
      expiresAt: until,
    })),
  };
}

function parse(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`line ${index + 1} is not JSON`, { cause });
  }
}
