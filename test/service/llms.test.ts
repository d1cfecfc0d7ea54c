import { expect } from 'chai';
import { SAMPLE_NOTICE } from '../../src/core/layers/describe-layers.ts';
import { toolsPart } from '../../src/features/agents/tools.ts';
import { layerStates } from '../../src/messages/wire/full-lookup.ts';
import { startFrontEnd } from '../support/drivers/front-end.ts';
import { layerKeys } from '../support/material/layer-keys.ts';
import { given } from '../support/drivers/given.ts';

describe('GET /llms.txt', () => {
  given('agents', 'suggest').it(
    'names the routes, tools, limits, states and licences, in the form of llmstxt.org',
    async () => {
      await using service = await startFrontEnd({ rateLimitPerHour: 77 });
      const response = await fetch(`${service.url}/llms.txt`);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      const text = await response.text();
      expect(text.length).to.be.below(6500);
      expect(text).to.match(/^# land-lookup\n\n> Land data of places in Ontario, Canada: \d+ layers \(.+\) .+\n\n/);
      expect(text).to.contain(`: ${layerKeys.length} layers (`);
      const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
        paths: Record<string, object>;
      };
      for (const [path, methods] of Object.entries(paths)) {
        for (const method of Object.keys(methods))
          expect(text).to.contain(`- [${method.toUpperCase()} ${path}](/docs): `);
      }
      for (const { name } of service.services.parts.of(toolsPart).tools) expect(text).to.contain(`- [${name}](/mcp): `);
      expect(text)
        .to.match(/\[list_layers\].* \(needs no key\)\n/)
        .and.not.match(/\[lookup_address\].*needs no key/);
      for (const [state, meaning] of Object.entries(layerStates)) expect(text).to.contain(`- \`${state}\`: ${meaning}`);
      expect(text)
        .to.contain('77 lookups per hour')
        .and.to.contain('20000 times per hour')
        .and.to.contain(SAMPLE_NOTICE);
      expect(text).not.to.match(/undefined|NaN|\[object/);
      const links = [...text.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path]) => path!);
      for (const path of new Set(links)) {
        const status = (await fetch(service.url + path)).status;
        expect(status, path).to.equal(path === '/mcp' ? 405 : 200);
      }
    },
  );

  it('takes GET and HEAD only', async () => {
    await using front = await startFrontEnd();
    const posted = await fetch(`${front.url}/llms.txt`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect((await fetch(`${front.url}/llms.txt`, { method: 'HEAD' })).status).to.equal(200);
  });
});
