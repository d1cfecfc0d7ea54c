/**
 * Writes down how long each test file takes, for the order in `test/slow-first.txt`: TEST_TIMES=FILE gets a line for each, with the seconds that passed,
 * those of the processor in this process, and those in its children that have ended. Mocha loads this file first.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const kept = process.env['TEST_TIMES'];

interface Times {
  readonly passedS: number;
  readonly ownS: number;
  readonly childrenS: number;
}

/** Ticks of /proc/self/stat in a second. */
const TICKS = 100;

/** Since the start of this process (man 5 proc: utime, stime, cutime, cstime). */
function times(): Times {
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return {
    passedS: performance.now() / 1000,
    ownS: (utime + stime) / TICKS,
    childrenS: (cutime + cstime) / TICKS,
  };
}

let before: Times | null = null;

export const mochaHooks =
  kept === undefined
    ? {}
    : {
        beforeAll(): void {
          before = times();
        },
        afterAll(this: Mocha.Context): void {
          const file = this.test?.parent?.suites[0]?.file;
          if (file === undefined || before === null) return;
          const after = times();
          const spent = (['passedS', 'ownS', 'childrenS'] as const).map((name) => after[name] - before![name]);
          appendFileSync(
            kept,
            `${spent.map((seconds) => seconds.toFixed(1)).join('\t')}\t${relative('dist/modules', file)}\n`,
          );
        },
      };
