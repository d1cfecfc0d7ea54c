// Send a million malformed addresses to the geocoder: no error, no delay, no accidental answer (INPUTS=N SEED=N)
/**
 * Asks the geocoder for odd inputs of up to 300 characters: none may throw, take over 10 ms, or be answered with a place that it does not name.
 * Then puts phrases between the parts of known addresses, and tries the properties of `geocoder-properties.test.ts`.
 * `make stress NAME=fuzz-geocoder`, compiled; INPUTS sets how many (default 1,000,000), SEED which. On the real register extract where there is
 * one, else on a small hand-made register.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { projectDir } from '../../src/project/project.ts';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { distanceM } from '../../src/addresses/distance.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import type { Geocode } from '../../src/messages/wire/geocode.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { percentiles } from '../bench/parts/percentiles.ts';
import { accidentIn } from '../support/oracles/accidental-match.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openRegister } from '../support/material/questions/open-registers.ts';
import { oneOf } from '../support/material/questions/question.ts';
import { phraseKinds, places, withPhrase } from '../support/material/questions/ways/inserted.ts';
import { partsOf } from '../support/material/questions/ways/way.ts';
import { oddAddress } from '../support/material/odd-addresses.ts';
import { leastProcessorMs } from '../support/drivers/processor-time.ts';
import { sharedData } from '../support/material/shared-data.ts';
import { emptyGeoPackage, openImmutable } from '../support/material/small-gazetteer.ts';
import { smallRegister, writeRegister } from '../support/material/small-register.ts';

const LONGEST_MS = 10;

const BATCH = 10_000;

const PHRASES = 10_000;

const inputs = Number(process.env['INPUTS'] ?? 1_000_000);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

using folder = temporaryFolder();
const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
if (sharedData === null) writeRegister(folder.path, smallRegister);
const { addressRows } = await importAddresses({
  from: sharedData === null ? folder.path : join(sharedData, 'nar'),
  gpkg,
});
const gazetteer = openGazetteer(openImmutable(gpkg));
console.log(`${inputs} inputs, SEED=${seed}, a register of ${addressRows} rows`);

const counts = { found: 0, thrown: 0, accidents: 0, slow: 0 };
const times: number[] = [];
for (let from = 0; from < inputs; from += BATCH) {
  for (const text of fc.sample(oddAddress, { numRuns: Math.min(BATCH, inputs - from), seed: seed + from })) ask(text);
  if ((from / BATCH) % 10 === 9) console.log(`${from + BATCH}: ${JSON.stringify(counts)}`);
}
const { p50, p99 } = percentiles(times);
console.log(
  `${JSON.stringify(counts)}; ms: p50 ${p50}, p99 ${p99}, most ${times.reduce((a, b) => Math.max(a, b), 0).toFixed(2)}`,
);
const moved = await askWithPhrases();
if (counts.thrown + counts.accidents + counts.slow + moved + tryProperties() > 0) process.exitCode = 1;

/** The properties of `make test`, with other cases. */
function tryProperties(): number {
  const file = 'dist/modules/test/lookup/geocoder-properties.test.js';
  const env = { ...process.env, ALL_INPUTS: '1', SEED: String(seed) };
  return (
    spawnSync('npm', ['run', '--silent', 'mocha:compiled', '--', file], { cwd: projectDir, env, stdio: 'inherit' })
      .status ?? 1
  );
}

/**
 * Puts phrases between the parts of 10,000 known addresses, a third of them with the town, the postal code or the province of another place:
 * a phrase must neither change the place nor hide such a part. Returns how many did.
 */
async function askWithPhrases(): Promise<number> {
  using register = await openRegister(sharedData === null ? 'drawn' : 'real', sharedData && join(sharedData, 'nar'));
  const random = seededRandom(seed);
  const phrases = Object.values(phraseKinds).flat();
  const tally = { asked: 0, found: 0, moved: 0 };
  for (const address of register.known.inTurns(random)) {
    if (tally.asked === PHRASES) break;
    const own = partsOf(address, random() < 0.5);
    const parts = oneOf(random, [own, own, own, own, own, { ...own, town: 'Kenora' }, { ...own, code: ' P9N 1A1' }]);
    const province = oneOf(random, ['ON', 'ON', 'ON', 'ON', 'ON', 'ON', 'QC']);
    const where = { place: oneOf(random, places), comma: random() < 0.5 };
    const [text, without] = [withPhrase(parts, oneOf(random, phrases), where), withPhrase(parts, '', where)].map(
      (written) => written.replace(/\bON\b/, province),
    );
    const plain = register.gazetteer.geocode(without!);
    // A unit may decide between two places.
    if (!('found' in plain) && plain.refused.reason === 'AMBIGUOUS') continue;
    const result = register.gazetteer.geocode(text!);
    tally.asked++;
    if (!('found' in result)) continue;
    tally.found++;
    if ('found' in plain && isSamePlace(plain.found, result.found)) continue;
    tally.moved++;
    console.error(`moved: ${JSON.stringify(text)}: ${result.found.address}`);
  }
  console.log(`phrases between the parts: ${JSON.stringify(tally)}`);
  return tally.moved;
}

function isSamePlace(a: Geocode, b: Geocode): boolean {
  return distanceM(a, b) <= Math.max(a.uncertaintyM, b.uncertaintyM);
}

function ask(text: string): void {
  try {
    const start = performance.now();
    const result = gazetteer.geocode(text);
    const ms = performance.now() - start;
    times.push(ms);
    if (ms > LONGEST_MS) checkTime(text);
    if (!('found' in result)) return;
    counts.found++;
    const accident = accidentIn(text, result.found);
    if (accident === null) return;
    counts.accidents++;
    console.error(`by accident (${accident}): ${JSON.stringify(text)}: ${result.found.address}`);
  } catch (cause) {
    counts.thrown++;
    console.error(`thrown: ${JSON.stringify(text)}: ${cause instanceof Error ? (cause.stack ?? '') : String(cause)}`);
  }
}

function checkTime(text: string): void {
  const bestMs = leastProcessorMs(() => gazetteer.geocode(text), LONGEST_MS);
  if (bestMs <= LONGEST_MS) return;
  counts.slow++;
  console.error(`${bestMs.toFixed(1)} ms: ${JSON.stringify(text)}`);
}
