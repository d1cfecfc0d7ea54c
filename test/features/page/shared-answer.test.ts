import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { COUNTRY, HAS_MAP, lookupsOf, search, violationsOf, withPage, switchLanguage } from './visits.ts';

interface Shared {
  question: object;
  givenAt: number;
  body: { address: string; geometry?: unknown; layers: Record<string, unknown> };
}

const hashOf = (shared: unknown): string =>
  `#answer=${deflateRawSync(Buffer.from(JSON.stringify(shared))).toString('base64url')}`;
const sharedIn = (link: string): Shared =>
  JSON.parse(inflateRawSync(Buffer.from(link.split('#answer=')[1]!, 'base64url')).toString()) as Shared;

describe('An answer in a link', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  const showing = (page: Page, words: string): Promise<void> =>
    page.locator('#resolved', { hasText: words }).waitFor({ state: 'visible' });
  const frameOf = (page: Page, selector: string): Promise<string> =>
    page.$eval(selector, (element) => getComputedStyle(element).borderTop);
  const found = (page: Page): Promise<string[]> =>
    Promise.all(['#tally', '#findings', '#groups', '#report-date', '#source-list'].map((id) => page.innerText(id)));
  async function share(page: Page): Promise<string> {
    await page.click('#share');
    await page.locator('#status', { hasText: 'A link to this answer' }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  }

  /** A page with an answer, its link, and a page that is led to one link after the other. */
  let sender: Visit, link: string, reader: Visit;
  before(async () => {
    sender = await open();
    await search(sender.page, COUNTRY, service().key);
    link = await share(sender.page);
    reader = await open({ path: '/licences' });
  });

  it('shows the same answer to somebody without a key, with its date, and says that it is not signed', async () => {
    expect(link.length).to.be.below(5000);
    expect(link).to.not.contain(service().key);
    expect(sharedIn(link).body.geometry).to.equal(undefined);
    const { page, complaints } = reader;
    const asked = lookupsOf(page);
    await page.goto(link);
    await showing(page, '1209 Concession 4');
    expect(await found(page)).to.deep.equal(await found(sender.page));
    expect(await page.title()).to.match(/^Not from this service · 1209 Concession 4/);
    expect(await page.textContent('#answer-note'))
      .to.match(/^Not from this service: this answer/)
      .and.to.match(/dates it .+ \d{4}.* It is not signed/);
    expect(await frameOf(page, '#answer-note'), 'a warning').to.equal(await frameOf(page, '#result'));
    expect(await frameOf(page, '#result')).to.match(/^2px solid/);
    expect(await frameOf(sender.page, '#result'), 'an answer').to.match(/^0px/);
    const topOf = async (selector: string) => (await page.locator(selector).boundingBox())!.y;
    expect(await topOf('#answer-note'), 'above what it warns of').to.be.below(await topOf('#resolved'));
    if (HAS_MAP)
      expect(await page.textContent('#legend'))
        .to.contain('no features for the map')
        .and.to.not.contain('No mapped feature');
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    await page.getByText('Elle n’est pas signée').waitFor();
    await switchLanguage(page);
    await page.reload();
    await showing(page, '1209 Concession 4');
    await page.click('#copy-link');
    await page.locator('#status', { hasText: 'needs a key' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.contain('#address=1209+Concession+4');
    expect(asked).to.deep.equal([]);
    await search(page, COUNTRY, service().key);
    await page.waitForSelector('#answer-note', { state: 'hidden' });
    expect(asked).to.deep.equal(['/api/lookup']);
    await page.goBack();
    await page.waitForSelector('#answer-note', { state: 'visible' });
    expect(complaints).to.deep.equal([]);
  });

  it('may be that of a parcel', async () => {
    const { page } = reader;
    await page.click('#open-parcel');
    const ring = [[-79.319, 44.299], [-79.316, 44.299], [-79.316, 44.301], [-79.319, 44.299]]; // prettier-ignore
    await page.fill('#parcel-text', JSON.stringify({ type: 'Polygon', coordinates: [ring] }));
    await page.click('#parcel-ask');
    await showing(page, 'Parcel of');
    const parcel = await share(page);
    const words = await page.innerText('#findings');
    await page.goto('about:blank');
    await page.goto(parcel);
    await showing(page, 'Parcel of');
    expect(await page.innerText('#findings')).to.equal(words);
    expect(await page.isVisible('#answer-note')).to.equal(true);
  });

  it('keeps its dates when other data are in service', async () => {
    const { page } = sender;
    const sources = await page.innerText('#sources');
    await page.route('**/api/layers', async (route) => {
      const response = await route.fetch();
      const other = (await response.text()).replace(/"snapshot":\{"id":"[^"]+"/, '"snapshot":{"id":"later"');
      await route.fulfill({ response, body: other.replaceAll(/"asOf":"[^"]+"/g, '"asOf":"2044-05-05"') });
    });
    await page.goto('about:blank');
    await page.goto(link);
    await showing(page, '1209 Concession 4');
    expect(await page.innerText('#sources')).to.equal(sources);
    await page.unroute('**/api/layers');
  });

  it('is text, whoever wrote it', async () => {
    const { page, complaints } = sender;
    const { body, ...shared } = sharedIn(link);
    const forged = { ...body, address: '<img src=x onerror=alert(1)> Elm St', evil: 'javascript:alert(1)' };
    await page.goto(`${service().url}/${hashOf({ ...shared, body: forged })}`);
    await showing(page, '<img src=x onerror=alert(1)> Elm St');
    expect(await page.locator('#result img:not(#map-print), [href^="javascript"]').count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
  });

  for (const [i, [what, hash]] of (
    [
      ['cut', '#answer=jVZNb'],
      ['nothing of ours', hashOf({ question: { kind: 'address' } })],
      ['without layers', hashOf({ ...{ question: { kind: 'point' }, givenAt: 1, snapshotId: '', registerAsOf: '' }, body: { layers: {}, dataAsOf: {}, evidence: {} } })], // prettier-ignore
      ['a bomb', hashOf({ question: { kind: 'address', address: ' '.repeat(5_000_000) } })],
      ['values of other kinds', hashOf({ ...{ question: { kind: 'point' }, givenAt: 1, snapshotId: '', registerAsOf: '' }, body: { layers: { greenbelt: true }, dataAsOf: {}, evidence: 3 } })], // prettier-ignore
    ] as const
  ).entries())
    it(`is refused in words when it is ${what}`, async () => {
      const { page, complaints } = reader;
      // To the first with a page that comes, to the others on the page that is there.
      if (i === 0) await page.goto(`${service().url}/licences`);
      else await page.locator('#status').evaluate((status) => (status.textContent = ''));
      await page.goto(`${service().url}/${hash}`);
      await page.locator('#status', { hasText: 'cannot be read' }).waitFor();
      expect(await page.isVisible('#result')).to.equal(false);
      expect(complaints).to.deep.equal([]);
    });
});
