/** Batches whose results are in memory, as the architecture describes a result row. */
import type { BatchStore } from '../../../src/features/batches/batch-store.ts';
import { ROWS_PER_CHUNK, type BatchJob } from '../../../src/features/batches/job.ts';
import { noRows } from '../../../src/features/batches/rows/row.ts';

export const job: BatchJob = {
  ...{
    id: 'bat_0199e4f0a000aaaaaaaaaaaaaaaaaaaa',
    keyId: 'key_1',
    customer: null,
    state: 'completed',
    detail: 'plain',
    further: [],
    members: {},
  },
  ...{ callbackUrl: null, snapshot: '20260101T000000Z-000000000000', rows: 3, counts: noRows },
  ...{ createdAt: '2026-11-22T12:00:00.000Z', startedAt: null, endedAt: null, expiresAt: null },
  ...{ isCancelled: false, error: null, inputBytes: 0, ignoredColumns: [], resultBytes: 0 },
};

/** A store that holds these lines, `ready` chunks of which can be read. It counts how often each is read. */
export function storeOf(
  lines: readonly string[],
  ready = Math.ceil(lines.length / ROWS_PER_CHUNK),
): Pick<BatchStore, 'readyChunks' | 'readResult'> & { readonly read: number[] } {
  const read: number[] = [];
  return {
    read,
    readyChunks: () => Promise.resolve(ready),
    readResult: (_job, index) => {
      read.push(index);
      const chunk = lines.slice(index * ROWS_PER_CHUNK, (index + 1) * ROWS_PER_CHUNK);
      return Promise.resolve(chunk.map((line) => `${line}\n`).join(''));
    },
  };
}

/** Values of each kind; layers that are not named are null. */
export const placeBody = {
  address: '12 Main St W, Sampleton, ON L0X 5X8, "near", \u00e9',
  ...{ lat: 44.1, lon: -78.61 },
  layers: {
    greenbelt: false,
    ormcp: '=Core',
    soil: { cliClass: '1', description: null },
    waterWells: { count500m: 2, nearestDistanceM: null },
    municipality: { name: 'Sampleton' },
  },
  dataAsOf: { greenbelt: '2025-01-24' },
};

export const areaBody = {
  ...{ areaM2: 4046.9, lat: 44.2, lon: -78.5, repaired: false, insideOntarioShare: 1 },
  layers: { greenbelt: { share: 0.3712, unknownShare: 0 }, ormcp: null },
  dataAsOf: { greenbelt: '2025-01-24' },
};

/** A row with an answer, or a failure: a stored line, without its end. */
export function foundLine(row: number, body: object, customId: string | null = `c${row}`): string {
  const lookupId = `lkp_0199e4f0a000${String(row).padStart(20, '0')}`;
  return JSON.stringify({ row, custom_id: customId, status: 200, code: null, lookupId, body });
}

function failedLine(row: number, status: number, code: string, body: object): string {
  return JSON.stringify({ row, custom_id: `,"body":{${row}`, status, code, lookupId: null, body });
}

export const notFound = {
  ...{ detail: 'There is no such street.', reason: 'STREET_NOT_FOUND', suggestions: ['12 Main St W'] },
};

/** A row of each kind. */
export const oneOfEach: readonly string[] = [
  foundLine(1, placeBody, '=1+1'),
  failedLine(2, 404, 'ADDRESS_NOT_FOUND', notFound),
  foundLine(3, areaBody, null),
  failedLine(4, 500, 'INTERNAL', {}),
];

export async function joinedText(parts: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of parts) text += typeof part === 'string' ? part : Buffer.from(part).toString();
  return text;
}

export async function joinedBytes(parts: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(Buffer.from(part));
  return Buffer.concat(all);
}
