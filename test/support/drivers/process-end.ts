/**
 * What the test files of one process share until its end: a start of a service or of a browser costs as much as several tests. Mocha loads this file
 * first. A process that runs all files closes what is open after the last one. A parallel process is ended by Mocha, and its children and threads with it.
 */
type Closer = () => Promise<void>;

const closers: Closer[] = [];

/** Gives a function that makes a value at its first call, and gives this value ever after. */
export function oncePerProcess<Value>(make: () => Promise<Value>, close: (value: Value) => Promise<void>) {
  let made: Promise<Value> | undefined;
  return (): Promise<Value> => {
    made ??= make().then((value) => {
      // Once it is made, so that what it uses itself is closed after it.
      closers.push(() => close(value));
      return value;
    });
    return made;
  };
}

/** Mocha calls it after the last file, in the process that was started by hand. */
export async function mochaGlobalTeardown(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
