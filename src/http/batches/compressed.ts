import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { GZIP_LEVEL } from '../send-json.ts';

/** Compresses parts with gzip as they are taken, in a thread of libuv. Memory holds one part. The stream throws what the parts throw. */
export function compressed(parts: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  // Whoever takes the parts gets the error too.
  return pipeline(parts, createGzip({ level: GZIP_LEVEL }), () => undefined);
}
