import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Event loop turns that the work of a timer may need. */
const TURNS = 5;

/** Lets so much time of the test's clock (`mock.timers`) pass, and what becomes due be done. */
export async function pass(ms: number): Promise<void> {
  await settle();
  mock.timers.tick(ms);
  await settle();
}

/** Lets what is due be done. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}

/** Does something as if so much more time had passed, by the clocks that a program reads. Timers go on as they were. */
export async function after<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const [dateNow, performanceNow] = [Date.now, performance.now.bind(performance)];
  Date.now = () => dateNow() + ms;
  performance.now = () => performanceNow() + ms;
  try {
    return await work();
  } finally {
    Date.now = dateNow;
    performance.now = performanceNow;
  }
}
