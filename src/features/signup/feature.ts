import { type PriceReader, flatPrice, unitCostOf } from '../../core/billing/shown-price.ts';
import { processorEvent } from '../../core/parts/parts.ts';
import { browserHeaders } from '../../core/http/browser-headers.ts';
import { fileGroups } from '../../core/http/file-groups.ts';
import { type ServedFeature, partOf } from '../../feature.ts';
import type { Services } from '../../core/http/services.ts';
import { type PageFacts, webPage, withoutKey, escapeHtml } from '../../core/http/pages.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { signupSettings } from './settings.ts';
import { signupRoutes } from './signup-route.ts';
import { type OpenSignups, openSignups, signupPart } from './open-signups.ts';
import type { KeyStore, SignupState } from '../../core/keys/key-store.ts';
import { gaugesOf, labelled } from '../../core/admin/gauges.ts';
import { openRoute, type Route } from '../../core/http/route.ts';
import { exampleRequest } from '../../core/http/service-documents.ts';
import type { Registry } from 'prom-client';

/** What its pages load. */
const FILES = [
  ...['/signup.js', '/signup.css', '/account.js', '/account.css'],
  ...['/early.js', '/en.js', '/fr.js', '/style.css', '/icon.svg'],
];

/** Visitors who get a key by themselves, on the payment processor's own page. */
export const signup: ServedFeature = {
  pages: (services) => {
    const part = services.parts.of(signupPart);
    return [
      ...(hasAccountPage(services) ? [accountPageRoute(services)] : []),
      ...(part ? signupRoutes(services, part) : []),
    ];
  },
  folders: ({ config }) =>
    settingsOf(config, signupSettings) === null
      ? []
      : [{ path: '/web', headers: browserHeaders(), serve: fileGroups().web.serve(FILES) }],
  part: partOf(signupPart, (services, opened) => {
    const part = openSignups(services, opened);
    if (part) services.events.on(processorEvent, part.take);
    return part;
  }),
  page: ({ config, billing }) => ({
    of: [billing?.price?.known],
    make: () =>
      settingsOf(config, signupSettings) === null
        ? {}
        : { signup: true, price: pricePerLookup(billing?.price ?? null) },
  }),
  about: ({ parts }) => (parts.of(signupPart) ? { keysAt: '/signup' } : {}),
  measure: (metrics, { parts, keys }) => {
    const part = parts.of(signupPart);
    if (part) measureSignups(metrics, part, keys);
  },
  listens: ({ parts }, url) => parts.of(signupPart)?.listensOn(url),
};

const hasAccountPage = ({ config }: Services): boolean =>
  settingsOf(config, signupSettings) !== null && !config.leftOut.includes('account');

/** Null: it is not known, or depends on the number of lookups. */
function pricePerLookup(price: Pick<PriceReader, 'known'> | null): PageFacts['price'] {
  const flat = flatPrice(price?.known ?? null);
  return flat && { amount: unitCostOf(flat), currency: flat.currency };
}

const UNFINISHED = ['begun', 'open', 'paid', 'issued', 'ending'] as const satisfies SignupState[];

const CAUSES = ['operator', 'rejections', 'payment'] as const;

/** Makes gauges of sign-ups and of customers who are suspended. */
function measureSignups(
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

/** The page `/account`, which is the same for everybody but for its example of a lookup: what it shows comes from `/api/account`. No cache keeps it. */
function accountPageRoute(services: Services): Route {
  const page = webPage('/account.html', (name) => !services.config.leftOut.includes(name));
  return openRoute('/account', [browserHeaders(), withoutKey], ({ res }) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(page.replace('{request}', () => escapeHtml(exampleRequest(services))));
  });
}
