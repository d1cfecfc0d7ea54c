import { expect } from 'chai';
import { startFrontEnd, type FrontEnd } from '../support/front-end.ts';

const SENT = [
  ...['/', '/docs', '/docs/errors', '/openapi.json', '/web/config.json', '/web/main.js', '/web/style.css'],
  ...['/vendor/swagger-ui/swagger-ui.css', '/vendor/swagger-ui/swagger-ui-bundle.js'],
  ...['css', 'mjs'].map((end) => `/vendor/maplibre-gl/maplibre-gl.${end}`),
  ...['shared', 'worker'].map((part) => `/vendor/maplibre-gl/maplibre-gl-${part}.mjs`),
];

const NOT_SENT = [
  ...['package.json', 'index.html', 'swagger-ui.js', 'swagger-ui-bundle.js.map', 'oauth2-redirect.html'].map(
    (name) => `/vendor/swagger-ui/${name}`,
  ),
  ...['maplibre-gl-dev.mjs', 'maplibre-gl.mjs.map', '../package.json'].map((name) => `/vendor/maplibre-gl/${name}`),
  ...['/vendor/', '/vendor/express/package.json', '/web/', '/web/../package.json', '/web/%2e%2e/package.json'],
];

describe('Files that browsers load', () => {
  let front: FrontEnd;
  before(async () => {
    front = await startFrontEnd();
  });
  after(() => front[Symbol.asyncDispose]());

  for (const path of SENT) {
    it(`${path} has the security headers`, async () => {
      const response = await fetch(front.url + path);
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-security-policy')).to.contain("default-src 'none'");
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      await response.arrayBuffer();
    });
  }

  for (const path of NOT_SENT) {
    it(`${path} is not sent`, async () => {
      expect((await fetch(front.url + path)).status).to.equal(404);
    });
  }
});
