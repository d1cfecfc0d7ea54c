// Count wrong answers over the real extracts at places drawn by a seed (PLACES=2500 SEED=1)
/**
 * The real extracts, imported by the command, at places that no test has: `make stress NAME=held-out`. Half of them are of the register, half at most
 * 600 m from a vertex of a feature. Every answer is compared with what SpatiaLite finds in the files themselves. PLACES (2,500) and SEED choose the places.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Oracle, type Expected, type Place } from '../real/oracle.ts';
import { answersAt, choosePlaces, rightAnswers } from '../real/right-answers.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { sharedData } from '../support/material/shared-data.ts';
import { atMost, tell } from './parts/figures-table.ts';

const count = Number(process.env['PLACES'] ?? 2500);
const seed = Number(process.env['SEED'] ?? 1);

if (sharedData === null) console.log('skipped: no real data');
else compare(sharedData);

function compare(data: string): void {
  using folder = temporaryFolder();
  const drawn = choosePlaces(data, { seed, count });
  const answers = answersAt(realDataDir(data), drawn, folder.path);
  // Places round the province's border may be outside.
  const places = drawn.filter((_, i) => answers[i]!.layers !== undefined);
  console.log(`${places.length} of ${drawn.length} places are answered`);
  const sources = join(data, 'sources');
  const oracle = new Oracle(folder.path, sources, places);
  const rows = Object.entries(rightAnswers).map(([key, rightOf]) => {
    const got = ({ id }: Place): unknown => answers[id]!.layers![key];
    const right = rightOf(oracle);
    const differing = places.filter((place) => !isOf(right, place, got(place)));
    // On a second look, rounding may decide on which side of an edge a place is.
    const second =
      differing.length > 0
        ? rightOf(new Oracle(folderIn(folder.path, key), sources, differing, { edges: true }))
        : right;
    const wrong = differing.filter((place) => !isOf(second, place, got(place)));
    for (const place of wrong)
      console.log(
        `${key} at ${place.lat}, ${place.lon}: ${JSON.stringify(got(place))}, right is ${JSON.stringify(second.get(place.id))}`,
      );
    const noes = (some: readonly Place[]): number => some.filter((place) => isNo(got(place))).length;
    return {
      ...{ key, yes: places.length - noes(places), no: noes(places), 'on an edge': differing.length - wrong.length },
      ...{ 'wrong yes': wrong.length - noes(wrong), 'wrong no': noes(wrong) },
    };
  });
  console.table(rows);
  const sum = (what: 'wrong no' | 'wrong yes'): number => rows.reduce((total, row) => total + row[what], 0);
  tell([
    atMost(`wrong "no" or null of ${places.length} places, ${rows.length} keys`, sum('wrong no'), 0),
    atMost('any other wrong answer', sum('wrong yes'), 0),
  ]);
}

function isOf(right: Expected, { id }: Place, got: unknown): boolean {
  return right.get(id)!.some((value) => JSON.stringify(value) === JSON.stringify(got));
}

function folderIn(folder: string, name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

/** Says whether a reader takes a value for "nothing is there". */
function isNo(value: unknown): boolean {
  return value === null || value === false || value === 'outside';
}
