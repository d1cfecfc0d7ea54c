/** How answers go to a client, and how many long ones are being sent at once (docs/decisions/0258). */
import { gzip } from 'node:zlib';
import type { Response } from 'express';
import { requestContextOf } from './request-context.ts';
import { Slots, type SlotLimits } from './slots.ts';

/**
 * Length from which an answer is compressed for clients that take gzip. Plain answers (3 kB) and full ones without geometry (some 10 kB) are
 * below it, so that their way stays as it is. The features of `geometry=near` are above it. An answer has no secret beside a client's text, of which a
 * compressed length could tell.
 */
const COMPRESS_FROM_LENGTH = 32 * 1024;

/** For 700 kB of features, level 1 takes 9 ms and leaves 85 kB; the default level takes 15 ms and leaves 77 kB. */
export const GZIP_LEVEL = 1;

/** Sends JSON, for example what a worker has written. What is long is compressed in libuv's threads. */
export function sendJson(res: Response, json: string, status = 200): void {
  // Not `res.set`, which would add a charset that JSON does not have.
  res.setHeader('Content-Type', 'application/json');
  res.status(status);
  if (json.length < COMPRESS_FROM_LENGTH || !res.req.acceptsEncodings('gzip')) {
    const bytes = Buffer.byteLength(json);
    res.setHeader('Content-Length', bytes);
    // One byte for each character: it is ASCII, which Node.js writes faster when it is told so.
    res.end(json, bytes === json.length ? 'latin1' : 'utf8');
    return;
  }
  gzip(json, { level: GZIP_LEVEL }, (failure, bytes) => {
    // It fails only without memory; the text itself is there.
    if (!failure) res.setHeader('Content-Encoding', 'gzip');
    const body = failure ? Buffer.from(json) : bytes;
    res.setHeader('Content-Length', body.length);
    res.end(body);
  });
}

/** Length from which an answer counts as long, in UTF-16 units: what the kernel takes of an answer at once is more. */
export const LONG_ANSWER = 64 * 1024;

/** Each holds some MB in memory at most. */
const DOWNLOADS: SlotLimits = {
  most: 16,
  mostEach: 4,
  messages: { each: 'four downloads of this customer are under way', all: 'too many downloads are under way' },
};

/** Each has some 100 kB, at most 400 kB. */
const LISTS: SlotLimits = {
  most: 64,
  mostEach: 16,
  messages: { each: '16 lists of this customer are being sent', all: 'too many lists are being sent' },
};

/** Those of a service. */
export class LongAnswers {
  readonly downloads = new Slots(DOWNLOADS);
  readonly lists = new Slots(LISTS);
}

/** The place of a request whose answer is a file. */
export function asDownload({
  services: { longAnswers },
  res,
}: {
  readonly services: { readonly longAnswers: LongAnswers };
  readonly res: Response;
}) {
  return { slots: longAnswers.downloads, holder: customerOf(res) };
}

/** The place of a request whose answer is a page of a list. */
export function asList({ services: { longAnswers }, res }: Parameters<typeof asDownload>[0]) {
  return { slots: longAnswers.lists, holder: customerOf(res) };
}

function customerOf(res: Response): string {
  const key = requestContextOf(res).key!;
  return key.customer ?? key.id;
}

/** Resolves when an answer has gone to the kernel, or its connection has ended. */
export function gone(res: Response): Promise<void> {
  return new Promise((resolve) => {
    if (res.closed) resolve();
    else res.once('close', resolve);
  });
}
