import type { Request } from 'express';
import { MOST_UPLOAD_BYTES } from '../../../core/http/slow-clients.ts';
import { fileTooLarge } from '../intake.ts';
import { addressColumnsOf } from '../rows/address-columns.ts';
import type { RowsFormat } from '../rows/read-rows.ts';
import { badRequest, cutShort } from '../../../messages/problems.ts';
import {
  batchListQuerySchema,
  batchQuerySchema,
  resultsQuerySchema,
  resultTypes,
  resultFormats,
  type ResultFormat,
  type BatchListQuery,
  type BatchQuery,
  type ResultsQuery,
} from '../wire/batch.ts';
import { receiverAsked } from '../../../core/parts/parts.ts';
import type { BatchJob } from '../job.ts';
import { furtherOf } from '../../../core/lookup/further-keys.ts';
import { vintageOf } from '../vintage.ts';
import { furtherTakes } from '../../../core/http/lookup-request.ts';
import { membersOf } from '../../../core/http/answer-members.ts';
import { acceptedType } from '../../../core/http/accepted-type.ts';
import { queryRules } from '../../../core/http/query.ts';
import type { Services } from '../../../core/http/services.ts';

export const batchQuery = queryRules<BatchQuery>(batchQuerySchema, {
  takes: {
    detail: 'one value: plain or full',
    ...furtherTakes,
    address_columns: 'names of columns with commas between them',
    vintage: 'the id of a snapshot, or a day as YYYY-MM-DD',
    callback_url: 'one URL of at most 2048 characters',
  },
  takesMembers: true,
});
export const listQuery = queryRules<BatchListQuery>(batchListQuerySchema, {
  takes: { limit: 'one whole number from 1 to 100', cursor: 'one value: nextCursor of the page before' },
  numbers: ['limit'],
});
export const resultsQuery = queryRules<ResultsQuery>(resultsQuerySchema, {
  takes: {
    format: `one value: ${resultFormats.join(', ')}`,
    after: 'one whole number from 0 to 1000000',
  },
  numbers: ['after'],
});

/** What a batch is asked for with, besides its rows. */
export interface AskedBatch extends Pick<BatchJob, 'further' | 'members'> {
  /** Id of the snapshot; null: the one in service when all rows are there. */
  readonly snapshot: string | null;
  readonly detail: 'plain' | 'full';
  readonly callbackUrl: string | null;
}

/** How the rows of an upload are read. @throws AppError BAD_REQUEST for what are no names. */
export function askedRowsOf({ address_columns: names }: BatchQuery): { readonly addressColumns?: readonly string[] } {
  return names === undefined ? {} : { addressColumns: addressColumnsOf(names, 'address_columns') };
}

/** @throws AppError BAD_REQUEST for unknown layers, and a receiver that cannot be used; NOT_FOUND or GONE for a vintage that is not there. */
export async function askedBatchOf(
  query: BatchQuery,
  services: Pick<Services, 'furtherKeys' | 'members' | 'parts' | 'events' | 'snapshots' | 'config'>,
): Promise<AskedBatch> {
  const { detail = 'plain', layers, vintage, callback_url: callbackUrl } = query;
  const { furtherKeys, events } = services;
  const { further = [] } = furtherOf(layers, furtherKeys);
  const { members = {} } = membersOf(query, services);
  if (callbackUrl !== undefined) {
    if (!events.isHeard(receiverAsked))
      throw badRequest('this service sends no webhooks: leave callback_url out', { param: 'callback_url' });
    await events.tell(receiverAsked, callbackUrl);
  }
  const { snapshots, config } = services;
  const inService = snapshots.manifest.id;
  const snapshot = vintage === undefined ? null : vintageOf(vintage, { dataDir: config.dataDir, inService });
  return { detail, further, members, snapshot, callbackUrl: callbackUrl ?? null };
}

const FORMATS: Readonly<Record<string, RowsFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
};

/** Reads from the headers what an upload is. @throws AppError BAD_REQUEST for what cannot be read, TOO_LARGE when its length is known and too much. */
export function uploadFormatOf(req: Request): { readonly format: RowsFormat; readonly isGzip: boolean } {
  const [type = '', ...parameters] = (req.get('content-type') ?? '').toLowerCase().split(';');
  const format = FORMATS[type.trim()];
  if (!format) {
    throw badRequest('send a file with Content-Type: text/csv or application/x-ndjson', {
      reason: 'MEDIA_TYPE',
      param: 'Content-Type',
    });
  }
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/.exec(one)?.[1])
    .find((one) => one !== undefined);
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/.test(charset)) {
    throw badRequest(`the file must be UTF-8, not ${cutShort(charset)}`, { reason: 'ENCODING', param: 'Content-Type' });
  }
  const encoding = (req.get('content-encoding') ?? 'identity').toLowerCase().trim();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    throw badRequest('Content-Encoding must be gzip, or absent', {
      reason: 'ENCODING',
      param: 'Content-Encoding',
    });
  }
  if (Number(req.get('content-length') ?? 0) > MOST_UPLOAD_BYTES) throw fileTooLarge(MOST_UPLOAD_BYTES);
  return { format, isGzip: encoding !== 'identity' };
}

/** NDJSON for a client that accepts anything, or none of the formats. */
export function acceptedFormat(req: Request): ResultFormat {
  const type = acceptedType(req, Object.values(resultTypes));
  return resultFormats.find((format) => resultTypes[format] === type) ?? 'ndjson';
}
