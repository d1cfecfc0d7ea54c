import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import {
  backgroundOf,
  changeMap,
  COUNTRY,
  DARK,
  HAS_MAP,
  mapDrawn,
  NORTH,
  openFolds,
  search,
  violationsOf,
  WITH_MAP,
  withPage,
  switchLanguage,
} from './visits.ts';

describe('The page, for everyone', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** Pages that several tests look at: with an answer and its map, with an answer in French, and in English without a map. */
  let answered: Visit, french: Visit, plain: Visit;
  /** Where the focus was on the way to the first answer, by keyboard alone. */
  let focusedAt: Record<string, string>;
  before(async () => {
    answered = await open(WITH_MAP);
    focusedAt = await askByKeyboard(answered.page, service().key);
    french = await open({ locale: 'fr-CA' });
    await search(french.page, NORTH, service().key);
    plain = await open();
  });

  for (const [name, visit] of [
    ['an answer', () => answered],
    ['an answer in French', () => french],
  ] as const) {
    it(`has no accessibility violation: ${name}`, async () => {
      const { page } = visit();
      if (visit() === answered) {
        await mapDrawn(page);
        await openFolds(page);
        await page.click('[data-key=soil] summary');
        if (HAS_MAP) await tabOutOfMap(page);
      }
      expect(await violationsOf(page)).to.deep.equal([]);
    });
  }

  it('fits 320 pixels, as a window does that is enlarged four times, with all folds open and letters wide apart', async () => {
    const { page } = french;
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 256 });
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll('details')) fold.open = true;
    });
    const widthOf = async (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await widthOf()).to.equal(320);
    const narrowest = await page
      .locator('.row dd')
      .evaluateAll((all) => Math.min(...all.map((one) => one.getBoundingClientRect().width)));
    expect(narrowest, 'room for more than a word').to.be.above(150);
    await page.evaluate(() => {
      document.body.style.letterSpacing = '0.12em';
      document.body.style.wordSpacing = '0.16em';
    });
    expect(await widthOf()).to.equal(320);
    await page.evaluate(() => {
      document.body.removeAttribute('style');
    });
    await page.setViewportSize(before);
  });

  it('speaks French, by the browser and by the button, with an answer standing', async () => {
    const { page, complaints } = french;
    expect(await page.getAttribute('html', 'lang')).to.equal('fr');
    expect(await page.textContent('[data-key=floodProximity] .value')).to.contain('Inconnu');
    expect(await page.textContent('[data-key=wetlandProximity] h4')).to.equal('Milieu humide');
    expect(await page.textContent('#certainty')).to.match(/^Au bâtiment.*48,50015° N, 81,00448° O$/);
    await switchLanguage(page);
    await page.waitForFunction(() =>
      document.querySelector('[data-key=floodProximity] .value')?.textContent.includes('Not known'),
    );
    expect(await page.getAttribute('html', 'lang')).to.equal('en');
    expect(complaints).to.deep.equal([]);
  });

  it('fits a window of 360 pixels', async () => {
    const { page } = answered;
    await changeMap(page, () => page.setViewportSize({ width: 360, height: 740 }));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).to.equal(360);
    const clipped = await page.evaluate(
      () =>
        [...document.querySelectorAll('.row h4, .value strong, button')].filter((element) => {
          const { right, left } = element.getBoundingClientRect();
          return right > innerWidth || left < 0;
        }).length,
    );
    expect(clipped).to.equal(0);
  });

  for (const [name, address] of [
    ['the empty page', null],
    ['a refusal', '1 Nowhere Cres, Sampleton, ON'],
  ] as const) {
    it(`has no accessibility violation, and is dark where the browser prefers it: ${name}`, async () => {
      const { page } = plain;
      if (address !== null) await search(page, address, service().key, '#problem:not([hidden])');
      expect(await violationsOf(page)).to.deep.equal([]);
      expect(await groundInTheDark(page)).to.equal(DARK);
    });
  }

  it('can be used by keyboard alone', async () => {
    const { page } = plain;
    expect(focusedAt).to.deep.equal({ first: 'skip', afterAddress: 'key', atAnswer: 'resolved' });
    await search(page, COUNTRY, service().key);
    /** What has the focus at each press of Tab, until it is on this. */
    const tabTo = async (last: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let i = 0; i < 200 && !seen.includes(last); i++) {
        await page.keyboard.press('Tab');
        seen.push(
          await page.evaluate(() => {
            const { id = '', tagName = '', parentElement } = document.activeElement ?? {};
            return id || (parentElement?.className === 'switch' ? 'switch of the map' : tagName);
          }),
        );
      }
      return seen;
    };
    expect(await tabTo('SUMMARY')).to.include.members(['copy-link', 'print', 'SUMMARY']);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.parentElement?.hasAttribute('open'))).to.equal(true);
    expect(await tabTo('copy-json')).to.include.members([...(HAS_MAP ? ['switch of the map'] : []), 'copy-json']);
    await page.keyboard.press('Enter');
    await page.getByText('The whole answer is in the clipboard.').waitFor();
  });

  it('says in both languages how the place differs from what was asked for', async () => {
    const { page } = plain;
    await search(page, 'Unit 77, 12 Main St W, Sampleton, ON', service().key);
    expect(await page.textContent('#faults')).to.equal('Found with a difference: unit 77 is not in the register');
    await switchLanguage(page);
    await page.getByText('Trouvé avec une différence : l’unité n’est pas dans le registre').waitFor();
    expect(await page.locator('#faults [lang=en]').count()).to.equal(0);
  });

  for (const [name, visit, path] of [
    ['the error catalogue', () => plain, '/docs/errors'],
    ['the licences in French', () => french, '/licences'],
    ['the status of the data in French', () => french, '/status'],
  ] as const) {
    it(`has no accessibility violation, and is dark where the browser prefers it: ${name}`, async () => {
      const { page } = visit();
      await page.goto(service().url + path);
      expect(await violationsOf(page)).to.deep.equal([]);
      expect(await groundInTheDark(page)).to.equal(DARK);
    });
  }

  it('fits 320 pixels: a written page with long names of routes', async () => {
    const { page } = plain;
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 640 });
    for (const path of ['/docs/api', '/docs/webhooks', '/docs/files']) {
      await page.goto(service().url + path);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).to.equal(320);
    }
    await page.setViewportSize(before);
  });

  it('says in both languages that there is no page, and to programs as a problem', async () => {
    const { page } = plain;
    await page.goto(`${service().url}/nothing-here`);
    expect(await page.textContent('main')).to.match(/no page at this address.*aucune page à cette adresse/s);
    expect(await violationsOf(page)).to.deep.equal([]);
    const answer = await fetch(`${service().url}/nothing-here`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([404, 'NOT_FOUND']);
  });
});

/** From the map, which takes the arrow keys, Tab leads on: each press draws it anew. */
async function tabOutOfMap(page: Page): Promise<void> {
  await page.focus('#map canvas');
  const isInMap = (): Promise<boolean> => page.evaluate(() => document.activeElement!.closest('#map') !== null);
  for (let i = 0; i < 10 && (await isInMap()); i++) await page.keyboard.press('Tab');
  expect(await isInMap()).to.equal(false);
}

async function groundInTheDark(page: Page): Promise<string> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const ground = await backgroundOf(page);
  await page.emulateMedia({ colorScheme: null });
  return ground;
}

/** Looks an address up in a page that was just opened, and says what had the focus: by its id. */
async function askByKeyboard(page: Page, key: string): Promise<Record<string, string>> {
  const focused = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.className || '');
  await page.keyboard.press('Tab');
  const first = await focused();
  await page.keyboard.press('Enter');
  await page.keyboard.type(COUNTRY);
  await page.keyboard.press('Tab');
  const afterAddress = await focused();
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#result:not([hidden])');
  const atAnswer = await focused();
  await mapDrawn(page);
  return { first, afterAddress, atAnswer };
}
