/** Keeps how long each test file takes, for the order in which `test/files` names them: TEST_TIMES=FILE adds a line for each. Mocha loads this file first. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

const kept = process.env['TEST_TIMES'];
let startedMs = 0;
let cpuBefore = process.cpuUsage();

export const mochaHooks = {
  beforeAll(): void {
    startedMs = performance.now();
    cpuBefore = process.cpuUsage();
  },
  afterAll(this: Mocha.Context): void {
    const file = this.test?.parent?.suites[0]?.file;
    if (kept === undefined || file === undefined) return;
    const { user, system } = process.cpuUsage(cpuBefore);
    const seconds = (performance.now() - startedMs) / 1000;
    const line = [seconds.toFixed(1), ((user + system) / 1e6).toFixed(1), relative('dist', file)].join('\t');
    appendFileSync(kept, `${line}\n`);
  },
};
