import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { SAMPLE_NOTICE } from '../../src/core/layers/describe-layers.ts';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { refusingProxy } from '../support/doubles/refusing-proxy.ts';
import { shareSampleService, type KeyedService } from '../support/drivers/sample-service.ts';
import { given } from '../support/drivers/given.ts';

const ADDRESS = '13 Marsh Rd, Fiddlehead Corners, ON';
const run = promisify(execFile);
const exampleFile = (name: string): string => join(projectDir, 'docs', 'examples', name);

describe('the examples of the documentation', function () {
  this.timeout(240_000);
  let service: KeyedService;

  before(async () => {
    service = await shareSampleService();
  });

  const examples: Readonly<Record<string, { readonly program: string; readonly says: readonly string[] }>> = {
    'lookup.sh': { program: 'bash', says: ['"address":"13 Marsh Rd, Fiddlehead Corners, ON', '"dataAsOf"'] },
    'lookup.mjs': {
      program: process.execPath,
      says: [
        '13 Marsh Rd',
        'wetlandProximity: "regulated"',
        'floodProximity: nothing known',
        'Greenbelt data of 2025-',
      ],
    },
    'agent.mjs': {
      program: process.execPath,
      says: ['13 Marsh Rd', 'wetlandProximity: present, "regulated"', 'floodProximity: no_coverage', SAMPLE_NOTICE],
    },
    'lookup.py': {
      program: 'python3',
      says: ['13 Marsh Rd', 'wetlandProximity: "regulated"', 'floodProximity: no_coverage'],
    },
  };

  for (const [file, { program, says }] of Object.entries(examples)) {
    const start = (address: string): Promise<{ stdout: string }> =>
      run(program, [exampleFile(file), address], {
        env: { ...process.env, LAND_LOOKUP_URL: service.url, LAND_LOOKUP_KEY: service.key },
      });

    given('agents').it(`${file} looks an address up`, async () => {
      const { stdout } = await start(ADDRESS);
      for (const words of says) expect(stdout).to.contain(words);
    });

    given('agents').it(`${file} fails with the reason when the address is refused`, async () => {
      const failure = await start('1 Nowhere Cres, Sampleton, ON').catch(
        (cause: unknown) => cause as Record<string, string>,
      );
      expect(failure).to.be.an('error');
      expect(JSON.stringify(failure)).to.contain('ADDRESS_NOT_FOUND');
    });
  }

  it('agent.mjs shows the link to the statements where the answer has no room for them', async () => {
    const layer = { state: 'absent', asOf: '2025-01-24' };
    const layers = { greenbelt: layer, wetlandProximity: layer, floodProximity: layer, soil: layer };
    const attribution = { licences: 'https://land.example/licences' };
    const result = { structuredContent: { address: ADDRESS, layers, attribution }, content: [] };
    await using server = createServer((_req, res) => res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { stdout } = await run(process.execPath, [exampleFile('agent.mjs'), ADDRESS], {
      env: { ...process.env, LAND_LOOKUP_URL: `http://127.0.0.1:${port}`, LAND_LOOKUP_KEY: 'olk_x' },
    });
    expect(stdout).to.match(/soil: absent, 2025-01-24\nhttps:\/\/land\.example\/licences\n$/);
  });

  describe('of batches', () => {
    const PLACES = `custom_id,address
a,"13 Marsh Rd, Fiddlehead Corners, ON"
b,"1 Nowhere Cres, Sampleton, ON"
`;
    const batches: Readonly<Record<string, { readonly program: string; readonly results: string }>> = {
      'batch.sh': { program: 'bash', results: 'results.csv' },
      'batch.py': { program: 'python3', results: 'results.ndjson' },
      'batch.mjs': { program: process.execPath, results: 'results.ndjson' },
    };

    for (const [file, { program, results }] of Object.entries(batches)) {
      const start = (folder: string, key: string): Promise<{ stdout: string; stderr: string }> =>
        run(program, [exampleFile(file), join(folder, 'places.csv'), join(folder, results)], {
          env: { ...process.env, LAND_LOOKUP_URL: service.url, LAND_LOOKUP_KEY: key },
        });

      given('batches').it(`${file} looks up a file`, async () => {
        using folder = temporaryFolder();
        writeFileSync(join(folder.path, 'places.csv'), PLACES);
        const { stdout, stderr } = await start(folder.path, service.key);
        expect(stderr).to.match(/^batch bat_[0-9a-f]{32}$/m);
        const text = readFileSync(join(folder.path, results), 'utf8');
        const rows = text
          .trimEnd()
          .split('\n')
          .slice(results.endsWith('.csv') ? 1 : 0);
        expect(rows).to.have.length(2);
        expect(rows[0]).to.contain('13 Marsh Rd, Fiddlehead Corners, ON').and.to.contain('200');
        expect(rows[1]).to.contain('ADDRESS_NOT_FOUND').and.to.contain('404');
        if (results.endsWith('.ndjson')) expect(stdout).to.contain('1 found').and.to.contain('1 ADDRESS_NOT_FOUND');
      });

      given('batches').it(`${file} fails with the reason when the batch is refused`, async () => {
        using folder = temporaryFolder();
        writeFileSync(join(folder.path, 'places.csv'), PLACES);
        const reasonOf = async (key: string): Promise<string> => {
          const failure = await start(folder.path, key).catch((cause: unknown) => cause);
          expect(failure).to.be.an('error');
          return JSON.stringify(failure);
        };
        expect(await reasonOf(await service.issueKey(1000, {})), 'a key without batches').to.contain('FORBIDDEN');
        writeFileSync(join(folder.path, 'places.csv'), 'street\n1 Main St\n');
        expect(await reasonOf(service.key)).to.contain('BAD_REQUEST');
      });
    }
  });

  describe('that cost something', () => {
    const PLACES = `address\n"${ADDRESS}"\n`;
    const programs: Readonly<Record<string, string>> = {
      ...{ 'lookup.sh': 'bash', 'lookup.mjs': process.execPath, 'lookup.py': 'python3' },
      ...{ 'batch.sh': 'bash', 'batch.mjs': process.execPath, 'batch.py': 'python3' },
    };
    const runAt = async (url: string, file: string) => {
      using folder = temporaryFolder();
      const places = join(folder.path, 'places.csv');
      writeFileSync(places, PLACES);
      const given = file.startsWith('batch') ? [places, join(folder.path, 'results')] : [ADDRESS];
      const env = { ...process.env, LAND_LOOKUP_URL: url, LAND_LOOKUP_KEY: service.key };
      return await run(programs[file]!, [exampleFile(file), ...given], { env });
    };

    for (const file of Object.keys(programs)) {
      given('batches').it(
        `${file} waits as long as Retry-After says, and sends the same Idempotency-Key again`,
        async () => {
          await using proxy = await refusingProxy(service.url, 1);
          const { stdout } = await runAt(proxy.url, file);
          expect(stdout).not.to.contain('RATE_LIMITED');
          const [first, second, ...more] = proxy.idempotencyKeys;
          expect(first).to.be.a('string').that.has.length.above(20);
          expect([second, more]).to.deep.equal([first, []]);
        },
      );

      it(`${file} leaves a wait of more than a minute to the person, with the reason`, async () => {
        // Beyond 24.9 days a timer of JavaScript would end at once.
        await using proxy = await refusingProxy(service.url, 2_592_000);
        const failure = await runAt(proxy.url, file).catch((cause: unknown) => cause);
        expect(failure).to.be.an('error');
        expect(JSON.stringify(failure)).to.contain('this key may make 1 lookup per hour');
        expect(proxy.idempotencyKeys).to.have.length(1);
      });
    }
  });

  describe('without what they need', () => {
    const programs: Readonly<Record<string, string>> = { '.sh': 'bash', '.mjs': process.execPath, '.py': 'python3' };
    // `shards.sh` asks no service: see shards.test.ts.
    const files = readdirSync(join(projectDir, 'docs', 'examples')).filter(
      (name) => extname(name) in programs && name !== 'shards.sh',
    );

    for (const file of files) {
      it(`${file} says how it is used`, async () => {
        const env = { ...process.env, LAND_LOOKUP_KEY: undefined, LAND_LOOKUP_WEBHOOK_SECRET: undefined };
        for (const given of [{}, { LAND_LOOKUP_KEY: 'olk_x' }]) {
          if (file.startsWith('receive') && 'LAND_LOOKUP_KEY' in given) continue;
          const failure = await run(programs[extname(file)]!, [exampleFile(file)], {
            env: { ...env, ...given },
          }).catch((cause: unknown) => cause as { readonly stderr: string });
          expect(failure.stderr).to.match(/^usage: LAND_LOOKUP_[A-Z_]+=\S+ .*\n$/);
        }
      });
    }
  });
});
