/**
 * Refuses a test that is defined when its run has begun: Mocha would leave it out without a word. A parallel process makes a new run, and new `it` and
 * `describe`, for each file, so a driver that keeps them gives those of an earlier file. Mocha loads this file first.
 */
import Mocha from 'mocha';

const begun = new WeakSet<Mocha.Suite>();

const run = Reflect.get(Mocha.prototype, 'run');

function runFrom(this: Mocha, ...args: Parameters<typeof run>): ReturnType<typeof run> {
  begun.add(this.suite);
  return run.apply(this, args);
}

Reflect.set(Mocha.prototype, 'run', runFrom);

for (const name of ['addTest', 'addSuite'] as const) {
  const add = Reflect.get(Mocha.Suite.prototype, name) as (
    this: Mocha.Suite,
    added: Mocha.Test | Mocha.Suite,
  ) => unknown;
  Reflect.set(Mocha.Suite.prototype, name, function (this: Mocha.Suite, added: Mocha.Test | Mocha.Suite) {
    if (begun.has(rootOf(this)))
      throw new Error(
        `"${added.title}" would never run: its file defines it with the describe or it of an earlier run`,
      );
    return add.call(this, added);
  });
}

function rootOf(suite: Mocha.Suite): Mocha.Suite {
  return suite.parent ? rootOf(suite.parent) : suite;
}
