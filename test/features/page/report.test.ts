import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { COUNTRY, HAS_MAP, mapDrawn, search, WITH_MAP, withPage } from './visits.ts';

describe('The page on paper', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  it('prints a report of two pages with place, answers, sources and date', async () => {
    await using opened = await open(WITH_MAP);
    const { page } = opened;
    await search(page, COUNTRY, service().key);
    await mapDrawn(page);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    using folder = temporaryFolder();
    const file = join(folder.path, 'report.pdf');
    writeFileSync(file, pdf);
    expect(execFileSync('pdfinfo', [file], { encoding: 'utf8' }))
      .to.match(/^Pages:\s+[23]$/m)
      .and.to.match(/^Title:\s+1209 Concession 4, Fiddlehead Corners/m);
    for (const number of ['1', '2']) {
      const paged = execFileSync('pdftotext', ['-layout', '-f', number, '-l', number, file, '-'], { encoding: 'utf8' });
      expect(paged.trimStart().split('\n', 1)[0], 'the place and the page at the top of each').to.match(
        new RegExp(`^1209 Concession 4, Fiddlehead Corners.* ${number} ?/ ?[23]$`),
      );
    }
    const first = execFileSync('pdftotext', ['-layout', '-l', '1', file, '-'], { encoding: 'utf8' });
    for (const words of ['A screening aid made from open data', 'Restricts the land', 'Checked, not here', 'Not known'])
      expect(first, 'what it is, and what its marks say').to.contain(words);
    const text = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
    expect(text.split('A screening aid').length, 'said once').to.equal(2);
    for (const words of [
      '1209 Concession 4',
      'fictional',
      'Not known',
      'Protected Countryside',
      'Sources, dates',
      'snapshot',
      'Report of',
    ])
      expect(text).to.contain(words);
    expect(text).not.to.contain('Copy as JSON');
    const images = execFileSync('pdfimages', ['-list', file], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => /image/.test(line));
    expect(images.length > 0, 'the map is on it').to.equal(HAS_MAP);
  });
});
