/** Clocks and timers of a test. They are its own: a service that the tests of a process share goes on by those of the machine, or it would stand still. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Event loop turns that the work of a timer may need. */
const TURNS = 5;

const hasOwnTimers = new AsyncLocalStorage<boolean>();

/** In the tests of a suite, `setTimeout` waits for `pass`. */
export function withOwnTimers(): void {
  beforeEach(() => {
    const ofMachine = { setTimeout, clearTimeout };
    mock.timers.enable({ apis: ['setTimeout'] });
    const own = { setTimeout, clearTimeout };
    Object.assign(globalThis, {
      setTimeout: (...asked: Parameters<typeof setTimeout>) =>
        (hasOwnTimers.getStore() === true ? own : ofMachine).setTimeout(...asked),
      clearTimeout: (timer: Parameters<typeof clearTimeout>[0]) => {
        own.clearTimeout(timer);
        ofMachine.clearTimeout(timer);
      },
    });
    hasOwnTimers.enterWith(true);
  });
  afterEach(() => {
    hasOwnTimers.enterWith(false);
    mock.timers.reset();
  });
}

/** Lets so much time of the test's own timers pass, and what becomes due be done. */
export async function pass(ms: number): Promise<void> {
  await settle();
  mock.timers.tick(ms);
  await settle();
}

/** Lets what is due be done. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}

/** A clock, by that of the machine. */
type Clock = (machineMs: number) => number;

const clocks = new AsyncLocalStorage<{ readonly date: Clock; readonly performance: Clock }>();
const [dateNow, performanceNow] = [Date.now, performance.now.bind(performance)];

function withClocks<T>(given: { readonly date: Clock; readonly performance: Clock }, work: () => T): T {
  Date.now = () => clocks.getStore()?.date(dateNow()) ?? dateNow();
  performance.now = () => clocks.getStore()?.performance(performanceNow()) ?? performanceNow();
  return clocks.run(given, work);
}

/** Does something as if so much more time had passed, by the clocks that a program reads. Timers go on as they were. */
export function after<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const later: Clock = (machineMs) => machineMs + ms;
  return withClocks({ date: later, performance: later }, work);
}

/** Does something by another time of day. */
export function atTime<T>(date: Clock, work: () => Promise<T>): Promise<T> {
  return withClocks({ date, performance: (machineMs) => machineMs }, work);
}

/** Does something by another clock of a machine that runs: for how long things take. */
export function atUptime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  return withClocks({ date: (machineMs) => machineMs, performance: clock }, work);
}
