import type { Registry } from 'prom-client';
import type { KeyStore } from '../../core/keys/key-store.ts';
import type { SignupState } from '../../core/keys/signup-store.ts';
import type { OpenSignups } from './open-signups.ts';
import { gaugesOf, labelled } from '../../core/admin/gauges.ts';

const UNFINISHED = ['begun', 'open', 'paid', 'issued', 'ending'] as const satisfies SignupState[];

const CAUSES = ['operator', 'rejections', 'payment'] as const;

/** Makes gauges of sign-ups and of customers who are suspended. */
export function measureSignups(
  registry: Registry,
  { signups, lifeCycle }: Pick<OpenSignups, 'signups' | 'lifeCycle'>,
  store: Pick<KeyStore, 'signups' | 'customers'>,
): void {
  const gauge = gaugesOf(registry);
  labelled(
    registry,
    'land_lookup_signups',
    'Sign-ups that have not come to their end, by state.',
    ['state'],
    async (set) => {
      const states = (await store.signups.list('unfinished')).map(({ state }) => state);
      for (const state of UNFINISHED) set({ state }, states.filter((one) => one === state).length);
    },
  );
  gauge(
    'land_lookup_signup_oldest_paid_seconds',
    'Age of the oldest sign-up that the payment processor confirmed and that has no key yet, 0 without any.',
    async () => {
      const open = (await store.signups.list('unfinished')).filter(
        ({ state }) => state === 'paid' || state === 'ending',
      );
      return Math.max(0, ...open.map(({ changedAt }) => (Date.now() - Date.parse(changedAt)) / 1000));
    },
  );
  labelled(
    registry,
    'land_lookup_signup_steps',
    'Steps of sign-ups since the start: begun, confirmed (paid), keys made, ended without a key, calls that failed.',
    ['step'],
    (set) => {
      for (const [step, count] of Object.entries(signups.counts)) set({ step }, count);
    },
  );
  gauge(
    'land_lookup_subscriptions_compared_seconds',
    'Time since all subscriptions were compared with the payment processor, NaN before the first time.',
    () => (lifeCycle.reconciledMs === null ? NaN : Math.max(0, Date.now() - lifeCycle.reconciledMs) / 1000),
  );
  labelled(
    registry,
    'land_lookup_customers_suspended',
    'Customers who are suspended, by whom.',
    ['cause'],
    async (set) => {
      const suspended = (await store.customers()).filter(({ suspendedAt }) => suspendedAt !== null);
      for (const cause of CAUSES) set({ cause }, suspended.filter((record) => record.cause === cause).length);
    },
  );
}
