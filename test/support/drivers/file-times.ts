/**
 * Writes down how long each test file takes, for the order in `test/slow-first.txt`: TEST_TIMES=FILE gets a line for each, with the seconds that passed,
 * those of the processor in this process, and those in all that it has started, such as a browser. Mocha loads this file first.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const kept = process.env['TEST_TIMES'];

interface Times {
  readonly passedS: number;
  readonly ownS: number;
  readonly childrenS: number;
}

/** Ticks of /proc/self/stat in a second. */
const TICKS = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly ownS: number;
  /** Of its children that have ended. */
  readonly endedS: number;
}

/** What a process took since its start (man 5 proc: ppid, utime, stime, cutime, cstime); null when it has ended. */
function timesOf(pid: string): ProcessTimes | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [utime, stime, cutime, cstime] = fields.slice(11, 15) as [number, number, number, number];
    return { parent: fields[1]!, ownS: (utime + stime) / TICKS, endedS: (cutime + cstime) / TICKS };
  } catch {
    return null;
  }
}

/** Since the start of this process. */
function times(): Times {
  const { ownS, endedS } = timesOf('self')!;
  return { passedS: performance.now() / 1000, ownS, childrenS: endedS + livingS() };
}

/** Of the processes that this one has started, and those that they have, as far as they have not ended. */
function livingS(): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const known = /^\d+$/.test(name) ? timesOf(name) : null;
    if (known) processes.set(Number(name), known);
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (processes.has(pid) && isOurs(processes.get(pid)!.parent));
  return [...processes]
    .filter(([pid]) => pid !== process.pid && isOurs(pid))
    .reduce((sum, [, { ownS, endedS }]) => sum + ownS + endedS, 0);
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
