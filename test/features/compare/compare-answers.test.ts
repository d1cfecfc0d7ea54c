import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareAnswers } from '../../../src/features/compare/compare-answers.ts';
import { changedRow, compareFiles, type ChangedRow } from '../../../src/features/compare/compare-files.ts';
import { keptAnswerOf, type KeptAnswer } from '../../../src/features/compare/kept-answer.ts';
import { RowFile } from '../../../src/features/compare/row-file.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { drawPlaces, importProvinces, type TwoProvinces } from './two-provinces.ts';
import { wrongChanges } from './wrong-changes.ts';

describe('two answers to one question', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const random = seededRandom(278);
  const places = drawPlaces(150, random);
  let provinces: TwoProvinces;
  before(async () => {
    provinces = await importProvinces(folder.path, places, random);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('differ by what was changed between two provinces, with its cause, and by nothing else', () => {
    const { wrong, counts } = wrongChanges(places, provinces);
    expect(wrong.slice(0, 5)).to.deep.equal([]);
    for (const change of ['none', 'appeared', 'disappeared', 'value', 'known', 'unknown'])
      expect(counts.get(change), change).to.be.above(10);
    for (const cause of ['address', 'definition', 'data']) expect(counts.get(cause), cause).to.be.above(10);
  });

  for (const later of ['now', 'redefined', 'both'] as const)
    it(`differ in files as they do by themselves: ${later}`, async () => {
      const pairs = places.map((place, i) => withOddTexts(provinces.answers(place, i), later, i));
      const rows = pairs.map((pair, i) =>
        changedRow({ row: i + 1, custom_id: null }, compareAnswers(keptAnswerOf(pair[0]), keptAnswerOf(pair[1]))),
      );
      const files = [0, 1].map((side) => join(folder.path, `${later}-${side}.ndjson`));
      files.forEach((file, side) => {
        writeFileSync(file, pairs.map((pair, i) => `${line(i, pair[side]!)}\n`).join(''));
      });
      await using one = await RowFile.open(files[0]!);
      await using other = await RowFile.open(files[1]!);
      const found: (ChangedRow | null)[] = [];
      for await (const row of compareFiles({ before: one, now: other })) found.push(row);
      expect(JSON.stringify(found)).to.equal(JSON.stringify(rows));
    });
});

function line(i: number, { layers, evidence, ...rest }: KeptAnswer): string {
  const { address, lat, lon, snapshot, ...found } = rest;
  // In the order of an answer.
  const body = { address, lat, lon, layers, dataAsOf: { wooded_area: '2026-01-01' }, ...found, evidence, snapshot };
  return JSON.stringify({ row: i + 1, custom_id: null, status: 200, code: null, lookupId: `lkp_${i}`, body });
}

/** Texts that look like the end or the beginning of something else. */
const ODD = ['},"dataAsOf":{', '\\', '"', 'é,{[', ',"snapshot":{', '"}}', ':\\"', ''];

/** Both answers with odd texts among their facts, of which some are the same in both. */
function withOddTexts(
  answers: ReturnType<TwoProvinces['answers']>,
  later: 'now' | 'redefined' | 'both',
  i: number,
): readonly [KeptAnswer, KeptAnswer] {
  const odd = (answer: unknown, by: number): KeptAnswer => {
    const { evidence, snapshot, ...rest } = answer as KeptAnswer;
    const feature = { first: ODD[i % 8]!, last: ODD[(i + by) % 8]! };
    // In the order of an answer.
    return { ...rest, evidence: { ...evidence, woodedArea: { ...evidence['woodedArea']!, feature } }, snapshot };
  };
  const { before, [later]: now } = answers;
  return [odd(before, 3), odd(now, i % 3 === 0 ? 4 : 3)];
}
