/** `make test FEATURES="batches areas"` runs the tests of a service that has these features alone. */
import { readFeatures } from '../../../src/config.ts';

const chosen = process.env['FEATURES'];

/** Settings of the services of this run. */
export const CHOSEN_FEATURES: Readonly<Record<string, string>> = chosen === undefined ? {} : { FEATURES: chosen };

/** Their names. */
export const chosenFeatures = readFeatures(CHOSEN_FEATURES);
