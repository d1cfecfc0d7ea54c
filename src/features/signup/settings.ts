import { isBrowserUrl, LOOPBACK, oneOf, publicUrl as publicUrlOf } from '../../core/settings/setting-groups.ts';
import type { ReadText, SettingsReader } from '../../core/settings/settings-reader.ts';

/**
 * `SIGNUP=stripe`, and what belongs to it; null: nobody signs up, an operator makes keys.
 * @throws Error that says what is missing.
 */
export function signupSettings({ text }: SettingsReader): {
  /** The processor's id of the price of a lookup. */
  readonly price: string;
  readonly termsUrl: string;
  /** Address of the service for browsers, without a slash at its end; null: the one that it listens on. */
  readonly publicUrl: string | null;
  /** True: the processor's key is live. False: it is for tests. */
  readonly isLive: boolean;
} | null {
  const { termsUrl, price, publicUrl } = readSignupTexts(text);
  const processor = text('SIGNUP');
  if (processor === undefined) return null;
  oneOf('SIGNUP', processor, ['stripe']);
  const needed = ['STRIPE_API_KEY', 'STRIPE_METER_EVENT', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE', 'TERMS_URL'];
  const missing = needed.filter((name) => text(name) === undefined);
  if (missing.length > 0) throw new Error(`SIGNUP=stripe also needs ${missing.join(', ')}`);
  const mode = /^[sr]k_(test|live)_/.exec(text('STRIPE_API_KEY')!)?.[1];
  if (mode === undefined)
    throw new Error('SIGNUP=stripe needs a STRIPE_API_KEY that begins with sk_test_, rk_test_, sk_live_ or rk_live_');
  const isLive = mode === 'live';
  // On the machine itself, and for tests, the address that it listens on is enough.
  if (publicUrl === null && (isLive || !LOOPBACK.has(text('HOST', '127.0.0.1'))))
    throw new Error(
      'SIGNUP=stripe also needs PUBLIC_URL, the address to which browsers return, such as https://land.example',
    );
  return { price: price!, termsUrl: termsUrl!, publicUrl, isLive };
}

/** @throws Error for a text that cannot be what it is for, also while nobody can sign up. */
function readSignupTexts(text: ReadText) {
  const [termsUrl, price] = [text('TERMS_URL'), text('STRIPE_PRICE')];
  if (termsUrl !== undefined && !isBrowserUrl(termsUrl))
    throw new Error('TERMS_URL must be the https address of your terms');
  if (price !== undefined && !/^[\w-]{1,100}$/.test(price))
    throw new Error('STRIPE_PRICE must be the id of a price, such as price_1AbC');
  return { termsUrl, price, publicUrl: publicUrlOf(text('PUBLIC_URL')) };
}
