// Import sources with something wrong in each, and compare with what GDAL reads of the same areas (SEEDS=20 SOURCES=100)
/**
 * Sources as other programs make them, with turned rings, wrong counts, lying encodings and much more: `make stress NAME=hostile-sources SEEDS=20`. Each seed
 * draws SOURCES (100) of them. A place that is answered otherwise than GDAL and SpatiaLite read it from the areas as they are meant is a fault, unless the
 * import refused the source, or counted what it left out.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { compareHostileSources, type Compared } from '../support/oracles/hostile-sources/compare.ts';
import { atMost, tell } from './parts/figures-table.ts';

const seeds = Number(process.env['SEEDS'] ?? 20);
const sources = Number(process.env['SOURCES'] ?? 100);
const from = Number(process.env['SEED'] ?? 1);

let imported = 0;
const refused: Compared['refused'][number][] = [];
const wrong = new Map<string, Set<string>>();
for (let seed = from; seed < from + seeds; seed++) {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'files'), { recursive: true });
  const compared = await compareHostileSources(folder.path, seed, sources);
  imported += compared.imported;
  refused.push(...compared.refused);
  for (const { source, what, got, right } of compared.wrong) {
    const faults = wrong.get(`seed ${seed}, ${what}`) ?? new Set();
    wrong.set(`seed ${seed}, ${what}`, faults.add(`${source}: ${got}, right is ${right}`));
  }
  console.log(
    `seed ${seed}: ${compared.imported} imported, ${compared.refused.length} refused, ${compared.wrong.length} wrong places`,
  );
}
for (const [what, faults] of wrong) console.log(`${what}: ${[...faults].slice(0, 2).join('; ')}`);
console.log(`${imported} sources imported, ${refused.length} refused:`);
for (const what of new Set(refused.map((one) => one.what)))
  console.log(
    `  ${what}: ${refused.filter((one) => one.what === what).length}, ${refused.find((one) => one.what === what)!.why}`,
  );
tell([atMost(`wrong sources of ${imported + refused.length}`, wrong.size, 0)]);
