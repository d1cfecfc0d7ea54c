/** The commands of the page about billing, as an operator would run them. */
import { issueKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { deliverAll, record } from '../support/drivers/billing.ts';
import type { CliRun } from '../support/drivers/cli.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { openJournalHere } from '../support/drivers/journal-here.ts';
import { ownSampleFolder } from '../support/material/served-sample.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { givenAll } from '../support/drivers/given.ts';

const DAY_MS = 86_400_000;
const page = readFileSync(join(projectDir, 'docs', 'billing.md'), 'utf8');
const commands = [...page.matchAll(/```sh\n([^`]*)```/g)]
  .flatMap(([, block]) => block!.trim().split('\n'))
  .map((line) => line.replace(/ +#.*/, ''));

describe('the page about billing', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof ownSampleFolder>;
  let processor: StripeServer;
  beforeEach(async () => {
    folder = ownSampleFolder();
    processor = await StripeServer.start();
  });
  afterEach(async () => {
    await processor[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  function command(...args: string[]): Promise<CliRun> {
    return commandHere(folder.path, processor.env, ...args);
  }

  givenAll().it('lists commands that work', async () => {
    expect(commands).to.have.length.above(8);
    await using other = await openJournalHere(join(folder.path, 'other'));
    await record(other, 1, { customer: null });
    await using store = await openKeyStore({ dataDir: folder.path, redisUrl: null });
    const { record: key } = await issueKey(store, { name: 'Example' });
    for (const line of commands) {
      const args = /^sudo land-lookup (.*)$/.exec(line)?.[1];
      expect(args, line).to.be.a('string');
      const { status, stdout, stderr } = await command(
        ...args!
          .replace('COPY', join(folder.path, 'other', 'usage.sqlite'))
          .replace('CUSTOMER', 'cus_1')
          .replace('KEY_ID', key.id)
          .split(' '),
      );
      expect(status, `${line}\n${stdout}${stderr}`).to.equal(0);
    }
  });

  it('prints the report of a month as one document, with the reasons', async () => {
    await using journal = await openJournalHere(folder.path);
    await record(journal, 2, { customer: null });
    const { status, stdout } = await command('usage', 'report', '--json');
    const { month, keys, notBilled } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect([status, month, notBilled]).to.deep.equal([0, new Date().toISOString().slice(0, 7), []]);
    expect(keys).to.have.deep.nested.property('0.unbilled', 2);
    expect((await command('usage', 'report', '--json', '--csv')).status).to.equal(1);
  });

  it('says truly that the comparison ends with 1 when a day differs, and tells the metrics', async () => {
    await using journal = await openJournalHere(folder.path);
    await record(journal, 3, { atMs: Date.now() - DAY_MS });
    await deliverAll(journal, processor);
    const agreed = await command('usage', 'reconcile', '--days', '35');
    expect([agreed.status, agreed.stdout]).to.deep.equal([0, '1 of 1 days agree\n']);
    processor.accepted.pop();
    const differing = await command('usage', 'reconcile', '--days', '35');
    expect(differing.status, differing.stderr).to.equal(1);
    expect(differing.stdout).to.match(/cus_a +20\S+ +3 +2 +-1\n+0 of 1 days agree/);
    await using service = await ServiceHere.start(folder.path, processor.env);
    expect(await service.metrics()).to.contain('land_lookup_billing_differing_days 1\n');
    expect(await service.metrics()).to.match(/land_lookup_last_success_seconds\{job="reconcile"\} \d/);
  });

  it('names a journal that is not there instead of taking it for an empty one', async () => {
    const { status, stderr } = await command('usage', 'reconcile', '--days', '2', '--journal', 'none.sqlite');
    expect(status).to.equal(1);
    expect(stderr).to.contain('none.sqlite');
  });
});
