/** Files of clients and customers in the data folder: nobody but the user of the service reads them. */
import { expect } from 'chai';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KnownKeys } from '../../src/core/keys/known-keys.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { given } from '../support/drivers/given.ts';

/** What others may read or write in the data folder. */
function openIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter(
    (name) => /(^batches$|\.sqlite)/.test(name) && (statSync(join(folder, name)).mode & 0o077) !== 0,
  );
}

describe('The databases of a data folder, and the folder of batches', function () {
  this.timeout(240_000);

  given('batches', 'webhooks').it('are private when a service has made them, also while it works', async () => {
    using folder = ownSampleFolder();
    const [key] = (await issueKeys({ dataDir: folder.path }, { count: 1 })) as [string];
    await using service = await ServiceHere.start(folder.path);
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    new KnownKeys(join(folder.path, 'known-keys.sqlite'))[Symbol.dispose]();
    const made = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    expect(made).to.include.members(['accounts.sqlite', 'usage.sqlite', 'batches', 'batches/queue.sqlite']);
    expect(openIn(folder.path)).to.deep.equal([]);
  });

  given('batches', 'webhooks').it('become private when an earlier version has made them', async () => {
    using folder = ownSampleFolder();
    await issueKeys({ dataDir: folder.path }, { count: 1 });
    mkdirSync(join(folder.path, 'batches'));
    for (const name of ['usage.sqlite', 'batches/queue.sqlite', 'batches/webhooks.sqlite'])
      writeFileSync(join(folder.path, name), '');
    for (const name of ['accounts.sqlite', 'usage.sqlite', 'batches/queue.sqlite', 'batches/webhooks.sqlite'])
      chmodSync(join(folder.path, name), 0o644);
    chmodSync(join(folder.path, 'batches'), 0o755);
    expect(openIn(folder.path)).to.have.length(5);
    await using service = await ServiceHere.start(folder.path);
    expect(service.url).to.match(/^http/);
    expect(openIn(folder.path)).to.deep.equal([]);
  });
});
