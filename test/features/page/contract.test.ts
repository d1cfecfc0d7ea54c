/** The contract at /docs, in a browser. Its program takes some seconds of the processor, so that all tests look at one page. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ExamplesBody } from '../../../src/features/examples/wire.ts';
import { quickBrowser, type Visit } from '../../support/drivers/browser.ts';
import { chosenFeatures } from '../../support/drivers/chosen-features.ts';
import { given } from '../../support/drivers/given.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { backgroundOf, DARK, violationsOf, withPage } from './visits.ts';

describe('The contract, on a page', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this, undefined, { browser: quickBrowser });
  let opened: Visit;
  before(async () => {
    opened = await open({ path: '/docs' });
    await opened.page.waitForSelector('.opblock-summary');
  });

  it('is dark where the browser prefers it', async () => {
    const { page } = opened;
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await backgroundOf(page)).to.equal(DARK);
    await page.emulateMedia({ colorScheme: null });
  });

  given('examples').it('can be tried, from our own server alone', async () => {
    const { page, complaints } = opened;
    // Its answer is short: each word of it is an element, with a colour.
    await page.click('#operations-lookup-examples .opblock-summary-control');
    await page.click('#operations-lookup-examples .execute');
    const status = '#operations-lookup-examples .live-responses-table .response .response-col_status';
    await page.waitForSelector(status);
    expect(await page.textContent(status)).to.contain('200');
    expect(complaints).to.deep.equal([]);
  });

  given('examples').it('offers an address to try that this service answers', async () => {
    const { page } = opened;
    const { examples } = (await (await fetch(`${service().url}/api/examples`)).json()) as ExamplesBody;
    for (const operation of ['lookup', ...(chosenFeatures.includes('coverage') ? ['coverage'] : [])]) {
      const block = page.locator(`#operations-lookup-${operation}`);
      await block.locator('.opblock-summary-control').click();
      const body = await block.locator('textarea.body-param__text').inputValue();
      expect(JSON.parse(body), operation).to.deep.equal({ address: examples[0]!.address });
      await block.locator('.opblock-summary-control').click();
    }
  });

  it('has no accessibility violation, with operations opened and tried', async () => {
    const { page } = opened;
    if (chosenFeatures.includes('account')) await tryOperations(page);
    expect(await violationsOf(page)).to.deep.equal([]);
  });
});

/** One of each method, beside the GET that was tried; that of POST takes a file, where there is one that does. Each of their words is an element to be looked at. */
async function tryOperations(page: Page): Promise<void> {
  const post = chosenFeatures.includes('batches') ? 'post:has([data-path="/api/batches"])' : 'post';
  for (const operation of ['patch', 'delete', post].slice(0, inputs(3, 1))) {
    await page.locator(`.opblock-${operation} .opblock-summary-control`).first().click();
    await page.locator(`.opblock-${operation} .opblock-body`).first().waitFor();
  }
  // Without a key, it is refused.
  await page.click('.opblock-patch .execute');
  await page.waitForSelector('.opblock-patch .live-responses-table');
}
