import { flatPrice, unitCostOf, type PriceReader } from '../../core/billing/price.ts';
import { measureSignups } from './signup-metrics.ts';
import { processorEvent } from '../../core/parts/events.ts';
import { browserHeaders } from '../../core/http/browser-headers.ts';
import { fileGroups } from '../../core/http/file-groups.ts';
import { partOf, type ServedFeature } from '../../feature.ts';
import { accountPageRoute } from './account-page.ts';
import type { Services } from '../../core/http/services.ts';
import type { PageFacts } from '../../core/http/web-page.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { signupSettings } from './settings.ts';
import { signupRoutes } from './signup-route.ts';
import { openSignups, signupPart } from './open-signups.ts';

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
      ...(hasAccountPage(services) ? [accountPageRoute(services.config)] : []),
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
