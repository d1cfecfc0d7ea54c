/**
 * Prints the compiled test files that are near a change, for `make test CHANGED=1`: what has changed since HEAD, or since the revision SINCE, with what is
 * not committed. Says on its standard error what it leaves out.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { projectDir } from '../src/project/project.ts';
import { isFar, isNear, isSource, SMOKE } from './support/drivers/tests-near.ts';

const since = process.env['SINCE'] ?? 'HEAD';

const changed = [
  ...git('diff', '-z', '--name-only', '--relative', since),
  ...git('ls-files', '-z', '--others', '--exclude-standard'),
];
const all = testFiles();
const near = all.filter((test) => SMOKE.includes(test) || changed.some((file) => isNear(test, file)));
const far = all.filter((test) => !near.includes(test) && changed.some((file) => isFar(test, file)));

for (const test of near) console.log(test.replace(/^(.*)\.ts$/, 'dist/modules/$1.js'));
console.error(`${changed.length} files have changed since ${since}: ${near.length} of ${all.length} test files run.`);
if (far.length > 0)
  console.error(
    `${far.length} more reach the change only through the whole program (${byFolder(far)}): make test runs them.`,
  );
const others = changed.filter((file) => !isSource(file));
if (others.length > 0)
  console.error(`Of what is no module, only tests that name it run; make test runs all: ${others.join(', ')}`);

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: projectDir, encoding: 'utf8' }).split('\0').filter(Boolean);
}

/** The files that `make test` runs, by their sources. */
function testFiles(): string[] {
  const compiled = execFileSync(join(projectDir, 'test', 'parallel-files'), { encoding: 'utf8' });
  return compiled
    .trim()
    .split('\n')
    .map((file) => file.replace(/^dist\/modules\/(.*)\.js$/, '$1.ts'));
}

function byFolder(files: readonly string[]): string {
  const folders = [...new Set(files.map(dirname))];
  return folders.map((folder) => `${folder}: ${files.filter((file) => dirname(file) === folder).length}`).join(', ');
}
