// Kill processes that send webhooks 50 times: each event arrives, and none again after its success was stored (KILLS=N)
/** `test/webhooks/kills.test.ts` with more kills than in `make test`: `make stress NAME=webhooks`. Ends with 1 when it fails. */
import { spawnSync } from 'node:child_process';
import { projectDir } from '../../src/config.ts';

const test = ['run', '--silent', 'mocha:compiled', '--', 'dist/test/webhooks/kills.test.js'];
const env = { KILLS: '50', ...process.env };
const { status } = spawnSync('npm', test, { cwd: projectDir, stdio: 'inherit', env });
process.exitCode = status ?? 1;
