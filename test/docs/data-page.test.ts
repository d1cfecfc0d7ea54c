import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { allAnswers } from '../../src/catalogue/catalogue.ts';
import { projectDir } from '../../src/project/project.ts';
import { dataPage, pageFile } from '../tools/describe-data.ts';

describe('the page about the data', () => {
  const catalogue = readCatalogue(join(projectDir, 'layers'));

  it('is what the definitions say', () => {
    expect(readFileSync(pageFile, 'utf8'), 'run "npm run describe-data"').to.equal(dataPage(catalogue));
  });

  it('names every layer and every data set', () => {
    const page = dataPage(catalogue);
    for (const { answer } of allAnswers(catalogue)) expect(page).to.include(`\`${answer.key}\``);
    for (const { id } of catalogue.dataSets) expect(page).to.match(new RegExp(`^\\| \`${id}\` \\|`, 'm'));
  });
});
