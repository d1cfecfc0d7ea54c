import type { LookupPrice } from '../../core/billing/shown-price.ts';
import { webPage } from '../../core/http/pages.ts';
import type { Config } from '../../core/settings/config.ts';

/** What the page must know before it is shown. It stands in the page itself. */
export interface SignupSettings {
  /** Null: it cannot be read at the moment. */
  readonly price: LookupPrice | null;
  readonly termsUrl: string;
  /** Lookups per hour of a new key. */
  readonly lookupsPerHour: number;
  /** Body of a lookup that this service answers. */
  readonly request: string;
  /** False: the payment processor is in its test mode, and nothing is billed. */
  readonly isLive: boolean;
  /** Why the button did not lead to the payment processor. */
  readonly problem: 'limit' | 'busy' | null;
}

/** Returns what makes `web/signup/signup.html` for a visitor, with the versioned names of its files. */
export function signupPage({ leftOut }: Pick<Config, 'leftOut'>): (settings: SignupSettings) => string {
  const place = '<!-- settings -->';
  const template = webPage('/signup.html', (name) => !leftOut.includes(name));
  if (!template.includes(place)) throw new Error(`web/signup/signup.html lacks ${place}`);
  return (settings) => {
    const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
    // What the page's program would show would move all that is below it.
    const page = settings.isLive ? template : template.replace('data-text="testMode" hidden', 'data-text="testMode"');
    return page.replace(place, () => `<script type="application/json" id="settings">${json}</script>`);
  };
}
