import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves one file at `/data.zip`, with conditions and ranges as RFC 9110 has them. */
export interface FileServer extends AsyncDisposable {
  readonly url: string;
  content: Buffer;
  etag: string | null;
  lastModified: string | null;
  /** The connection is cut after this many bytes, this many times. */
  cut: { afterBytes: number; times: number };
  readonly requests: {
    readonly method: string;
    readonly range: string | null;
    readonly status: number;
    readonly bytes: number;
  }[];
}

export async function serveFile(content: Buffer): Promise<FileServer> {
  const state: Omit<FileServer, typeof Symbol.asyncDispose | 'url'> = {
    content,
    etag: '"first"',
    lastModified: 'Sat, 01 Mar 2025 12:00:00 GMT',
    cut: { afterBytes: 0, times: 0 },
    requests: [],
  };
  const server = createServer((request, response) => {
    answer(state, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/data.zip`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type State = Pick<FileServer, 'content' | 'etag' | 'lastModified' | 'cut' | 'requests'>;

function answer(state: State, { headers, method = '' }: IncomingMessage, response: ServerResponse): void {
  const { content, etag, lastModified, cut, requests } = state;
  const validators = {
    ...(etag === null ? {} : { etag }),
    ...(lastModified === null ? {} : { 'last-modified': lastModified }),
  };
  const log = (status: number, bytes: number) => {
    requests.push({ method, range: headers.range ?? null, status, bytes });
  };
  const isSame =
    headers['if-none-match'] === undefined
      ? headers['if-modified-since'] === lastModified
      : headers['if-none-match'] === etag;
  if (isSame && lastModified !== null) {
    log(304, 0);
    response.writeHead(304, validators).end();
    return;
  }
  const from = rangeStart(headers, state);
  const body = content.subarray(from);
  const status = from > 0 ? 206 : 200;
  response.writeHead(status, { ...validators, 'content-length': body.length });
  if (method === 'HEAD') {
    response.end();
  } else if (cut.times-- > 0) {
    log(status, cut.afterBytes);
    // All that was written arrives; then the connection ends.
    response.write(body.subarray(0, cut.afterBytes), () => response.socket?.end());
  } else {
    log(status, body.length);
    response.end(body);
  }
}

/** The whole file when it has changed since the client had its beginning. */
function rangeStart(headers: IncomingMessage['headers'], { etag, lastModified }: State): number {
  const start = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === etag || condition === lastModified;
  return start !== undefined && isSame ? Number(start) : 0;
}
