// Run the tests that measure time or memory, one after the other
/** The files `*.alone.test.ts`, which need a machine with nothing else to do: `make stress NAME=times`. Ends with 1 when one fails. */
import { spawnSync } from 'node:child_process';
import { projectDir } from '../../src/project/project.ts';

const { status } = spawnSync('npm', ['run', '--silent', 'test:alone'], { cwd: projectDir, stdio: 'inherit' });
process.exitCode = status ?? 1;
