import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { given } from '../../support/drivers/given.ts';
import { COUNTRY, changeMap, lookupsOf, mapDrawn, NORTH, openFolds, search, WITH_MAP, withPage } from './visits.ts';

const SHORE = '4 Wharf Lane, Maple Sample, ON';
const DESKTOP = { width: 1440, height: 900 } as const;
const PHONE = { width: 390, height: 844 } as const;
const TOWN = '12 Main St W, Sampleton, ON';

describe('The page, as a finding', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** Pages that several tests look at: with a map on a desktop, without one on a phone and in two languages. */
  let desktop: Visit, phone: Visit, english: Visit, french: Visit;
  before(async () => {
    desktop = await open({ ...DESKTOP, ...WITH_MAP });
    phone = await open(PHONE);
    for (const { page } of [desktop, phone]) await search(page, SHORE, service().key);
    english = await open();
    french = await open({ locale: 'fr-CA' });
  });

  for (const [window, visit, { width, height }] of [
    ['a desktop', () => desktop, DESKTOP],
    ['a phone', () => phone, PHONE],
  ] as const) {
    it(`has what concerns the land on the first screen of ${window}: the hazard, what may follow, and whom to ask`, async () => {
      const { page } = visit();
      expect(await page.textContent('#tally')).to.match(
        /1 hazard: Mapped flood hazard1 thing restricts this land: Lake/,
      );
      const first = page.locator('#findings .row').first();
      expect(await first.getAttribute('data-key')).to.equal('floodProximity');
      expect(await first.textContent()).to.match(
        /^(In|[\d.]+\sm from) a mapped flood hazard.*may need a permit.*O\. Reg\. 41\/24.*Ask Sample Valley Conservation Authority/s,
      );
      if (page === desktop.page) await mapDrawn(page);
      const { y, height: tall } = (await first.locator('h4').boundingBox())!;
      expect(y + tall).to.be.below(height);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(width);
    });
  }

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
    const { page } = english;
    await search(page, COUNTRY, service().key);
    expect(await page.textContent('#tally .unknown')).to.equal('1 hazard is not known here: Mapped flood hazard');
    await page.click('[data-key=floodProximity] summary');
    await page.waitForSelector('[data-key=floodProximity] dl');
    expect(await page.textContent('[data-key=floodProximity] dl')).not.to.match(/Nearest|edge/);
    expect(await page.textContent('[data-key=floodProximity]')).to.match(
      /Ask .*Conservation Authority, who would know/,
    );
  });

  it('does not say that there is no hazard where nothing at all is known', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.route('**/api/lookup*', async (route) => {
      const response = await route.fetch();
      const { geometry: _, ...body } = (await response.json()) as Record<'layers' | 'evidence' | 'geometry', object>;
      const evidence = Object.entries(body.evidence).map(([key, own]) => [key, { ...own, state: 'unavailable' }]);
      const layers = Object.keys(body.layers).map((key) => [key, null]);
      await route.fulfill({
        json: { ...body, layers: Object.fromEntries(layers), evidence: Object.fromEntries(evidence) },
      });
    });
    await search(page, TOWN, service().key);
    expect(await page.textContent('#tally')).to.match(/^\d hazards are not known here: .*\d+ others not known$/);
    expect(await page.locator('#groups .fold').count()).to.equal(1);
  });

  it('says how far was searched in vain, for features and for edges', async () => {
    const { page } = english;
    await search(page, COUNTRY, service().key);
    await openFolds(page);
    await page.click('[data-key=airportProximity] summary');
    await page.waitForSelector('[data-key=airportProximity] dl');

    expect(await page.textContent('[data-key=airportProximity] dl')).to.match(/^Nearestmore than 5\skm away/);
    expect(await page.textContent('[data-key=airportProximity] dl')).to.match(/Nearest edgemore than 250\sm away/);
  });

  it('says how many more features are as near as the one that decides, and nothing where there is none', async () => {
    const { page } = english;
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
    const { page } = english;
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

  given('maps').it('ties rows to the map, both ways, and spends nothing', async () => {
    const { page } = desktop;
    const asked = lookupsOf(page);
    await changeMap(page, () => page.hover('[data-key=floodProximity] h4'));
    await changeMap(page, () => page.hover('#resolved'));
    const { width, height } = (await page.locator('#map').boundingBox())!;
    await page.hover('#map canvas', { position: { x: width / 2, y: height * 0.7 } });
    await page.waitForSelector('[data-key=lakeshoreProximity].lit');
    expect(asked).to.deep.equal([]);
  });

  given('maps').it('lets the page scroll over the map', async () => {
    const { page } = desktop;
    await mapDrawn(page);
    await page.hover('#map canvas');
    const before = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction((from) => scrollY > from + 200, before);
  });

  it('grows with the text of the browser, and stays within a phone', async () => {
    const { page } = phone;
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
});
