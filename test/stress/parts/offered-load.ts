/** Lookups that are offered at a steady rate, and what came of them. */
import { percentiles } from '../../bench/parts/percentiles.ts';
import { LoadClient, openLoop } from './load-client.ts';

/** A lookup that was offered. Times are in ms. */
export interface Offered {
  /** When it was sent. */
  readonly sentMs: number;
  /** From the moment it was due to its answer. */
  readonly ms: number;
  /** From the moment it was sent, which a client that shares a busy machine does late. */
  readonly fromSendingMs: number;
  readonly status: number;
}

export interface OfferedSummary {
  readonly p99: number;
  readonly p99FromSending: number;
  /** Most lookups that the client sent in a tenth of a second; more than the rate's after a pause of its own. */
  readonly mostIn100Ms: number;
  readonly lost: number;
  /** Those of the lost ones that the client sent in a burst. */
  readonly lostInBursts: number;
}

const WINDOW_MS = 100;

/** A client that sends so many times what its rate asks for has had a pause of 50 ms or more, and makes up for it. */
const BURST = 1.5;

/** Sends lookups of the list in turns, so many per second, for some time; resolves with those that were answered in any way. */
export async function offer(
  url: string,
  requests: readonly Buffer[],
  { perSecond, forMs }: { readonly perSecond: number; readonly forMs: number },
): Promise<Offered[]> {
  using client = new LoadClient(url);
  const endMs = performance.now() + forMs;
  const all: Offered[] = [];
  const isOver = (): boolean => performance.now() > endMs;
  await openLoop({ perSecond, isOver }, async (number, dueMs) => {
    const sentMs = performance.now();
    const { status, ms } = await client.ask(requests[number % requests.length]!, dueMs);
    all.push({ sentMs, ms, status, fromSendingMs: ms - (sentMs - dueMs) });
  });
  return all;
}

/**
 * Sums up what was offered. A lookup is lost when its status is not 200, and lost in a burst when the client itself, in the tenth of a second until then,
 * sent many more than its rate asks for: the service would have had to take more at once than was meant.
 */
export function summaryOf(all: readonly Offered[], perSecond: number): OfferedSummary {
  const most = (BURST * perSecond * WINDOW_MS) / 1000;
  const inOrder = all.toSorted((a, b) => a.sentMs - b.sentMs);
  let [from, mostIn100Ms, lost, lostInBursts] = [0, 0, 0, 0];
  for (const [i, { sentMs, status }] of inOrder.entries()) {
    while (inOrder[from]!.sentMs <= sentMs - WINDOW_MS) from++;
    const sent = i - from + 1;
    mostIn100Ms = Math.max(mostIn100Ms, sent);
    if (status === 200) continue;
    lost++;
    if (sent > most) lostInBursts++;
  }
  const p99 = percentiles(all.map(({ ms }) => ms)).p99;
  const p99FromSending = percentiles(all.map(({ fromSendingMs }) => fromSendingMs)).p99;
  return { p99, p99FromSending, mostIn100Ms, lost, lostInBursts };
}
