/** `make test` runs all phases of the tests, and fails at the end. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

interface Ended {
  readonly status: number | null;
  readonly lines: readonly string[];
}

/** Starts the phases of a project whose scripts are these. */
function start(folder: string, scripts: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
  const phases = Object.keys(scripts).map((name) => name.replace('test:', ''));
  const child = spawn(join(projectDir, 'test', 'run-phases'), phases, {
    ...{ cwd: folder, env: { ...process.env, BUSY_LOOPS: '0', ...env } },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = Promise.all([text(child.stdout), once(child, 'close')]).then(([output]): Ended => ({
    status: child.exitCode,
    lines: output.trimEnd().split('\n'),
  }));
  return { child, ended };
}

/** False also for a process that has ended, and that nobody has asked about yet. */
const runs = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
/** Programs that a process has started and that still run. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

describe('The phases of the tests', () => {
  it('are run whatever becomes of the others, and fail at the end with a line that says which', async () => {
    using folder = temporaryFolder();
    const scripts = { 'test:first': 'exit 3', 'test:second': 'echo ran', 'test:third': 'kill -9 $$' };
    const { status, lines } = await start(folder.path, scripts).ended;
    expect(status).to.equal(1);
    expect(lines).to.include('ran');
    expect(lines.at(-1)).to.match(
      /^Tests: first FAILED after \d+ s, second passed after \d+ s, third FAILED after \d+ s\.$/,
    );
  });

  it('pass when all pass', async () => {
    using folder = temporaryFolder();
    const { status, lines } = await start(folder.path, { 'test:one': 'true', 'test:two': 'true' }).ended;
    expect(status).to.equal(0);
    expect(lines.at(-1)).to.match(/^Tests: one passed after \d+ s, two passed after \d+ s\.$/);
  });

  for (const signal of [null, 'SIGKILL'] as const)
    it(`have busy loops beside them on demand, which end with them${signal === null ? '' : ', also when they are killed'}`, async () => {
      using folder = temporaryFolder();
      const scripts = { 'test:one': 'until [ -e over ]; do sleep 0.05; done' };
      const { child, ended } = start(folder.path, scripts, { BUSY_LOOPS: '2' });
      while (childrenOf(child.pid!).length < 3) await sleep(20);
      const started = childrenOf(child.pid!);
      if (signal !== null) child.kill(signal);
      writeFileSync(join(folder.path, 'over'), '');
      await ended;
      while (started.some(runs)) await sleep(20);
    });
});
