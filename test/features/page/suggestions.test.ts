import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { violationsOf, withPage } from './visits.ts';

/** Longer than the pause after which the page asks. */
const AFTER_PAUSE_MS = 600;

describe('The page, while an address is typed', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** A page on which one text is typed after the other. */
  let typedIn: Visit;
  before(async () => {
    typedIn = await open();
  });

  /** Puts a text into the field, as with keys so quick that the page asks once: on a busy machine, real ones may be far apart. */
  const type = async (page: Page, text: string): Promise<void> => {
    if (await page.isVisible('#key')) await page.fill('#key', service().key);
    // What is suggested for an earlier text goes with it.
    await page.fill('#address', '');
    await page.waitForSelector('#suggested', { state: 'hidden' });
    await page.fill('#address', text);
  };
  const options = (page: Page): Promise<string[]> => page.locator('#suggested [role=option]').allTextContents();
  const attribute = (page: Page, name: string): Promise<string | null> => page.getAttribute('#address', name);

  it('finds an address by eight characters and two keys', async () => {
    const { page, complaints } = typedIn;
    await type(page, '1209 con');
    await page.waitForSelector('#suggested [role=option]');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#result:not([hidden])');
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4, Fiddlehead Corners, ON');
    expect(complaints).to.deep.equal([]);
  });

  it('says to screen readers what the list is, how long it is, and which option is marked', async () => {
    const { page } = typedIn;
    expect([await attribute(page, 'role'), await attribute(page, 'aria-expanded')]).to.deep.equal([
      'combobox',
      'false',
    ]);
    await type(page, 'ma');
    await page.waitForSelector('#suggested [role=option]');
    const found = await options(page);
    expect(found.length).to.be.within(2, 5);
    expect(await attribute(page, 'aria-expanded')).to.equal('true');
    expect(await page.textContent('#status')).to.contain(`${found.length} suggestions`);
    expect(await attribute(page, 'aria-activedescendant')).to.equal(null);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const marked = await attribute(page, 'aria-activedescendant');
    expect(await page.getAttribute(`#${marked}`, 'aria-selected')).to.equal('true');
    expect(await page.textContent(`#${marked}`)).to.equal(found[1]);
    expect(await page.evaluate(() => document.activeElement?.id), 'focus stays in the field').to.equal('address');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await attribute(page, 'aria-activedescendant'), 'back in the field').to.equal(null);
    await page.keyboard.press('ArrowUp');
    expect(await attribute(page, 'aria-activedescendant')).to.equal(`suggested-${found.length - 1}`);
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    expect([await attribute(page, 'aria-expanded'), await page.isVisible('#suggested')]).to.deep.equal([
      'false',
      false,
    ]);
    expect(await page.inputValue('#address'), 'the text stays').to.equal('ma');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('#suggested [role=option][aria-selected=true]');
  });

  it('puts a street into the field, with the caret where the number belongs', async () => {
    const { page } = typedIn;
    await type(page, 'concession');
    await page.locator('#suggested [role=option]', { hasText: 'street' }).first().click();
    expect(await page.inputValue('#address')).to.match(/^ Concession .*, ON$/);
    expect(await page.textContent('#status')).to.contain('Add the house number');
    await page.keyboard.type('1209');
    expect(await page.inputValue('#address')).to.match(/^1209 Concession /);
  });

  it('looks up an option that is clicked', async () => {
    const { page } = typedIn;
    await type(page, '14 rue pri');
    await page.locator('#suggested [role=option]', { hasText: 'Petit-Échantillon' }).first().click();
    await page.locator('#resolved', { hasText: '14 Rue Principale' }).waitFor();
  });

  it('asks once after a pause, and drops the answer to an earlier text', async () => {
    const { page } = typedIn;
    const asked: string[] = [];
    let answerFirst = (): void => undefined;
    const isTime = new Promise<void>((resolve) => (answerFirst = resolve));
    await page.route('**/api/suggest*', async (route) => {
      const q = new URL(route.request().url()).searchParams.get('q')!;
      asked.push(q);
      // The answer to the first text comes after that to the second.
      if (q === 'main') await isTime;
      const suggestions = [{ kind: 'street', text: `answer to ${q}` }];
      await route.fulfill({ json: { suggestions } }).catch(() => undefined);
    });
    const first = page.waitForRequest('**/api/suggest*');
    // Without a pause between them, however slow the machine is.
    await page.locator('#address').evaluate((field: HTMLInputElement) => {
      for (const text of ['m', 'ma', 'mai', 'main']) {
        field.value = text;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    });
    await first;
    await page.fill('#address', 'main st');
    await page.waitForSelector('#suggested [role=option]');
    answerFirst();
    await page.waitForTimeout(AFTER_PAUSE_MS);
    expect(asked).to.deep.equal(['main', 'main st']);
    expect(await options(page)).to.deep.equal(['answer to main ststreet']);
    await page.unroute('**/api/suggest*');
  });

  it('works without suggestions: without a key, and when the service gives none', async () => {
    const { page, complaints } = typedIn;
    await page.click('#forget-key');
    let asked = 0;
    await page.route('**/api/suggest*', async (route) => {
      asked++;
      await route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, json: { code: 'DB_ERROR' } });
    });
    await page.fill('#address', '1209 con');
    await page.waitForTimeout(AFTER_PAUSE_MS);
    expect(asked, 'no key').to.equal(0);
    const refused = page.waitForResponse('**/api/suggest*');
    await type(page, '1209 Concession 4, Fiddlehead Corners, ON');
    await (await refused).finished();
    await page.waitForTimeout(AFTER_PAUSE_MS);
    await page.fill('#address', '1209 Concession 4, Fiddlehead Corners, ON ');
    await page.waitForTimeout(AFTER_PAUSE_MS);
    expect(asked, 'not again before it is time').to.equal(1);
    await page.press('#address', 'Enter');
    await page.waitForSelector('#result:not([hidden])');
    expect(complaints).to.deep.equal([
      'console: Failed to load resource: the server responded with a status of 503 (Service Unavailable)',
    ]);
  });
});
