import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { COUNTRY, lookupsOf, NORTH, search, violationsOf, withPage, switchLanguage } from './visits.ts';

describe('The page, when there is no answer', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** A page for all tests. What one key was answered on it is not asked again, so that whoever needs an answer anew has a key of their own. */
  let opened: Visit;
  before(async () => {
    opened = await open({ expectedStatus: 404 });
  });

  /** Asks with this key, whatever key was accepted before. */
  async function searchWith(page: Page, key: string, address: string, outcome?: string): Promise<void> {
    if (!(await page.isVisible('#key'))) await page.click('#change-key');
    await search(page, address, key, outcome);
  }

  it('says why an address is refused, and looks a suggestion up at a click', async () => {
    const { page, complaints } = opened;
    await page.route('**/api/lookup*', async (route) => {
      if (!route.request().postData()?.includes('999')) return route.continue();
      await route.fulfill({
        status: 404,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'ADDRESS_NOT_FOUND', reason: 'CIVIC_NOT_ON_STREET', suggestions: [COUNTRY] }),
      });
    });
    const key = await service().issueKey(10);
    await search(page, '999 Concession 4, Fiddlehead Corners, ON', key, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('The street has no such house number.');
    await page.click('.suggestion');
    await page.waitForSelector('#result:not([hidden])');
    expect(await page.isVisible('#problem')).to.equal(false);
    expect(await page.inputValue('#address')).to.equal(COUNTRY);
    expect(complaints).to.deep.equal([]);
    await page.unroute('**/api/lookup*');
  });

  it('writes scripts in addresses, suggestions and data as text', async () => {
    const { page } = opened;
    const script = '<img src="x" onerror="document.title=1">';
    await page.route('**/api/lookup*', async (route) => {
      const response = await route.fetch();
      // Every text that comes from an address or a source.
      const json = (await response.text()).replaceAll(
        /"(address|name|description|detail|matched)":"/g,
        (member) => member + script.replaceAll('"', '\\"'),
      );
      await route.fulfill({ response, body: json });
    });
    await searchWith(page, await service().issueKey(10), COUNTRY);
    expect(await page.textContent('#resolved')).to.contain(script);
    expect(await page.textContent('#result'), 'of a source').to.contain(script);
    await search(page, `1 Nowhere Cres ${script}, Sampleton, ON`, service().key, '#problem:not([hidden])');
    expect(await page.locator('img[src="x"]').count()).to.equal(0);
    expect(await page.title()).to.not.equal('1');
    await page.unroute('**/api/lookup*');
  });

  it('refuses an unknown address, one outside Ontario, and a wrong key', async () => {
    const { page } = opened;
    await searchWith(page, service().key, '1 Nowhere Cres, Sampleton, ON', '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.match(/No address fits/);
    expect(await page.isVisible('#result')).to.equal(false);
    for (const text of ['<img src=x onerror=alert(1)>', 'zzzz']) {
      await search(page, text, service().key, '#problem:not([hidden])');
      await page.getByText('This is not an address that can be read').waitFor();
    }
    await search(page, '1 Main St, Winnipeg, MB', service().key, '#problem:not([hidden])');
    await page.waitForFunction(() => document.getElementById('problem')?.textContent.includes('outside Ontario'));
    await searchWith(page, 'olk_wrong', COUNTRY, '#problem:not([hidden])');
    await page.waitForFunction(() => document.getElementById('problem')?.textContent.includes('key is not accepted'));
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('key');
  });

  it('says how long to wait when the key is spent', async () => {
    const { page } = opened;
    const key = await service().issueKey(1);
    await searchWith(page, key, COUNTRY);
    await search(page, NORTH, key, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.match(
      /lookups of this hour are used up. You can look up again in \d+ minutes/,
    );
  });

  it('says on which day a budget begins anew, and which one is used up', async () => {
    const { page } = opened;
    const body = { code: 'RATE_LIMITED', reason: 'PER_MONTH' };
    await page.route('**/api/lookup*', (route) =>
      route.fulfill({ status: 429, json: body, headers: { 'Retry-After': '604800' } }),
    );
    await searchWith(page, service().key, COUNTRY, '#problem:not([hidden])');
    await page.unroute('**/api/lookup*');
    expect(await page.textContent('#problem')).to.match(
      /^The budget of this month is used up. You can look up again on \w+ \d+, \d{4}\.$/,
    );
  });

  it('says when a key ended to whoever has it, in both languages', async () => {
    const { page } = opened;
    const ended = await service().issueKey(10, {}, undefined, '2020-03-01T12:00:00.000Z');
    await searchWith(page, ended, COUNTRY, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.match(/^This key ended on March 1, 2020 at .*Ask the operator/);
    await switchLanguage(page);
    await page.waitForFunction(() =>
      document.getElementById('problem')?.textContent.startsWith('Cette clé a pris fin le 1 mars 2020'),
    );
    await switchLanguage(page);
  });

  it('has words of its own for French readers, and marks what is in English', async () => {
    const { page } = opened;
    await switchLanguage(page);
    let body: object = { code: 'BAD_REQUEST', reason: 'INVALID', param: '/address', detail: 'address must not be odd' };
    await page.route('**/api/lookup*', (route) => route.fulfill({ status: 400, json: body }));
    await searchWith(page, service().key, COUNTRY, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.equal(
      'Cette adresse ne peut pas être cherchée. Écrivez le numéro, la rue et la ville, le tout sur une seule ligne.',
    );
    body = { code: 'A_NEW_CODE', detail: 'something new' };
    await search(page, NORTH, service().key, '#problem [lang=en]');
    expect(await page.textContent('#problem [lang=en]')).to.equal('something new');
    await page.unroute('**/api/lookup*');
    await switchLanguage(page);
  });

  it('keeps the answer that is shown when the server is gone, and tries again at a button', async () => {
    const { page } = opened;
    const key = await service().issueKey(10);
    await searchWith(page, key, COUNTRY);
    await page.context().setOffline(true);
    await search(page, NORTH, key, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('cannot be reached');
    expect(await page.getAttribute('#result', 'class'), 'the old answer').to.contain('old');
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
    expect(await page.textContent('#status')).to.contain('the answer from before: 1209 Concession 4');
    const edgeOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
    const { y, height } = await edgeOf('#problem');
    expect((await edgeOf('#resolved')).y - y - height, 'between the refusal and the answer').to.be.at.least(8);
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.context().setOffline(false);
    await page.click('#retry');
    await page.waitForFunction(() => document.getElementById('resolved')?.textContent.includes('Rue Principale'));
    expect(await page.isVisible('#problem')).to.equal(false);
    expect(await page.getAttribute('#result', 'class')).not.to.contain('old');
  });

  it('takes nothing for an answer that has not its parts, and leaves the answer before it', async () => {
    const { page } = opened;
    await searchWith(page, service().key, '4 Wharf Lane, Maple Sample, ON');
    const url = page.url();
    for (const body of ['{}', 'null', '[]', '{"lat":44,"lon":-79,"layers":{}}']) {
      await page.route('**/api/lookup*', (route) => route.fulfill({ contentType: 'application/json', body }));
      await page.fill('#address', '13 Marsh Rd, Fiddlehead Corners, ON');
      await page.press('#address', 'Enter');
      await page.getByText('in a way that this page does not know (NO_ANSWER)').waitFor();
      expect(await page.isVisible('#retry')).to.equal(true);
      expect(await page.textContent('#resolved')).to.contain('Wharf Lane');
      expect(page.url()).to.equal(url);
      await page.unroute('**/api/lookup*');
      await page.fill('#address', '1.5');
      await page.press('#address', 'Enter');
    }
  });

  it('can be told to stop waiting', async () => {
    const { page } = opened;
    await page.route('**/api/lookup*', () => undefined);
    await page.click('#change-key');
    await page.fill('#key', service().key);
    await page.fill('#address', COUNTRY);
    await page.press('#address', 'Enter');
    await page.click('#cancel');
    await page.waitForFunction(() => document.getElementById('status')?.textContent.startsWith('Cancelled'));
    expect(await page.getAttribute('#search', 'aria-busy')).to.equal(null);
    expect(await page.isVisible('#problem')).to.equal(false);
    await page.unroute('**/api/lookup*');
  });

  it('says that a link was cut, whatever it should have led to', async () => {
    const { page } = opened;
    for (const hash of ['#area=zzz', '#lat=44', '#point=44']) {
      await page.goto(`${service().url}/licences`);
      await page.goto(`${service().url}/${hash}`);
      await page.getByText('This link leads to no place that can be read').waitFor();
      expect(await page.isVisible('#result')).to.equal(false);
    }
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
  });

  it('says what is no coordinate and what is no address, and takes a refusal away with its text', async () => {
    const { page } = opened;
    const asked = lookupsOf(page);
    await search(page, '44.1', service().key, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('Coordinates need two numbers');
    expect(asked, 'nothing is spent').to.deep.equal([]);
    await searchWith(page, service().key, 'zzzz', '#problem:not([hidden])');
    await page.waitForFunction(() =>
      document.getElementById('problem')?.textContent.includes('not an address that can be read'),
    );
    await page.fill('#address', '  ');
    await page.press('#address', 'Enter');
    expect(await page.isVisible('#problem')).to.equal(false);
  });
});
