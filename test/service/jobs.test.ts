/** Jobs that note what became of them: the commands, the metrics and the admin port. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beginJob, readJobs, type Job, type JobState } from '../../src/core/snapshots/jobs.ts';
import { takeImportLock } from '../../src/core/snapshots/building.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { cliArguments } from '../support/drivers/cli.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { given } from '../support/drivers/given.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { until } from '../support/drivers/patience.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';

describe('The jobs of a machine', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const backups = join(folder.path, 'backups');
  const stateOf = (job: Job): JobState => readJobs(dataDir, folder.path).find((state) => state.job === job)!;
  before(async () => {
    mkdirSync(dataDir);
    serveSample(dataDir, 1);
    await newKey(dataDir);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  given('backup').it('note a backup that succeeds, and one that fails, with the last success', async () => {
    expect(await commandHere(dataDir, {}, 'backup', '--to', backups)).to.include({ status: 0, stderr: '' });
    const { begunAt, succeededAt, failed } = stateOf('backup');
    expect([succeededAt! >= begunAt!, failed]).to.deep.equal([true, null]);

    writeFileSync(join(folder.path, 'file'), '');
    expect((await commandHere(dataDir, {}, 'backup', '--to', join(folder.path, 'file', 'in'))).status).to.equal(1);
    expect(stateOf('backup')).to.include({ succeededAt });
    expect(stateOf('backup').begunAt! > succeededAt!).to.equal(true);
    expect(stateOf('backup').failed?.why).to.match(/ENOTDIR.*: check the path$/);
  });

  given('travel').it('note the begin of one that is killed, and nothing of its end', async () => {
    // Accepts and never answers.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/snapshots`;
    const pulling = spawn(process.execPath, [...cliArguments, 'snapshot', 'pull', '--from', from], {
      env: { ...process.env, DATA_DIR: dataDir },
      stdio: 'ignore',
    });
    const ended = once(pulling, 'exit');
    await until(() => stateOf('follow').begunAt !== null);
    pulling.kill('SIGKILL');
    await ended;
    server.close();
    expect(stateOf('follow')).to.include({ succeededAt: null, failed: null });

    const next = await commandHere(dataDir, {}, 'snapshot', 'pull', '--from', join(folder.path, 'nowhere'));
    expect(next.status).to.equal(1);
    expect(next.stdout).to.contain(stateOf('follow').failed!.why);
  });

  it('note what deletes old snapshots, also when an import is in its way', async () => {
    expect(await commandHere(dataDir, {}, 'snapshot', 'prune')).to.include({ status: 0, stderr: '' });
    const { succeededAt } = stateOf('prune');
    expect(succeededAt).to.be.a('string');
    const lock = takeImportLock(dataDir);
    expect((await commandHere(dataDir, {}, 'snapshot', 'prune')).status).to.equal(1);
    lock[Symbol.dispose]();
    expect(stateOf('prune')).to.include({ succeededAt });
    expect(stateOf('prune').failed?.why).to.contain('another import is running');
  });

  it('note a comparison of the bills, and one that could not be made', async () => {
    await using processor = await StripeServer.start();
    expect((await commandHere(dataDir, {}, 'usage', 'reconcile')).status).to.equal(1);
    expect(stateOf('reconcile')).to.have.nested.property('failed.why').that.contains('STRIPE_API_KEY');
    expect(stateOf('reconcile').succeededAt).to.equal(null);
    expect((await commandHere(dataDir, processor.env, 'usage', 'reconcile')).status).to.equal(0);
    expect(stateOf('reconcile')).to.include({ failed: null }).and.have.property('succeededAt').that.is.a('string');
  });

  it('note an import of addresses, but not that of the sample', async () => {
    expect((await commandHere(dataDir, {}, 'load-addresses', '--sample')).status).to.equal(0);
    expect(stateOf('address_refresh')).to.include({ begunAt: null });
    expect((await commandHere(dataDir, {}, 'load-addresses', '--from', join(folder.path, 'nowhere'))).status).to.equal(
      1,
    );
    expect(stateOf('address_refresh').failed?.why).to.contain('nowhere');
  });

  it('are in the metrics and at /readyz of the admin port, without those whose files are damaged', async () => {
    const ran: readonly Job[] = ['backup', 'follow', 'prune', 'reconcile', 'address_refresh'];
    for (const job of ran) beginJob(dataDir, job).succeeded();
    await using service = await ServiceHere.start(dataDir);
    const seriesOf = async (name: string): Promise<Record<string, number>> => {
      const lines = (await service.metrics()).matchAll(new RegExp(`^${name}\\{job="(\\w+)"\\} (\\S+)$`, 'gm'));
      return Object.fromEntries([...lines].map(([, job, value]) => [job!, Number(value)]));
    };
    const ages = await seriesOf('land_lookup_last_success_seconds');
    expect(Object.keys(ages))
      .to.include.members([...ran])
      .and.not.include('refresh');
    for (const job of ran) {
      const age = (Date.now() - Date.parse(stateOf(job).succeededAt!)) / 1000;
      expect(ages[job], job).to.be.within(age - 60, age);
    }
    const begins = await seriesOf('land_lookup_last_begin_seconds');
    expect(begins['backup']).to.be.at.least(ages['backup']!);

    const answer = await fetch(`${service.adminUrl}/readyz?detail`);
    const detail = (await answer.json()) as { readonly ready: boolean; readonly jobs: readonly JobState[] };
    expect([answer.status, detail.ready]).to.deep.equal([200, true]);
    expect(detail.jobs.find(({ job }) => job === 'prune')).to.deep.include({ ...stateOf('prune'), enabledAt: null });
    expect(await (await fetch(`${service.url}/readyz?detail`)).text()).not.to.contain('jobs');

    writeFileSync(join(dataDir, 'job-backup.json'), 'damaged');
    rmSync(join(dataDir, 'snapshots', 'job-prune.json'));
    mkdirSync(join(dataDir, 'snapshots', 'job-prune.json'));
    const left = await seriesOf('land_lookup_last_success_seconds');
    expect(Object.keys(left)).to.include('reconcile').and.not.include.members(['backup', 'prune']);
    expect(await commandHere(dataDir, {}, 'snapshot', 'prune')).to.include({ status: 0 });
    beginJob(dataDir, 'backup').succeeded();
    expect(await seriesOf('land_lookup_last_success_seconds')).to.include.keys('backup', 'reconcile');
  });
});
