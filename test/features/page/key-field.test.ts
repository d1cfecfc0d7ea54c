import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { chosenFeatures } from '../../support/drivers/chosen-features.ts';
import { given } from '../../support/drivers/given.ts';
import {
  COUNTRY,
  HAS_MAP,
  lookupsOf,
  NORTH,
  search,
  violationsOf,
  withPage,
  withSignups,
  switchLanguage,
} from './visits.ts';

const left = (page: Page, words: RegExp): Promise<void> => page.locator('#key-left', { hasText: words }).waitFor();

given('account', 'signup').describe('The field of the key, where visitors can sign up', function () {
  this.timeout(240_000);
  const { open, service } = withSignups(this, '/');
  /** A page that gets one key after the other. */
  let opened: Visit;
  before(async () => {
    // The service reads the price after its start.
    while (!(await (await fetch(service().url)).text()).includes('$0.10'))
      await new Promise((go) => setTimeout(go, 50));
    opened = await open();
  });

  it('says what a key is and what a lookup costs, and leads to one, in both languages', async () => {
    const { page, complaints } = opened;
    const link = page.locator('.key-entry a');
    expect(await link.textContent()).to.equal('Get a key: $0.10 a lookup');
    expect(await page.locator('.key-entry').innerText()).to.contain('A key lets you look places up, and counts them.');
    await page.click('#open-parcel');
    expect(await page.textContent('#parcel .spends')).to.equal('1 lookup · $0.10');
    await switchLanguage(page);
    expect(await link.textContent()).to.match(/^Obtenir une clé : 0,10\s\$ par recherche$/);
    expect(await page.textContent('#parcel .spends')).to.match(/^1 recherche · 0,10\s\$$/);
    await switchLanguage(page);
    await link.click();
    await page.waitForURL('**/signup');
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
    expect(complaints).to.deep.equal([]);
  });

  it('folds when the key was accepted, and shows what is left and the price, there and beside each button that spends', async () => {
    const { page, complaints } = opened;
    await search(page, COUNTRY, await service().issueKey(1000, { batchRowsPerDay: 500 }, 'cus_key'));
    await left(page, /^999 left this hour · \$0\.10 each$/);
    expect(await page.isVisible('#key')).to.equal(false);
    if (HAS_MAP) expect(await page.textContent('#map-note .spends')).to.equal('1 lookup · $0.10 · 999 left this hour');
    expect(await violationsOf(page)).to.deep.equal([]);
    await search(page, NORTH, '');
    await left(page, /^998 left this hour/);
    if (chosenFeatures.includes('batches')) {
      await page.setInputFiles('#batch-file', {
        ...{ name: 'places.csv', mimeType: 'text/csv', buffer: Buffer.from(`address\n${'1 Main St\n'.repeat(30)}`) },
      });
      await page.waitForSelector('#batch-send');
      expect(await page.textContent('#batch .spends')).to.equal('$3.00 · 500 rows left today');
    }
    await page.reload();
    await left(page, /^998 left this hour · \$0\.10 each$/);
    expect(await page.isVisible('#key')).to.equal(false);
    await switchLanguage(page);
    await left(page, /^998 restantes cette heure · 0,10\s\$ chacune$/);
    await switchLanguage(page);
    expect(complaints).to.deep.equal([]);
  });

  it('says no price of a key that is not billed', async () => {
    const { page } = opened;
    await page.click('#change-key');
    await search(page, COUNTRY, await service().issueKey(1000));
    await left(page, /^999 left this hour$/);
    if (HAS_MAP) expect(await page.textContent('#map-note .spends')).to.equal('1 lookup · 999 left this hour');
  });

  it('counts a budget of the month where it ends first', async () => {
    const { page } = opened;
    await page.click('#change-key');
    await search(page, COUNTRY, await service().issueKey(1000, { budgetPerMonth: 7 }, 'cus_month'));
    await left(page, /^6 left this month · \$0\.10 each$/);
    await search(page, NORTH, '');
    await left(page, /^5 left this month/);
  });
});

describe('The field of the key', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  let opened: Visit;
  before(async () => {
    opened = await open({ expectedStatus: 401 });
  });
  /** Loads the page again, as somebody who has never been here. */
  async function comeAnew(page: Page): Promise<void> {
    await page.evaluate(() => {
      for (const kept of [localStorage, sessionStorage]) kept.clear();
    });
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
  }
  const stored = (): Promise<string | null> => opened.page.evaluate(() => localStorage.getItem('land-lookup-key'));

  it('has no price and leads nowhere where nobody can sign up', async () => {
    const { page } = opened;
    expect(await page.isVisible('.key-entry a')).to.equal(false);
    expect(await page.locator('main').innerText()).to.not.match(/\$|\{/);
    await search(page, COUNTRY, service().key);
    await left(page, /^[\d,]+ left this hour$/);
    expect(await page.locator('main').innerText()).to.not.match(/\$|\{/);
  });

  it('opens again for another key, and when the service refuses the one that was kept', async () => {
    const { page } = opened;
    await search(page, COUNTRY, service().key);
    await page.click('#change-key');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('key');
    await search(page, COUNTRY, 'olk_wrong', '#problem:not([hidden])');
    expect(await page.isVisible('#key')).to.equal(true);
    await page.evaluate(() => {
      sessionStorage.setItem('land-lookup-key', 'olk_gone');
    });
    await page.reload();
    await page.waitForSelector('#key', { state: 'visible' });
  });

  it('works in a browser that refuses to store anything', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.addInitScript(() => {
      for (const name of ['sessionStorage', 'localStorage'])
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('refused', 'SecurityError');
          },
        });
    });
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await search(page, COUNTRY, service().key);
    expect(await page.isVisible('#key')).to.equal(false);
    await page.goBack();
    await page.goForward();
    await page.getByText('shown again without a lookup').waitFor();
    await page.click('#forget-key');
    expect(await page.inputValue('#key')).to.equal('');
    expect(complaints).to.deep.equal([]);
  });

  it('refuses a key with signs that no key has, and asks the service nothing', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const asked = lookupsOf(page);
    await search(page, COUNTRY, ' “olk_…” ', '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('This key is not accepted');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('key');
    expect(asked).to.deep.equal([]);
    await search(page, COUNTRY, ` ${service().key}\t`);
    expect(complaints).to.deep.equal([]);
  });

  it('remembers the key on the device where somebody asks for it, and forgets it at one click', async () => {
    const { page } = opened;
    await comeAnew(page);
    const context = page.context();
    const another = async (): Promise<Page> => {
      const tab = await context.newPage();
      await tab.goto(service().url);
      await tab.waitForSelector('html[data-ready]');
      return tab;
    };
    await search(page, COUNTRY, service().key);
    expect(await (await another()).inputValue('#key'), 'the tab alone').to.equal('');
    expect(await stored()).to.equal(null);
    await page.check('#remember');
    expect(await stored()).to.equal(service().key);
    const second = await another();
    expect(await second.inputValue('#key')).to.equal(service().key);
    expect(await second.isVisible('#key')).to.equal(false);
    expect(await second.isChecked('#remember')).to.equal(true);
    await second.click('#forget-key');
    expect(await second.textContent('#status')).to.contain('forgotten');
    expect(await second.inputValue('#key')).to.equal('');
    expect(await second.evaluate(() => localStorage.length + sessionStorage.length)).to.equal(0);
    expect(await (await another()).inputValue('#key')).to.equal('');
    expect(await second.evaluate(() => document.activeElement?.id)).to.equal('key');
  });

  it('remembers a key from the box that was ticked before, and only once the service has accepted it', async () => {
    const { page } = opened;
    await comeAnew(page);
    await page.check('#remember');
    await search(page, COUNTRY, 'olk_wrong', '#problem:not([hidden])');
    expect(await stored()).to.equal('');
    await search(page, COUNTRY, service().key);
    expect(await stored()).to.equal(service().key);
    await page.uncheck('#remember');
    expect(await stored()).to.equal(null);
  });
});
