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
import { newKey, ServiceProcess } from '../../support/drivers/service-process.ts';

/** Of two chunks. */
const ROWS = 1010;
const FOUND = 909;

describe('A batch through the service', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof ownSampleFolder>;
  /** Its threads end at the rows that the file says. */
  let crashFile = '';
  const running: { service: ServiceProcess | null } = { service: null };
  const serving = async (): Promise<ServiceProcess> => (running.service ??= await start());
  const start = (): Promise<ServiceProcess> => {
    const crash = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'crash-thread.mjs')).href;
    const program = ['--import', crash, ...cliArguments, 'serve'];
    return ServiceProcess.start(folder.path, { CRASH_FILE: crashFile }, { program });
  };
  before(() => {
    folder = ownSampleFolder();
    crashFile = join(folder.path, 'crash');
  });
  after(async () => {
    await running.service?.stop();
    folder[Symbol.dispose]();
  });

  it('is answered, logged and measured, and continued after a stop', async () => {
    const key = await newKey(folder.path, { limits: { batchRowsPerDay: 100_000 } });
    const addresses = Array.from({ length: ROWS }, (_, i) =>
      i % 10 === 9 ? '1 Nowhere St, Sampleton, ON' : SAMPLE_ADDRESS.address,
    );
    const service = await serving();
    const client = new BatchClient(() => running.service!.url, key);
    const first = await client.send(addresses);
    const { state, rows } = await client.ended(first);
    expect(state).to.equal('completed');
    expect(rows).to.include({ total: ROWS, done: ROWS, found: FOUND, notFound: ROWS - FOUND });
    expect((await client.download(first)).lines).to.be.at.least(ROWS);
    const text = await service.metrics();
    expect(text).to.contain(`land_lookup_batch_rows_total{outcome="found"} ${FOUND}\n`);
    expect(text).to.contain('land_lookup_batch_jobs{state="running"} 0');
    await untilLogged(service.lines, ({ message }) => message === 'batch ended');
    const messages = service.lines.filter(({ batch }) => batch === first).map(({ message }) => message);
    expect(messages[0]).to.equal('batch begins');
    const second = await client.send([...addresses, ...addresses]);
    await until(async () => (await client.status(second)).rows.done > 0, 10);
    expect(await service.stop()).to.equal(0);
    running.service = await start();
    expect((await client.ended(second)).rows).to.include({ total: 2 * ROWS, done: 2 * ROWS, found: 2 * FOUND });
  });

  it('goes on when a row ends its thread: that row alone fails', async () => {
    const key = await newKey(folder.path, { limits: { batchRowsPerDay: 100_000 } });
    const service = await serving();
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
