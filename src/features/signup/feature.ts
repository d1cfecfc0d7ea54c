import { flatPrice, unitCostOf, type PriceReader } from '../../core/billing/price.ts';
import { measureSignups } from './signup-metrics.ts';
import { processorEvent } from '../../core/parts/events.ts';
import { partOf, type ServedFeature } from '../../feature.ts';
import type { PageSettings } from '../../core/http/page-document.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { accountPageRoute } from '../../core/http/page-route.ts';
import { signupSettings } from './settings.ts';
import { signupRoutes } from './signup-route.ts';
import { openSignups, signupPart } from './open-signups.ts';

/** Visitors who get a key by themselves, on the payment processor's own page. */
export const signup: ServedFeature = {
  pages: (services) => {
    const part = services.parts.of(signupPart);
    return [
      ...(settingsOf(services.config, signupSettings) === null ? [] : [accountPageRoute()]),
      ...(part ? signupRoutes(services, part) : []),
    ];
  },
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

/** Null: it is not known, or depends on the number of lookups. */
function pricePerLookup(price: Pick<PriceReader, 'known'> | null): PageSettings['price'] {
  const flat = flatPrice(price?.known ?? null);
  return flat && { amount: unitCostOf(flat), currency: flat.currency };
}
