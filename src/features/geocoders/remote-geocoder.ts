import { LRUCache } from 'lru-cache';
import CircuitBreaker from 'opossum';
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';
import { choose } from '../../addresses/distance.ts';
import {
  ambiguous,
  isIntersection,
  parseAddress,
  readingsBeforeUnknown,
  refusal,
  whyUnreadable,
} from '../../addresses/parse.ts';
import { ontario } from '../../addresses/regions.ts';
import { tokenise } from '../../addresses/tokens.ts';
import { openNetwork, checkStatus, readBody, send } from '../../core/outbound/client.ts';
import type { GeocodeResult, Refusal } from '../../messages/lookup.ts';
import { unavailable } from '../../messages/problems.ts';
import { type Agreed, agree } from './agreement.ts';
import { type Offer, type Provider, MalformedAnswer } from './provider.ts';
import { mostEntries } from '../../core/stores/most-entries.ts';
import { type RetryPolicy, withRetries } from '../../core/outbound/retry.ts';

const CACHED_ADDRESSES = 10_000;
const CACHED_MS = 24 * 3600 * 1000;

/** Short, because new buildings appear in the data. */
const CACHED_NOT_FOUND_MS = 10 * 60 * 1000;

const REST_MS = 10_000;

/** Requests pause when half of the requests of the last ten seconds failed, of at least five. */
const FAILURES = { errorThresholdPercentage: 50, volumeThreshold: 5, rollingCountTimeout: 10_000 } as const;

const noNames = { has: () => false, ofLength: () => [] };

/**
 * A remote geocoding service with the same promise as the embedded one: the right civic point, or a refusal that says
 * why.
 */
export class RemoteGeocoder implements Disposable {
  readonly #options: ConstructorParameters<typeof RemoteGeocoder>[0];
  readonly #breaker: CircuitBreaker<Question, readonly Offer[]>;
  readonly #turns: RateLimiterQueue;
  #hasAnswered = false;
  readonly #cache = new LRUCache<string, GeocodeResult>(mostEntries(CACHED_ADDRESSES));

  constructor(options: {
    readonly provider: Provider;
    readonly baseUrl: string;
    readonly key: string | null;
    /** For one address, retries included. */
    readonly timeoutMs: number;
    /** Requests per second that this process may send. */
    readonly ratePerS: number;
    /** Called when requests to the provider pause, with the last failure, and when they resume. */
    readonly onState?: (state: 'open' | 'halfOpen' | 'close', detail: string | null) => void;
    /** Pause without requests after failures; shorter in tests. */
    readonly restMs?: number;
  }) {
    this.#options = options;
    void openNetwork();
    const { ratePerS, timeoutMs, onState = () => undefined } = options;
    this.#turns = new RateLimiterQueue(new RateLimiterMemory({ points: ratePerS, duration: 1 }), {
      // A request further back in the queue would exceed the time limit anyway.
      maxQueueSize: Math.ceil((ratePerS * timeoutMs) / 1000),
    });
    this.#breaker = new CircuitBreaker((question: Question) => this.#offers(question), {
      ...FAILURES,
      timeout: false,
      resetTimeout: options.restMs ?? REST_MS,
      errorFilter: (cause) => cause instanceof TooBusy,
    });
    let lastFailure: string | null = null;
    this.#breaker.on('failure', (cause) => {
      lastFailure = String(cause);
    });
    for (const state of ['open', 'halfOpen', 'close'] as const)
      this.#breaker.on(state, () => {
        onState(state, state === 'open' ? lastFailure : null);
      });
  }

  /**
   * @param traceParent header that makes the request part of the caller's trace.
   * @throws AppError DB_ERROR when the provider does not answer.
   */
  async geocode(address: string, traceParent?: string): Promise<GeocodeResult> {
    const refused = refusedUnasked(address);
    if (refused) return { refused };
    const key = tokenise(address).join(' ');
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const result = decide(address, await this.#ask({ address, traceParent }), this.#options.provider.name);
    if (this.#options.provider.mayCache) {
      this.#cache.set(key, result, { ttl: 'found' in result ? CACHED_MS : CACHED_NOT_FOUND_MS });
    }
    return result;
  }

  /** True once the provider has answered a request. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** True while requests pause after failures. */
  get isResting(): boolean {
    return this.#breaker.opened;
  }

  [Symbol.dispose](): void {
    this.#breaker.shutdown();
  }

  async #ask(question: Question): Promise<readonly Offer[]> {
    try {
      return await this.#breaker.fire(question);
    } catch (cause) {
      const { provider, restMs = REST_MS } = this.#options;
      throw unavailable('GEOCODER_UNREACHABLE', `the geocoder ${provider.name} does not answer: ${String(cause)}`, {
        cause,
        retryAfterS: this.#breaker.opened ? Math.ceil(restMs / 1000) : 1,
      });
    }
  }

  async #turn(): Promise<void> {
    await this.#turns.removeTokens(1).catch(() => {
      throw new TooBusy();
    });
  }

  #offers({ address, traceParent }: Question): Promise<readonly Offer[]> {
    const { provider, baseUrl, key, timeoutMs } = this.#options;
    const url = new URL(provider.path(withProvince(address), key), baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
    return ask({ url, timeoutMs, traceParent, mayAsk: () => this.#turn() }, (body) => {
      const offers = provider.offers(body);
      this.#hasAnswered = true;
      return offers;
    });
  }
}

interface Question {
  readonly address: string;
  readonly traceParent: string | undefined;
}

/** Too many addresses wait for the provider's rate limit. */
class TooBusy extends Error {
  constructor() {
    super('too many addresses wait for their turn');
  }
}

/** Returns the refusal of an address that needs no provider: in another province, or not civic. */
function refusedUnasked(address: string): Refusal | null {
  const parsed = parseAddress(address, noNames);
  if ('reason' in parsed) return parsed;
  const readings = [...parsed.readings.plain, ...readingsBeforeUnknown(parsed, noNames)];
  if (readings.length === 0) return whyUnreadable(parsed);
  return isIntersection(parsed.words.words) ? refusal('INTERSECTION', 'An intersection is not a civic address.') : null;
}

function withProvince(address: string): string {
  const text = address.trim().replace(/\s+/g, ' ');
  return tokenise(text).some((word) => ontario.has(word)) ? text : `${text}, Ontario`;
}

function decide(address: string, offers: readonly Offer[], source: string): GeocodeResult {
  const agreed = offers.flatMap((offer) => agree(address, offer, source) ?? []);
  const here = agreed.filter(({ isElsewhere }) => !isElsewhere);
  if (here.length === 0) return { refused: agreed.length > 0 ? outOfArea(source) : notFound(source) };
  const addressOf = ({ geocode }: Agreed): string => geocode.address;
  const { best, rivals } = choose(here, addressOf);
  if (rivals.length > 0) return { refused: ambiguous([best, ...rivals].map(addressOf)) };
  return { found: best.geocode };
}

function outOfArea(source: string): Refusal {
  return refusal('OUT_OF_AREA', `The address is not in Ontario, according to ${source}.`);
}

function notFound(source: string): Refusal {
  return refusal('STREET_NOT_FOUND', `The geocoder ${source} knows no such civic address.`);
}

/** Longest answer. Ten results with all their details have some tens of kilobytes. */
const MOST_BYTES = 1024 * 1024;

/** A caller waits for the answer. */
const impatient: RetryPolicy = { attempts: 3, firstMs: 100, mostMs: 200 };

/**
 * Asks a provider for JSON, again after failures that may pass. Redirects are refused: the key and the address are for the provider alone.
 * @param read turns the body into what is wanted.
 * @throws Error that names neither the URL nor the address: both may end in a log.
 */
function ask<T>(
  options: {
    readonly url: URL;
    /** For all attempts together. */
    readonly timeoutMs: number;
    /** Value of the header `traceparent`, for a caller that traces. */
    readonly traceParent?: string | undefined;
    /** Called before each attempt; waits until the rate limit allows a request. */
    readonly mayAsk: () => Promise<unknown>;
  },
  read: (body: unknown) => T,
): Promise<T> {
  const endMs = performance.now() + options.timeoutMs;
  return withRetries({ ...impatient, endMs }, async () => {
    await options.mayAsk();
    return read(await askOnce(options, endMs));
  });
}

async function askOnce({ url, traceParent, timeoutMs }: Parameters<typeof ask>[0], endMs: number): Promise<unknown> {
  const answer = await send({
    url,
    headers: { accept: 'application/json', ...(traceParent === undefined ? {} : { traceparent: traceParent }) },
    redirect: 'error',
    idleMs: timeoutMs,
    deadlineMs: Math.max(1, Math.ceil(endMs - performance.now())),
  });
  // Read in any case, so that the connection can be used again.
  const body = await readBody(answer, MOST_BYTES);
  checkStatus(answer);
  return parsed(body.toString());
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new MalformedAnswer('the answer is not JSON');
  }
}
