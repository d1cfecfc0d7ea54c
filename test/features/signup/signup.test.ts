/** Signing up: from the button to one key, which nobody but the browser that began gets. */
import { expect } from 'chai';
import { hashKey } from '../../../src/core/keys/key-format.ts';
import { newSecret, signupIdOf } from '../../../src/features/signup/signup-record.ts';
import { startSignupSide, type SignupBrowser, type SignupSide } from '../../support/drivers/signup.ts';
import { lookupPrice } from '../../support/doubles/stripe-objects.ts';

describe('Signing up', function () {
  this.timeout(240_000);
  let side: SignupSide;
  beforeEach(async () => {
    side = await startSignupSide();
  });
  afterEach(() => side[Symbol.asyncDispose]());

  /** Signs up to the end. Gives the key. */
  async function keyOf(browser: SignupBrowser): Promise<string> {
    const location = (await browser.pay((await browser.begin())!))!;
    const claim = await browser.claim(location);
    expect(claim?.state).to.equal('key');
    return (claim as { key: string }).key;
  }

  it('asks for a subscription by usage with a payment method, and returns to an address that has no session in it', async () => {
    const browser = side.browser();
    const location = await browser.begin();
    const [session] = side.processor.checkout.sessions.values();
    expect(location).to.equal(session!.url);
    expect(session).to.deep.include({
      mode: 'subscription',
      payment_method_collection: 'always',
      price: 'price_lookup',
    });
    const secret = browser.cookie.split('=')[1]!;
    expect(session!.success_url).to.equal(`${side.front.url}/signup/done?of=${signupIdOf(secret)}`);
    expect(session!.cancel_url).to.equal(`${side.front.url}/signup`);
    expect(session!.client_reference_id).to.equal(signupIdOf(secret));
    expect(JSON.stringify(session)).to.not.contain(secret);
  });

  it('begins on a page that search engines may list, and ends on one that they may not', async () => {
    const at = (path: string) => fetch(side.front.url + path);
    const [begin, end] = [await at('/signup'), await at('/signup/done')];
    expect(await begin.text())
      .to.contain('<meta name="description"')
      .and.not.to.contain('noindex');
    expect(begin.headers.get('x-robots-tag')).to.equal(null);
    expect(end.headers.get('x-robots-tag')).to.equal('noindex');
  });

  it('makes one key of the customer, gives it until the browser shows it, and then never again', async () => {
    const browser = side.browser();
    const key = await keyOf(browser);
    expect(await keyOf2(browser)).to.equal(key);
    const record = await side.store.find(hashKey(key));
    const [customer] = side.processor.checkout.customers.keys();
    expect(record).to.include({ customer, revokedAt: null, isSuspended: false });
    await browser.shown();
    expect(await browser.claim()).to.deep.equal({ state: 'shown', keyId: record!.id });
    expect(await side.madeKeys()).to.have.length(1);
    const entry = (await side.store.audit()).find(({ keyId }) => keyId === record!.id);
    expect(entry).to.include({ action: 'create', keyId: record!.id });
    expect(await browser.begin(), 'another sign-up of the same browser').to.contain('/c/pay/');
    expect(side.processor.checkout.sessions).to.have.property('size', 2);
  });

  async function keyOf2(browser: SignupBrowser): Promise<string> {
    return ((await browser.claim()) as { key: string }).key;
  }

  it('stores neither the secret of the browser nor the key, and logs neither of them nor the session', async () => {
    const browser = side.browser();
    const key = await keyOf(browser);
    await side.processor.sent.settled();
    const [session] = side.processor.checkout.sessions.keys();
    const secret = browser.cookie.split('=')[1]!;
    const stored = JSON.stringify([await side.store.signups.list('all'), await side.madeKeys()]);
    const logged = JSON.stringify([side.lines, side.front.lines]);
    for (const hidden of [key, secret]) expect(stored + logged).to.not.contain(hidden);
    expect(logged).to.not.contain(session);
  });

  it('gives nothing to a guess, a replay of the session, another browser or a cookie of another form', async () => {
    const browser = side.browser();
    const location = (await browser.begin())!;
    await browser.pay(location);
    const session = /cs_\w+/.exec(location)![0];
    const other = side.browser();
    expect(await other.claim()).to.deep.equal({ state: 'unknown' });
    await other.request('GET', `/signup/done?session_id=${session}`);
    expect(await other.claim()).to.deep.equal({ state: 'unknown' });
    for (const forged of [session, signupIdOf(browser.cookie.split('=')[1]!), 'x'.repeat(43), '../../x', '']) {
      other.cookie = `signup=${forged}`;
      expect(await other.claim(), forged).to.deep.equal({ state: 'unknown' });
    }
    expect(await side.madeKeys()).to.deep.equal([]);
    expect((await browser.claim())?.state).to.equal('key');
  });

  it('refuses what a page of another site makes a browser send', async () => {
    const browser = side.browser();
    await browser.pay((await browser.begin())!);
    for (const path of ['/signup', '/signup/key', '/signup/shown']) {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: side.front.url, 'sec-fetch-site': 'cross-site' },
        { origin: side.front.url, 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      ]) {
        const response = await browser.request('POST', path, headers);
        expect(response.status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
        expect(response.headers.get('set-cookie')).to.equal(null);
      }
    }
    const form = await browser.request('POST', '/signup/key', { origin: 'null', 'sec-fetch-site': 'same-origin' });
    expect(form.status).to.equal(200);
  });

  describe('with a page of the processor that was sent to somebody else', () => {
    const subscription = () => [...side.processor.checkout.subscriptions.values()].at(-1);
    /** Another browser than the one that began fills the page. @returns where that one comes back to. */
    const fillElsewhere = async (location: string): Promise<string> => (await side.browser().pay(location))!;

    it('gives no key, and cancels the subscription', async () => {
      const sender = side.browser();
      const back = await fillElsewhere((await sender.begin())!);
      expect(await side.browser().claim(back)).to.deep.equal({ state: 'elsewhere' });
      const reason = 'ELSEWHERE';
      expect(await sender.claim()).to.deep.equal({ state: 'ended', reason });
      expect(await sender.claim(back)).to.deep.equal({ state: 'ended', reason });
      expect(subscription()).to.include({ status: 'canceled' });
      expect(await side.madeKeys()).to.deep.equal([]);
    });

    for (const isShown of [false, true]) {
      it(`takes the key back that its sender has got meanwhile${isShown ? ' and has seen' : ''}`, async () => {
        const sender = side.browser();
        const back = await fillElsewhere((await sender.begin())!);
        const { key } = (await sender.claim(back)) as { readonly key: string };
        if (isShown) await sender.shown();
        const person = side.browser();
        await person.request('GET', '/signup');
        expect(await person.claim(back)).to.deep.equal({ state: 'elsewhere' });
        expect((await side.store.find(hashKey(key)))!.revokedAt).to.be.a('string');
        expect(subscription()).to.include({ status: 'canceled' });
        expect((await sender.claim())?.state).to.equal('ended');
        expect(await person.claim(back), 'asked again').to.deep.equal({ state: 'elsewhere' });
      });
    }

    it('gives none either when the processor confirms later', async () => {
      side.processor.checkout.isDelayed = true;
      const sender = side.browser();
      const back = await fillElsewhere((await sender.begin())!);
      expect(await side.browser().claim(back)).to.deep.equal({ state: 'elsewhere' });
      expect(await sender.claim()).to.deep.equal({ state: 'processing' });
      side.processor.checkout.confirm([...side.processor.checkout.sessions.keys()][0]!);
      await side.processor.sent.settled();
      expect((await sender.claim())?.state).to.equal('ended');
      expect(subscription()).to.include({ status: 'canceled' });
    });

    it('leaves a key alone that was shown long before, and what is no sign-up', async () => {
      const browser = side.browser();
      const back = (await browser.pay((await browser.begin())!))!;
      const { key } = (await browser.claim(back)) as { readonly key: string };
      await browser.shown();
      const [record] = await side.store.signups.list('all');
      const changedAt = new Date(Date.now() - 3_600_000).toISOString();
      await side.store.signups.update(record!.id, (before) => before && { ...before, changedAt });
      expect(await side.browser().claim(back)).to.deep.equal({ state: 'unknown' });
      expect((await side.store.find(hashKey(key)))!.revokedAt).to.equal(null);
      for (const id of [`sgn_${'0'.repeat(64)}`, 'sgn_', '', 'x'])
        expect(await side.browser().claim(`/signup/done?of=${id}`), id).to.deep.equal({ state: 'unknown' });
    });

    it('warns of it on that page', async () => {
      await side.browser().begin();
      const [session] = side.processor.checkout.sessions.values();
      expect(session!.custom_text.submit.message).to.contain('If somebody sent you a link to this page, close it.');
    });
  });

  it('redirects only to the page that the processor gave, whatever the request says', async () => {
    const browser = side.browser();
    await browser.request('GET', '/signup');
    const response = await browser.request('POST', '/signup?success_url=https://evil.example&next=//evil.example', {
      'x-forwarded-host': 'evil.example',
      referer: 'https://evil.example/',
    });
    expect(response.headers.get('location')).to.match(new RegExp(`^${side.processor.url}/c/pay/cs_test_`));
    const [session] = side.processor.checkout.sessions.values();
    expect(JSON.stringify(session)).to.not.contain('evil');
  });

  it('bounds sign-ups by network, and says so on the page', async () => {
    for (let i = 0; i < 10; i++) expect(await side.browser('10.9.9.9').begin()).to.be.a('string');
    const eleventh = side.browser('10.9.9.9');
    await eleventh.request('GET', '/signup');
    const refused = await eleventh.request('POST', '/signup', { accept: '*/*' });
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.above(3000);
    expect(await refused.json()).to.include({
      code: 'RATE_LIMITED',
      detail: 'this network may begin 10 sign-ups per hour',
    });
    expect(await side.browser('10.9.9.8').begin()).to.be.a('string');
    expect(side.processor.checkout.sessions.size).to.equal(11);
  });

  it('bounds those of all networks together, and gives back what it refuses', async () => {
    let begun = 0;
    for (let network = 0; network < 30; network++) {
      for (let n = 0; n < 10; n++) if ((await side.browser(`10.8.0.${network}`).begin()) !== null) begun++;
    }
    expect(begun).to.equal(300);
    const late = side.browser('10.8.1.1');
    await late.request('GET', '/signup');
    for (let n = 0; n < 11; n++) {
      const refused = await late.request('POST', '/signup', { accept: '*/*' });
      expect(refused.status).to.equal(429);
      expect(await refused.json()).to.include({ detail: 'this service may begin 300 sign-ups per hour' });
    }
    expect(side.processor.checkout.sessions.size).to.equal(300);
  });

  it('bounds what says that a key is shown, by network', async () => {
    const browser = side.browser('10.7.7.7');
    await browser.pay((await browser.begin())!);
    expect((await browser.claim())?.state).to.equal('key');
    const statuses = new Map<number, number>();
    for (let n = 0; n < 620; n++) {
      const { status } = await browser.request('POST', '/signup/shown', { cookie: `signup=${newSecret()}` });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // One of them was the question for the key.
    expect(Object.fromEntries(statuses)).to.deep.equal({ 204: 599, 429: 21 });
  });

  it('gives no key without a payment method, with another price or for a session of the other mode', async () => {
    const { checkout } = side.processor;
    const spoil: Readonly<Record<string, () => void>> = {
      'there is no payment method': () => ([...checkout.subscriptions.values()].at(-1)!.default_payment_method = null),
      'the subscription has another price': () => {
        const item = [...checkout.subscriptions.values()].at(-1)!.items.data[0]!;
        item.price = { ...item.price, id: 'price_other' };
      },
      'the session is live, but STRIPE_API_KEY is for tests': () => {
        [...checkout.sessions.values()].at(-1)!.livemode = true;
      },
      'the subscription is canceled': () => ([...checkout.subscriptions.values()].at(-1)!.status = 'canceled'),
    };
    side.processor.sent.delaysMs = () => [];
    for (const [reason, make] of Object.entries(spoil)) {
      const browser = side.browser();
      await browser.pay((await browser.begin())!);
      make();
      expect(await browser.claim()).to.deep.equal({ state: 'ended', reason });
      expect([...checkout.subscriptions.values()].at(-1)!.status).to.equal('canceled');
    }
    expect(await side.madeKeys()).to.deep.equal([]);
  });

  it('with a live key takes no price, session or event for tests, and gives a key when all are live', async () => {
    await using live = await startSignupSide({ isLive: true });
    const { checkout, sent } = live.processor;
    const refused = live.browser();
    const page = await (await refused.request('GET', '/signup')).text();
    expect(page).to.contain('"isLive":true').and.contain('"price":null');
    expect((await refused.request('POST', '/signup')).status).to.equal(503);
    const event = { type: 'customer.deleted', livemode: false, data: { object: { id: 'cus_1' } } };
    const body = JSON.stringify({ id: 'evt_x', object: 'event', ...event });
    expect(await sent.resend({ id: 'evt_x', type: event.type, body })).to.equal(400);
    checkout.livemode = true;
    checkout.prices.set('price_lookup', lookupPrice('price_lookup', true));
    const browser = live.browser();
    await browser.pay((await browser.begin())!);
    await sent.settled();
    expect(sent.statuses.slice(1)).to.deep.equal([204, 204, 204]);
    expect((await browser.claim())?.state).to.equal('key');
    expect(await live.madeKeys()).to.have.length(1);
  });

  it('waits for a payment method that is confirmed later', async () => {
    side.processor.checkout.isDelayed = true;
    const browser = side.browser();
    await browser.pay((await browser.begin())!);
    await side.processor.sent.settled();
    expect(await browser.claim()).to.deep.equal({ state: 'processing' });
    side.processor.checkout.confirm([...side.processor.checkout.sessions.keys()][0]!);
    await side.processor.sent.settled();
    expect((await browser.claim())?.state).to.equal('key');
  });

  it('is one sign-up for two presses of the button and two tabs, and another one after a session has expired', async () => {
    const browser = side.browser();
    await browser.request('GET', '/signup');
    const pressed = await Promise.all([browser.begin(), browser.begin()]);
    expect(pressed.filter((location) => location === pressed[0] || location === null)).to.have.length(2);
    expect(await browser.begin()).to.equal(pressed.find((location) => location !== null));
    expect(side.processor.checkout.sessions.size).to.equal(1);
    const [session] = side.processor.checkout.sessions.values();
    session!.status = 'expired';
    const again = await browser.begin();
    expect(again).to.be.a('string').and.not.equal(session!.url);
    await browser.pay(again!);
    expect((await browser.claim())?.state).to.equal('key');
    expect(await side.madeKeys()).to.have.length(1);
  });

  it('asks for the cookie of the page, and takes no card that is declined', async () => {
    const browser = side.browser();
    expect((await browser.request('POST', '/signup')).status).to.equal(400);
    const location = (await browser.begin())!;
    expect(await browser.pay(location, '4000 0000 0000 0002')).to.equal(null);
    expect(await browser.claim()).to.deep.equal({ state: 'open' });
    expect(await side.madeKeys()).to.deep.equal([]);
  });

  it('cancels what nobody comes back for within a day, and says so to who comes later', async () => {
    const browser = side.browser();
    await browser.pay((await browser.begin())!);
    await side.processor.sent.settled();
    const states = async () => (await side.store.signups.list('all')).map(({ state }) => state);
    expect(await states()).to.deep.equal(['paid']);
    await side.sweep({ paidMs: 86_400_000 });
    expect(await states()).to.deep.equal(['paid']);
    await side.sweep({ paidMs: 0 });
    expect(await states()).to.deep.equal(['ended']);
    const [subscription] = side.processor.checkout.subscriptions.values();
    expect(subscription).to.deep.include({
      status: 'canceled',
      cancellation_details: { comment: 'sign-up ended: nobody came back for the key within a day' },
    });
    expect((await browser.claim())?.state).to.equal('ended');
    expect(await side.madeKeys()).to.deep.equal([]);
  });

  it('answers nothing that anybody keeps, with a policy without inline code', async () => {
    const browser = side.browser();
    for (const path of ['/signup', '/signup/done']) {
      const response = await browser.request('GET', path);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(response.headers.get('referrer-policy')).to.equal('no-referrer');
      expect(response.headers.get('content-security-policy'))
        .to.contain("default-src 'none'")
        .and.not.contain('unsafe');
      expect(await response.text()).to.contain('"amount":"10"');
    }
    const cookie = (await side.browser().request('GET', '/signup')).headers.get('set-cookie');
    expect(cookie).to.match(/^signup=[\w-]{43}; Max-Age=172800; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/);
    for (const [method, path] of [
      ['POST', '/signup/key'],
      ['POST', '/signup/shown'],
    ] as const)
      expect((await browser.request(method, path)).headers.get('cache-control')).to.equal('no-store');
    expect((await browser.request('PUT', '/signup')).status).to.equal(405);
  });
});
