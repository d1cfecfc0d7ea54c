import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { COUNTRY, lookupsOf, NORTH, search, withPage } from './visits.ts';

const MOST_KEPT = 20;
const TOWN = '12 Main St W, Sampleton, ON';

describe('The page, back and forth in its history', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  let opened: Visit | null = null;
  /** The page as for somebody who has never been here: the same one for all tests. */
  async function openAnew(): Promise<Visit> {
    if (opened === null) return (opened = await open({ expectedStatus: 404 }));
    const { page } = opened;
    await page.evaluate(() => {
      sessionStorage.clear();
    });
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
    return opened;
  }

  /** Looks up, and waits until this answer is shown. */
  async function lookUp(page: Page, address: string, words: string): Promise<void> {
    await search(page, address, service().key);
    await showing(page, words);
  }
  const showing = (page: Page, words: string): Promise<void> =>
    page.locator('#resolved', { hasText: words }).waitFor({ state: 'visible' });
  const shownAgain = (page: Page): Promise<void> =>
    page.locator('#status', { hasText: /^The answer of .+, shown again without a lookup\.$/ }).waitFor();
  const stored = (page: Page): Promise<Record<string, string>> =>
    page.evaluate(() => Object.fromEntries(Object.entries(sessionStorage)));

  it('shows each answer again, without a lookup: back, forward, after a reload and after another page', async () => {
    const { page, complaints } = await openAnew();
    const asked = lookupsOf(page);
    await lookUp(page, COUNTRY, '1209 Concession 4');
    const report = await page.textContent('#report-date');
    const rows = await page.locator('#groups').innerText();
    await lookUp(page, NORTH, '14 Rue Principale');
    await page.goBack();
    await showing(page, '1209 Concession 4');
    await shownAgain(page);
    expect(await page.textContent('#report-date'), 'the time of the answer').to.equal(report);
    expect(await page.locator('#groups').innerText()).to.equal(rows);
    expect(await page.inputValue('#address')).to.equal(COUNTRY);
    expect(await page.title()).to.match(/^1209 Concession 4.* · The land at an address$/);
    await page.goForward();
    await showing(page, '14 Rue Principale');
    await page.reload();
    await showing(page, '14 Rue Principale');
    await shownAgain(page);
    await page.click('.footer a');
    await page.waitForURL('**/licences');
    await page.goBack();
    await showing(page, '14 Rue Principale');
    await page.goBack();
    await showing(page, '1209 Concession 4');
    await page.goBack();
    await page.waitForSelector('#result', { state: 'hidden' });
    expect([page.url(), await page.title()]).to.deep.equal([`${service().url}/`, 'The land at an address']);
    expect(asked, 'only what was asked for').to.deep.equal(['/api/lookup', '/api/lookup']);
    expect(complaints).to.deep.equal([]);
    const { 'land-lookup-key': key, ...others } = await stored(page);
    expect(key).to.equal(service().key);
    expect(Object.keys(others)).to.have.length(3);
    expect(JSON.stringify(others)).to.not.contain('olk_');
  });

  it(`keeps the last ${MOST_KEPT}, and asks before it looks an earlier one up again`, async () => {
    const { page } = await openAnew();
    const asked = lookupsOf(page);
    const lookUpAt = (lat: string): Promise<void> => lookUp(page, `${lat}, -79.3174`, `${lat}0° N`);
    await lookUpAt('44.3000');
    await lookUpAt('44.3001');
    await page.evaluate(answerAgain, MOST_KEPT - 2);
    await lookUpAt('44.3002');
    await page.evaluate(() => {
      history.go(-2);
    });
    await page.getByText('This answer is not kept any more').waitFor();
    expect(await page.isVisible('#result')).to.equal(false);
    expect(await page.inputValue('#address')).to.equal('44.30000, -79.31740');
    await page.goForward();
    await showing(page, '44.30010° N');
    expect(asked).to.have.length(3);
    expect(Object.keys(await stored(page)).filter((name) => name.includes('answer'))).to.have.length(MOST_KEPT);
  });

  it('shows parcels again, and leads back from a refusal to the answer before it', async () => {
    const { page } = await openAnew();
    const asked = lookupsOf(page);
    await page.fill('#key', service().key);
    await page.click('#open-parcel');
    const ring = [[-79.319, 44.299], [-79.316, 44.299], [-79.316, 44.301], [-79.319, 44.299]]; // prettier-ignore
    await page.fill('#parcel-text', JSON.stringify({ type: 'Polygon', coordinates: [ring] }));
    await page.click('#parcel-ask');
    await showing(page, 'Parcel of');
    await search(page, '1 Nowhere Cres, Sampleton, ON', service().key, '#problem:not([hidden])');
    expect(await page.isVisible('#result')).to.equal(false);
    await page.goBack();
    await showing(page, 'Parcel of');
    await shownAgain(page);
    expect(await page.isVisible('#problem')).to.equal(false);
    expect(asked).to.deep.equal(['/api/lookup/area', '/api/lookup']);
  });

  it('works when the browser has no room for answers', async () => {
    const { page, complaints } = await openAnew();
    await page.evaluate(() => {
      for (let length = 2 ** 22; length >= 1; length /= 2) {
        try {
          for (let i = 0; ; i++) sessionStorage.setItem(`full-${length}-${i}`, 'x'.repeat(length));
        } catch {
          // Smaller pieces may still fit.
        }
      }
    });
    await lookUp(page, COUNTRY, '1209 Concession 4');
    await lookUp(page, NORTH, '14 Rue Principale');
    await page.goBack();
    await page.getByText('This answer is not kept any more').waitFor();
    expect(await page.inputValue('#address')).to.contain('1209 Concession 4');
    expect(complaints).to.deep.equal([]);
  });

  it('spends one lookup on a double click and on Enter that is pressed twice', async () => {
    const { page } = await openAnew();
    const asked = lookupsOf(page);
    await page.fill('#key', service().key);
    await page.fill('#address', COUNTRY);
    await page.dblclick('#submit');
    await showing(page, '1209 Concession 4');
    expect(asked).to.have.length(1);
    await page.fill('#address', NORTH);
    await page.evaluate(() => {
      const form = document.querySelector<HTMLFormElement>('#search')!;
      form.requestSubmit();
      form.requestSubmit();
    });
    await showing(page, '14 Rue Principale');
    expect(asked).to.have.length(2);
  });

  it('leaves what is typed before the program is there alone', async () => {
    const { page } = await openAnew();
    await lookUp(page, COUNTRY, '1209 Concession 4');
    let arrive = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/main.js', async (route) => {
      await arrival;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await page.locator('#address').pressSequentially('14 rue');
    arrive();
    await shownAgain(page);
    await page.unroute('**/main.js');
    expect(await page.inputValue('#address')).to.equal('14 rue');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('address');
  });

  it('leaves a lookup under way for the entry that Back leads to, and asks for the same without paying again', async () => {
    const { page } = await openAnew();
    await lookUp(page, COUNTRY, '1209 Concession 4');
    await lookUp(page, NORTH, '14 Rue Principale');
    const keys: unknown[] = [];
    let arrive = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/api/lookup?*', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      await arrival;
      await route.fulfill({ response }).catch(() => undefined);
    });
    await search(page, TOWN, service().key, '#result.old');
    await page.goBack();
    await shownAgain(page);
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
    expect(await page.getAttribute('#search', 'aria-busy')).to.equal(null);
    arrive();
    await page.goForward();
    await showing(page, '14 Rue Principale');
    await lookUp(page, TOWN, '12 Main St W');
    await page.unroute('**/api/lookup?*');
    expect(keys).to.have.length(2);
    expect(keys[1]).to.equal(keys[0]);
    await page.goBack();
    await showing(page, '14 Rue Principale');
  });

  it('keeps the answer on the way to the search that the first link leads to', async () => {
    const { page } = await openAnew();
    await lookUp(page, COUNTRY, '1209 Concession 4');
    const url = page.url();
    await page.focus('#skip');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('address');
    expect(page.url()).to.equal(url);
    expect(await page.isVisible('#result')).to.equal(true);
  });

  it('has the dates of the data that answered, also after other data have come into service', async () => {
    const { page } = await openAnew();
    await page.route('**/api/layers', async (route) => {
      const response = await route.fetch();
      const other = (await response.text()).replace(/"snapshot":\{"id":"[^"]+"/, '"snapshot":{"id":"before"');
      await route.fulfill({ response, body: other.replaceAll(/"asOf":"[^"]+"/g, '"asOf":"1999-01-01"') });
      await page.unroute('**/api/layers');
    });
    const listed = page.waitForResponse('**/api/layers');
    await page.reload();
    await listed;
    await lookUp(page, COUNTRY, '1209 Concession 4');
    expect(await page.locator('#groups').innerText()).to.not.contain('1999');
  });
});

/** Runs in the page: keeps the last answer so many more times, as if it had been given again. A lookup would take a tenth of a second each time. */
function answerAgain(times: number): void {
  const last = Object.keys(sessionStorage)
    .filter((name) => name.startsWith('land-lookup-answer-'))
    .sort()
    .at(-1)!;
  // A name with a letter after the time is sorted behind this time, and before the next.
  for (let i = 0; i < times; i++)
    sessionStorage.setItem(last.replace('@', `${String.fromCharCode(97 + i)}@`), sessionStorage.getItem(last)!);
}
