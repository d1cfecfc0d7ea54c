/** `make test FEATURES="batches areas"` runs the tests of a service that has these features alone. */
import { allFeatures } from '../../../src/features.ts';
import { readFeatures } from '../../../src/config.ts';

const chosen = process.env['FEATURES'];

/** Settings of the services of this run. */
export const CHOSEN_FEATURES: Readonly<Record<string, string>> = chosen === undefined ? {} : { FEATURES: chosen };

/** Their names. */
export const chosenFeatures = readFeatures(CHOSEN_FEATURES);

/** Gives `describe` and `it` for what needs features: where one of them is left out, the tests are skipped. @throws Error for what is no feature. */
export function given(...needed: readonly string[]) {
  const unknown = needed.filter((name) => !allFeatures.some((feature) => feature.name === name));
  if (unknown.length > 0) throw new Error(`there is no feature ${unknown.join(', ')}`);
  return needed.every((name) => chosenFeatures.includes(name))
    ? { describe, it }
    : { describe: describe.skip, it: it.skip };
}

/** The same for what needs all of them. */
export const givenAll = given(...allFeatures.map(({ name }) => name));
