/** A batch through the whole service: from its upload to its results, its bill and its metrics. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../../src/project/project.ts';
import { until, untilLogged } from '../../support/drivers/patience.ts';
import { BatchClient } from '../../support/drivers/batch-client.ts';
import { cliArguments } from '../../support/drivers/cli.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import { newKey, ServiceProcess } from '../../support/drivers/service-process.ts';

/** Of two chunks. */
const ROWS = 1250;

describe('A batch through the service', function () {
  this.timeout(240_000);
  before(() => {
    sampleDataDir();
  });

  it('is answered, logged and measured, and continued after a stop', async () => {
    using folder = ownSampleFolder();
    const key = await newKey(folder.path, { limits: { batchRowsPerDay: 100_000 } });
    const addresses = Array.from({ length: ROWS }, (_, i) =>
      i % 10 === 9 ? '1 Nowhere St, Sampleton, ON' : SAMPLE_ADDRESS.address,
    );
    const running: { service: ServiceProcess } = { service: await ServiceProcess.start(folder.path) };
    const client = new BatchClient(() => running.service.url, key);
    const first = await client.send(addresses);
    const { state, rows } = await client.ended(first);
    expect(state).to.equal('completed');
    expect(rows).to.include({ total: ROWS, done: ROWS, found: 1125, notFound: 125 });
    expect((await client.download(first)).lines).to.be.at.least(ROWS);
    const text = await running.service.metrics();
    expect(text).to.contain('land_lookup_batch_rows_total{outcome="found"} 1125');
    expect(text).to.contain('land_lookup_batch_jobs{state="running"} 0');
    await untilLogged(running.service.lines, ({ message }) => message === 'batch ended');
    const messages = running.service.lines.filter(({ batch }) => batch === first).map(({ message }) => message);
    expect(messages[0]).to.equal('batch begins');
    const second = await client.send([...addresses, ...addresses]);
    await until(async () => (await client.status(second)).rows.done > 0, 10);
    expect(await running.service.stop()).to.equal(0);
    running.service = await ServiceProcess.start(folder.path);
    expect((await client.ended(second)).rows).to.include({ total: 2 * ROWS, done: 2 * ROWS, found: 2250 });
    await running.service.stop();
  });

  it('goes on when a row ends its thread: that row alone fails', async () => {
    using folder = ownSampleFolder();
    const key = await newKey(folder.path, { limits: { batchRowsPerDay: 100_000 } });
    const crash = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'crash-thread.mjs')).href;
    const crashFile = join(folder.path, 'crash');
    const program = ['--import', crash, ...cliArguments, 'serve'];
    await using service = await ServiceProcess.start(folder.path, { CRASH_FILE: crashFile }, { program });
    await service.examplesMade();
    const client = new BatchClient(() => service.url, key);
    // One message has all rows. Its first row ends the thread, and again when it is asked for by itself, and when it is tried again.
    writeFileSync(crashFile, 'exit exit exit');
    const id = await client.send(Array.from({ length: 20 }, () => SAMPLE_ADDRESS.address));
    const { state, rows } = await client.ended(id);
    expect(state).to.equal('completed');
    expect(rows).to.include({ done: 20, found: 19 });
    let text = '';
    await client.download(id, (part) => (text += part));
    const failed = text.split('\n').filter((line) => line !== '' && !line.includes('"status":200'));
    expect(failed).to.have.length(1);
    expect(JSON.parse(failed[0]!)).to.deep.include({ status: 500, code: 'UNANSWERABLE', lookupId: null });
  });
});
