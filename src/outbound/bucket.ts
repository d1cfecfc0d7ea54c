import { S3Client } from '@aws-sdk/client-s3';
import type { BucketConfig } from '../settings/setting-groups.ts';

export interface BucketTimes {
  /** Longest wait for an answer to begin, and between two pieces of it. */
  readonly idleMs: number;
  /** Times that a request is sent, with growing pauses, before it counts as failed. */
  readonly attempts: number;
}

const CONNECT_MS = 3000;

/** Makes the client of an object store. Import this file only where it is used: its library takes a while to load. */
export function openBucket(bucket: BucketConfig, { idleMs, attempts }: BucketTimes): S3Client {
  const { region, endpoint, pathStyle, credentials } = bucket;
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(credentials ? { credentials } : {}),
    // Stores other than Amazon's do not all know the checksums at the end of a body that the library adds by default.
    ...(endpoint === null
      ? {}
      : { endpoint, requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' }),
    maxAttempts: attempts,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: idleMs,
      socketTimeout: idleMs,
      throwOnRequestTimeout: true,
    },
  });
}
