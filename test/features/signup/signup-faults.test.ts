/** Sign-ups through 30 orders of faults: each ends with one key of one customer, or with nothing and a clear message. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey } from '../../../src/core/keys/key-format.ts';
import type { CallFault } from '../../support/doubles/stripe-checkout.ts';
import { startSignupSide, type SignupBrowser, type SignupSide } from '../../support/drivers/signup.ts';

/** How webhooks travel: milliseconds from their making, once for each number. */
const WEBHOOKS: Readonly<Record<string, (type: string, n: number) => readonly number[]>> = {
  'at once': () => [0],
  twice: () => [0, 5],
  late: () => [400],
  never: () => [],
  'out of order': (_type, n) => [300 - 90 * n],
};

/** What goes wrong with the processor's answers, for the first calls of each kind. */
const CALLS: Readonly<Record<string, CallFault>> = {
  'its answers arrive': 'none',
  'it answers 500 first': '500',
  'it does the work and answers 500': '500 after',
  'its answers are lost': 'lost answer',
  'its connections are cut': 'cut before',
  'it asks to wait': '429',
};

describe('Sign-ups through faults', function () {
  this.timeout(240_000);

  /** Presses the button and fills the page like a person who tries again. */
  async function pay(browser: SignupBrowser): Promise<void> {
    for (let i = 0; i < 8; i++) {
      const location = await browser.begin();
      if (location !== null && (await browser.pay(location)) !== null) return;
    }
    throw new Error('nobody tries so often');
  }

  async function claim(browser: SignupBrowser): Promise<string> {
    for (let i = 0; i < 12; i++) {
      const claimed = await browser.claim();
      if (claimed?.state === 'key') return claimed.key;
      await sleep(20);
    }
    throw new Error('the key never came');
  }

  /** One key, one customer who is subscribed, and nothing else that is paid for. */
  async function expectOne(side: SignupSide, key: string): Promise<void> {
    const { customers, subscriptions } = side.processor.checkout;
    const keys = await side.madeKeys();
    expect(keys).to.have.length(1);
    expect(await side.store.find(hashKey(key))).to.include({ id: keys[0]!.id, isSuspended: false });
    const inForce = [...subscriptions.values()].filter(({ status }) => status === 'active');
    expect(inForce.map(({ customer }) => customer)).to.deep.equal([keys[0]!.customer]);
    expect(customers.size).to.equal(1);
    expect(await side.store.customers()).to.deep.equal([]);
  }

  async function signUp(delaysOf: (type: string, n: number) => readonly number[], fault: CallFault): Promise<void> {
    await using side = await startSignupSide();
    const { sent, checkout } = side.processor;
    let made = 0;
    sent.delaysMs = ({ type }) => delaysOf(type, made++);
    const failures = new Map<string, number>();
    checkout.fault = ({ method, path }) => {
      const kind = `${method} ${path.replace(/cs_\w+/, '')}`;
      failures.set(kind, (failures.get(kind) ?? 0) + 1);
      return failures.get(kind)! <= 2 ? fault : 'none';
    };
    const browser = side.browser();
    await pay(browser);
    const key = await claim(browser);
    await sent.settled();
    checkout.fault = () => 'none';
    await side.sweep({ begunMs: 0, openMs: 0, paidMs: 0, issuedMs: 0 });
    await side.lifeCycle.reconcile();
    await expectOne(side, key);
    expect((await browser.claim())?.state).to.equal('shown');
  }

  for (const [how, delaysOf] of Object.entries(WEBHOOKS)) {
    describe(`end with one key: webhooks come ${how}`, () => {
      // They wait between attempts most of the time, so they run side by side.
      const runs = new Map<string, Promise<PromiseSettledResult<void>[]>>();
      before(() => {
        for (const [what, fault] of Object.entries(CALLS))
          runs.set(what, Promise.allSettled([signUp(delaysOf, fault)]));
      });
      for (const what of Object.keys(CALLS)) {
        it(what, async () => {
          const [run] = await runs.get(what)!;
          if (run!.status === 'rejected') throw run!.reason;
        });
      }
    });
  }

  let side: SignupSide;
  beforeEach(async () => {
    side = await startSignupSide();
  });
  afterEach(() => side[Symbol.asyncDispose]());

  it('end with one key when the processor does what it is asked, and never answers', async () => {
    const silent = new Set<string>();
    side.processor.checkout.fault = ({ method }) => {
      if (silent.has(method)) return 'none';
      silent.add(method);
      return 'silent';
    };
    const browser = side.browser();
    await pay(browser);
    const key = await claim(browser);
    await expectOne(side, key);
  });

  it('end with nothing when the processor never answers, and the page says so', async () => {
    side.processor.checkout.fault = () => '500';
    const browser = side.browser();
    expect(await browser.begin()).to.equal(null);
    const page = await browser.request('POST', '/signup', { accept: 'text/html' });
    expect(page.status).to.equal(503);
    expect(await page.text()).to.contain('"problem":"busy"');
    expect((await browser.claim())?.state).to.equal('open');
    await side.sweep();
    expect(await side.store.signups.list('all')).to.deep.equal([]);
    expect(await side.madeKeys()).to.deep.equal([]);
  });

  it('end with nothing when neither the browser nor a webhook comes, and what was filled is cancelled', async () => {
    side.processor.sent.delaysMs = () => [];
    const [filled, left] = [side.browser(), side.browser()];
    await pay(filled);
    await left.begin();
    await side.sweep({ openMs: 0 });
    expect((await side.store.signups.list('all')).map(({ state }) => state).sort()).to.deep.equal(['open', 'paid']);
    [...side.processor.checkout.sessions.values()].find(({ status }) => status === 'open')!.expires_at = 0;
    await side.sweep();
    const [ended, ...others] = await side.store.signups.list('all');
    expect(others).to.deep.equal([]);
    expect(ended).to.include({ state: 'ended', reason: 'NOBODY_CAME' });
    expect([...side.processor.checkout.subscriptions.values()].map(({ status }) => status)).to.deep.equal(['canceled']);
  });

  it('go on where the cancelling failed', async () => {
    const browser = side.browser();
    await pay(browser);
    await side.processor.sent.settled();
    side.processor.checkout.fault = ({ method }) => (method === 'DELETE' ? 'lost answer' : 'none');
    await side.sweep();
    expect((await side.store.signups.list('all'))[0]!.state).to.equal('ending');
    expect((await browser.claim())?.state).to.equal('ended');
    side.processor.checkout.fault = () => 'none';
    await side.sweep();
    expect((await side.store.signups.list('all'))[0]!.state).to.equal('ended');
  });

  it('revoke a key that was made and not given when its time ran out', async () => {
    const browser = side.browser();
    await pay(browser);
    await side.processor.sent.settled();
    const { signups } = side.store;
    const update = signups.update.bind(signups);
    // The process ends after it made the key, and before it noted that.
    signups.update = (id, change) =>
      update(id, (before) => {
        const after = change(before);
        if (after !== null && after !== 'remove' && after.state === 'issued') throw new Error('killed');
        return after;
      });
    expect(await browser.claim()).to.equal(null);
    signups.update = update;
    expect(await side.madeKeys()).to.have.length(1);
    await side.sweep();
    expect((await side.madeKeys())[0]!.revokedAt).to.be.a('string');
    expect((await browser.claim())?.state).to.equal('ended');
  });

  it('cancel a second session of the same sign-up', async () => {
    const browser = side.browser();
    await pay(browser);
    expect((await browser.claim())?.state).to.equal('key');
    const [first] = side.processor.checkout.sessions.values();
    const second = { ...first!, id: 'cs_test_second', status: 'open' as const, url: 'http://x/' };
    side.processor.checkout.sessions.set(second.id, second);
    side.processor.checkout.complete(second.id, 'person@example.com');
    await side.processor.sent.settled();
    const states = [...side.processor.checkout.subscriptions.values()].map(({ status }) => status);
    expect(states).to.deep.equal(['active', 'canceled']);
    expect((await browser.claim())?.state).to.equal('key');
  });
});
