/** From the sign-up page over the payment processor's page to the first answered lookup, in a browser. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { given } from '../../support/drivers/given.ts';
import { COUNTRY, violationsOf, withSignups, switchLanguage } from './visits.ts';

const run = promisify(execFile);

given('signup').describe('The page of a sign-up', function () {
  this.timeout(240_000);
  const { open, service, processor } = withSignups(this, '/signup', { TRUST_PROXY_HOPS: '1' });
  /** A browser that is left on the processor's page, and one that opens what belongs to another. */
  let left: Visit, stranger: Visit;
  before(() => {
    processor().sent.target = `${service().url}/webhooks/stripe`;
  });

  /** Fills the processor's page, and waits for what our page says then. */
  async function pay(page: Page, { isTyped = false } = {}): Promise<void> {
    await page.waitForURL(`${processor().url}/**`);
    const fill = (field: string, text: string): Promise<void> =>
      isTyped ? page.locator(field).pressSequentially(text) : page.fill(field, text);
    await fill('#email', 'person@example.com');
    await fill('#cardNumber', '4242 4242 4242 4242');
    await page.click('#pay');
    await page.waitForSelector('#done:not([hidden])');
  }

  it('leads to the first answered lookup, of the address that was typed before', async () => {
    await using opened = await open({ path: '/' });
    const { page, complaints } = opened;
    await page.locator('#address').pressSequentially(COUNTRY);
    await page.click('a[href="/signup"]');
    await page.waitForSelector('#price');
    expect(await page.textContent('#price')).to.equal('$0.10 for each answered lookup, billed each month');
    expect(await page.textContent('#limit')).to.equal('1,000 lookups per hour');
    expect(await page.getAttribute('#terms', 'href')).to.equal('https://terms.example/');
    expect(await page.isVisible('#test-mode')).to.equal(true);
    await page.click('#submit');
    await pay(page, { isTyped: true });
    const key = (await page.textContent('#key'))!;
    expect(key).to.match(/^olk_\w{38}$/);
    expect(page.url()).to.equal(`${service().url}/signup/done`);
    const command = (await page.textContent('.curl'))!;
    expect(command).to.contain(`Bearer ${key}`);
    // Not synchronous, because the service is in this process.
    const { stdout } = await run('sh', ['-c', command]);
    expect(JSON.parse(stdout), command).to.have.property('layers');
    await page.getByText('Look an address up with it').click();
    await page.waitForSelector('html[data-ready]');
    expect(await page.inputValue('#address')).to.equal(COUNTRY);
    expect(await page.inputValue('#key')).to.equal(key);
    await page.click('#submit');
    await page.waitForSelector('#result:not([hidden])');
    expect(complaints.filter((complaint) => !complaint.startsWith(`outside: ${processor().url}/`))).to.deep.equal([]);
    await page.goto(`${service().url}/signup/done`);
    await page.waitForSelector('#done:not([hidden])');
    expect(await page.textContent('#done-heading')).to.equal('The key was shown');
    expect(await page.content()).to.not.contain(key);
  });

  it('speaks French, fits a window of 360 pixels, and can be used by keyboard alone', async () => {
    await using opened = await open({ width: 360, locale: 'fr-CA' });
    const { page } = opened;
    expect(await page.getAttribute('html', 'lang')).to.equal('fr');
    expect(await page.textContent('#price')).to.match(/^0,10\s\$ par recherche répondue, facturé chaque mois$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(() => document.activeElement?.id)) === 'submit') break;
    }
    await page.keyboard.press('Enter');
    await pay(page);
    expect(await page.textContent('#done-heading')).to.equal('Votre clé');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('done-heading');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    const key = await page.textContent('#key');
    await page.getByText('Copier la clé').click();
    await page.getByText('La clé est dans le presse-papiers.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(key);
    await switchLanguage(page);
    expect(await page.textContent('#done-heading')).to.equal('Your key');
    expect(await page.textContent('#key')).to.equal(key);
  });

  it('says that the processor does not answer', async () => {
    left = await open();
    const { page } = left;
    processor().checkout.fault = ({ path }) => (path.endsWith('/sessions') ? '500' : 'none');
    await page.click('#submit');
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('The payment processor does not answer at the moment');
    expect(await violationsOf(page)).to.deep.equal([]);
    processor().checkout.fault = () => 'none';
    await page.click('#submit');
    await page.waitForURL(`${processor().url}/**`);
  });

  it('says what is to be done in a browser that did not begin, and after a page that was not filled', async () => {
    stranger = await open({ path: '/signup/done?session_id=cs_test_1' });
    await stranger.page.waitForSelector('#done:not([hidden])');
    expect(await stranger.page.textContent('#done-heading')).to.equal('No sign-up in this browser');
    expect(await violationsOf(stranger.page)).to.deep.equal([]);
    await left.page.goto(`${service().url}/signup/done`);
    await left.page.waitForSelector('#done:not([hidden])');
    expect(await left.page.textContent('#done-heading')).to.equal('The sign-up is not finished');
    await left.page.getByText('Go on with the sign-up').click();
    await left.page.click('#submit');
    await pay(left.page);
    expect(await left.page.textContent('#done-heading')).to.equal('Your key');
    await left[Symbol.asyncDispose]();
  });

  it('says in a browser that did not begin and has paid that there is no key, and in the one that began', async () => {
    await using sender = await open();
    await sender.page.click('#submit');
    await sender.page.waitForURL(`${processor().url}/**`);
    const { page } = stranger;
    await page.goto(`${service().url}/signup`);
    await page.goto(sender.page.url());
    await pay(page);
    expect(await page.textContent('#done-heading')).to.equal('This sign-up began in another browser');
    expect(page.url()).to.equal(`${service().url}/signup/done`);
    expect(await violationsOf(page)).to.deep.equal([]);
    await sender.page.goto(`${service().url}/signup/done`);
    await sender.page.waitForSelector('#done:not([hidden])');
    expect(await sender.page.textContent('#done-heading')).to.equal('The sign-up was cancelled');
    expect(await sender.page.textContent('#done-body')).to.contain('another browser than the one in which it began');
    await switchLanguage(sender.page);
    expect(await sender.page.textContent('#done-body')).to.contain('un autre navigateur que celui où elle a commencé');
    expect(await sender.page.locator('#done-body [lang=en]').count()).to.equal(0);
    await page.getByText('Begin a sign-up').click();
    await page.click('#submit');
    await pay(page);
    expect(await page.textContent('#done-heading')).to.equal('Your key');
  });

  it('gives a key again that was lost on its way, and is linked from the page of lookups and to its account', async () => {
    await using opened = await open({ path: '/' });
    const { page } = opened;
    await page.click('a[href="/signup"]');
    await page.click('#submit');
    await page.waitForURL(`${processor().url}/**`);
    let lost = '';
    await page.route(`${service().url}/signup/key*`, async (route) => {
      const { key } = (await (await route.fetch()).json()) as { key?: string };
      lost = key ?? lost;
      await (lost === '' ? route.continue() : route.abort());
      if (lost !== '') await page.unroute(`${service().url}/signup/key*`);
    });
    await pay(page);
    expect(await page.textContent('#key'))
      .to.equal(lost)
      .and.not.equal('');
    await page.getByText('Open its account').click();
    await page.waitForSelector('#table table');
  });
});
