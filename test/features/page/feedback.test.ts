/** Where the page lets readers say that a finding is wrong. */
import { expect } from 'chai';
import { given } from '../../support/drivers/given.ts';
import { search, withPage } from './visits.ts';

const MARSH = '13 Marsh Rd, Fiddlehead Corners, ON';

given('explain').describe('The page with FEEDBACK_URL', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this, { env: { FEEDBACK_URL: 'https://forms.example/wrong?form=1' } });

  it('links each finding to there, with the lookup, the layer and the data, and nothing about the place or the key', async () => {
    const { page } = await open();
    const answered = page.waitForResponse((response) => response.url().includes('/api/lookup?'));
    await search(page, MARSH, service().key);
    const lookup = (await (await answered).allHeaders())['lookup-id'];
    expect(lookup).to.match(/^lkp_/);
    const { snapshot } = (await (await fetch(`${service().url}/api/layers`)).json()) as { snapshot: { id: string } };
    const links = await page.$$eval('#findings .row', (rows) =>
      rows.map((row) => [row.getAttribute('data-key'), row.querySelector('.wrong a')?.getAttribute('href') ?? '']),
    );
    expect(links).to.have.length.above(2);
    for (const [layer, href] of links) {
      const { origin, searchParams } = new URL(href!);
      expect(origin).to.equal('https://forms.example');
      expect(Object.fromEntries(searchParams)).to.deep.equal({ form: '1', lookup, layer, vintage: snapshot.id });
    }
    expect(await page.$$('#groups .wrong')).to.have.length(0);
    expect(await page.textContent('#findings .wrong')).to.equal('This is wrong');
  });
});
