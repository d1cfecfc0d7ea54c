import type { ErrorObject } from 'ajv';
import type { Request } from 'express';
import { MOST_BYTES, tooLarge } from '../../batches/intake.ts';
import type { RowsFormat } from '../../rows/read-rows.ts';
import { AppError } from '../../shared/problems.ts';
import {
  batchListQuerySchema,
  batchQuerySchema,
  DEFAULT_LISTED,
  resultsQuerySchema,
  resultTypes,
  type BatchListQuery,
  type BatchQuery,
  type ResultsQuery,
} from '../../shared/wire/batch.ts';
import { callbackUrlFault } from '../../webhooks/callback-url.ts';
import { validatorOf } from '../validator.ts';

const isBatchQuery = validatorOf<BatchQuery>(batchQuerySchema);
const isListQuery = validatorOf<BatchListQuery>(batchListQuerySchema);
const isResultsQuery = validatorOf<ResultsQuery>(resultsQuerySchema);

/** What a batch is asked for with, besides its rows. */
export interface AskedBatch {
  readonly detail: 'plain' | 'full';
  readonly callbackUrl: string | null;
}

/** Reads the query of `POST /api/batches`. @throws AppError BAD_REQUEST that names the error. */
export function askedBatchOf(query: unknown, allowList: readonly string[]): AskedBatch {
  if (!isBatchQuery(query)) throw queryFault(isBatchQuery.errors);
  const { detail = 'plain', callback_url: callbackUrl = null } = query;
  const fault = callbackUrl === null ? null : callbackUrlFault(callbackUrl, allowList);
  if (fault !== null) throw new AppError('BAD_REQUEST', `callback_url cannot be used: ${fault}`);
  return { detail, callbackUrl };
}

/** What an upload is. */
export interface UploadFormat {
  readonly format: RowsFormat;
  readonly isGzip: boolean;
}

const FORMATS: Readonly<Record<string, RowsFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
};

/** Reads the headers of an upload. @throws AppError BAD_REQUEST for what cannot be read, TOO_LARGE when its length is known and too much. */
export function uploadFormatOf(req: Request): UploadFormat {
  const [type = '', ...parameters] = (req.get('content-type') ?? '').toLowerCase().split(';');
  const format = FORMATS[type.trim()];
  if (!format) throw new AppError('BAD_REQUEST', 'send a file with Content-Type: text/csv or application/x-ndjson');
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/.exec(one)?.[1])
    .find((one) => one !== undefined);
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/.test(charset)) {
    throw new AppError('BAD_REQUEST', `the file must be UTF-8, not ${charset}`);
  }
  const encoding = (req.get('content-encoding') ?? 'identity').toLowerCase().trim();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    throw new AppError('BAD_REQUEST', 'Content-Encoding must be gzip, or absent');
  }
  if (Number(req.get('content-length') ?? 0) > MOST_BYTES) throw tooLarge(MOST_BYTES);
  return { format, isGzip: encoding !== 'identity' };
}

/** Reads the query of `GET /api/batches`. @throws AppError BAD_REQUEST that names the error. */
export function pageOf(query: object): { readonly limit: number; readonly after: string | null } {
  const asked: unknown = 'limit' in query ? { ...query, limit: numberOf(query.limit) } : query;
  if (!isListQuery(asked)) throw queryFault(isListQuery.errors);
  return { limit: asked.limit ?? DEFAULT_LISTED, after: asked.cursor ?? null };
}

export interface WantedResults {
  readonly format: keyof typeof resultTypes;
  readonly afterRow: number;
}

/** Reads the query and `Accept` of `GET /api/batches/{id}/results`. @throws AppError BAD_REQUEST that names the error. */
export function wantedResultsOf(req: Request): WantedResults {
  const query: object = req.query;
  const asked: unknown = 'after' in query ? { ...query, after: numberOf(query.after) } : query;
  if (!isResultsQuery(asked)) throw queryFault(isResultsQuery.errors);
  return { format: asked.format ?? acceptedFormat(req), afterRow: asked.after ?? 0 };
}

const formats = Object.keys(resultTypes) as (keyof typeof resultTypes)[];

/** NDJSON for a client that accepts anything, or none of the formats. */
function acceptedFormat(req: Request): WantedResults['format'] {
  const type = req.accepts(Object.values(resultTypes));
  return formats.find((format) => resultTypes[format] === type) ?? 'ndjson';
}

/** Reads plain digits only: `Number` would also take "0x5" and " 5". */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

function queryFault(errors: readonly ErrorObject[] | null | undefined): AppError {
  const [error] = errors ?? [];
  if (error?.keyword === 'additionalProperties') {
    const name = String(error.params['additionalProperty']);
    return new AppError('BAD_REQUEST', `there is no query parameter "${name}" here`);
  }
  const name = error?.instancePath.slice(1) ?? '';
  return new AppError('BAD_REQUEST', `the query parameter "${name}" takes ${TAKES[name] ?? 'one value'}`);
}

const TAKES: Readonly<Record<string, string>> = {
  detail: 'one value: plain or full',
  callback_url: 'one URL of at most 2048 characters',
  limit: 'one whole number from 1 to 100',
  cursor: 'one value: nextCursor of the page before',
  format: `one value: ${Object.keys(resultTypes).join(', ')}`,
  after: 'one whole number from 0 to 1000000',
};
