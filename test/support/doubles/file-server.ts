import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../drivers/patience.ts';

/** A file as a web server holds it. */
export interface HostedFile {
  content: Buffer;
  /** With its quotes, `W/` before it when it is weak. */
  etag: string | null;
  lastModified: string | null;
}

/** What the server does other than a sound one. */
export interface ServerManner {
  /**
   * The connection is cut after this many bytes, this many times: when `isKept` says that the client has the file up to there, because fetch
   * forgets what it has received and not handed out; a moment later when it is absent.
   */
  cut: { afterBytes: number; times: number; isKept?: (bytes: number) => boolean };
  /** Every request gets this status; null: none. */
  status: number | null;
  /** After a cut, every request gets 503. */
  failsAfterCut: boolean;
  /** Conditions are not read: the whole file comes each time (as from servers behind some caches). */
  ignoresConditions: boolean;
  /** No parts are given. */
  ignoresRanges: boolean;
  /** `If-Range` is not read: a part comes, whatever the client has (as from old servers). */
  ignoresIfRange: boolean;
  /** HEAD is refused. */
  refusesHead: boolean;
  /** Bytes per second to each client; null: as fast as it goes. */
  bytesPerSecond: number | null;
  /** Length that is stated in place of the real one; null: the real one. */
  statedBytes: number | null;
}

export interface FileRequest {
  readonly path: string;
  readonly method: string;
  readonly range: string | null;
  readonly status: number;
  /** Of the body, that went out. */
  bytes: number;
  /** Of the whole body. */
  readonly wanted: number;
}

const ON_ITS_WAY_MS = 25;

/** Serves files as a sound web server does: conditions, ranges and their status codes by RFC 9110, sections 13 and 14. */
export class FileHost implements AsyncDisposable, ServerManner {
  readonly files = new Map<string, HostedFile>();
  readonly requests: FileRequest[] = [];
  cut: ServerManner['cut'] = { afterBytes: 0, times: 0 };
  status: number | null = null;
  failsAfterCut = false;
  ignoresConditions = false;
  ignoresRanges = false;
  ignoresIfRange = false;
  refusesHead = false;
  bytesPerSecond: number | null = null;
  statedBytes: number | null = null;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<FileHost> {
    const host = new FileHost();
    await new Promise<void>((resolve) => host.#server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Bytes of bodies that went out. */
  get sentBytes(): number {
    return this.requests.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Ends every connection. */
  dropConnections(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer({ headers, method = '', url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(url, this.url).pathname);
    const file = this.files.get(path);
    const answer = answerTo(file, headers, method, this);
    const asked = { path, method, range: headers.range ?? null, status: answer.status };
    const wanted = method === 'HEAD' ? 0 : answer.body.length;
    const request = { ...asked, bytes: 0, wanted };
    this.requests.push(request);
    response.writeHead(answer.status, answer.headers);
    if (method === 'HEAD' || answer.body.length === 0) return void response.end();
    const isCut = this.cut.times > 0;
    this.cut.times--;
    if (isCut && this.failsAfterCut) this.status = 503;
    const body = isCut ? answer.body.subarray(0, this.cut.afterBytes) : answer.body;
    await this.#send(body, response, request);
    if (!isCut) {
      response.end();
      return;
    }
    const { isKept } = this.cut;
    const end = Number(/\d+/.exec(headers.range ?? '0')![0]) + body.length;
    await (isKept ? until(() => isKept(end)) : sleep(ON_ITS_WAY_MS));
    response.socket?.end();
  }

  /** Counts what the network took. */
  async #send(body: Buffer, response: ServerResponse, request: FileRequest): Promise<void> {
    const pieceBytes = this.bytesPerSecond === null ? body.length : Math.max(1, Math.round(this.bytesPerSecond / 50));
    for (let at = 0; at < body.length && !response.destroyed; at += pieceBytes) {
      const piece = body.subarray(at, at + pieceBytes);
      await new Promise<void>((resolve) => {
        response.once('close', resolve);
        response.write(piece, () => {
          request.bytes += piece.length;
          response.off('close', resolve);
          resolve();
        });
      });
      if (this.bytesPerSecond !== null) await sleep(20);
    }
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | number>;
  readonly body: Buffer;
}

const nothing = Buffer.alloc(0);

function answerTo(
  file: HostedFile | undefined,
  asked: IncomingMessage['headers'],
  method: string,
  manner: ServerManner,
): Answer {
  const isRefused = method === 'HEAD' && manner.refusesHead;
  const failure = manner.status ?? (isRefused ? 405 : null);
  if (failure !== null) return { status: failure, headers: {}, body: nothing };
  return file ? answerWith(file, asked, manner) : { status: 404, headers: {}, body: Buffer.from('not found') };
}

function answerWith(file: HostedFile, asked: IncomingMessage['headers'], manner: ServerManner): Answer {
  const headers = describe(file, manner);
  if (!manner.ignoresConditions && isNotModified(file, asked)) return { status: 304, headers, body: nothing };
  const range = manner.ignoresRanges ? null : rangeOf(file, asked, manner);
  const { content } = file;
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${content.length}` }, body: nothing };
  const body = range ? content.subarray(range.from, range.to + 1) : content;
  headers['content-length'] = manner.statedBytes ?? body.length;
  if (range) headers['content-range'] = `bytes ${range.from}-${range.to}/${content.length}`;
  return { status: range ? 206 : 200, headers, body };
}

function describe({ etag, lastModified }: HostedFile, { ignoresRanges }: ServerManner): Answer['headers'] {
  return {
    ...(etag === null ? {} : { etag }),
    ...(lastModified === null ? {} : { 'last-modified': lastModified }),
    ...(ignoresRanges ? {} : { 'accept-ranges': 'bytes' }),
  };
}

/** `If-None-Match` goes before `If-Modified-Since`, and compares tags weakly. */
function isNotModified({ etag, lastModified }: HostedFile, asked: IncomingMessage['headers']): boolean {
  const tag = asked['if-none-match'];
  if (tag !== undefined) return etag !== null && tag.replace(/^W\//, '') === etag.replace(/^W\//, '');
  const since = asked['if-modified-since'];
  return since !== undefined && lastModified !== null && Date.parse(lastModified) <= Date.parse(since);
}

type Part = { readonly from: number; readonly to: number } | 'unsatisfiable' | null;

/** Null: the whole file, also when it has changed since the client had its beginning. */
function rangeOf(file: HostedFile, asked: IncomingMessage['headers'], { ignoresIfRange }: ServerManner): Part {
  const parts = /^bytes=(\d+)-(\d*)$/.exec(asked.range ?? '');
  if (!parts || (!ignoresIfRange && !isStillIt(file, asked['if-range']))) return null;
  const [from, last] = [Number(parts[1]), file.content.length - 1];
  if (from > last) return 'unsatisfiable';
  return { from, to: parts[2] === '' ? last : Math.min(last, Number(parts[2])) };
}

/** A weak tag never is the same here. */
function isStillIt({ etag, lastModified }: HostedFile, condition: string | string[] | undefined): boolean {
  if (condition === undefined) return true;
  return (condition === etag && !etag.startsWith('W/')) || condition === lastModified;
}

/** One file at `/data.zip`, on a host of its own. */
export type FileServer = Awaited<ReturnType<typeof serveFile>>;

export async function serveFile(content: Buffer) {
  const host = await FileHost.start();
  const file: HostedFile = { content, etag: '"first"', lastModified: 'Sat, 01 Mar 2025 12:00:00 GMT' };
  host.files.set('/data.zip', file);
  return Object.assign(file, {
    host,
    url: `${host.url}/data.zip`,
    requests: host.requests,
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  });
}
