import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { SAMPLE_NOTICE } from '../../src/catalogue/describe-layers.ts';
import { projectDir } from '../../src/config.ts';
import { startSampleService, type SampleService } from '../support/sample-service.ts';

const ADDRESS = '13 Marsh Rd, Fiddlehead Corners, ON';
const run = promisify(execFile);

describe('the examples of the documentation', function () {
  this.timeout(240_000);
  let service: SampleService;

  before(async () => {
    service = await startSampleService();
  });
  after(() => service[Symbol.asyncDispose]());

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
      run(program, [join(projectDir, 'docs', 'examples', file), address], {
        env: { ...process.env, LAND_LOOKUP_URL: service.url, LAND_LOOKUP_KEY: service.key },
      });

    it(`${file} looks an address up`, async () => {
      const { stdout } = await start(ADDRESS);
      for (const words of says) expect(stdout).to.contain(words);
    });

    it(`${file} fails with the reason when the address is refused`, async () => {
      const failure = await start('1 Nowhere Cres, Sampleton, ON').catch(
        (cause: unknown) => cause as Record<string, string>,
      );
      expect(failure).to.be.an('error');
      expect(JSON.stringify(failure)).to.contain('ADDRESS_NOT_FOUND');
    });
  }
});
