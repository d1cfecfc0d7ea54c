/** The faults that `make release` plants can be planted. */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { faults, plant } from '../release/faults.ts';

describe('The planted faults', () => {
  it('have each its line, once, and a test file', () => {
    for (const fault of faults) {
      const { id, file, test } = fault;
      expect(
        plant(fault, readFileSync(join(projectDir, file), 'utf8')),
        `${id}: its line is not in ${file} as it is now`,
      ).to.be.a('string');
      expect(
        existsSync(join(projectDir, test)),
        `${id}: ${test} is not there: name the test that catches it now`,
      ).to.equal(true);
    }
    expect(new Set(faults.map(({ id }) => id)).size).to.equal(faults.length);
  });

  it('are not planted where the line is missing, or there twice', () => {
    expect(plant({ find: 'a <= b', fault: 'a < b' }, 'if (a <= b) return;')).to.equal('if (a < b) return;');
    for (const text of ['', 'if (a < b) return;', 'a <= b; a <= b']) {
      expect(plant({ find: 'a <= b', fault: 'a < b' }, text)).to.equal(null);
    }
  });
});
