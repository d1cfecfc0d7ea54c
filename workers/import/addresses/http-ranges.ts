import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RandomAccessReader } from 'yauzl';

/** Bytes at the end of the file, enough for a zip file's directory of hundreds of members. */
const TAIL_BYTES = 128 * 1024;

/** Most attempts in a row without data. */
const MOST_FAILURES = 6;
const PAUSE_MS = 500;

/** Time after which a connection without data is given up. */
const STALL_MS = 30_000;

export interface HttpTimes {
  readonly pauseMs: number;
  readonly stallMs: number;
}

/**
 * Opens a file on a web server for reading parts of it.
 * @throws Error when the server does not support range requests, or does not answer after several attempts.
 */
export async function openHttpRanges(
  url: URL,
  times: HttpTimes = { pauseMs: PAUSE_MS, stallMs: STALL_MS },
): Promise<{ readonly reader: RandomAccessReader; readonly bytes: number }> {
  const file = new HttpFile(url, times);
  const { tail, bytes } = await file.tail(TAIL_BYTES);
  return { reader: new HttpRanges(file, tail, bytes), bytes };
}

class HttpRanges extends RandomAccessReader {
  readonly #file: HttpFile;
  readonly #tail: Buffer;
  readonly #tailFrom: number;

  constructor(file: HttpFile, tail: Buffer, bytes: number) {
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

/** A failure that another attempt does not change. */
class Unreadable extends Error {}

/** A file on a web server. After a broken connection reading continues where it stopped. */
class HttpFile {
  readonly #url: URL;
  readonly #times: HttpTimes;
  /** Version in the first answer; another version means that the file was replaced. */
  #version: string | null = null;

  constructor(url: URL, times: HttpTimes) {
    this.#url = url;
    this.#times = times;
  }

  /** Reads the last bytes, and the length of the whole. */
  async tail(count: number): Promise<{ tail: Buffer; bytes: number }> {
    return this.#repeatedly(async () => {
      const { body, from, bytes } = await this.#request(`bytes=-${count}`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const tail = Buffer.concat(chunks);
      if (tail.length !== bytes - from) throw new Error('the answer broke off');
      return { tail, bytes };
    });
  }

  /** Yields the bytes from `start` to before `end`. */
  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    let at = start;
    for (let failures = 0; at < end;) {
      try {
        const { body, from } = await this.#request(`bytes=${at}-${end - 1}`);
        if (from !== at) throw new Unreadable(this.#says('gave another part than the one asked for'));
        for await (const chunk of body) {
          at += chunk.length;
          failures = 0;
          yield chunk;
        }
        if (at < end) throw new Error('the answer broke off');
      } catch (cause) {
        await this.#pauseAfter(cause, ++failures);
      }
    }
  }

  async #repeatedly<T>(attempt: () => Promise<T>): Promise<T> {
    for (let failures = 0; ;) {
      try {
        return await attempt();
      } catch (cause) {
        await this.#pauseAfter(cause, ++failures);
      }
    }
  }

  /** @throws the cause when another attempt is useless. */
  async #pauseAfter(cause: unknown, failures: number): Promise<void> {
    if (cause instanceof Unreadable) throw cause;
    if (failures >= MOST_FAILURES) throw new Error(this.#says(`does not answer: ${reasonOf(cause)}`), { cause });
    await sleep(this.#times.pauseMs * 2 ** (failures - 1));
  }

  async #request(range: string): Promise<{ body: AsyncIterable<Uint8Array>; from: number; bytes: number }> {
    const watch = new Watch(this.#times.stallMs);
    const headers = { range, 'accept-encoding': 'identity', 'user-agent': 'land-lookup' };
    watch.start();
    try {
      const response = await fetch(this.#url, { headers, signal: watch.signal });
      const part = this.#partOf(response);
      return { body: watch.over(response), ...part };
    } catch (cause) {
      watch.abort();
      throw cause;
    }
  }

  #partOf({ status, headers }: Response): { from: number; bytes: number } {
    if (status === 429 || status >= 500) throw new Error(`status ${status}`);
    if (status === 200) throw new Unreadable(this.#says('sends only whole files: download the file and give its path'));
    if (status !== 206) throw new Unreadable(this.#says(`answers with status ${status}`));
    const version = `${headers.get('etag') ?? ''} ${headers.get('last-modified') ?? ''}`;
    this.#version ??= version;
    if (version !== this.#version) throw new Unreadable(this.#says('replaced the file meanwhile: start again'));
    const [, from, bytes] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
    if (bytes === undefined) throw new Unreadable(this.#says('does not say which part it gives'));
    return { from: Number(from), bytes: Number(bytes) };
  }

  #says(what: string): string {
    return `${this.#url.host} ${what}`;
  }
}

/** Aborts a connection that brings no data for a while. */
class Watch {
  readonly #stallMs: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.abort();
    }, this.#stallMs);
  }

  abort(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  /** Yields the body. Time that the reader of the body takes does not count. */
  async *over({ body }: Response): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        clearTimeout(this.#timer);
        yield chunk;
        this.start();
      }
    } finally {
      clearTimeout(this.#timer);
    }
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
