import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedBrowser } from '../../support/drivers/browser.ts';
import { COUNTRY, openLate, withPage } from './visits.ts';

const fields = (page: Page): Promise<string[]> => Promise.all(['#address', '#key'].map((id) => page.inputValue(id)));

describe('The page, before its program is there', function () {
  this.timeout(240_000);
  const { service } = withPage(this);

  it('keeps what is typed and entered, looks it up when it is ready, and has the key in no address', async () => {
    const { url, key } = service();
    await using late = await openLate(url, 'main.js');
    const { page, complaints, asked, arrive } = late;
    await page.fill('#key', key);
    await page.fill('#address', COUNTRY);
    await page.press('#address', 'Enter');
    expect([page.url(), ...(await fields(page))]).to.deep.equal([`${url}/`, COUNTRY, key]);
    expect(await page.getAttribute('#search', 'aria-busy')).to.equal('true');
    expect(asked).to.deep.equal([]);
    await arrive();
    await page.waitForSelector('#result:not([hidden])');
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
    expect(page.url()).to.not.contain('olk_');
    expect(asked, 'once').to.deep.equal(['/api/lookup']);
    expect(complaints).to.deep.equal([]);
  });

  it('looks nothing up for somebody who goes on typing after Enter', async () => {
    const { url, key } = service();
    await using late = await openLate(url, 'main.js');
    const { page, asked, arrive } = late;
    await page.fill('#key', key);
    await page.fill('#address', '12 Main St');
    await page.press('#address', 'Enter');
    await page.locator('#address').pressSequentially(' W');
    await arrive();
    expect(await fields(page)).to.deep.equal(['12 Main St W', key]);
    await page.locator('#address').pressSequentially(', Sampleton, ON');
    await page.press('#address', 'Enter');
    await page.waitForSelector('#result:not([hidden])');
    expect(asked, 'only now').to.deep.equal(['/api/lookup']);
  });

  it('does what a button says that is pressed: an example, a parcel to ask about', async () => {
    const { url } = service();
    await using tried = await openLate(url, 'main.js');
    await tried.page.locator('.example', { hasText: '4 Wharf Lane' }).click();
    await tried.arrive();
    await tried.page.waitForSelector('#result:not([hidden])');
    expect(await tried.page.inputValue('#address')).to.equal('4 Wharf Lane, Maple Sample, ON');
    expect(tried.asked, 'an example costs nothing').to.deep.equal([]);
    await using drawn = await openLate(url, 'main.js');
    await drawn.page.click('#open-parcel');
    await drawn.arrive();
    await drawn.page.waitForSelector('#parcel:not([hidden])');
  });

  it('has the key of the tab in its field, which is folded', async () => {
    const { url } = service();
    await using late = await openLate(url, 'main.js');
    const { page } = late;
    await page.evaluate(() => {
      sessionStorage.setItem('land-lookup-key', 'olk_kept');
    });
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#key')?.value === 'olk_kept');
    expect(await page.isVisible('#key'), 'folded from the start').to.equal(false);
  });

  it('leads nowhere and keeps the text in a browser without JavaScript', async () => {
    const { url, key } = service();
    await using context = await (await sharedBrowser()).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(url);
    await page.fill('#key', key);
    await page.fill('#address', COUNTRY);
    await page.press('#address', 'Enter');
    await page.click('#submit');
    expect([page.url(), ...(await fields(page))]).to.deep.equal([`${url}/`, COUNTRY, key]);
  });
});
