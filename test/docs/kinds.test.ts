import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { catalogueKinds } from '../../src/catalogue/kinds/kinds.ts';

describe('the page about the API', () => {
  it('says for every kind of answer what it is for an area', () => {
    const page = readFileSync(join(projectDir, 'docs', 'api.md'), 'utf8');
    const [, table] = /\n\| kind .*\n\| -.*\n((?:\|.*\n)+)/.exec(page)!;
    const rows = table!.trim().split('\n');
    const named = rows.flatMap((row) => row.split('|')[1]!.trim().split(', '));
    expect(named).to.have.members(Object.keys(catalogueKinds));
  });
});
