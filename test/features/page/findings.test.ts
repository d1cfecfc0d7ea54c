import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { given } from '../../support/drivers/given.ts';
import { COUNTRY, NORTH, openFolds, search, switchLanguage, withPage } from './visits.ts';

const SHORE = '4 Wharf Lane, Maple Sample, ON';
const DESKTOP = { width: 1440, height: 900 } as const;
const PHONE = { width: 390, height: 844 } as const;
const TOWN = '12 Main St W, Sampleton, ON';

describe('The page, as a finding', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** Pages that several tests look at: on a phone and then on a desktop, and in French and then in English. */
  let phone: Visit, french: Visit;
  before(async () => {
    phone = await open(PHONE);
    await search(phone.page, SHORE, service().key);
    french = await open({ locale: 'fr-CA' });
  });

  async function inEnglish(): Promise<Page> {
    const { page } = french;
    if ((await page.getAttribute('html', 'lang')) === 'fr') await switchLanguage(page);
    return page;
  }

  for (const [window, { width, height }] of [
    ['a phone', PHONE],
    ['a desktop', DESKTOP],
  ] as const) {
    it(`has what concerns the land on the first screen of ${window}: the hazard, what may follow, and whom to ask`, async () => {
      const { page } = phone;
      if (window === 'a desktop') {
        await page.setViewportSize(DESKTOP);
        // Where an answer is on the first screen, the page does not scroll to it.
        await page.evaluate(() => {
          scrollTo(0, 0);
        });
      }
      expect(await page.textContent('#tally')).to.match(
        /1 hazard: Mapped flood hazard1 thing restricts this land: Lake/,
      );
      const first = page.locator('#findings .row').first();
      expect(await first.getAttribute('data-key')).to.equal('floodProximity');
      expect(await first.textContent()).to.match(
        /^(In|[\d.]+\sm from) a mapped flood hazard.*may need a permit.*O\. Reg\. 41\/24.*Ask Sample Valley Conservation Authority/s,
      );
      const { y, height: tall } = (await first.locator('h4').boundingBox())!;
      expect(y + tall).to.be.below(height);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(width);
    });
  }

  it('has no link that says that a finding is wrong: FEEDBACK_URL is not set', async () => {
    const { page } = phone;
    expect(await page.locator('#findings .row').count()).to.be.above(1);
    expect(await page.locator('.wrong').count()).to.equal(0);
  });

  it('says it in French, with the office by its name', async () => {
    const { page } = french;
    await search(page, SHORE, service().key);
    expect(await page.textContent('#tally')).to.match(/^1 danger\s: Zone inondable cartographiée/);
    expect(await page.textContent('#findings')).to.contain('Demandez à Sample Valley Conservation Authority');
  });

  it('says in French whom to ask where there is no office, and names publishers only as such', async () => {
    const { page } = french;
    await search(page, NORTH, service().key);
    expect(await page.textContent('[data-key=floodProximity]')).to.match(
      /Aucun office de protection de la nature ne couvre ce lieu : consultez la municipalité ou le bureau de district/,
    );
    await page.click('[data-key=floodProximity] summary');
    await page.waitForSelector('[data-key=floodProximity] dl');
    expect(await page.textContent('[data-key=floodProximity] dl')).to.contain(
      '(les offices de protection de la nature',
    );
    expect(await page.textContent('#source-list')).to.match(/Ministère des Richesses naturelles de l'Ontario/);
  });

  it('counts a hazard that nobody knows among what comes first, and gives it no distance', async () => {
    const page = await inEnglish();
    await search(page, COUNTRY, service().key);
    expect(await page.textContent('#tally .unknown')).to.equal('1 hazard is not known here: Mapped flood hazard');
    await page.click('[data-key=floodProximity] summary');
    await page.waitForSelector('[data-key=floodProximity] dl');
    expect(await page.textContent('[data-key=floodProximity] dl')).not.to.match(/Nearest|edge/);
    expect(await page.textContent('[data-key=floodProximity]')).to.match(
      /Ask .*Conservation Authority, who would know/,
    );
  });

  it('says how far was searched in vain, for features and for edges', async () => {
    const page = await inEnglish();
    await search(page, COUNTRY, service().key);
    await openFolds(page);
    await page.click('[data-key=airportProximity] summary');
    await page.waitForSelector('[data-key=airportProximity] dl');

    expect(await page.textContent('[data-key=airportProximity] dl')).to.match(/^Nearestmore than 5\skm away/);
    expect(await page.textContent('[data-key=airportProximity] dl')).to.match(/Nearest edgemore than 250\sm away/);
  });

  it('says how many more features are as near as the one that decides, and nothing where there is none', async () => {
    const page = await inEnglish();
    await search(page, '100 Landfill Rd, Sampleton, ON', service().key);
    await openFolds(page);
    for (const [layer, others] of [
      ['wasteSiteProximity', /More of them, as near1(?!\d)/],
      ['floodProximity', /^(?!.*More of them)/],
    ] as const) {
      const row = page.locator(`[data-key=${layer}]`);
      await row.locator('summary').click();
      await row.locator('dl').waitFor();
      expect(await row.locator('dl').textContent()).to.match(others);
    }
  });

  given('maps').it('gives one distance: the legend, the row and its details agree', async () => {
    const page = await inEnglish();
    for (const [address, dataSet, layer] of [
      [TOWN, 'flood_hazard', 'floodProximity'],
      // Looks at two data sets, one of which another layer looks at too.
      [NORTH, 'ohn_watercourse', 'watercourseProximity'],
    ] as const) {
      await search(page, address, service().key);
      await openFolds(page);
      const far = await page.textContent(`.switch:has([data-set=${dataSet}]) .near`);
      expect(far).to.match(/^\d+\sm$/);
      const row = page.locator(`[data-key=${layer}]`);
      expect(await row.locator('.value').textContent()).to.contain(`the nearest on the map is ${far} away`);
      await row.locator('summary').click();
      await row.locator('dl').waitFor();
      expect(await row.locator('dl').textContent())
        .to.contain(`Nearest${far}`)
        .and.not.to.contain('Nearest edge');
    }
  });

  it('grows with the text of the browser, and stays within a phone', async () => {
    const { page } = phone;
    await page.setViewportSize(PHONE);
    const size = (of: Page): Promise<number> =>
      of
        .locator('#findings h4')
        .first()
        .evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
    const before = await size(page);
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    expect(await size(page)).to.equal(before * 2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(390);
  });

  it('does not say that there is no hazard where nothing at all is known', async () => {
    const { page } = phone;
    await page.route('**/api/lookup*', async (route) => {
      const response = await route.fetch();
      const { layers, evidence, ...body } = (await response.json()) as Record<'layers' | 'evidence', object>;
      const unknown = Object.keys(layers).map((key): readonly [string, null] => [key, null]);
      const unavailable = Object.entries(evidence).map(([key, own]: [string, object]): readonly [string, object] => [
        key,
        { ...own, state: 'unavailable' },
      ]);
      const known = { layers: Object.fromEntries<null>(unknown), evidence: Object.fromEntries<object>(unavailable) };
      await route.fulfill({ json: { ...body, geometry: undefined, ...known } });
    });
    await search(page, TOWN, service().key);
    const tally = (await page.textContent('#tally'))!;
    expect(tally).to.match(/^\d hazards are not known here: .*\d+ others not known$/);
    const together = page.locator('#findings > .rows > *');
    expect(await together.count(), 'one card').to.equal(1);
    expect(await together.locator('.row').count(), 'a line for each').to.equal(Number.parseInt(tally, 10));
    expect((await together.textContent())!.split('does not mean').length, 'what holds for all of them once').to.equal(
      2,
    );
    expect(await page.locator('#groups .fold').count()).to.equal(1);
  });
});
