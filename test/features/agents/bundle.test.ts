/** What is published for clients: the bundle that a desktop client installs, and the entry of a registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import { shareSampleService } from '../../support/drivers/sample-service.ts';

const examples = join(projectDir, 'docs', 'examples');
const bundle = join(examples, 'mcp-bundle');
const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>;

const text = { type: 'string' };
const closed = (required: readonly string[], properties: object) => ({
  ...{ type: 'object', required, properties, additionalProperties: false },
});

/**
 * The members that we use, as https://github.com/modelcontextprotocol/mcpb has them in schemas/mcpb-manifest-v0.4.schema.json (commit bec493b7):
 * `additionalProperties` is false there too.
 */
const manifestSchema = closed(['name', 'version', 'description', 'author', 'server'], {
  manifest_version: { const: '0.4' },
  ...{ name: text, display_name: text, version: text, description: text, license: text },
  author: closed(['name'], { name: text }),
  server: closed(['type', 'entry_point', 'mcp_config'], {
    ...{ type: { const: 'node' }, entry_point: text },
    mcp_config: closed(['command'], {
      ...{ command: text, args: { type: 'array', items: text } },
      env: { type: 'object', additionalProperties: text },
    }),
  }),
  tools_generated: { type: 'boolean' },
  compatibility: closed([], {
    platforms: { type: 'array', items: { enum: ['darwin', 'win32', 'linux'] } },
    runtimes: closed([], { python: text, node: text }),
  }),
  user_config: {
    type: 'object',
    additionalProperties: closed(['type', 'title', 'description'], {
      type: { enum: ['string', 'number', 'boolean', 'directory', 'file'] },
      ...{ title: text, description: text, default: text },
      ...{ required: { type: 'boolean' }, sensitive: { type: 'boolean' } },
    }),
  },
});

const input = { description: text, value: text, isRequired: { type: 'boolean' }, isSecret: { type: 'boolean' } };

/** The members that we use of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, closed so that a misspelt one is found. */
const serverSchema = closed(['name', 'description', 'version'], {
  $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
  name: { ...text, minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
  title: { ...text, minLength: 1, maxLength: 100 },
  description: { ...text, minLength: 1, maxLength: 100 },
  version: { ...text, maxLength: 255 },
  remotes: {
    type: 'array',
    items: closed(['type', 'url'], {
      type: { enum: ['streamable-http', 'sse'] },
      url: { ...text, pattern: '^https?://[^\\s]+$' },
      headers: {
        type: 'array',
        items: closed(['name'], {
          ...{ name: text, ...input },
          variables: { type: 'object', additionalProperties: closed([], input) },
        }),
      },
    }),
  },
});

describe('what is published for clients of the tools', function () {
  this.timeout(120_000);
  const ajv = new Ajv({ strict: false });

  it('fits the schemas of the bundle and of the registry', () => {
    const manifest = ajv.compile(manifestSchema);
    expect(manifest(read(bundle, 'manifest.json')), JSON.stringify(manifest.errors)).to.equal(true);
    const server = ajv.compile(serverSchema);
    expect(server(read(examples, 'server.json')), JSON.stringify(server.errors)).to.equal(true);
  });

  it('asks for what the program of the bundle reads, and for the key as a secret', () => {
    const { user_config: asked, server } = read(bundle, 'manifest.json') as {
      user_config: Record<string, { sensitive?: boolean }>;
      server: { entry_point: string; mcp_config: { env: Record<string, string> } };
    };
    const program = readFileSync(join(bundle, server.entry_point), 'utf8');
    for (const [name, value] of Object.entries(server.mcp_config.env)) {
      expect(program).to.contain(name);
      expect(Object.keys(asked)).to.include(/^\$\{user_config\.(\w+)\}$/.exec(value)?.[1]);
    }
    expect(asked['key']!.sensitive).to.equal(true);
  });

  for (const withKey of [true, false])
    it(`passes messages on, ${withKey ? 'with a key' : 'and without one says what is missing'}`, async () => {
      const service = await shareSampleService();
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [join(bundle, 'server', 'index.mjs')],
          env: { LAND_LOOKUP_URL: service.url, LAND_LOOKUP_KEY: withKey ? service.key : '' },
        }),
      );
      try {
        expect((await client.listTools()).tools.map(({ name }) => name)).to.include('lookup_address');
        const call = client.callTool({ name: 'lookup_address', arguments: { address: '12 Main St W, Sampleton, ON' } });
        if (withKey) expect((await call).structuredContent).to.have.property('layers');
        else expect(String(await call.catch((cause: unknown) => cause))).to.contain('UNAUTHORIZED: send the header');
      } finally {
        await client.close();
      }
    });
});
