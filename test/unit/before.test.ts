import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { before } from '../../src/core/pool/before.ts';
import { projectDir } from '../../src/project/project.ts';

const never = new Promise<never>(() => undefined);
const late = (): Error => new Error('late');

/** Runs a module that has `before`, and returns what it prints once nothing keeps it alive. */
function run(code: string): string {
  const file = join(projectDir, 'src', 'core', 'pool', 'before.ts');
  const program = `import { before } from ${JSON.stringify(file)}; ${code}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stdout;
}

describe('Work with a moment until which somebody waits', () => {
  it('gives its result or its failure', async () => {
    expect(await before(Promise.resolve('done'), 60_000, late)).to.equal('done');
    const failed = await before(Promise.reject(new Error('failed')), 60_000, late).catch(String);
    expect(failed).to.equal('Error: failed');
  });

  it('is late at its own moment, whatever waits beside it', async () => {
    const startMs = performance.now();
    const wait = async (ms: number): Promise<void> => {
      expect(await before(never, ms, late).catch(String)).to.equal('Error: late');
      expect(performance.now() - startMs).to.be.at.least(ms - 1);
    };
    await Promise.all([wait(400), wait(20), wait(200), wait(0), wait(410)]);
  });

  it('is not late before its moment when something else was', async () => {
    const slow = before(new Promise((resolve) => setTimeout(resolve, 100, 'done')), 30_000, late);
    expect(await before(never, 10, late).catch(String)).to.equal('Error: late');
    expect(await slow).to.equal('done');
  });

  it('keeps a process alive as long as it waits, and no longer', () => {
    expect(run(`await before(new Promise(() => {}), 50, () => 'late').catch(console.log)`)).to.equal('late\n');
    const one = (ms: number): string => `console.log(await before(Promise.resolve('done'), ${ms}, Error));`;
    expect(run(one(3_600_000) + one(3_700_000))).to.equal('done\ndone\n');
  });
});
