/**
 * Counts what code does in place of the time that it takes, which is the same on every machine. Only a process that has run nothing of `workers/` before can
 * count: the JavaScript engine counts in functions that it compiles after the start of this module (`Profiler.startPreciseCoverage`).
 */
import { Session, type Profiler } from 'node:inspector';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/**
 * Returns how often blocks of code in `workers/` are run by a piece of work: bodies of functions and loops, and branches. What GDAL and SQLite do is not
 * in it.
 */
export function stepsOf(work: () => unknown): number {
  // Taking sets the counters to 0.
  session.post('Profiler.takePreciseCoverage');
  work();
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (_failure, { result }) => {
    steps = result.filter(({ url }) => url.includes('/workers/')).reduce((sum, script) => sum + stepsIn(script), 0);
  });
  return steps;
}

function stepsIn({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}
