import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { checkStatus, contentRange, readBody, send, type Answer } from '../../core/outbound/client.ts';
import { Transient } from '../../core/outbound/failures.ts';
import { Retries, withRetries } from '../../core/outbound/retry.ts';
import { versionOf } from './file-version.ts';
import type { ProbeOptions } from './probe-file.ts';

/** Holds a zip file's directory of hundreds of members. */
const TAIL_BYTES = 128 * 1024;

/**
 * Opens a zip file on a web server, of which only what is read is fetched.
 * @throws Error when the server does not give parts, or does not answer after several attempts.
 */
export async function openRemoteZip(url: string, options: ProbeOptions): Promise<ZipFile> {
  const file = new RemoteFile(url, options);
  const { tail, bytes } = await file.tail(TAIL_BYTES);
  const reader = new PartReader(file, tail, bytes);
  return fromRandomAccessReaderPromise(reader, bytes, {
    autoClose: false,
    lazyEntries: true,
    validateEntrySizes: true,
  });
}

class PartReader extends RandomAccessReader {
  readonly #file: RemoteFile;
  readonly #tail: Buffer;
  readonly #tailFrom: number;

  constructor(file: RemoteFile, tail: Buffer, bytes: number) {
    super();
    this.#file = file;
    this.#tail = tail;
    this.#tailFrom = bytes - tail.length;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const from = start - this.#tailFrom;
    const bytes = from >= 0 ? [this.#tail.subarray(from, end - this.#tailFrom)] : this.#file.read(start, end);
    return Readable.from(bytes, { objectMode: false });
  }
}

interface Part {
  readonly body: Answer['body'];
  /** Place in the file of the first byte. */
  readonly from: number;
  /** Of the whole file. */
  readonly bytes: number;
}

/** A file on a web server, read in parts. After a broken connection it goes on at the byte it reached. */
class RemoteFile {
  readonly #url: string;
  readonly #options: ProbeOptions;
  /** Of the first answer: another one means that the file was replaced. */
  #version: string | null = null;

  constructor(url: string, options: ProbeOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** The last bytes, and the length of the whole. */
  tail(count: number): Promise<{ tail: Buffer; bytes: number }> {
    return withRetries(this.#options.retry, async () => {
      const { body, from, bytes } = await this.#request(`bytes=-${count}`);
      const tail = await readBody({ body }, count);
      if (tail.length !== bytes - from) throw new Transient('the answer broke off');
      return { tail, bytes };
    });
  }

  /** The bytes from `start` to before `end`. */
  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    const retries = new Retries(this.#options.retry);
    for (let at = start; at < end;) {
      try {
        const { body, from } = await this.#request(`bytes=${at}-${end - 1}`);
        if (from !== at) throw new Error('the server gave another part than the one asked for');
        for await (const piece of body) {
          at += piece.length;
          retries.reset();
          yield piece;
        }
        if (at < end) throw new Transient('the answer broke off');
      } catch (cause) {
        await retries.waitAfter(cause);
      }
    }
  }

  async #request(range: string): Promise<Part> {
    const headers = { range, 'accept-encoding': 'identity' };
    const answer = await send({ url: this.#url, idleMs: this.#options.idleMs, headers });
    try {
      return { body: answer.body, ...this.#partOf(answer) };
    } catch (cause) {
      await answer.cancel();
      throw cause;
    }
  }

  #partOf(answer: Answer): Pick<Part, 'from' | 'bytes'> {
    checkStatus(answer);
    if (answer.status !== 206) throw new Error('the server gives whole files only: download it, and give its path');
    const { etag, lastModified } = versionOf(answer);
    const version = JSON.stringify([etag, lastModified]);
    this.#version ??= version;
    if (version !== this.#version) throw new Error('the server replaced the file meanwhile: start again');
    const { from, total } = contentRange(answer.headers) ?? { from: 0, total: null };
    if (total === null) throw new Error('the server does not say which part it gives');
    return { from, bytes: Number(total) };
  }
}
