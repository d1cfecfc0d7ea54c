/** `make test CHANGED=1` runs the tests that are near a change. */
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { importsOf } from '../support/drivers/imports-of.ts';
import { isFar, isNear, SMOKE } from '../support/drivers/tests-near.ts';

describe('The imports of a file', () => {
  it('are those that are loaded, and the programs and threads that it starts by name', () => {
    expect(importsOf('src/core/pool/threads.ts')).to.include.members([
      ...['src/core/pool/lookup-messages.ts', 'workers/threads/lookup.ts'],
    ]);
    expect(importsOf('src/import/load-layers.ts')).to.include('workers/threads/import-layers.ts');
    expect(importsOf('workers/import/cells/build.ts')).to.include('workers/threads/split-tiles.ts');
    expect(importsOf('test/support/drivers/program.ts')).to.include('src/main.ts');
    expect(importsOf('test/features/batches/row-billing.test.ts')).to.include('src/features/batches/row-billing.ts');
  });

  it('are not what is gone with the types', () => {
    const { length } = importsOf('src/core/billing/suspension.ts');
    expect(length, 'one of four').to.equal(1);
  });
});

describe('A test is near a change', () => {
  it('when it imports it, bears its name, or asks for the path of its route', () => {
    for (const [test, file] of [
      ['test/unit/lane.test.ts', 'src/core/pool/lane.ts'],
      ['test/lookup/nearest.test.ts', 'workers/engine/gazetteer/open.ts'],
      ['test/features/suggest/suggest.test.ts', 'src/features/suggest/feature.ts'],
      ['test/features/page/suggestions.test.ts', 'src/features/suggest/feature.ts'],
      ['test/docs/billing-page.test.ts', 'docs/billing.md'],
      ['test/features/backup/backup.test.ts', 'test/features/backup/backup.test.ts'],
    ] as const)
      expect(isNear(test, file), `${test}, ${file}`).to.equal(true);
  });

  it('and only far from it when it gets there through the whole program', () => {
    for (const [test, isAtAll] of [
      ['test/features/backup/backup.test.ts', true],
      ['test/service/features.test.ts', true],
      ['test/unit/lane.test.ts', false],
    ] as const) {
      expect(isNear(test, 'src/features/suggest/feature.ts'), test).to.equal(false);
      expect(isFar(test, 'src/features/suggest/feature.ts'), test).to.equal(isAtAll);
    }
    expect(isFar('test/features/page/weight.test.ts', 'web/answers/findings.ts')).to.equal(true);
  });

  it('or is one of those that run after any change, which are there', () => {
    expect(SMOKE).to.have.length.above(3);
    expect(SMOKE.filter((test) => !existsSync(join(projectDir, test)))).to.deep.equal([]);
  });
});
