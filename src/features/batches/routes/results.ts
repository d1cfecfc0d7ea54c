import { batchesPart } from '../runner.ts';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { attributionsOf, describeLicences } from '../../../core/layers/describe-licences.ts';
import { resultsContent } from '../wire/batch-contents.ts';
import { answersOf, ownLookups } from '../../../core/openapi/lookup-operations.ts';
import { commonHeaders } from '../../../core/openapi/responses.ts';
import { resultsStream } from '../results.ts';
import { hasEnded, type BatchJob } from '../job.ts';
import type { SnapshotManifest } from '../../../messages/manifest.ts';
import { memberColumns } from '../../../core/http/answer-members.ts';
import { withFurther } from '../../../core/lookup/further-keys.ts';
import { AppError } from '../../../messages/problems.ts';
import { answeredRowSchema, batchFeaturesSchema, batchRowSchema, failedRowSchema } from '../wire/batch-rows.ts';
import { resultTypes, type ResultFormat, type ResultsQuery } from '../wire/batch.ts';
import { readVersion } from '../../../project/project.ts';
import { readManifest } from '../../../core/snapshots/current.ts';
import { snapshotsFolder } from '../../../core/snapshots/folders.ts';
import { hashOf } from '../../../core/http/content.ts';
import { asDownload, GZIP_LEVEL } from '../../../core/http/send-answer.ts';
import { requestContextOf } from '../../../core/http/request-context.ts';
import { route } from '../../../core/http/route.ts';
import type { Services } from '../../../core/http/services.ts';
import { sendParts } from '../send-parts.ts';
import { acceptedFormat, resultsQuery } from './batch-request.ts';
import { batchId, ownBatch } from './batches.ts';

/** `GET /api/batches/{id}/results`. */
export const batchResults = route<ResultsQuery>({
  method: 'get',
  path: '/api/batches/:id/results',
  key: {},
  query: resultsQuery,
  takesPlace: asDownload,
  docs: (examples, { lookups, ...brought }) => ({
    operationId: 'batchResults',
    tag: 'batches',
    summary: 'Read the results of a batch',
    description:
      'What is answered so far, without gaps, in the order of the rows. NDJSON and CSV can be read while the batch runs, and from a row on (`after`); GeoJSON and Parquet when it has ended. Each file has the statements of the licences inside.',
    path: batchId,
    schemas: {
      BatchRow: batchRowSchema,
      AnsweredRow: answeredRowSchema(answersOf([...ownLookups, ...lookups], brought).map(([name]) => name)),
      FailedRow: failedRowSchema,
      BatchFeatures: batchFeaturesSchema(lookups.map(({ noun }) => noun)),
    },
    answers: {
      200: {
        description: 'The results. Each line of NDJSON is a `BatchRow`.',
        headers: {
          'Batch-State': {
            description: 'State of the batch: more comes unless it has ended.',
            schema: { type: 'string' },
          },
          ...commonHeaders,
        },
        content: resultsContent(examples),
      },
    },
    failures: ['NOT_FOUND', 'CONFLICT', 'GONE'],
  }),
  async handle({ services, req, res, query: { format = acceptedFormat(req), after = 0 } }) {
    await sendResults(services, await ownBatch(services.parts.of(batchesPart).store, req, res), {
      req,
      res,
      format,
      afterRow: after,
    });
  },
});

const version = readVersion();

/**
 * Sends what can be read of a batch's results.
 * @throws AppError CONFLICT for a format that needs the end of the batch, GONE when the results were deleted.
 */
async function sendResults(
  services: Services,
  job: BatchJob,
  { req, res, format, afterRow }: { req: Request; res: Response; format: ResultFormat; afterRow: number },
): Promise<void> {
  if (job.state === 'expired') throw new AppError('GONE', `the results of this batch were deleted at ${job.endedAt}`);
  // Parquet is compressed inside.
  const isCompressed = format !== 'parquet' && req.acceptsEncodings('gzip') !== false;
  const parts = partsOf(services, job, { format, afterRow, isCompressed })[Symbol.asyncIterator]();
  // What fails before the first part has its problem document.
  const first = await parts.next();
  res.status(200);
  // Not `res.set`, which would add a charset that NDJSON does not have. Clients read texts without one as Latin-1.
  res.setHeader('Content-Type', format === 'csv' ? `${resultTypes.csv}; charset=utf-8` : resultTypes[format]);
  res.setHeader('Batch-State', job.state);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.vary('Accept, Accept-Encoding');
  try {
    if (req.method !== 'HEAD' && first.done !== true) await sendParts(res, first.value, { rest: parts });
  } catch (cause) {
    requestContextOf(res).error = AppError.from(cause);
    throw cause;
  } finally {
    await parts.return?.();
  }
  res.end();
}

/** What is made of the rows of a batch that has ended is kept, with gzip unless it is Parquet, because making it takes the main thread some 50 µs a row. */
function partsOf(
  services: Services,
  job: BatchJob,
  { format, afterRow, isCompressed }: { format: ResultFormat; afterRow: number; isCompressed: boolean },
): AsyncIterable<string | Uint8Array> {
  const attribution = attributionOf(services, job.snapshot);
  const catalogue = withFurther(services.catalogue, job.further);
  const columns = memberColumns(services.members, job.members);
  const results = resultsStream(services.parts.of(batchesPart).store, job, {
    format,
    afterRow,
    attribution,
    catalogue,
    memberColumns: columns,
  });
  const packed = (): AsyncIterable<Uint8Array> => through(results, createGzip({ level: GZIP_LEVEL }));
  if (!hasEnded(job) || afterRow > 0 || format === 'ndjson') return isCompressed ? packed() : results;
  // What the file depends on: another version of the program, or further rows, make another file.
  const keys = [...catalogue.answers.map(({ answer }) => answer.key), ...columns.map(({ name }) => name)];
  const hash = hashOf(JSON.stringify([version, attribution, keys, job.counts, job.resultBytes]));
  const name = `results-${hash.slice(0, 12)}.${format}`;
  if (format === 'parquet')
    return services.parts.of(batchesPart).store.keptOrMade(job, name, () => results as AsyncIterable<Uint8Array>);
  const kept = services.parts.of(batchesPart).store.keptOrMade(job, name, packed);
  return isCompressed ? kept : through(kept, createGunzip());
}

/**
 * Returns the statements which the licences of a snapshot's data require. A snapshot that was deleted since then had the data of the one in
 * service, as far as anybody can tell.
 */
function attributionOf(services: Services, snapshot: string): readonly string[] {
  return attributionsOf(describeLicences(services.catalogue, manifestOf(services, snapshot)));
}

function manifestOf({ snapshots, config }: Services, id: string): SnapshotManifest {
  const inService = snapshots.manifest;
  if (inService.id === id) return inService;
  try {
    return readManifest(join(snapshotsFolder(config.dataDir), id));
  } catch {
    return inService;
  }
}

/** Packs or unpacks parts as they are taken, in a thread of libuv. Memory holds one part. The stream throws what the parts throw. */
function through(parts: AsyncIterable<string | Uint8Array>, zip: Gzip | Gunzip): AsyncIterable<Uint8Array> {
  // Whoever takes the parts gets the error too.
  return pipeline(parts, zip, () => undefined);
}
