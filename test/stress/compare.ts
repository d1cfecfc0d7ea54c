// Compare the answers of two drawn provinces with what was drawn (SEED repeats one)
/** `make stress NAME=compare`: two provinces with 2,000 places, drawn anew each time; each change must be found with its kind and cause, and none invented. SEED repeats one. */
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { drawPlaces, importProvinces } from '../features/compare/two-provinces.ts';
import { wrongChanges } from '../features/compare/wrong-changes.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const PLACES = 2000;

const seed = Number(process.env['SEED'] ?? Date.now() % 1e9);
using folder = temporaryFolder();
const random = seededRandom(seed);
const places = drawPlaces(PLACES, random);
const { wrong, counts } = wrongChanges(places, await importProvinces(folder.path, places, random));
console.log(`seed ${seed}: ${PLACES} places, three comparisons each: ${JSON.stringify(Object.fromEntries(counts))}`);
console.log(`${wrong.length} changes differ from what was drawn`);
for (const words of wrong.slice(0, 20)) console.log(words);
process.exitCode = wrong.length > 0 ? 1 : 0;
