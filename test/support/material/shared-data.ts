import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';

/** Real extracts for tests: beside the project, or where SHARED_DIR says. Null when the machine has none. */
export const sharedData: string | null = (() => {
  const folder = join(process.env['SHARED_DIR'] ?? join(projectDir, '..', 'shared'), 'data');
  return existsSync(join(folder, 'sources', 'sources.json')) ? folder : null;
})();

/** For tests that need them: says so and skips, never fails, where they are absent. */
export function realDataOrSkip(test: Mocha.Context): string {
  if (sharedData !== null) return sharedData;
  console.log('skipped: no real data');
  return test.skip();
}
