/** `/docs` and the written pages below it. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageWithAddress } from '../../src/core/http/docs-route.ts';
import { readVersion, projectDir } from '../../src/project/project.ts';
import { asSent } from '../support/drivers/as-sent.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { chosenFeatures } from '../support/drivers/chosen-features.ts';
import { given } from '../support/drivers/given.ts';
import { startSignupSide } from '../support/drivers/signup.ts';

/** The guides and the feature to which each belongs. */
const OF_FEATURES: Readonly<Record<string, string>> = {
  ...{ rules: 'rules', watching: 'compare', batches: 'batches', files: 'batches', webhooks: 'webhooks' },
  ...{ account: 'account', agents: 'agents', page: 'page' },
};

const pageAt = async (url: string): Promise<string> => {
  const response = await fetch(url);
  expect(response.status, url).to.equal(200);
  return response.text();
};

/** Text of HTML of ours. */
const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe('The documents for clients', function () {
  this.timeout(60_000);
  let front: FrontEnd;
  before(async () => (front = await startFrontEnd()));
  after(() => front[Symbol.asyncDispose]());

  it('say on top where the service is, and give a command that it answers', async () => {
    const html = await pageAt(`${front.url}/docs`);
    const command = textOf(/<pre[^>]*>(.*?)<\/pre>/s.exec(html)![1]!);
    expect(command).to.match(/^curl -s http:\/\/127\.0\.0\.1:\d+\/api\/lookup \\\n/);
    const [, url] = /curl -s (\S+)/.exec(command)!;
    const headers = Object.fromEntries(
      [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [
        name!,
        value!.replace('olk_...', front.key),
      ]),
    );
    const response = await fetch(url!, { method: 'POST', headers, body: /-d '([^']+)'/.exec(command)![1]! });
    expect(response.status).to.equal(200);
    const text = textOf(html);
    expect(text)
      .to.contain('1,000 lookups per hour')
      .and.to.contain('Retry-After')
      .and.to.contain('Idempotency-Key')
      .and.to.contain('CORS');
    expect(text).to.contain('ask the operator of this service for one').and.not.to.contain('/signup');
  });

  it('say to whoever reads French that they are in English, and to nobody else', async () => {
    const notice = '<p class="back" lang="fr">Cette documentation n’existe qu’en anglais.</p>\n<nav';
    for (const path of ['/docs', '/docs/errors', '/docs/api']) {
      const at = (language: string) => fetch(front.url + path, { headers: { 'Accept-Language': language } });
      const [french, english] = [await at('fr-CA'), await at('en-CA')];
      expect(french.headers.get('vary'), path).to.contain('Accept-Language');
      const text = await english.text();
      expect(text, path).to.contain('<html lang="en">').and.not.to.contain('lang="fr"');
      expect(await french.text(), path).to.equal(text.replace('<nav', () => notice));
      expect(await pageAt(`${front.url}${path}?lang=fr`), path).to.contain(notice);
    }
  });

  it('name the operator where there is one to ask, and the address that the operator gives', async () => {
    await using other = await startFrontEnd({ contact: 'mailto:help@land.example', publicUrl: 'https://land.example' });
    const html = await pageAt(`${other.url}/docs`);
    expect(html).to.contain('ask <a href="mailto:help@land.example">help@land.example</a> for one');
    expect(html).to.contain('curl -s https://land.example/api/lookup').and.not.to.contain(other.url);
    expect(await pageAt(`${other.url}/llms.txt`)).to.contain(
      'ask [help@land.example](mailto:help@land.example) for one',
    );
    expect(await pageAt(`${other.url}/docs/api`))
      .to.contain('https://land.example/api/lookup/point')
      .and.not.to.contain('127.0.0.1');
    const serversOf = async ({ url }: FrontEnd) =>
      (JSON.parse(await pageAt(`${url}/openapi.json`)) as { servers: { url: string }[] }).servers.map((one) => one.url);
    expect([await serversOf(front), await serversOf(other)]).to.deep.equal([['/'], ['https://land.example']]);
  });

  it('do not repeat a host that could be more than a host in a command', async () => {
    for (const host of ['a"b', "a'b", 'a$(b)']) {
      const { status, text } = await asSent(`${front.url}/docs`, { headers: { host } });
      if (status === 200) expect(text, host).to.contain('curl -s http://127.0.0.1:8080/').and.not.to.contain(host);
      else expect(status, host).to.equal(400);
    }
  });

  it('do not repeat a scheme that a proxy passes on and that is none', async () => {
    await using behind = await startFrontEnd({ trustProxyHops: 1 });
    const { host } = new URL(behind.url);
    for (const [sent, scheme] of [
      ['https', 'https'],
      ['HTTPS, http', 'https'],
      ['$(id)', 'http'],
      ['javascript:', 'http'],
    ] as const) {
      const { text } = await asSent(`${behind.url}/docs`, { headers: { host, 'x-forwarded-proto': sent } });
      expect(text, sent).to.contain(`<code>${scheme}://${host}</code>`).and.not.to.contain('$(id)');
    }
  });

  it('are made for some addresses, and not for ever others', () => {
    let [made, now] = [0, 0];
    const text = (address: string): string => `${String(++made)} ${address}`;
    const page = pageWithAddress(
      { config: { publicUrl: null } },
      () => [],
      text,
      () => now,
    );
    const at = (host: string): string =>
      page({ protocol: 'http', get: () => host } as unknown as Parameters<typeof page>[0]).bytes.toString();
    for (let n = 0; n < 4; n++) expect(at(`h${n}.example`)).to.include(`http://h${n}.example`);
    for (let n = 4; n < 1000; n++) expect(at(`h${n}.example`)).to.match(/ http:\/\/127\.0\.0\.1:8080$/);
    expect(made).to.equal(5);
    expect(at('h3.example'), 'kept').to.equal('4 http://h3.example');
    now += 1000;
    expect(at('new.example')).to.equal('6 http://new.example');
    expect(at('newer.example')).to.equal('5 http://127.0.0.1:8080');
  });

  it('are pages without a program, with links that lead somewhere', async () => {
    const html = await pageAt(`${front.url}/docs`);
    const paths = [...html.matchAll(/href="(\/docs\/[a-z]+)"/g)].map(([, path]) => path!);
    const there = Object.keys(OF_FEATURES).filter((name) => chosenFeatures.includes(OF_FEATURES[name]!));
    expect(new Set(paths)).to.deep.equal(
      new Set(['errors', 'api', ...there, 'changelog', 'security'].map((name) => `/docs/${name}`)),
    );
    const pages = new Map(
      await Promise.all([...paths, '/docs'].map(async (path) => [path, await pageAt(front.url + path)] as const)),
    );
    for (const path of new Set(paths)) {
      const page = pages.get(path)!;
      expect(page, path).not.to.match(/<script|<!--/);
      const [main] = /<main>.*<\/main>/s.exec(page)!;
      for (const [, href] of main.matchAll(/href="([^"]*)"/g)) {
        if (href!.startsWith('https://')) continue;
        const [to, id] = href!.split('#');
        const text = pages.get(to!) ?? (await pageAt(front.url + to!));
        if (id !== undefined) expect(text, `${path} to ${href}`).to.contain(`id="${id}"`);
      }
    }
  });

  it('have the policy of pages without a program', async () => {
    const response = await fetch(`${front.url}/docs/api`);
    expect(response.headers.get('content-security-policy'))
      .to.contain("style-src 'self';")
      .and.to.contain("default-src 'none'");
    await response.text();
  });

  it('say all that the documents say to clients', async () => {
    const text = textOf(await pageAt(`${front.url}/docs/api`));
    const lines = readFileSync(join(projectDir, 'docs', 'api.md'), 'utf8').split('\n');
    const headings = lines.filter((line, i) => /^##+ /.test(line) && lines[i + 2] !== '<!-- for operators -->');
    expect(headings).to.have.length.above(20);
    const missing = headings.map((line) => line.replace(/^#+ /, '')).filter((heading) => !text.includes(heading));
    expect(missing).to.deep.equal(['Address of Redis']);
    expect(await pageAt(`${front.url}/docs/changelog`)).to.contain(readVersion());
  });

  it('have no page of another name', async () => {
    for (const path of ['/docs/zzz', '/docs/operations', '/docs/API', '/docs/api.md', '/docs/', '/docs/api/'])
      expect((await fetch(front.url + path)).status, path).to.equal(404);
    expect((await fetch(`${front.url}/docs/api`, { method: 'POST' })).status).to.equal(405);
  });

  given('batches', 'webhooks').it('have no page of a feature that is left out, and no link to one', async () => {
    const leftOut = ['batches'];
    const features = chosenFeatures.filter((name) => !leftOut.includes(name));
    await using other = await startFrontEnd({ features, leftOut });
    for (const name of ['batches', 'files']) expect((await fetch(`${other.url}/docs/${name}`)).status).to.equal(404);
    for (const path of ['/docs', '/docs/api', '/docs/webhooks', '/docs/changelog', '/llms.txt'])
      expect(await pageAt(other.url + path), path).not.to.match(/\/docs\/(batches|files)/);
  });

  given('signup').it('lead to the sign-up where visitors get keys by themselves', async () => {
    await using side = await startSignupSide();
    expect(await side.front.services.billing!.price!.read()).to.not.equal(null);
    const html = await pageAt(`${side.front.url}/docs`);
    expect(html)
      .to.contain('<a href="/signup">get one here</a>')
      .and.to.match(/A lookup costs \$\d+\.\d+, and only/);
  });
});
