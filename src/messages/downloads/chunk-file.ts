import { join } from 'node:path';

/** Returns the file of the n-th chunk of a download: lines of features as JSON, compressed with gzip. */
export function chunkFile(folder: string, chunk: number): string {
  return join(folder, `${String(chunk).padStart(5, '0')}.ndjson.gz`);
}
