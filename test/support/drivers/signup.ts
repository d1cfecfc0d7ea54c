/** Sign-ups over the payment processor's stand-in, and a browser that goes through them without a window. */
import { signupPart } from '../../../src/features/signup/open-signups.ts';
import { signupSettings } from '../../../src/features/signup/settings.ts';
import type { KeyRecord, KeyStore } from '../../../src/core/keys/key-store.ts';
import type { LifeCycle } from '../../../src/features/signup/life-cycle.ts';
import { PriceReader } from '../../../src/core/billing/shown-price.ts';
import type { Claim } from '../../../src/features/signup/signup-keys.ts';
import type { Signups } from '../../../src/features/signup/signups.ts';
import { sweepSignups, type SignupTimes } from '../../../src/features/signup/sweep.ts';
import { billingConfig, clientOf, silentBilling } from './billing.ts';
import { capturingLogger, startFrontEnd, type FrontEnd } from './front-end.ts';
import { StripeServer } from '../doubles/stripe-server.ts';
import { until } from './patience.ts';

export interface SignupSide extends AsyncDisposable {
  readonly front: FrontEnd;
  readonly processor: StripeServer;
  readonly store: KeyStore;
  readonly signups: Signups;
  readonly lifeCycle: LifeCycle;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Keys that sign-ups led to. */
  madeKeys(): Promise<readonly KeyRecord[]>;
  /** Each has a network of its own unless it is given. */
  browser(network?: string): SignupBrowser;
  /** Does what the service does in the background, as if that much time had passed. */
  sweep(times?: Partial<SignupTimes>): Promise<void>;
}

export interface SignupSideOptions {
  readonly isLive?: boolean;
  readonly store?: KeyStore;
}

const NO_TIME: SignupTimes = { begunMs: 0, openMs: 0, paidMs: 0, issuedMs: 0 };
const MUCH_TIME: SignupTimes = { begunMs: 1e9, openMs: 1e9, paidMs: 1e9, issuedMs: 1e9 };

let networks = 0;

/** The HTTP side with sign-ups, without lookups. */
export async function startSignupSide({ isLive = false, store: given }: SignupSideOptions = {}): Promise<SignupSide> {
  const processor = await StripeServer.start();
  const { logger } = capturingLogger();
  const price = 'price_lookup';
  const reader = new PriceReader({ stripe: clientOf(processor), price, isLive, logger });
  const front = await startFrontEnd({
    trustProxyHops: 1,
    billing: billingConfig(processor, `whsec_other, ${processor.sent.secret}`),
    ofFeatures: new Map([[signupSettings, { price, termsUrl: 'https://terms.example/', publicUrl: null, isLive }]]),
    overrides: { billing: silentBilling(processor, { price: reader }), ...(given ? { keys: given } : {}) },
  });
  const { url, store, lines } = front;
  const { signups, lifeCycle } = front.services.parts.of(signupPart)!;
  processor.sent.target = `${url}/webhooks/stripe`;
  return {
    ...{ front, processor, store, signups, lifeCycle, lines },
    madeKeys: async () => (await store.list()).filter(({ id }) => id !== front.keyId),
    browser: (network = `10.0.${networks >> 8}.${networks++ & 255}`) => new SignupBrowser(() => url, network),
    sweep: (times = NO_TIME) =>
      sweepSignups({ store: store.signups, signups, logger, times: { ...MUCH_TIME, ...times } }),
    [Symbol.asyncDispose]: async () => {
      processor.sent.stop();
      await front[Symbol.asyncDispose]();
      await processor[Symbol.asyncDispose]();
    },
  };
}

/** Keeps the cookie of the page, follows no redirect by itself, and says where its requests come from as browsers do. */
export class SignupBrowser {
  readonly #url: () => string;
  readonly #network: string;
  cookie = '';

  constructor(url: () => string, network: string) {
    this.#url = url;
    this.#network = network;
  }

  async request(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const own = { 'x-forwarded-for': this.#network, ...(this.cookie === '' ? {} : { cookie: this.cookie }) };
    const from = method === 'POST' ? { origin: this.#url() } : {};
    const response = await fetch(this.#url() + path, {
      ...{ method, redirect: 'manual' },
      headers: { ...own, ...from, ...headers },
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0]!;
    return response;
  }

  /** Opens the page and presses the button. @returns the processor's page; null when the answer is another. */
  async begin(): Promise<string | null> {
    if (this.cookie === '') await this.request('GET', '/signup');
    const response = await this.request('POST', '/signup');
    const location = response.headers.get('location');
    return response.status === 303 && location?.startsWith('http') ? location : null;
  }

  /** Fills the processor's page. @returns where it leads back to; null when it takes nothing. */
  async pay(location: string, card = '4242 4242 4242 4242'): Promise<string | null> {
    const body = new URLSearchParams({ email: 'person@example.com', cardNumber: card });
    const response = await fetch(location, { method: 'POST', redirect: 'manual', body });
    await response.arrayBuffer();
    return response.headers.get('location');
  }

  /** Asks for the key, as the page at this address does. Null when the service does not answer as it should. */
  async claim(location = '/signup/done'): Promise<Claim | null> {
    const { search } = new URL(location, this.#url());
    const response = await this.request('POST', `/signup/key${search}`).catch(() => null);
    return response?.ok ? ((await response.json()) as Claim) : null;
  }

  async shown(): Promise<void> {
    await this.request('POST', '/signup/shown');
  }
}

/**
 * Waits until the page of a sign-up knows its price. The service waits for the processor for 3 s at most; the page of a visitor who comes before has a
 * button that cannot be pressed, and says that one may try again in a minute.
 */
export async function untilPriced(url: string): Promise<void> {
  await until(async () => !(await (await fetch(`${url}/signup`)).text()).includes('"price":null'));
}
