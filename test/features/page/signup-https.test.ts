/** A sign-up over https behind the sample of a proxy: what a browser does with the cookie that leads back to the key. */
import { expect } from 'chai';
import { createHash, X509Certificate } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { given } from '../../support/drivers/given.ts';
import { FRUGAL, hasBrowser, openBrowser, visit, type Visit } from '../../support/drivers/browser.ts';
import { freePort } from '../../support/drivers/free-port.ts';
import { startProxy, type Proxy } from '../../support/drivers/proxies.ts';
import { startSampleService, type SampleService } from '../../support/drivers/sample-service.ts';
import { untilPriced } from '../../support/drivers/signup.ts';
import { StripeServer } from '../../support/doubles/stripe-server.ts';
import { COUNTRY, WITHOUT_MAP } from './visits.ts';

/** Not an address of this machine: browsers let those set a secure cookie without https. */
const HOST = 'land.example';

/** What a browser is told, to trust this certificate alone and to find the host here. */
function flagsFor(ca: string): readonly string[] {
  const publicKey = new X509Certificate(ca).publicKey.export({ type: 'spki', format: 'der' });
  const hash = createHash('sha256').update(publicKey).digest('base64');
  return [`--ignore-certificate-errors-spki-list=${hash}`, `--host-resolver-rules=MAP ${HOST} 127.0.0.1`];
}

given('signup').describe('A sign-up over https', function () {
  this.timeout(240_000);
  let processor: StripeServer;
  let service: SampleService;
  let proxy: Proxy;
  let browser: Browser;
  let url: string;
  before(async function () {
    if (!hasBrowser()) {
      console.log('skipped: no Chromium');
      this.skip();
    }
    const port = await freePort();
    url = `https://${HOST}:${port}`;
    processor = await StripeServer.start();
    service = await startSampleService({
      env: { ...processor.signupEnv, PUBLIC_URL: url, TRUST_PROXY_HOPS: '1' },
    });
    processor.sent.target = `${service.url}/webhooks/stripe`;
    await untilPriced(service.url);
    proxy = await startProxy('haproxy', [service.url, service.url], { port });
    browser = await openBrowser([...FRUGAL, ...flagsFor(proxy.ca)]);
  });
  after(async () => {
    if (!hasBrowser()) return;
    await browser.close();
    await proxy[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await processor[Symbol.asyncDispose]();
  });

  async function open(path = '/signup'): Promise<Visit> {
    const opened = await visit(browser, { url, path, ...WITHOUT_MAP });
    await opened.page.waitForSelector('html[data-ready]');
    return opened;
  }

  /** Presses the button and fills the processor's page, which is of another site. */
  async function signUp(page: Page): Promise<void> {
    await page.click('#submit');
    await page.waitForURL(`${processor.url}/**`);
    await page.fill('#email', 'person@example.com');
    await page.fill('#cardNumber', '4242 4242 4242 4242');
    await page.click('#pay');
    await page.waitForSelector('#done:not([hidden])');
  }

  /** What `/signup/done` says in a browser. */
  async function headingAtReturn(page: Page): Promise<string | null> {
    await page.goto(`${url}/signup/done`);
    await page.waitForSelector('#done:not([hidden])');
    return page.textContent('#done-heading');
  }

  it('keeps a cookie of this host alone, which no program in a page can read, and shows the key by it', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const [cookie, ...others] = await page.context().cookies();
    expect(others).to.deep.equal([]);
    expect(cookie).to.include({
      ...{ name: '__Host-signup', domain: HOST, path: '/' },
      ...{ secure: true, httpOnly: true, sameSite: 'Lax' },
    });
    expect(await page.evaluate(() => document.cookie)).to.equal('');
    await signUp(page);
    const key = (await page.textContent('#key'))!;
    expect(key).to.match(/^olk_\w{38}$/);
    expect(await page.textContent('.curl')).to.contain(`${url}/api/lookup`);
    await page.getByText('Look an address up with it').click();
    await page.fill('#address', COUNTRY);
    await page.press('#address', 'Enter');
    await page.waitForSelector('#result:not([hidden])');
    expect(complaints.filter((complaint) => !complaint.startsWith(`outside: ${processor.url}/`))).to.deep.equal([]);
    expect(await headingAtReturn(page)).to.equal('The key was shown');
  });

  it('shows it to no other browser, not even while it waits to be shown again', async () => {
    await using own = await open();
    await own.page.route(`${url}/signup/shown`, (route) => route.abort());
    await signUp(own.page);
    const key = (await own.page.textContent('#key'))!;
    const [session] = [...processor.checkout.sessions.keys()].slice(-1);
    await using stranger = await open(`/signup/done?session_id=${session}`);
    await stranger.page.waitForSelector('#done:not([hidden])');
    expect(await stranger.page.textContent('#done-heading')).to.equal('No sign-up in this browser');
    await stranger.page.goto(`${url}/signup`);
    await stranger.page.click('#submit');
    await stranger.page.waitForURL(`${processor.url}/**`);
    expect(await headingAtReturn(stranger.page)).to.equal('The sign-up is not finished');
    expect(await stranger.page.content()).to.not.contain(key);
    expect(await headingAtReturn(own.page), 'the browser that began').to.equal('Your key');
    expect(await own.page.textContent('#key')).to.equal(key);
  });

  it('has the session in no address of ours, and tells no server where the browser came from', async () => {
    await using opened = await open();
    const { page } = opened;
    const sent: Promise<{ readonly to: string; readonly from: string | undefined }>[] = [];
    page.context().on('request', (request) => {
      sent.push(request.allHeaders().then(({ referer }) => ({ to: request.url(), from: referer })));
    });
    await signUp(page);
    const requests = await Promise.all(sent);
    const ours = requests.filter(({ to }) => to.startsWith(url));
    const asked = ours.map(({ to }) => to.split('?')[0]);
    expect(asked).to.include.members([`${url}/signup`, `${url}/signup/done`, `${url}/signup/key`]);
    for (const { to, from = '' } of ours) expect(to + from).to.not.contain('cs_test_');
    const away = requests.find(({ to }) => to.startsWith(`${processor.url}/c/pay/`));
    expect(away).to.have.property('from', undefined);
  });

  it('is not begun by a page of another site, which gets no cookie sent along either', async () => {
    await using opened = await open();
    const { page } = opened;
    const form = `<form method="post" action="${url}/signup"><button>Win</button></form>`;
    await page.route('https://evil.example/', (route) => route.fulfill({ contentType: 'text/html', body: form }));
    await page.goto('https://evil.example/');
    const sessions = processor.checkout.sessions.size;
    const [answer] = await Promise.all([page.waitForResponse(`${url}/signup`), page.click('button')]);
    expect(answer.status()).to.equal(403);
    expect(await answer.request().allHeaders()).to.not.have.property('cookie');
    expect(processor.checkout.sessions.size).to.equal(sessions);
  });
});
