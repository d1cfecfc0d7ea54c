/** A wall clock that jumps: nothing is billed twice, given up, deleted or forgotten. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { setClock } from '../support/drivers/clock-file.ts';
import { cliArguments, cliIn, type CliRun } from '../support/drivers/cli.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { chosenFeatures } from '../support/drivers/chosen-features.ts';

const DAY_MS = 24 * 3600 * 1000;
const preload = ['--import', pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'shift-clock.mjs')).href];

describe('A clock that jumps', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let processor: StripeServer;
  let clock: string;
  let env: Readonly<Record<string, string>>;
  let key: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    serveSample(folder.path, 1);
    processor = await StripeServer.start();
    clock = join(folder.path, 'clock');
    jump(0);
    env = { ...processor.env, CLOCK_FILE: clock, USAGE_RETENTION_DAYS: '36' };
    key = await newKey(folder.path, { customer: 'cus_1' });
  });
  afterEach(async () => {
    await processor[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  function jump(ms: number): void {
    setClock(clock, { offMs: ms });
  }

  function start(): Promise<ServiceProcess> {
    return ServiceProcess.start(folder.path, env, { program: [...preload, ...cliArguments, 'serve'] });
  }

  function command(...args: string[]): CliRun {
    return cliIn(
      folder.path,
      { ...env, NODE_OPTIONS: [process.env['NODE_OPTIONS'] ?? '', ...preload].join(' ') },
      ...args,
    );
  }

  /** One lookup under an `Idempotency-Key`; gives its id, or null for an answer that was given before. */
  async function ask(service: ServiceProcess, name: string): Promise<string | null> {
    const answer = await service.lookup(key, SAMPLE_ADDRESS, { headers: { 'Idempotency-Key': name } });
    expect(answer.status, name).to.equal(200);
    return answer.headers.get('lookup-id');
  }

  function states(): Record<string, number> {
    const db = new Database(join(folder.path, 'usage.sqlite'), { readonly: true });
    try {
      const rows = db
        .prepare("SELECT state, count(*) FROM usage WHERE customer = 'cus_1' GROUP BY state")
        .raw()
        .all() as [string, number][];
      return Object.fromEntries(rows);
    } finally {
      db.close();
    }
  }

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await sleep(50);
  }

  /** Sends a batch, where services have them; gives what looks whether its results are still there. */
  async function endedBatch(url: () => string): Promise<() => Promise<void>> {
    if (!chosenFeatures.includes('batches')) return () => Promise.resolve();
    const client = new BatchClient(url, await newKey(folder.path, { limits: { batchRowsPerDay: 10 } }));
    const id = await client.send([SAMPLE_ADDRESS.address]);
    expect((await client.ended(id)).state).to.equal('completed');
    const { sha256 } = await client.download(id);
    return async () => {
      expect((await client.status(id)).state).to.equal('completed');
      expect((await client.download(id)).sha256).to.equal(sha256);
    };
  }

  async function isBelievedOnTheOperatorsWord(service: ServiceProcess): Promise<void> {
    jump(3 * 3600 * 1000);
    await ask(service, 'later');
    expect(command('usage', 'resend', '--rejected').status).to.equal(1);
    expect(command('usage', 'trust-clock').stdout).to.match(/^the time is 20/);
    expect(command('usage', 'resend', '--rejected').status).to.equal(0);
  }

  for (const [what, jumpMs] of (
    [
      ['forwards by 35 days', 35 * DAY_MS],
      ['back by a day', -DAY_MS],
    ] as const
  ).slice(0, inputs(2, 1))) {
    it(`${what}, also over a restart, settles, expires, deletes and rejects nothing; a further jump is believed when the operator says so`, async () => {
      processor.fault = () => 'lost answer';
      const ids: (string | null)[] = [];
      let url = '';
      let batchIsKept = () => Promise.resolve();
      {
        await using service = await start();
        ({ url } = service);
        if (jumpMs > 0) batchIsKept = await endedBatch(() => url);
        ids.push(await ask(service, 'before'));
        await until(() => processor.accepted.length === 1);
        jump(jumpMs);
        ids.push(await ask(service, 'during'));
        const calls = processor.calls;
        await until(async () => (await service.metrics()).includes('land_lookup_clock_trusted 0'));
        const jumped = () => service.lines.find(({ message }) => message === 'the clock of this machine jumped');
        await until(() => jumped() !== undefined);
        expect(jumped()!['by']).to.match(jumpMs > 0 ? /^\d{5,} s forwards$/ : /^\d{5,} s backwards$/);
        expect(await ask(service, 'before'), 'the same answer').to.equal(null);
        expect(await ask(service, 'during'), 'the same answer').to.equal(null);
        await sleep(3000);
        expect(processor.calls, 'nothing is sent').to.be.at.most(calls + 1);
      }
      {
        await using service = await start();
        ({ url } = service);
        expect(await ask(service, 'before'), 'after a restart').to.equal(null);
        // Old results are looked for at the start.
        await sleep(1000);
        await batchIsKept();
        for (const args of [
          ['prune', '--before', '2020-01-01'],
          ['resend', '--rejected'],
        ]) {
          const { status, stderr } = command('usage', ...args);
          expect(status, args[0]).to.equal(1);
          expect(stderr).to.contain('the clock of this machine jumped');
        }
        expect(states()).to.deep.equal({ pending: 2 });
        jump(0);
        processor.fault = () => 'none';
        await until(() => states()['delivered'] === 2);
        expect(await ask(service, 'before')).to.equal(null);
        expect(await ask(service, 'during')).to.equal(null);
        await until(async () => (await service.metrics()).includes('land_lookup_clock_trusted 1'));
        expect(processor.accepted.map(({ identifier }) => identifier)).to.have.members(ids);
        for (const { timestamp } of processor.accepted) {
          expect(Math.abs(timestamp - Date.now() / 1000), 'the true time').to.be.below(900);
        }
        await isBelievedOnTheOperatorsWord(service);
      }
    });
  }
});
