/** A file of answers that a later run may continue: which runs may, and what is cut. */
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { AnswerFile, type Run } from '../../../src/features/batches/commands/answer-file.ts';
import { noRows } from '../../../src/features/batches/rows/row.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';

const RUN: Run = {
  input: 'aaa',
  format: 'csv',
  detail: 'plain',
  snapshot: 's1',
  definitions: 'd1',
  geocoder: 'local',
  attribution: 'Land data of the province',
};
const ONE_ROW = { ...noRows, found: 1 };

const refusalOf = (opening: Promise<AnswerFile>): Promise<string> =>
  opening.then(
    () => 'none',
    (cause: unknown) => (cause as Error).message,
  );

describe('a file of answers', () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'answers.csv');
  after(() => {
    folder[Symbol.dispose]();
  });

  /** Leaves a file with one row behind, as an interrupted run does. */
  beforeEach(async () => {
    rmSync(path, { force: true });
    rmSync(`${path}.resume`, { force: true });
    await using file = await AnswerFile.open(path, RUN, false);
    await file.write('row 1\n', ONE_ROW);
    await file.pause();
  });

  it('goes on behind its last safe row, without what is behind it', async () => {
    writeFileSync(path, 'half a ro', { flag: 'a' });
    {
      await using file = await AnswerFile.open(path, RUN, true);
      expect(file.before).to.deep.equal(ONE_ROW);
      await file.write('row 2\n', { ...noRows, found: 2 });
      await file.finish();
    }
    expect(readFileSync(path, 'utf8')).to.equal('row 1\nrow 2\n');
    expect(existsSync(`${path}.resume`)).to.equal(false);
  });

  for (const [member, name] of Object.entries({
    input: 'another input (aaa, now other)',
    format: 'another --format (csv, now other)',
    detail: 'another --detail (plain, now other)',
    snapshot: 'another snapshot in service (s1, now other)',
    definitions: 'another layer definitions (d1, now other)',
    geocoder: 'another GEOCODER (local, now other)',
    attribution: 'another attribution (Land data of the province, now other)',
  }))
    it(`is not continued with another ${member}`, async () => {
      expect(await refusalOf(AnswerFile.open(path, { ...RUN, [member]: 'other' }, true))).to.include(
        `its run began with ${name}. Resume with the same`,
      );
      expect(readFileSync(path, 'utf8'), 'the refused file').to.equal('row 1\n');
      expect(existsSync(`${path}.lock`)).to.equal(false);
    });

  it('is not begun anew, nor continued when it lost answers or was never one', async () => {
    expect(await refusalOf(AnswerFile.open(path, RUN, false))).to.match(/continue it with --resume, or remove/);
    truncateSync(path, 3);
    expect(await refusalOf(AnswerFile.open(path, RUN, true))).to.match(/has lost answers/);
    rmSync(`${path}.resume`);
    expect(await refusalOf(AnswerFile.open(path, RUN, true))).to.match(/nothing to resume/);
  });

  it('begins anew once it is removed', async () => {
    rmSync(path);
    await using file = await AnswerFile.open(path, RUN, false);
    expect(file.isEmpty).to.equal(true);
  });
});
