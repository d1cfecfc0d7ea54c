// Measure a lookup on provinces of two sizes in turns (PROVINCE_DIR, LARGER_PROVINCE_DIR; built if missing)
/**
 * What a lookup costs on a province of one size and on a larger one, in turns in one process: `make bench NAME=scales PROVINCE_DIR=A
 * LARGER_PROVINCE_DIR=B`. Each is built where it is not there yet: SCALE (default 1) and LARGER_SCALE (default 4; an hour and 32 GB of disk).
 */
import { percentiles } from './parts/percentiles.ts';
import { benchAddresses } from './parts/province/addresses.ts';
import { provinceIn } from './parts/province/snapshot.ts';
import { openReader, type Reader } from './parts/reader.ts';

const ROUNDS = 7;
const WARM_UP_ROUNDS = 2;
const LOOKUPS = 8000;

const { PROVINCE_DIR, LARGER_PROVINCE_DIR, SCALE = '1', LARGER_SCALE = '4' } = process.env;
if (PROVINCE_DIR === undefined || LARGER_PROVINCE_DIR === undefined)
  throw new Error('say where the provinces are kept: PROVINCE_DIR and LARGER_PROVINCE_DIR');

const one = await provinceIn(PROVINCE_DIR, Number(SCALE));
const larger = await provinceIn(LARGER_PROVINCE_DIR, Number(LARGER_SCALE));
const asked = benchAddresses();
using reader = openReader(one.folder, one.catalogue);
using largerReader = openReader(larger.folder, larger.catalogue);

const [rounds, largerRounds]: [Round[], Round[]] = [[], []];
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
  const [first, second] = [measured(reader), measured(largerReader)];
  if (round < 0) continue;
  rounds.push(first);
  largerRounds.push(second);
}
const median = (of: readonly Round[], figure: keyof Round): number => percentiles(of.map((each) => each[figure])).p50;
console.table(
  [
    { scale: SCALE, features: one.figures.features, of: rounds },
    { scale: LARGER_SCALE, features: larger.figures.features, of: largerRounds },
  ].map(({ of, ...province }) => ({ ...province, 'p50 us': median(of, 'p50Us'), 'CPU us': median(of, 'cpuUs') })),
);
const times = (figure: keyof Round): string => (median(largerRounds, figure) / median(rounds, figure)).toFixed(2);
console.log(`the larger one costs ${times('p50Us')} times at the median, ${times('cpuUs')} times the processor time`);

interface Round {
  readonly p50Us: number;
  /** Processor time of a lookup. */
  readonly cpuUs: number;
}

function measured({ lookUp, cells }: Reader): Round {
  const started = process.cpuUsage();
  const timesUs = Array.from({ length: LOOKUPS }, (_, i) => {
    const start = performance.now();
    lookUp(asked[i % asked.length]!, cells);
    return (performance.now() - start) * 1000;
  });
  const { user, system } = process.cpuUsage(started);
  return { p50Us: percentiles(timesUs).p50, cpuUs: (user + system) / LOOKUPS };
}
