import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { NO_LIMITS, type KeyRecord, type KeyStore } from './key-store.ts';
import { importKey } from './keys.ts';

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

type ReadRecord = Omit<KeyRecord, 'limits'> & { readonly limits?: Partial<KeyRecord['limits']> };

/**
 * Writes all records, one JSON document per line. They contain hashes and names, so protect the output like the store.
 */
export async function exportKeys(store: KeyStore, output: Pick<NodeJS.WritableStream, 'write'>): Promise<void> {
  for (const record of await store.list()) output.write(`${JSON.stringify(normalised(record))}\n`);
}

/**
 * Imports the records of an export, and skips one that already exists unchanged. Returns a text that says what was
 * done.
 * @throws Error before anything is written when a line is not a record or differs from an existing record.
 */
export async function importKeys(store: KeyStore, file: string): Promise<string> {
  const records = readRecords(file);
  const present = new Map((await store.list()).map((record) => [record.id, JSON.stringify(normalised(record))]));
  const missing = records.filter((record) => {
    const own = present.get(record.id);
    if (own !== undefined && own !== JSON.stringify(record)) throw new Error(`${record.id} already exists and differs`);
    return own === undefined;
  });
  for (const record of missing) await importKey(store, record);
  return `${missing.length} keys imported, ${records.length - missing.length} existed already`;
}

function readRecords(file: string): KeyRecord[] {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile<ReadRecord>(recordSchema);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const record: unknown = parse(line, index);
    if (validate(record)) return [normalised(record)];
    const [first] = validate.errors ?? [];
    throw new Error(`line ${index + 1}: ${first?.instancePath ?? ''} ${first?.message ?? 'is not a key record'}`);
  });
}

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
