import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';

/** Yields the unpacked content of a member. @throws Error when its checksum or size is wrong. */
export async function* unpackedMember(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32)
    throw new Error(`is damaged: the checksum of the member ${entry.fileName} differs from the one in the zip file`);
}
