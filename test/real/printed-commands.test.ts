/** Each first command that the service prints is answered by the real register that it serves. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { createServiceLogger } from '../../src/core/settings/logger.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { until } from '../support/drivers/patience.ts';
import { startHere } from '../support/drivers/start-here.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';

/** Of the sample, as the documents have it. */
const OF_SAMPLE = 'Sampleton';

describe('commands that the service prints', function () {
  this.timeout(1_800_000);

  it('are answered: in the documents, at the end of a sign-up, in an account and as examples', async function () {
    const dataDir = realDataDir(realDataOrSkip(this));
    using folder = temporaryFolder();
    symlinkSync(requireCurrentSnapshot(dataDir).dir, join(folder.path, 'current'));
    const [key] = await issueKeys({ dataDir: folder.path }, { count: 1 });
    await using processor = await StripeServer.start();
    const ports = { PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
    const config = readConfig({ DATA_DIR: folder.path, ...ports, ...processor.signupEnv });
    const logger = createServiceLogger('info', new PassThrough().resume());
    await using service = await startHere(config, { logger });
    const read = async (path: string): Promise<string> => {
      const response = await fetch(service.url + path);
      expect(response.status, path).to.equal(200);
      return response.text();
    };
    await until(async () => (await read('/api/examples')).includes('"address"'));
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    for (const path of ['/docs', '/docs/api', '/llms.txt', '/signup', '/account', '/api/examples']) {
      // In attributes and in JSON, their quotes are written otherwise.
      const text = (await read(path)).replaceAll('&quot;', '"').replaceAll('\\"', '"');
      const addresses = new Set([...text.matchAll(/"address":"([^"…]+)"/g)].map(([, address]) => address!));
      expect(addresses.size, path).to.be.above(0);
      for (const address of addresses) {
        expect(address, path).to.not.contain(OF_SAMPLE);
        const body = JSON.stringify({ address });
        const { status } = await fetch(`${service.url}/api/lookup`, { method: 'POST', headers, body });
        expect(status, `${path}: ${address}`).to.equal(200);
      }
    }
  });
});
