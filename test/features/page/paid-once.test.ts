/** A question is paid once, whatever happens to its answer on the way; and what this tab has already is shown again for nothing. */
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { COUNTRY, lookupsOf, NORTH, search, switchLanguage, violationsOf, withPage } from './visits.ts';

const RING = [[-79.319, 44.299], [-79.316, 44.299], [-79.316, 44.301], [-79.319, 44.299]]; // prettier-ignore

/** An answer to the last question. */
const ANSWERED = '#result:not([hidden]):not(.old)';

describe('The page, when an answer is lost', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  /** Lookups that the key has paid for. */
  async function used(key: string): Promise<number> {
    const response = await fetch(`${service().url}/api/account`, { headers: { Authorization: `Bearer ${key}` } });
    return ((await response.json()) as { month: { lookups: number } }).month.lookups;
  }

  /** Lets the service answer the next lookup, and then does with the answer what the network may do. */
  async function loseAnswer(page: Page, lose: (route: Route) => unknown): Promise<{ answered: Promise<void> }> {
    let tell = (): void => undefined;
    const answered = new Promise<void>((resolve) => (tell = resolve));
    await page.route(
      '**/api/lookup**',
      async (route) => {
        await route.fetch();
        tell();
        await lose(route);
      },
      { times: 1 },
    );
    return { answered };
  }

  /** A page for one key after the other. */
  let paying: Visit;
  before(async () => {
    paying = await open();
  });
  beforeEach(async () => {
    const forget = paying.page.locator('#forget-key');
    if (await forget.isVisible()) await forget.click();
  });

  const cut = (route: Route): Promise<void> => route.abort('connectionreset');
  const neverEnds = (): void => undefined;

  async function type(page: Page, address: string, key: string): Promise<void> {
    await page.fill('#address', address);
    if (await page.isVisible('#key')) await page.fill('#key', key);
    await page.press('#address', 'Enter');
  }

  it('shows an equal question again without a lookup, and offers to ask anew', async () => {
    const { page, complaints } = paying;
    const key = await service().issueKey(100);
    const asked = lookupsOf(page);
    await search(page, COUNTRY, key);
    expect(await page.isVisible('#ask-anew')).to.equal(false);
    await search(page, NORTH, key);
    await type(page, COUNTRY, key);
    await page.getByText('shown again without a lookup').waitFor();
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
    expect([asked.length, await used(key)]).to.deep.equal([2, 2]);
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('resolved');
    expect(await page.getByRole('button', { name: 'Ask anew' }).getAttribute('aria-describedby')).to.equal(
      'anew-spends',
    );
    expect(await page.textContent('#anew-spends')).to.match(/^1 lookup/);
    const gap = await page.evaluate(() => {
      const box = (id: string): DOMRect => document.getElementById(id)!.getBoundingClientRect();
      return box('resolved').top - box('ask-anew').bottom;
    });
    expect(gap, 'pixels between the button and the heading').to.be.within(8, 40);
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    expect(await page.textContent('#ask-anew')).to.equal('Demander à nouveau');
    await page.focus('#ask-anew');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#anew', { state: 'hidden' });
    await page.waitForFunction(() => document.getElementById('status')?.textContent.startsWith('Réponse prête'));
    expect([asked.length, await used(key)]).to.deep.equal([3, 3]);
    await page.goBack();
    await page.waitForFunction(() => document.getElementById('status')?.textContent.includes('sans recherche'));
    expect(await page.isVisible('#ask-anew')).to.equal(false);
    await switchLanguage(page);
    expect(complaints).to.deep.equal([]);
  });

  it('pays once when the connection breaks and “Try again” is pressed', async () => {
    const { page } = paying;
    const key = await service().issueKey(100);
    await loseAnswer(page, cut);
    await search(page, COUNTRY, key, '#retry');
    expect(await used(key)).to.equal(1);
    await page.click('#retry');
    await page.waitForSelector(ANSWERED);
    expect(await used(key)).to.equal(1);
    await search(page, NORTH, key);
    expect(await used(key)).to.equal(2);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.to.contain('land-lookup-asked');
  });

  it('pays once when it is cancelled and asked again', async () => {
    const { page } = paying;
    const key = await service().issueKey(100);
    const { answered } = await loseAnswer(page, neverEnds);
    await type(page, COUNTRY, key);
    await answered;
    await page.click('#cancel');
    await page.getByText('asking again in this tab shows that answer').waitFor();
    await search(page, COUNTRY, key);
    expect(await used(key)).to.equal(1);
  });

  it('pays once when the page is loaded again meanwhile, and again for another account', async () => {
    const { page } = paying;
    const [key, other] = [await service().issueKey(100), await service().issueKey(100)];
    const { answered } = await loseAnswer(page, neverEnds);
    await type(page, COUNTRY, key);
    await answered;
    const kept = await page.evaluate(() => sessionStorage.getItem('land-lookup-asked'));
    expect(kept).to.be.a('string').and.not.contain('olk_').and.not.contain('Concession');
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await search(page, COUNTRY, key);
    expect(await used(key)).to.equal(1);
    await page.click('#change-key');
    await search(page, COUNTRY, other);
    expect([await used(key), await used(other)]).to.deep.equal([1, 1]);
  });

  it('pays once for a parcel and for a point', async () => {
    const { page } = paying;
    const key = await service().issueKey(100);
    await loseAnswer(page, cut);
    await search(page, '44.3000, -79.3174', key, '#retry');
    await page.click('#retry');
    await page.waitForSelector(ANSWERED);
    expect(await used(key)).to.equal(1);
    await page.click('#open-parcel');
    await page.fill('#parcel-text', JSON.stringify({ type: 'Polygon', coordinates: [RING] }));
    await loseAnswer(page, cut);
    await page.click('#parcel-ask');
    await page.click('#retry');
    await page.locator('#resolved', { hasText: 'Parcel of' }).waitFor();
    expect(await used(key)).to.equal(2);
  });

  it('asks anew after a refusal: the address may be there by now', async () => {
    const { page } = paying;
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/lookup')) sent.push(request.headers()['idempotency-key']);
    });
    for (let i = 0; i < 2; i++) {
      await search(page, '1 Nowhere Cres, Sampleton, ON', service().key, '#problem:not([hidden])');
      await page.fill('#address', ' ');
      await page.press('#address', 'Enter');
    }
    expect(new Set(sent)).to.have.property('size', 2);
  });

  it('asks the service when other data have come into service, or when nobody can say so', async () => {
    const { page } = paying;
    const key = await service().issueKey(100);
    const asked = lookupsOf(page);
    await search(page, COUNTRY, key);
    await page.route('**/api/layers', async (route) => {
      const response = await route.fetch();
      const other = (await response.text()).replace(/"snapshot":\{"id":"[^"]+"/, '"snapshot":{"id":"later"');
      await route.fulfill({ response, body: other });
    }, { times: 1 }); // prettier-ignore
    const answered = page.waitForResponse('**/api/lookup**');
    await type(page, COUNTRY, key);
    await answered;
    expect([asked.length, await used(key)]).to.deep.equal([2, 2]);
  });
});
