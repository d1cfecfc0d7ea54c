import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { asSent } from '../support/drivers/as-sent.ts';
import { openSocket, readToEnd } from '../support/drivers/client-socket.ts';
import { chosenFeatures } from '../support/drivers/chosen-features.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { given } from '../support/drivers/given.ts';

const SENT = [
  ...['/', '/docs', '/docs/errors', '/openapi.json', '/web/main.js', '/web/style.css'],
  ...['/vendor/swagger-ui/swagger-ui.css', '/vendor/swagger-ui/swagger-ui-bundle.js'],
  ...['css', 'mjs'].map((end) => `/vendor/maplibre-gl/maplibre-gl.${end}`),
  ...['shared', 'worker'].map((part) => `/vendor/maplibre-gl/maplibre-gl-${part}.mjs`),
];

const NOT_SENT = [
  ...['package.json', 'index.html', 'swagger-ui.js', 'swagger-ui-bundle.js.map', 'oauth2-redirect.html'].map(
    (name) => `/vendor/swagger-ui/${name}`,
  ),
  ...['maplibre-gl-dev.mjs', 'maplibre-gl.mjs.map', '../package.json'].map((name) => `/vendor/maplibre-gl/${name}`),
  ...[
    '/web/tsconfig.json',
    '/vendor/',
    '/vendor/express/package.json',
    '/web/',
    '/web/../package.json',
    '/web/%2e%2e/package.json',
  ],
];

given('page').describe('Files that browsers load', () => {
  let front: FrontEnd;
  before(async () => {
    front = await startFrontEnd();
  });
  after(() => front[Symbol.asyncDispose]());

  for (const path of SENT) {
    given(path.includes('maplibre') ? 'maps' : 'page').it(`${path} has the security headers`, async () => {
      const response = await fetch(front.url + path);
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-security-policy')).to.contain("default-src 'none'");
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      await response.arrayBuffer();
    });
  }

  it('everything that the page loads at first is named by its content', async () => {
    const html = await (await fetch(front.url)).text();
    const paths = [...html.matchAll(/(?:src|href)="(\/(?:web|vendor)\/[^"]+)"/g)].map(([, path]) => path!);
    // One file with the program, one with the texts of the reader's language.
    expect(paths.flatMap((path) => /\/(\w+\.js)$/.exec(path)?.[1] ?? [])).to.deep.equal(['main.js', 'en.js']);
    for (const path of paths) {
      const response = await fetch(front.url + path);
      expect([response.status, response.headers.get('cache-control')], path).to.deep.equal([
        200,
        'public, max-age=31536000, immutable',
      ]);
      await response.arrayBuffer();
    }
  });

  for (const [language, path, title] of [
    ['fr-CA,fr;q=0.9,en;q=0.8', '/', "Le terrain d'une adresse"],
    ['en-CA,fr;q=0.5', '/', 'The land at an address'],
    ['de', '/', 'The land at an address'],
    ['en', '/?lang=fr', "Le terrain d'une adresse"],
    ['fr', '/?lang=en', 'The land at an address'],
  ] as const)
    it(`the page at ${path} is in the right language for a browser that prefers ${language}`, async () => {
      const response = await fetch(front.url + path, { headers: { 'Accept-Language': language } });
      expect(response.headers.get('vary')).to.contain('Accept-Language');
      const html = await response.text();
      expect(html).to.contain(`<title>${title}</title>`);
      const isFrench = title.startsWith('Le');
      expect(html).to.contain(isFrench ? '<html lang="fr">' : '<html lang="en">');
      // The program has nothing left to translate.
      expect(html.includes('Skip to the search') || html.includes('Choose a point')).to.equal(!isFrench);
    });

  it('a page that is not there says that it is one for browsers alone, to whoever asks', async () => {
    for (const [accept, type] of [
      ['text/html', 'text/html'],
      ['application/json', 'application/problem+json'],
    ] as const) {
      const socket = await openSocket(front.url);
      socket.write(`GET /no-such-page HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: ${accept}\r\n\r\n`);
      const answer = await readToEnd(socket);
      expect(answer)
        .to.match(/^HTTP\/1\.1 404 /)
        .and.to.include(`\r\nContent-Type: ${type}`);
      expect(answer).to.match(/\r\nVary: Accept\b(?!-)/);
    }
  });

  it('modules are sent bundled, and not by themselves', async () => {
    for (const [name, imports, feature] of [
      ['main.js', [], 'page'],
      ['en.js', [], 'page'],
      ['views.js', ['./main.js'], 'page'],
      ['map.js', ['./main.js', './views.js'], 'maps'],
      ['batch.js', ['./main.js', './views.js', './files.js'], 'batches'],
    ] as const) {
      const response = await fetch(`${front.url}/web/${name}`);
      const script = await response.text();
      expect(response.status, name).to.equal(chosenFeatures.includes(feature) ? 200 : 404);
      if (response.status === 404) continue;
      expect(
        [...script.matchAll(/\bfrom\s*["'`](\.[^"'`]+)/g)].map(([, from]) => from),
        name,
      ).to.deep.equal(imports);
      expect(script, name).to.not.match(/\n +|\/\*\*/);
    }
    expect((await fetch(`${front.url}/web/dom.js`)).status).to.equal(404);
  });

  it('the page is asked for each time, and sent again only when the snapshot or the page has changed', async () => {
    const first = await fetch(front.url);
    expect(first.headers.get('cache-control')).to.equal('no-cache');
    const etag = first.headers.get('etag')!;
    const again = await asSent(front.url, { headers: { 'if-none-match': etag } });
    expect(again.status).to.equal(304);
  });

  it('the page has its style sheet in it, which its policy allows, and no other inline style', async () => {
    const response = await fetch(front.url);
    const styles = [...(await response.text()).matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!);
    expect(styles).to.have.length(1);
    const hash = createHash('sha256').update(styles[0]!).digest('base64');
    const policy = response.headers.get('content-security-policy');
    expect(policy).to.contain(`style-src 'self' 'sha256-${hash}';`).and.not.to.contain('unsafe-inline');
  });

  it('the page has one script in it, which its policy allows by its hash', async () => {
    const response = await fetch(front.url);
    const scripts = [...(await response.text()).matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script!);
    expect(scripts).to.have.length(1);
    const hash = createHash('sha256').update(scripts[0]!).digest('base64');
    expect(response.headers.get('content-security-policy')).to.contain(`script-src 'self' 'sha256-${hash}';`);
  });

  for (const [path, without] of [
    ['/?address=12+Main+St&key=olk_abc', '/?address=12+Main+St'],
    ['/?key=olk_abc', '/'],
    ['/?lang=fr&%6bey=olk_abc&key=', '/?lang=fr'],
  ] as const)
    it(`a browser that asks for ${path} is led to ${without}, and nothing keeps the key`, async () => {
      const response = await fetch(front.url + path, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).to.deep.equal([303, without]);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(response.headers.get('referrer-policy')).to.equal('no-referrer');
      expect(await response.text()).to.not.contain('olk_');
    });

  for (const path of NOT_SENT) {
    it(`${path} is not sent`, async () => {
      expect((await fetch(front.url + path)).status).to.equal(404);
    });
  }
});
