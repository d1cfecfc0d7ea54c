import { expect } from 'chai';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import { openLate, plainService, violationsOf, withSignups } from './visits.ts';

const run = promisify(execFile);
/** Where pictures go, to be looked at. */
const SHOTS = process.env['ACCOUNT_SHOTS'];
/** What the browser says of a change that the service refuses. */
const REFUSED = 'console: Failed to load resource: the server responded with a status of 400 (Bad Request)';
const ADDRESS = { address: '12 Main St W, Sampleton, ON' };

given('account', 'signup').describe('The page of an account', function () {
  this.timeout(240_000);
  const { open, service, processor } = withSignups(this, '/account', { PUBLIC_URL: 'https://land.example' });
  let customers = 0;
  /** Pages on which one key is entered after the other. */
  let desk: Visit, frenchPhone: Visit;

  /** A key of a new customer, with some lookups. */
  async function payingKey(lookups = 0): Promise<string> {
    const key = await service().issueKey(1000, { batchRowsPerDay: 5000 }, `cus_${++customers}`);
    for (let i = 0; i < lookups; i++) expect(await lookUp(key)).to.equal(200);
    return key;
  }

  async function lookUp(key: string): Promise<number> {
    const { status } = await fetch(`${service().url}/api/lookup`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(ADDRESS),
    });
    return status;
  }

  async function enter(page: Page, key: string): Promise<void> {
    // That of an earlier key is not waited for.
    await page.evaluate(() => {
      document.getElementById('table')!.replaceChildren();
    });
    await page.fill('#key', key);
    await page.press('#key', 'Enter');
    await page.waitForSelector('#table table');
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
  }

  const text = async (page: Page, selector: string): Promise<string> => (await page.textContent(selector)) ?? '';
  const says = (page: Page, words: string): Promise<unknown> =>
    page.waitForFunction((sought) => document.getElementById('status')?.textContent.includes(sought), words);

  it('keeps the key that is entered before its program is there, opens with it when it is ready, and has it in no address', async () => {
    const { url } = service();
    const key = await payingKey();
    await using late = await openLate(url, 'account.js', { path: '/account' });
    const { page, complaints, arrive } = late;
    await page.fill('#key', key);
    await page.press('#key', 'Enter');
    expect([page.url(), await page.inputValue('#key')]).to.deep.equal([`${url}/account`, key]);
    await arrive();
    await page.waitForSelector('#table table');
    expect(page.url()).to.equal(`${url}/account`);
    expect(complaints).to.deep.equal([]);
  });

  it('shows use, cost and what is left, as a chart and as a table with the same figures', async () => {
    const key = await payingKey(3);
    desk = await open();
    const { page, complaints } = desk;
    expect(await violationsOf(page), 'before it is open').to.deep.equal([]);
    await enter(page, key);
    const figures = await page.$$eval('#figures .value', (all) => all.map((one) => one.textContent));
    expect(figures).to.deep.equal(['997', '3', '–', '$0.30', '0']);
    expect(await text(page, '#figures')).to.contain('3 at $0.10 each');
    const total = await page.$$eval('#table tfoot td', (all) => all.map((one) => one.textContent));
    expect(total).to.deep.equal(['3', '0', '3']);
    expect(await page.getAttribute('#chart svg', 'aria-label')).to.contain('3 in all');
    const days = await page.$$eval('#table tbody tr', (all) => all.length);
    expect(await page.$$eval('#chart rect.lookups', (all) => all.length)).to.equal(days);
    await shoot(page, 'full');
    await page.selectOption('#span', '365');
    await page.waitForFunction(() => document.querySelectorAll('#table tbody tr').length === 12);
    await page.selectOption('#span', 'month');
    await page.waitForFunction((n) => document.querySelectorAll('#table tbody tr').length === n, days);
    expect(complaints).to.deep.equal([]);
  });

  it('does not speak of rows where there are no batches', async () => {
    const key = await payingKey(1);
    const { page, complaints } = desk;
    await page.route('**/api/account', async (route) => {
      const response = await route.fetch();
      const { batchRowsToday, ...account } = (await response.json()) as Record<string, unknown>;
      expect(batchRowsToday).to.equal(0);
      await route.fulfill({ json: account });
    });
    await enter(page, key);
    for (const part of ['#figures', '#chart', '#table'])
      expect(await page.innerHTML(part), part)
        .to.match(/lookups/i)
        .and.not.to.match(/row[s]? of/i);
    const total = await page.$$eval('#table tfoot td', (all) => all.map((one) => one.textContent));
    expect(total).to.deep.equal(['1']);
    await page.unroute('**/api/account');
    expect(complaints).to.deep.equal([]);
  });

  it('sets a budget that bites, and removes it', async () => {
    const key = await payingKey(1);
    const { page, complaints } = desk;
    await enter(page, key);
    await page.fill('#budget-value', '2');
    await page.press('#budget-value', 'Enter');
    await says(page, 'Saved');
    expect(await text(page, '#figures')).to.contain('of 2 for');
    expect([await lookUp(key), await lookUp(key)]).to.deep.equal([200, 429]);
    await page.click('#no-budget');
    await says(page, 'Saved');
    expect(complaints).to.deep.equal([]);
  });

  it('makes, replaces and revokes keys, and shows each new one once, with a command that works', async () => {
    const key = await payingKey();
    const { page, complaints } = desk;
    page.on('dialog', (dialog) => void dialog.accept());
    await enter(page, key);
    await page.fill('#further-name', 'Staging');
    await page.click('#further button');
    await page.waitForSelector('#new-key:not([hidden])');
    const further = await text(page, '#new-key-value');
    expect(await lookUp(further)).to.equal(200);
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('new-key-heading');
    await page.click('#copy-curl');
    await says(page, 'clipboard');
    const command = await page.evaluate(() => navigator.clipboard.readText());
    // Not synchronous, because the service is in this process.
    const { stdout } = await run('sh', ['-c', command]);
    expect(JSON.parse(stdout)).to.have.property('layers');
    expect(await text(page, '#others')).to.contain('Staging');
    expect(await violationsOf(page)).to.deep.equal([]);
    await shoot(page, 'new-key');
    await page.click('#others button');
    await says(page, 'is revoked');
    expect(await text(page, '#others')).to.contain('There are none');
    await page.selectOption('#overlap', '1');
    await page.click('#rotate button');
    await page.waitForFunction((old) => document.getElementById('new-key-value')?.textContent !== old, further);
    const replaced = await text(page, '#new-key-value');
    expect([await lookUp(key), await lookUp(replaced)]).to.deep.equal([200, 200]);
    expect(await page.evaluate(() => sessionStorage.getItem('land-lookup-key'))).to.equal(replaced);
    await page.reload();
    await page.waitForSelector('#table table');
    expect(await page.content())
      .to.not.contain(replaced)
      .and.to.not.contain(further);
    expect(complaints).to.deep.equal([]);
  });

  it('says that a key was replaced, and then changes nothing with it', async () => {
    const key = await payingKey();
    const rotated = await fetch(`${service().url}/api/account/keys/rotate`, {
      ...{ method: 'POST', headers: { Authorization: `Bearer ${key}` } },
    });
    expect(rotated.status).to.equal(200);
    const { page } = desk;
    await enter(page, key);
    expect(await text(page, '#replaced')).to.contain('was replaced');
    expect(await page.isDisabled('#rotate button')).to.equal(true);
  });

  it('makes a webhook secret, saves CSV, prints the table, and forgets the key', async () => {
    const key = await payingKey(2);
    const { page, complaints } = desk;
    await enter(page, key);
    await page.click('#webhook');
    await page.waitForSelector('#webhook-shown:not([hidden])');
    expect(await text(page, '#webhook-value')).to.match(/^whsec_/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
    const csv = readFileSync(await download.path(), 'utf8');
    expect(csv)
      .to.match(/^month,day,lookups,batch_rows\r\n/)
      .and.to.contain(',2,0\r\n');
    using folder = temporaryFolder();
    const file = join(folder.path, 'usage.pdf');
    writeFileSync(file, await page.pdf({ preferCSSPageSize: true }));
    const printed = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
    expect(printed).to.contain('Usage of this key').and.to.contain('Total').and.to.not.contain('whsec_');
    expect(printed).to.not.contain('Make a further key');
    if (SHOTS !== undefined) execFileSync('pdftoppm', ['-r', '60', '-png', file, join(SHOTS, 'print')]);
    await page.evaluate(() => {
      sessionStorage.setItem('land-lookup-answer-1@x', '{}');
    });
    await page.click('#leave');
    expect(await page.isHidden('#account')).to.equal(true);
    const kept = await page.evaluate(() => [...Object.entries(sessionStorage), ...Object.entries(localStorage)]);
    expect(kept).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('lets nobody lock themselves out', async () => {
    const key = await payingKey();
    const { page, complaints } = desk;
    await enter(page, key);
    expect(await text(page, '#networks-note')).to.contain('127.0.0.1');
    await page.fill('#networks-value', '203.0.113.0/24');
    await page.click('#networks button');
    await page.waitForSelector('#problem:not([hidden])');
    expect(await text(page, '#problem')).to.contain('do not hold the address that asks, 127.0.0.1');
    await page.fill('#networks-value', '203.0.113.0/24\n127.0.0.1');
    await page.click('#networks button');
    await says(page, 'Saved');
    expect(await page.inputValue('#networks-value')).to.equal('203.0.113.0/24\n127.0.0.1/32');
    expect(complaints).to.deep.equal([REFUSED]);
  });

  it('leads to the billing portal, from where the way back is the page', async () => {
    const key = await payingKey();
    const { page, complaints } = desk;
    await page.route('https://billing.stripe.com/**', (route) => route.fulfill({ body: 'the portal' }));
    await enter(page, key);
    await page.click('#portal');
    await page.waitForURL('https://billing.stripe.com/**');
    expect(processor().portal.sessions.at(-1)).to.deep.equal({
      ...{ customer: `cus_${customers}`, returnUrl: 'https://land.example/account' },
    });
    const ours = complaints.filter((words) => !words.startsWith('outside: https://billing.stripe.com/'));
    expect(ours, 'that of the test before').to.deep.equal([REFUSED]);
  });

  it('is linked from the page of lookups, and opens with the key that was typed there', async () => {
    const key = await payingKey();
    frenchPhone = await open({ path: '/', locale: 'fr-CA', width: 360, height: 740 });
    const { page, complaints } = frenchPhone;
    await page.fill('#key', key);
    await page.getByRole('link', { name: 'Compte' }).click();
    await page.waitForSelector('#table table');
    expect(await text(page, '#key-id')).to.contain('créée le');
    expect(complaints).to.deep.equal([]);
  });

  it('speaks French, fits 360 pixels, and can be used by keyboard', async () => {
    const key = await payingKey(1);
    const { page, complaints } = frenchPhone;
    await page.click('#leave');
    await page.focus('#key');
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#table table');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('name');
    expect(await text(page, '#table caption')).to.contain('Utilisation de cette clé');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    const topOf = (selector: string): Promise<number> =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);
    expect(await topOf('#budget'), 'what can be set stands before days without use').to.be.below(await topOf('#table'));
    await page.evaluate(() => {
      const reached: string[] = [];
      Object.assign(window, { reached });
      addEventListener('focusin', ({ target }) => reached.push((target as Element).id));
    });
    for (let i = 0; i < 40; i++) await page.keyboard.press('Tab');
    const reached = await page.evaluate(() => (window as unknown as { reached: string[] }).reached);
    expect(reached).to.include.members([
      'portal',
      'span',
      'table',
      'budget-value',
      'networks-value',
      'overlap',
      'webhook',
    ]);
    await shoot(page, 'phone-french');
    await page.click('#further button');
    await page.waitForSelector('#new-key:not([hidden])');
    expect(await violationsOf(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('is kept by no cache, has a strict policy, and is not there without sign-up', async () => {
    const { headers } = await fetch(`${service().url}/account`);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('content-security-policy')).to.contain("style-src 'self';").and.to.not.contain('unsafe');
    expect((await fetch(`${service().url}/account`, { method: 'POST' })).status).to.equal(405);
    const plain = await plainService();
    expect((await fetch(`${plain.url}/account`)).status).to.equal(404);
    expect(await (await fetch(plain.url)).text()).not.to.contain('href="/account"');
  });
});
