/**
 * Prints the test files that reach a changed file, for `make test CHANGED=1`: changed since HEAD, or since the revision SINCE, with what is not committed.
 *
 * A test reaches a file by imports, and by the names of the programs and threads that it starts. What puts the whole program together reaches nearly
 * everything, so the search ends there: a test that gets to the change in no other way is run only when it bears the name of the changed file or asks
 * for a path of its route. The tests of pure functions and a few of the whole program always run. It says on its standard error what it leaves out.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { importsOf } from './support/drivers/imports-of.ts';
import { projectDir } from '../src/config.ts';

/** What puts the whole program together. */
const WHOLE = new Set([
  ...['src/main.ts', 'src/service.ts', 'src/open-services.ts', 'src/http/app.ts', 'src/http/routes.ts'],
  ...['cli', 'front-end', 'sample-service', 'service-here', 'service-process'].map(
    (name) => `test/support/drivers/${name}.ts`,
  ),
]);

/** A few seconds each, of the program as people use it: an import, a lookup over HTTP, a key, a batch. */
const ALWAYS = [
  'test/unit/*.test.ts',
  ...['service/http-lookup', 'import/import-snapshots', 'accounts/keys', 'batches/runner'].map(
    (name) => `test/${name}.test.ts`,
  ),
];

const read = (file: string): string => readFileSync(join(projectDir, file), 'utf8');

const changed = changedFiles();
const tests = testFiles();
const always = new Set(globSync(ALWAYS, { cwd: projectDir }));
const imports = new Map<string, readonly string[]>();
const run = tests.filter((test) => always.has(test) || changed.some((file) => isNear(test, file)));
const others = tests.filter((test) => !run.includes(test) && changed.some((file) => reaches(test, file, new Set())));

for (const file of run) console.log(file.replace(/^(.*)\.ts$/, 'dist/modules/$1.js'));
tell();

function changedFiles(): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: projectDir, encoding: 'utf8' }).split('\0').filter(Boolean);
  const since = process.env['SINCE'] ?? 'HEAD';
  return [
    ...git('diff', '-z', '--name-only', '--relative', since),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ];
}

/** The files that `make test` runs, by their sources. */
function testFiles(): string[] {
  const compiled = execFileSync(join(projectDir, 'test', 'parallel-files'), { encoding: 'utf8' })
    .trim()
    .split('\n');
  return compiled
    .map((file) => file.replace(/^dist\/modules\/(.*)\.js$/, '$1.ts'))
    .filter((file) => existsSync(join(projectDir, file)));
}

/** Whether a test is likely to notice a change of the file. */
function isNear(test: string, file: string): boolean {
  return reaches(test, file, WHOLE) || isNamedAlike(test, file) || asksFor(test, file);
}

/** Follows imports, and not those of the files `ends`. */
function reaches(test: string, file: string, ends: ReadonlySet<string>): boolean {
  const seen = new Set([test]);
  for (const from of seen) {
    if (from === file) return true;
    if (!ends.has(from)) for (const to of importedBy(from)) seen.add(to);
  }
  return false;
}

function importedBy(file: string): readonly string[] {
  let known = imports.get(file);
  if (known === undefined) imports.set(file, (known = importsOf(file)));
  return known;
}

/** `quota.ts` and `quota.test.ts`; `suggest-route.ts` and `suggest.test.ts`. */
function isNamedAlike(test: string, file: string): boolean {
  return /\.[jt]s$/.test(file) && firstWord(test) === firstWord(file);
}

function firstWord(file: string): string {
  return basename(file).split(/[-.]/)[0]!.replace(/s$/, '');
}

/** Whether a test names a path that the file serves, or a file that is no source by its name. */
function asksFor(test: string, file: string): boolean {
  if (!existsSync(join(projectDir, file))) return false;
  if (!/\.[jt]s$/.test(file)) return read(test).includes(basename(file));
  const paths = file.startsWith('src/http/')
    ? [...read(file).matchAll(/'(\/[a-z][\w/-]*)'/g)].map(([, path]) => path!)
    : [];
  return paths.some((path) => new RegExp(`${path}(?![\\w/-])`).test(read(test)));
}

function tell(): void {
  const since = process.env['SINCE'] ?? 'HEAD';
  console.error(
    `${changed.length} files have changed since ${since}; ${run.length} of ${tests.length} test files run.`,
  );
  const folders = [...new Set(others.map(dirname))].map(
    (dir) => `${dir}: ${others.filter((file) => dirname(file) === dir).length}`,
  );
  if (others.length > 0)
    console.error(
      `${others.length} more reach the change only through the whole program (${folders.join(', ')}): make test runs them.`,
    );
}
