/** What goes wrong around a server: its clock, its disk. Others: unwritable-disk, service, snapshot-swap, slow-clients and
 * idle-connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/project/project.ts';
import { setClock } from '../support/drivers/clock-file.ts';
import { cliArguments } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';
import {} from '../support/drivers/chosen-features.ts';

const DAY_MS = 24 * 3600 * 1000;

describe('A server', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const [clock, crash] = ['clock', 'crash'].map((name) => join(folder.path, name)) as [string, string];
  let key: string;
  let server: ServiceProcess;
  before(async () => {
    serveSample(folder.path, 1);
    key = await newKey(folder.path);
    setClock(clock, { offMs: 0 });
    const preloads = ['shift-clock.mjs', 'crash-thread.mjs'].flatMap((name) => [
      '--import',
      pathToFileURL(join(projectDir, 'test', 'support', 'drivers', name)).href,
    ]);
    const env = { CLOCK_FILE: clock, CRASH_FILE: crash };
    server = await ServiceProcess.start(folder.path, env, { program: [...preloads, ...cliArguments, 'serve'] });
  });
  after(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  it('names files and lines of the sources where it logs a defect', async () => {
    await server.examplesMade();
    writeFileSync(crash, 'defect');
    expect((await server.lookup(key, SAMPLE_ADDRESS)).status).to.equal(500);
    // The line follows the answer.
    const logged = (): unknown => server.lines.find(({ code }) => code === 'INTERNAL')?.['detail'];
    while (logged() === undefined) await sleep(20);
    expect(logged())
      .to.match(/\bworkers\/engine\/answers\/lookup-writer\.ts:\d+:\d+/)
      .and.not.to.contain('dist/workers');
  });

  it('answers, is ready and stops when its clock jumps a day forwards or backwards', async () => {
    const ids = new Set<string | null>();
    for (const offsetMs of [0, DAY_MS, -DAY_MS, 0]) {
      setClock(clock, { offMs: offsetMs });
      const answer = await server.lookup(key, SAMPLE_ADDRESS);
      expect(answer.status, `${offsetMs} ms`).to.equal(200);
      ids.add(answer.headers.get('lookup-id'));
      expect((await fetch(`${server.url}/readyz`)).status, `${offsetMs} ms`).to.equal(200);
    }
    expect(ids.size).to.equal(4);
    expect(await server.stop()).to.equal(0);
    const loggedMs = server.lines.map(({ timestamp }) => Date.parse(String(timestamp)) - Date.now());
    expect(Math.max(...loggedMs), 'the clock was ahead').to.be.above(DAY_MS / 2);
    expect(Math.min(...loggedMs), 'the clock was behind').to.be.below(-DAY_MS / 2);
  });

  it('does not start where it may not write its journal, and says so', async function () {
    const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
    const readsProgram = spawnSync('setpriv', [...as, 'test', '-r', join(projectDir, 'package.json')]).status === 0;
    if (process.getuid?.() !== 0 || !readsProgram) {
      console.log('skipped: needs root, and a checkout that others can read');
      this.skip();
    }
    using folder = temporaryFolder();
    serveSample(folder.path, 1);
    await newKey(folder.path);
    chmodSync(folder.path, 0o555);
    const env = { ...process.env, DATA_DIR: folder.path, PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
    const { status, stderr } = spawnSync('setpriv', [...as, process.execPath, ...cliArguments, 'serve'], {
      encoding: 'utf8',
      timeout: 600_000,
      env,
    });
    expect(status, stderr).to.equal(1);
    expect(stderr).to.match(
      /^land-lookup: DATA_DIR cannot be written.*permission denied.*make the user of the service the owner/,
    );
  });
});
