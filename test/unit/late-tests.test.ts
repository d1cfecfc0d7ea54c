/** No test is left out without a word. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { programFile } from '../support/drivers/program.ts';

/** Runs four files with a test each in two parallel processes, so that at least one process runs two. Their tests are defined with `kept` of a driver. */
function runFour(kept: string): { readonly status: number | null; readonly output: string } {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'driver.mjs'), `export const kept = ${kept};`);
  const tests = ['a', 'b', 'c', 'd'].map((name) => `${name}.mjs`);
  for (const name of tests)
    writeFileSync(
      join(folder.path, name),
      `import { kept } from './driver.mjs'; describe('the file', () => kept('${name}', () => {}));`,
    );
  const guard = programFile('../support/drivers/late-tests', import.meta.url);
  const mocha = join(projectDir, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const args = ['--no-config', '--no-package', '--require', guard, '--parallel', '--jobs', '2', ...tests];
  const { status, stdout, stderr } = spawnSync(process.execPath, [mocha, ...args], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('A test that is defined with what a driver keeps of Mocha', () => {
  it('fails the run where it would be left out', () => {
    const { status, output } = runFour('it');
    expect(output).to.contain('.mjs" would never run');
    expect(status).to.be.above(0);
  });

  it('runs where the driver asks Mocha each time', () => {
    const { status, output } = runFour('(...args) => it(...args)');
    expect(output).to.contain('4 passing');
    expect(status).to.equal(0);
  });
});
