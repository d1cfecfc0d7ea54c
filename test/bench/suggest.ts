// Measure quality and speed of suggestions on the real extract and at Ontario's size (SHARE=0.1 for a tenth)
/**
 * How good and how fast suggestions are: `make bench NAME=suggest`. Types the addresses of the real extract letter by letter, sends suggested
 * addresses to the geocoder, types noise, and measures the time in a thread and its memory with a register of 6.3 million rows. ROWS sets
 * another size; SHARE=0.1 does a tenth of it all. Fails when a figure is missed. Takes several minutes and 3 GB of disk.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { oddAddress } from '../support/material/odd-addresses.ts';
import { sharedData } from '../support/material/shared-data.ts';
import {
  emptyGeoPackage,
  openImmutable,
  openSuggesting,
  type SuggestingGazetteer,
} from '../support/material/small-gazetteer.ts';
import { percentiles } from './parts/percentiles.ts';
import { hasAddress, hasStreet, SHOWN, typedAddresses, typedUpTo, type TypedAddress } from './parts/typed-addresses.ts';
import { runPart } from './parts/part.ts';

const share = Number(process.env['SHARE'] ?? 1);
const rowCount = Number(process.env['ROWS'] ?? 6_300_000);
const TYPED = Math.ceil(20_000 * share);
const RESOLVED = Math.ceil(100_000 * share);
const NOISE = Math.ceil(1_000_000 * share);
const IN_THREADS = 5000;

/** Each text is asked this often, and its shortest time counts: the machine may be busy with other things. */
const ROUNDS = 3;

interface Figure {
  readonly figure: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
}

if (sharedData === null) {
  console.log('skipped: no real data');
} else {
  using folder = temporaryFolder();
  const register = join(sharedData, 'nar');
  const gpkg = await built(register, join(folder.path, 'real.gpkg'));
  const figures = await ofExtract(register, openSuggesting(openImmutable(gpkg)));
  const large = join(folder.path, 'large');
  runPart('generate-register', register, large, String(rowCount));
  figures.push(...(await ofLarge(large, await built(large, join(folder.path, 'large.gpkg')), folder.path)));
  const rows = figures.map(({ figure, value, least, most }) => ({
    figure,
    value: Math.round(value * 10_000) / 10_000,
    limit: least === undefined ? (most === undefined ? '' : `at most ${most}`) : `at least ${least}`,
    met: value >= (least ?? -Infinity) && value <= (most ?? Infinity),
  }));
  console.table(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}

async function built(from: string, file: string): Promise<string> {
  const gpkg = emptyGeoPackage(file);
  const { addressRows, streets } = await importAddresses({ from, gpkg });
  console.log(`${addressRows} rows, ${streets} streets`);
  return gpkg;
}

async function ofExtract(register: string, gazetteer: SuggestingGazetteer): Promise<Figure[]> {
  const { addresses, refused } = await typedAddresses(register, TYPED, gazetteer);
  console.log(`${addresses.length} addresses typed, ${refused} left out because a lookup refuses them`);
  return [
    ...quality(addresses, gazetteer),
    ...resolution((await typedAddresses(register, RESOLVED, gazetteer)).addresses, gazetteer),
    noise(gazetteer),
  ];
}

function quality(addresses: readonly TypedAddress[], gazetteer: SuggestingGazetteer): Figure[] {
  const shareOf = (letters: number, fits: typeof hasStreet): number =>
    addresses.filter((address) => fits(suggested(gazetteer, typedUpTo(address, letters)), address)).length /
    addresses.length;
  return [
    { figure: 'right street among five, number and 5 letters', value: shareOf(5, hasStreet), least: 0.9 },
    { figure: 'exact address among five, number and 9 letters', value: shareOf(9, hasAddress), least: 0.85 },
  ];
}

function suggested(gazetteer: SuggestingGazetteer, text: string) {
  return gazetteer.suggest(text, SHOWN) ?? [];
}

/** Sends suggested addresses back: those for the first letters of register addresses. */
function resolution(addresses: readonly TypedAddress[], gazetteer: SuggestingGazetteer): Figure[] {
  const random = seededRandom(1);
  const texts = new Map<string, { readonly lat?: number; readonly lon?: number }>();
  for (const address of addresses) {
    for (const one of suggested(gazetteer, typedUpTo(address, 2 + Math.floor(random() * 10)))) {
      if (one.kind === 'address') texts.set(one.text, one);
    }
  }
  let wrong = 0;
  for (const [text, { lat, lon }] of texts) {
    const result = gazetteer.geocode(text);
    const same = 'found' in result && result.found.address === `${text}, Canada`;
    if (!same || result.found.lat !== lat || result.found.lon !== lon) wrong++;
  }
  return [
    { figure: 'different addresses suggested', value: texts.size },
    { figure: 'of them not found as themselves', value: wrong, most: 0 },
  ];
}

/** Every beginning of odd texts. A failure ends the program. */
function noise(gazetteer: SuggestingGazetteer): Figure {
  let asked = 0;
  for (let seed = 1; asked < NOISE; seed++) {
    for (const text of fc.sample(oddAddress, { numRuns: 1000, seed })) {
      for (let end = 1; end <= Math.min(100, text.length) && asked < NOISE; end++, asked++) {
        suggested(gazetteer, text.slice(0, end));
      }
    }
  }
  return { figure: 'beginnings of odd texts without a failure', value: asked, least: NOISE };
}

async function ofLarge(register: string, gpkg: string, folder: string): Promise<Figure[]> {
  const gazetteer = openSuggesting(openImmutable(gpkg));
  const { addresses } = await typedAddresses(register, Math.ceil(TYPED / 10), gazetteer);
  const typed = addresses.flatMap(({ text }) =>
    Array.from({ length: Math.min(40, text.length) }, (_, i) => text.slice(0, i + 1)),
  );
  const odd = fc.sample(oddAddress, { numRuns: Math.ceil(TYPED / 2), seed: 1 }).map((text) => text.slice(0, 100));
  const keystrokes = times(typed, gazetteer);
  const list = join(folder, 'typed.json');
  writeFileSync(list, JSON.stringify(typed.slice(0, IN_THREADS)));
  const memory = (mode: string): number => Number(runPart('geocoder-memory', gpkg, list, mode));
  const [withSuggestions, without] = [memory('suggest'), memory('geocode')];
  console.log(`${withSuggestions} MB a thread that suggests, ${without} MB one that geocodes the same texts`);
  return [
    ...resolution((await typedAddresses(register, RESOLVED, gazetteer)).addresses, gazetteer),
    { figure: 'keystrokes timed', value: typed.length },
    { figure: 'keystroke, p50 ms', value: keystrokes.p50 },
    { figure: 'keystroke, p99 ms', value: keystrokes.p99, most: 2 },
    { figure: 'odd text, p99 ms', value: times(odd, gazetteer).p99 },
    { figure: 'MB more a thread', value: withSuggestions - without, most: 40 },
  ];
}

function times(texts: readonly string[], gazetteer: SuggestingGazetteer): ReturnType<typeof percentiles> {
  const best = texts.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, text] of texts.entries()) {
      const began = performance.now();
      gazetteer.suggest(text, SHOWN);
      best[i] = Math.min(best[i]!, performance.now() - began);
    }
  }
  return percentiles(best);
}
