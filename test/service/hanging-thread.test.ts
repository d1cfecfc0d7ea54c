/** A lookup that hangs in its thread, in a native call, which nothing in the process can interrupt. */
import { expect } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/config.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { cliArguments } from '../support/drivers/cli.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';

const NEAR = { query: '?detail=full&geometry=near' };

interface Ready {
  readonly ready: boolean;
  readonly notReady: readonly { readonly reason: string }[];
  readonly pool: { readonly hungThreads: number };
}

describe('a lookup that hangs', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof ownSampleFolder>;
  let service: ServiceProcess;
  let key: string;
  let file: string;
  let start: (deadlineMs: number) => Promise<void>;

  beforeEach(async () => {
    folder = ownSampleFolder();
    // The loops below may ask more often than a key may by itself.
    key = await newKey(folder.path, { limitPerHour: 1_000_000, limits: { batchRowsPerDay: 1000 } });
    const hang = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'crash-thread.mjs')).href;
    file = join(folder.path, 'hang');
    const program = ['--import', hang, ...cliArguments, 'serve'];
    start = async (deadlineMs) => {
      const env = { CRASH_FILE: file, LOOKUP_DEADLINE_MS: String(deadlineMs), MAX_PENDING: '4' };
      service = await ServiceProcess.start(folder.path, env, { program });
      await service.examplesMade();
    };
  });
  // A thread that hangs keeps the process from ending by itself.
  afterEach(async () => {
    await service.kill();
    folder[Symbol.dispose]();
  });

  const plain = () => service.lookup(key, SAMPLE_ADDRESS);
  const near = () => service.lookup(key, SAMPLE_ADDRESS, NEAR);
  /** Asks until a lookup has hung: on a slow machine the first one may be too late before its thread begins with it. */
  const hangOne = async (ask: () => Promise<Response>): Promise<void> => {
    writeFileSync(file, 'hang');
    while (existsSync(file)) expect((await ask()).status).to.equal(503);
  };
  const readyz = async () => (await (await fetch(`${service.url}/readyz`)).json()) as Ready;
  const hungLines = () => service.lines.filter(({ message }) => message === 'a lookup hangs, its thread is replaced');

  it('does not keep the process alive after SIGTERM', async () => {
    // Ten deadlines are longer than a stop.
    await start(2000);
    await hangOne(plain);
    await service.stop();
    expect(service.lines.map(({ message }) => message))
      .to.include('the stop took too long, the process is killed')
      .and.not.include('stopped');
  });

  it('does not do so as a row of a batch either', async () => {
    await start(2000);
    writeFileSync(file, 'hang');
    const client = new BatchClient(() => service.url, key);
    await client.send([SAMPLE_ADDRESS.address]);
    while (existsSync(file)) await sleep(20);
    await service.stop();
  });

  it('has its thread replaced after ten deadlines; until then /readyz says that nobody is answered', async () => {
    await start(2000);
    await hangOne(plain);
    const told = new Set<string>();
    for (let state = await readyz(); state.pool.hungThreads === 0 || !state.ready; state = await readyz()) {
      for (const { reason } of state.notReady) told.add(reason);
      await sleep(50);
    }
    expect([...told]).to.deep.equal(['TOO_LATE']);
    // For a moment, the probes that were given up still take the few places of this service.
    while ((await plain()).status !== 200) await sleep(50);
    expect(hungLines()).to.have.length(1);
    expect(await service.metrics()).to.contain('land_lookup_pool_hung_threads_total 1\n');
  });

  it('among the costly ones stops no plain lookup, however many costly ones wait', async () => {
    await start(2000);
    await hangOne(near);
    let answered = 0;
    while ((await readyz()).pool.hungThreads === 0) {
      const costly = [near(), near(), near()];
      const statuses: number[] = [];
      for (let n = 0; n < 10; n++) statuses.push((await plain()).status);
      await Promise.all(costly);
      // On a slow machine one may be late by itself.
      expect(statuses).to.satisfy((all: number[]) => all.every((status) => [200, 503].includes(status)));
      // The thread hung all the time meanwhile.
      if ((await readyz()).pool.hungThreads === 0) answered += statuses.filter((status) => status === 200).length;
    }
    expect(answered).to.be.above(0);
    while ((await near()).status !== 200) await sleep(50);
    expect(await service.metrics()).to.contain('land_lookup_pool_hung_threads_total 1\n');
  });

  it('as a row of a batch has a code of its own, and the other rows are answered', async () => {
    await start(1000);
    const client = new BatchClient(() => service.url, key);
    writeFileSync(file, 'hang');
    const id = await client.send(Array.from({ length: 40 }, () => SAMPLE_ADDRESS.address));
    const { state, rows } = await client.ended(id);
    expect(state).to.equal('completed');
    expect(rows).to.include({ done: 40, found: 39, failed: 1 });
    let text = '';
    await client.download(id, (part) => (text += part));
    const failed = text.split('\n').filter((line) => line !== '' && !line.includes('"status":200'));
    expect(failed).to.have.length(1);
    expect(JSON.parse(failed[0]!)).to.deep.include({ status: 500, code: 'UNANSWERABLE', lookupId: null });
    expect(hungLines()).to.have.length(1);
  });
});
