/** Answers that may have more than 64 KiB and are made for one client: how many of them are being sent at once (docs/decisions/0258). */
import type { Response } from 'express';
import { requestContextOf } from './request-context.ts';
import { Slots, type SlotLimits } from './slots.ts';

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

interface Asked {
  readonly services: { readonly longAnswers: LongAnswers };
  readonly res: Response;
}

/** The place of a request whose answer is a file. */
export function asDownload({ services: { longAnswers }, res }: Asked) {
  return { slots: longAnswers.downloads, holder: customerOf(res) };
}

/** The place of a request whose answer is a page of a list. */
export function asList({ services: { longAnswers }, res }: Asked) {
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
