import { allFeatures } from '../../../src/features.ts';
import { chosenFeatures } from './chosen-features.ts';

/** Gives `describe` and `it` for what needs features: where one of them is left out, the tests are skipped. @throws Error for what is no feature. */
export function given(...needed: readonly string[]) {
  const unknown = needed.filter((name) => !allFeatures.some((feature) => feature.name === name));
  if (unknown.length > 0) throw new Error(`there is no feature ${unknown.join(', ')}`);
  return needed.every((name) => chosenFeatures.includes(name))
    ? { describe, it }
    : { describe: describe.skip, it: it.skip };
}

/** The same for what needs all of them. Each file asks for itself: Mocha gives each one a `describe` and an `it` of its own. */
export const givenAll = () => given(...allFeatures.map(({ name }) => name));
