// Run the tests that try many inputs or kills with all of them; make test tries a quarter
/** The files that ask `test/support/drivers/inputs.ts` how many, or draw cases: `make stress NAME=inputs`. Ends with 1 when one fails. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';

const files = globSync('dist/modules/test/**/*.test.js', { cwd: projectDir }).filter((file) =>
  /\/support\/drivers\/(?:inputs|fast-check)\.js/.test(readFileSync(join(projectDir, file), 'utf8')),
);
const env = { ALL_INPUTS: '1', ...process.env };
const run = ['run', '--silent', 'mocha:compiled', '--', ...files];
process.exitCode = spawnSync('npm', run, { cwd: projectDir, stdio: 'inherit', env }).status ?? 1;
