/** What docs/agents.md says, against the service on its sample. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import { loadFeatures } from '../../../src/features.ts';
import { toolsWith } from '../../../src/features/agents/tools.ts';
import { Agent } from '../../support/drivers/mcp.ts';
import { shareSampleService } from '../../support/drivers/sample-service.ts';

const page = readFileSync(join(projectDir, 'docs', 'agents.md'), 'utf8');

describe('docs/agents.md', () => {
  it('lists the tools with their arguments', async () => {
    for (const { name, inputSchema } of await listedTools()) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``));
      for (const argument of Object.keys(inputSchema.properties ?? {})) expect(row, name).to.contain(`\`${argument}\``);
    }
  });

  it('is about tools whose arguments speak of tools, and not of routes and their parameters', async () => {
    for (const { name, inputSchema } of await listedTools())
      expect(JSON.stringify(inputSchema), name).to.not.match(/GET |\/api\/|detail=/);
  });

  it('shows an answer of the sample', async function () {
    this.timeout(240_000);
    const service = await shareSampleService();
    await using agent = await Agent.connect(service);
    const shown = [...page.matchAll(/```json\n([\s\S]*?)```/g)]
      .map(([, text]) => JSON.parse(text!) as Partial<Answer>)
      .find((one): one is Answer => one.howToRead !== undefined);
    const { body } = await agent.call('lookup_address', { address: shown!.address });
    const { layers, explained, howToRead, attribution, ...rest } = shown!;
    expect(body).to.deep.include(rest);
    expect(body['howToRead']).to.deep.nested.include({ 'states.present': howToRead.states['present'] });
    for (const [key, layer] of Object.entries(layers))
      expect((body['layers'] as typeof layers)[key]).to.deep.equal(layer);
    for (const [key, finding] of Object.entries(explained))
      expect((body['explained'] as typeof explained)[key]).to.deep.equal(finding);
    expect((body['attribution'] as typeof attribution).show).to.deep.equal(attribution.show);
  });
});

interface Answer {
  readonly address: string;
  readonly howToRead: { readonly states: Readonly<Record<string, string>> };
  readonly layers: Readonly<Record<string, unknown>>;
  readonly explained: Readonly<Record<string, unknown>>;
  readonly attribution: { readonly show: readonly string[] };
}

async function listedTools(): Promise<ReturnType<typeof toolsWith>['listed']> {
  const features = await loadFeatures();
  const brought = features.flatMap(({ tools }) => tools ?? []);
  const members = features.flatMap((feature) => feature.members ?? []);
  return toolsWith(brought, members).listed;
}
