/** Kills a serving process again and again while people sign up with a payment processor that fails, and counts keys and customers afterwards. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey } from '../../../src/core/keys/key-format.ts';
import { keysInFile } from '../../../src/core/keys/open-key-store.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { Signups } from '../../../src/features/signup/signups.ts';
import { sweepSignups } from '../../../src/features/signup/sweep.ts';
import { clientOf } from './billing.ts';
import { capturingLogger } from './front-end.ts';
import { ownSampleFolder } from '../material/served-sample.ts';
import { ServiceProcess } from './service-process.ts';
import { SignupBrowser } from './signup.ts';
import type { CallFault } from '../doubles/stripe-checkout.ts';
import { StripeServer } from '../doubles/stripe-server.ts';

export interface SignupKillOptions {
  readonly kills: number;
  readonly seed: number;
  /** People who sign up at once, one after another. */
  readonly people: number;
  readonly onKill?: (kill: number) => void;
}

export interface SignupKillReport {
  /** Sign-ups that were filled at the processor. */
  readonly filled: number;
  /** Keys that browsers got. */
  readonly keys: number;
  /** Subscriptions that were cancelled because nobody came for the key. */
  readonly cancelled: number;
  /** What is wrong; empty: nothing. */
  readonly faults: readonly string[];
}

const CALL_FAULTS = ['500', '500 after', '429', 'lost answer', 'cut before'] as const satisfies CallFault[];

export async function killDuringSignups(options: SignupKillOptions): Promise<SignupKillReport> {
  using folder = ownSampleFolder();
  await using processor = await StripeServer.start();
  const random = seededRandom(options.seed);
  makeFaulty(processor, random);
  const env = { ...processor.signupEnv, TRUST_PROXY_HOPS: '1' };
  const start = async (): Promise<ServiceProcess> => {
    const service = await ServiceProcess.start(folder.path, env);
    processor.sent.target = `${service.url}/webhooks/stripe`;
    return service;
  };
  let service: ServiceProcess | null = await start();
  const people = new People(() => service?.url ?? null, random);
  const signing = Array.from({ length: options.people }, (_, i) => people.signUpAgainAndAgain(i));
  for (let kill = 1; kill <= options.kills; kill++) {
    await sleep(random() * 2500);
    const dying = service;
    service = null;
    await dying.kill();
    options.onKill?.(kill);
    service = await start();
  }
  people.stop();
  await Promise.all(signing);
  await processor.sent.settled();
  await service.stop();
  // Awaited here: folder and processor end with this function.
  return await report(join(folder.path, 'accounts.sqlite'), processor, people.keys);
}

/** A third of the calls fail, and webhooks come late, twice or never. */
function makeFaulty(processor: StripeServer, random: () => number): void {
  processor.checkout.fault = () => {
    const drawn = random();
    return drawn < 0.7 ? 'none' : CALL_FAULTS[Math.floor(((drawn - 0.7) / 0.3) * CALL_FAULTS.length)]!;
  };
  processor.sent.delaysMs = () => {
    const drawn = random();
    return drawn < 0.2 ? [] : drawn < 0.4 ? [0, 300] : [random() * 1500];
  };
}

class People {
  readonly keys: string[] = [];
  readonly #url: () => string | null;
  readonly #random: () => number;
  #isStopped = false;
  #networks = 0;

  constructor(url: () => string | null, random: () => number) {
    this.#url = url;
    this.#random = random;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async signUpAgainAndAgain(person: number): Promise<void> {
    while (!this.#isStopped) await this.#signUp(person);
  }

  /** Some leave before they pay, some before they have the key; some close the page before it says that it shows the key. */
  async #signUp(person: number): Promise<void> {
    const browser = new SignupBrowser(
      () => this.#url() ?? 'http://127.0.0.1:9',
      `10.${person}.${this.#networks >> 8}.${this.#networks++ & 255}`,
    );
    const location = await this.#untilThere(() => browser.begin());
    if (location === null || this.#random() < 0.1) return;
    await browser.pay(location);
    if (this.#random() < 0.2) return;
    const key = await this.#untilThere(async () => {
      const claimed = await browser.claim();
      return claimed?.state === 'key' ? claimed.key : null;
    });
    if (key === null) return;
    this.keys.push(key);
    if (this.#random() < 0.7) await browser.shown().catch(() => undefined);
  }

  /** Tries for as long as a patient person would. */
  async #untilThere(attempt: () => Promise<string | null>): Promise<string | null> {
    for (let i = 0; i < 100; i++) {
      const got = this.#url() === null ? null : await attempt().catch(() => null);
      if (got !== null) return got;
      await sleep(200);
    }
    return null;
  }
}

async function report(file: string, processor: StripeServer, shown: readonly string[]): Promise<SignupKillReport> {
  processor.checkout.fault = () => 'none';
  await using store = keysInFile(file);
  const { lines, logger } = capturingLogger();
  const stripe = clientOf(processor);
  const signups = new Signups({
    stripe,
    store,
    price: 'price_lookup',
    isLive: false,
    origin: () => 'http://x',
    logger,
  });
  const times = { begunMs: 0, openMs: 0, paidMs: 0, issuedMs: 0 };
  for (const session of processor.checkout.sessions.values()) session.expires_at = 0;
  // A session that was filled is confirmed by the first sweep and cancelled by the second.
  for (let i = 0; i < 2; i++) await sweepSignups({ store: store.signups, signups, logger, times });
  const keys = (await store.list()).filter(({ revokedAt }) => revokedAt === null);
  const subscriptions = [...processor.checkout.subscriptions.values()];
  const paying = subscriptions.filter(({ status }) => status === 'active').map(({ customer }) => customer);
  const owners = keys.map(({ customer }) => customer ?? 'nobody');
  const found = await Promise.all(shown.map((key) => store.find(hashKey(key))));
  const unfinished = await store.signups.list('unfinished');
  const faults = [
    ...owners
      .filter((customer) => !paying.includes(customer))
      .map((customer) => `${customer} has a key and no subscription`),
    ...paying.filter((customer) => !owners.includes(customer)).map((customer) => `${customer} pays and has no key`),
    ...owners.filter((customer, i) => owners.indexOf(customer) !== i).map((customer) => `${customer} has two keys`),
    ...found.filter((record) => record?.revokedAt !== null).map(() => 'a key that was shown is not in force'),
    ...(new Set(shown).size === shown.length ? [] : ['two people got the same key']),
    ...unfinished.map(({ id, state }) => `${id} is still ${state}`),
    ...lines
      .filter(({ level }) => level === 'warn')
      .map((line) => `while the rest was brought to its end: ${JSON.stringify(line)}`),
  ];
  return { filled: subscriptions.length, keys: shown.length, cancelled: subscriptions.length - paying.length, faults };
}
