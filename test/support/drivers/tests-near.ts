import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import { importsOf } from './imports-of.ts';

/** What puts the whole program together. */
const WHOLE: ReadonlySet<string> = new Set([
  ...['src/main.ts', 'src/service.ts', 'src/core/http/app.ts', 'src/features.ts'],
  ...['cli', 'front-end', 'program', 'sample-service', 'service-here', 'service-process'].map(
    (name) => `test/support/drivers/${name}.ts`,
  ),
]);

/** Tests that run after any change, a few seconds each: a lookup over HTTP, an answer out of a thread, an import, what a key pays, a batch. */
export const SMOKE: readonly string[] = [
  'service/http-lookup',
  'service/point-answers',
  'import/import-snapshots',
  'accounts/key-limits',
  'features/batches/machine-store',
].map((name) => `test/${name}.test.ts`);

/**
 * Says whether a test is likely to notice a change of a file. It reaches the file by imports, and by the names of the programs and threads that it
 * starts. What puts the whole program together reaches nearly everything, so the search ends there: a test that gets to the file in no other way is
 * near only when it bears its name, or asks for a path of its route.
 */
export function isNear(test: string, file: string): boolean {
  return reaches(test, file, WHOLE) || isNamedAlike(test, file) || namesIt(test, file);
}

/** Says whether a test gets to a file at all. A test of the page gets to each module of the pages. */
export function isFar(test: string, file: string): boolean {
  return (file.startsWith('web/') && test.startsWith('test/features/page/')) || reaches(test, file, new Set());
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

const imported = new Map<string, readonly string[]>();

function importedBy(file: string): readonly string[] {
  let known = imported.get(file);
  if (known === undefined) imported.set(file, (known = importsOf(file)));
  return known;
}

/** A module: other files are named, never imported. */
export const isSource = (file: string): boolean => /\.(ts|js|mjs)$/.test(file);

/** `quota.ts` and `quota.test.ts`; `billing-page.ts` and `billing.test.ts`; `features/suggest/feature.ts` and `suggest.test.ts`. */
function isNamedAlike(test: string, file: string): boolean {
  return isSource(file) && firstWord(test) === firstWord(file.replace(/^(src\/features\/.+)\/feature\.ts$/, '$1'));
}

function firstWord(file: string): string {
  return basename(file).split(/[-.]/)[0]!.replace(/s$/, '');
}

/** Whether a test names a path that the file serves, or a file that is no module. */
function namesIt(test: string, file: string): boolean {
  if (!isSource(file)) return textOf(test).includes(basename(file));
  if (!/^src\/(core\/http|features)\//.test(file)) return false;
  const paths = [...textOf(file).matchAll(/'(\/[a-z][\w/-]*)'/g)].map(([, path]) => path!);
  return paths.some((path) => new RegExp(`${path}(?![\\w/-])`).test(textOf(test)));
}

function textOf(file: string): string {
  const path = join(projectDir, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
