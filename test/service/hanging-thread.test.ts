/** A lookup thread that hangs in a native call, which nothing in the process can interrupt. */
import { expect } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/config.ts';
import { cliArguments } from '../support/cli.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/served-sample.ts';
import { newKey, ServiceProcess } from '../support/service-process.ts';

/** More than the 10 s of the service; a busy machine adds to them. */
const STILL_RUNS_MS = 40_000;

describe('a thread that hangs', () => {
  it('does not keep the process alive after SIGTERM', async () => {
    using folder = ownSampleFolder();
    const key = await newKey(folder.path);
    const hang = pathToFileURL(join(projectDir, 'test', 'support', 'crash-thread.mjs')).href;
    const file = join(folder.path, 'hang');
    const program = ['--import', hang, ...cliArguments, 'serve'];
    const service = await ServiceProcess.start(
      folder.path,
      { CRASH_FILE: file, LOOKUP_DEADLINE_MS: '500' },
      { program },
    );
    try {
      writeFileSync(file, 'hang');
      expect((await service.lookup(key, { address: SAMPLE_ADDRESS.address })).status).to.equal(503);
      expect(existsSync(file)).to.equal(false);
      const ended = await Promise.race([service.stop().then(() => true), sleep(STILL_RUNS_MS, false, { ref: false })]);
      expect(ended).to.equal(true);
      expect(service.lines.map(({ message }) => message))
        .to.include('stopping')
        .and.not.include('stopped');
    } finally {
      service.signal('SIGKILL');
    }
  }).timeout(120_000);
});
