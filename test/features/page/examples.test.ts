import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { HAS_MAP, lookupsOf, violationsOf, withPage, switchLanguage } from './visits.ts';

describe('The page, for somebody without a key', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  const showing = (page: Page, words: string): Promise<void> =>
    page.locator('#resolved', { hasText: words }).waitFor({ state: 'visible' });

  /** A page without a map. */
  let plain: Visit;
  before(async () => {
    plain = await open();
  });

  it('opens a stored answer for each example, marked as one, and looks nothing up', async () => {
    const { page, complaints } = plain;
    const asked = lookupsOf(page);
    const examples = page.locator('.example');
    expect(await examples.allTextContents()).to.deep.equal([
      'A hazard 4 Wharf Lane, Maple Sample',
      'Restricted land 13 Marsh Rd, Fiddlehead Corners',
      'Something close 4 Station St, Sampleton',
      'Little known 14 rue Principale, Petit-Échantillon',
      'Nothing found 12 Main St W, Sampleton',
    ]);
    await examples.first().click();
    await showing(page, '4 Wharf Lane');
    expect(await page.textContent('#tally')).to.match(/^1 hazard: Mapped flood hazard/);
    expect(await page.textContent('#answer-note')).to.match(/^This is an example: the answer of .+ no lookup/);
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('resolved');
    if (HAS_MAP) {
      await page.waitForSelector('#first-picture:not([hidden])');
      expect(await page.locator('.switch input:checked').count(), 'features of the map').to.be.above(0);
    }
    expect(await violationsOf(page)).to.deep.equal([]);
    expect([asked, complaints], 'nothing is spent').to.deep.equal([[], []]);
  });

  it('has an answer in short on the first screen of a phone, below examples in one line', async () => {
    const { page } = plain;
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(service().url);
    const edges = (selector: string) => page.locator(selector).evaluate((element) => element.getBoundingClientRect());
    expect((await edges('#brief [lang=en] li:last-child')).bottom).to.be.below(844);
    expect((await edges('.example >> nth=4')).top).to.equal((await edges('.example >> nth=0')).top);
    await page.locator('.example >> nth=4').focus();
    expect((await edges('.example >> nth=4')).right, 'it comes into sight').to.be.within(100, 390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(390);
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.setViewportSize(before);
  });

  it('leads from one to the next, back and through a reload, in both languages, and looks nothing up', async () => {
    const { page, complaints } = plain;
    const asked = lookupsOf(page);
    const examples = page.locator('.example');
    await examples.first().click();
    await showing(page, '4 Wharf Lane');
    await page.dblclick('.example >> nth=4');
    await showing(page, '12 Main St W');
    expect(await page.textContent('#tally')).to.contain('No hazard and no restriction');
    await page.goBack();
    await showing(page, '4 Wharf Lane');
    await page.reload();
    await showing(page, '4 Wharf Lane');
    expect(await page.isVisible('#answer-note')).to.equal(true);
    await switchLanguage(page);
    await page.getByText(/^Ceci est un exemple : la réponse du/).waitFor();
    expect(await examples.first().textContent()).to.equal('Un danger 4 Wharf Lane, Maple Sample');
    await switchLanguage(page);
    expect([asked, complaints], 'nothing is spent').to.deep.equal([[], []]);
  });

  it('shows it to whoever opens its link, and lets them go back', async () => {
    const { page } = plain;
    await page.locator('.example', { hasText: '13 Marsh Rd' }).click();
    await showing(page, '13 Marsh Rd');
    await page.click('#copy-link');
    await page.getByText('The link is in the clipboard').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await page.context().newPage();
    await other.goto(`${service().url}/licences`);
    const asked = lookupsOf(other);
    await other.goto(link);
    await showing(other, '13 Marsh Rd');
    await other.goBack();
    await other.waitForURL('**/licences');
    expect(asked).to.deep.equal([]);
    await other.close();
  });

  it('shows no answer of another address when newer data came into service, and says what to do', async () => {
    const { page } = plain;
    await page.route('**/api/examples/hazard', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('"4 Wharf', '"5 Wharf') });
    });
    await page.click('.example >> nth=0');
    await page.getByText('This example is not there any more').waitFor();
    expect(await page.isVisible('#result')).to.equal(false);
    await page.unroute('**/api/examples/hazard');
  });

  it('marks no answer of a lookup as an example', async () => {
    const { page } = plain;
    await page.click('.example >> nth=0');
    await showing(page, '4 Wharf Lane');
    await page.fill('#key', service().key);
    await page.fill('#address', '12 Main St W, Sampleton, ON');
    await page.press('#address', 'Enter');
    await showing(page, '12 Main St W');
    expect(await page.isVisible('#answer-note')).to.equal(false);
  });

  it('has no place for examples before they are made', async () => {
    const { page } = plain;
    await page.route(service().url, async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replaceAll(/<button type="button" class="example".*?<\/button>/g, '');
      await route.fulfill({ response, body: html });
    });
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    expect(await page.isVisible('#examples')).to.equal(false);
  });
});
