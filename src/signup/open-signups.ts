import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'winston';
import type { Accounts, Closer } from '../accounts/open-accounts.ts';
import type { Config } from '../config.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';
import type { EventTargets } from './events.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { PriceReader } from './price.ts';
import type { Signups } from './signups.ts';

/** Sign-ups of a running service. */
export interface OpenSignups extends EventTargets {
  readonly signups: Signups;
  readonly lifeCycle: LifeCycle;
  readonly price: Pick<PriceReader, 'read'>;
  readonly termsUrl: string;
  /** Address of the service for browsers, without a slash at its end. */
  readonly origin: () => string;
  /** Takes an event of the processor whose signature was checked. */
  readonly take: (event: Parameters<typeof import('./events.ts').takeEvent>[0]) => Promise<void>;
  /** Takes the address that the service listens on, which is that for browsers unless `PUBLIC_URL` is set. */
  readonly listensOn: (url: string) => void;
}

/** All subscriptions are compared this often; after a failure sooner. */
const RECONCILE_MS = HOUR_MS;

/** Sign-ups that are left in the middle are looked for this often. */
const SWEEP_MS = MINUTE_MS;

/** Longest wait for work under way when the service stops. */
const STOP_MS = 2000;

/** Opens sign-ups when they are configured, and begins their work in the background; otherwise null. */
export async function openSignups(
  { signup, billing }: Pick<Config, 'signup' | 'billing'>,
  { billing: opened, keys: store }: Pick<Accounts, 'billing' | 'keys'>,
  logger: Logger,
  closers: Closer[],
): Promise<OpenSignups | null> {
  if (!signup || !opened || !billing) return null;
  const [{ Signups }, { LifeCycle }, { PriceReader }, { sweepSignups }, { takeEvent }] = await Promise.all([
    import('./signups.ts'),
    import('./life-cycle.ts'),
    import('./price.ts'),
    import('./sweep.ts'),
    import('./events.ts'),
  ]);
  const { stripe } = opened;
  const { price, isLive, termsUrl, publicUrl } = signup;
  let listening = '';
  const origin = (): string => publicUrl ?? listening;
  const signups = new Signups({ stripe, store, price, isLive, origin, logger });
  const lifeCycle = new LifeCycle({ stripe, store, price, logger });
  const reader = new PriceReader({ stripe, price, isLive, logger });
  const stop = new AbortController();
  const running = [
    everyMs(SWEEP_MS, stop.signal, () => sweepSignups({ store: store.signups, signups, logger }), logger),
    everyMs(RECONCILE_MS, stop.signal, () => lifeCycle.reconcile(), logger),
  ];
  // A price that cannot be used is in the log from the start.
  void reader.read();
  closers.push(async () => {
    stop.abort();
    // What is left in the middle is done after the next start.
    await Promise.race([Promise.all(running), sleep(STOP_MS)]);
  });
  return {
    ...{ signups, lifeCycle, isLive, termsUrl, origin, price: reader },
    take: (event) => takeEvent(event, { isLive, signups, lifeCycle }),
    listensOn: (url) => {
      listening = url;
    },
  };
}

/** Does the work now and again and again, a tenth sooner or later so that processes do not do it together; a failure is tried again after a minute. */
async function everyMs(
  ms: number,
  signal: AbortSignal,
  work: () => Promise<void>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  while (!signal.aborted) {
    const restMs = await work().then(
      () => ms,
      (cause: unknown) => {
        logger.warn('sign-ups and subscriptions could not be compared with the payment processor', {
          detail: String(cause),
        });
        return Math.min(ms, MINUTE_MS);
      },
    );
    await sleep(restMs * (0.9 + Math.random() / 5), null, { signal }).catch(() => null);
  }
}
