/** The example of a feature in docs/changing.md, beside the features that there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { Command } from 'commander';
import type { Feature } from '../../src/feature.ts';
import { projectDir } from '../../src/project/project.ts';
import { configOf } from '../../src/core/settings/config.ts';
import { SettingsReader } from '../../src/core/settings/settings-reader.ts';
import { noticeSettings } from '../../docs/examples/feature/settings.ts';
import { asSent } from '../support/drivers/as-sent.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { given } from '../support/drivers/given.ts';

/** As the page has it for `src/features.ts`; there the folder is ./features/notice/. */
const example: Feature = {
  name: 'notice',
  settings: noticeSettings,
  commands: { notice: () => import('../../docs/examples/feature/commands.ts') },
  load: async () => (await import('../../docs/examples/feature/feature.ts')).notice,
};

describe('the example of a feature', () => {
  let front: FrontEnd;

  before(async () => {
    const { ofFeatures } = configOf(new SettingsReader({ NOTICE: 'Closed on Sunday.' }), [example]);
    front = await startFrontEnd({ ofFeatures, more: [await example.load!()] });
  });

  after(() => front[Symbol.asyncDispose]());

  it('answers its route with its setting, to those who have a key, and counts it', async () => {
    const url = `${front.url}/api/notice`;
    // The document that all tests are held against does not have the example.
    expect((await asSent(url)).status).to.equal(401);
    const { status, text } = await asSent(url, { headers: { authorization: `Bearer ${front.key}` } });
    expect([status, JSON.parse(text)]).to.deep.equal([200, { text: 'Closed on Sunday.' }]);
    expect(await front.services.metrics.metrics()).to.match(/^land_lookup_notice_reads_total 1$/m);
    expect((await front.post({ address: '12 Main St W' })).status).to.equal(200);
  });

  given('batches', 'suggest').it('stands in the document of the API and in /llms.txt', async () => {
    const { paths, components } = (await (await fetch(`${front.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
      components: { schemas: object };
    };
    expect(paths['/api/notice']).to.have.nested.property('get.operationId', 'notice');
    expect(paths).to.include.keys('/api/batches', '/api/suggest');
    expect(components.schemas).to.have.property('Notice');
    expect(await (await fetch(`${front.url}/llms.txt`)).text()).to.contain('/api/notice');
  });

  it('has a command', async () => {
    const program = new Command('land-lookup');
    const config = () => front.services.config;
    const module = await example.commands!['notice']!();
    const unused = () => expect.fail('it asks for its settings alone');
    const others = {
      configOfData: unused,
      client: unused,
      settings: unused,
      kept: unused,
      fetcher: unused,
      checkFiles: unused,
    };
    await module.register(program, { config, ...others, readArea: unused, rowMembers: unused, geocoding: unused });
    const written: unknown[] = [];
    const { mock: spied } = mock.method(process.stdout, 'write', (text: unknown) => written.push(text) > 0);
    try {
      program.parse(['notice'], { from: 'user' });
    } finally {
      spied.restore();
    }
    expect(written).to.deep.equal(['Closed on Sunday.\n']);
  });

  it('has in docs/changing.md the entry that is tested here', () => {
    const page = readFileSync(join(projectDir, 'docs', 'changing.md'), 'utf8');
    const own = readFileSync(join(projectDir, 'test/service/example-feature.test.ts'), 'utf8');
    const [, entry = ''] = /const example: Feature = (\{[^]*?\n\});/.exec(own)!;
    expect(page).to.contain(`${entry.replaceAll('../../docs/examples/feature/', './features/notice/')},\n`);
  });
});
