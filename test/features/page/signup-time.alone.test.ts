/** How long a sign-up takes somebody, from its page over that of the payment processor to the first answered lookup. */
import { expect } from 'chai';
import { COUNTRY, withSignups } from './visits.ts';

/** Between two keys, as somebody types who looks at the keyboard. */
const TYPING = { delay: 80 };

describe('A sign-up', function () {
  this.timeout(240_000);
  const { open, service, processor } = withSignups(this, '/signup', { TRUST_PROXY_HOPS: '1' });
  before(() => {
    processor().sent.target = `${service().url}/webhooks/stripe`;
  });

  it('leads to the first answered lookup within a minute of typing', async () => {
    const startMs = performance.now();
    await using opened = await open();
    const { page } = opened;
    await page.click('#submit');
    await page.waitForURL(`${processor().url}/**`);
    await page.locator('#email').pressSequentially('person@example.com', TYPING);
    await page.locator('#cardNumber').pressSequentially('4242 4242 4242 4242', TYPING);
    await page.click('#pay');
    await page.waitForSelector('#done:not([hidden])');
    await page.getByText('Look an address up with it').click();
    await page.locator('#address').pressSequentially(COUNTRY, TYPING);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#result:not([hidden])');
    const seconds = (performance.now() - startMs) / 1000;
    console.log(`      ${seconds.toFixed(1)} s from /signup to the answer`);
    expect(seconds).to.be.below(60);
  });
});
