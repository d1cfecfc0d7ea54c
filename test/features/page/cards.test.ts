/** A walk: rules beside an answer, and an answer that was kept compared with that of now. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import { given } from '../../support/drivers/given.ts';
import { answerOf, HAS_MAP, search, switchLanguage, violationsOf, withPage } from './visits.ts';

const MARSH = '13 Marsh Rd, Fiddlehead Corners, ON';

/** Drops a file on the page. */
const drop = (page: Page, text: string): Promise<void> =>
  page.evaluate((content) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], 'kept.json'));
    document
      .querySelector('main')!
      .dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, text);

/** An answer as it was when the wetland was farther away, by other data. */
function earlier(answer: FullLookupBody): object {
  const copy = structuredClone(answer) as unknown as {
    layers: Record<string, unknown>;
    evidence: Record<string, { distanceM: number; dataSets: string[] }>;
    snapshot: { dataSets: Record<string, string> };
  };
  copy.layers['wetlandProximity'] = 'adjacent';
  copy.evidence['wetlandProximity']!.distanceM = 99;
  for (const id of copy.evidence['wetlandProximity']!.dataSets) copy.snapshot.dataSets[id] = '00000000';
  return copy;
}

given('rules', 'compare').describe('The page with rules and comparisons', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  it('shows what rules make of it, says what became of kept answers, and spends one lookup on each comparison', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const compared: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/compare')) compared.push(request.headers()['idempotency-key'] ?? '');
    });
    await search(page, MARSH, service().key);
    const rule = page.locator('#rules [data-rule=site_plan_prescribed_area]');
    await rule.waitFor();
    expect(await rule.textContent())
      .to.match(/^Prescribed areas of site plan control.*Excluded by what is mapped here.*120 m of a wetland/s)
      .and.to.not.match(/allowed/i);
    expect(await rule.locator('a').getAttribute('href')).to.equal('https://www.ontario.ca/laws/regulation/r23254');
    expect(await page.isVisible('#compare'), 'it was given now').to.equal(false);

    await page.reload();
    await page.locator('#compare').waitFor({ state: 'visible' });
    expect(await page.textContent('#compare')).to.match(/Compare with today\s+1 lookup/);
    expect(compared).to.deep.equal([]);
    await page.click('#compare-now');
    await page.getByText(/^Nothing has changed in any of the \d+ layers\.$/).waitFor();

    await drop(page, JSON.stringify(earlier(await answerOf(service(), MARSH)), null, 2));
    await page.getByText('This answer comes from the file that you opened').waitFor();
    expect(await page.isVisible('#compared')).to.equal(false);
    await page.click('#compare-now');
    const change = page.locator('[data-changed=wetlandProximity]');
    await change.waitFor();
    expect(await change.textContent()).to.match(
      /^Before: 99\sm from a wetland.*Now: 14\sm from a wetland.*Because the data/,
    );
    expect(await page.locator('[data-changed]').count()).to.equal(1);
    if (HAS_MAP) {
      const picture = () => page.$eval('#first-picture', (canvas) => (canvas as HTMLCanvasElement).toDataURL());
      await page.hover('#resolved');
      const before = await picture();
      await change.hover();
      expect(await picture(), 'what has changed stands out on the map').to.not.equal(before);
    }
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    await page.locator('#compared', { hasText: 'Parce que les données sont différentes' }).waitFor();
    expect(new Set(compared).size).to.equal(2);
    const kept = await answerOf(service(), MARSH);
    for (const content of [
      '{"address": "1 Main St", "layers": {}}',
      JSON.stringify({ ...kept, layers: { ...kept.layers, wetlandProximity: 'outside' } }, null, 2),
      JSON.stringify({ ...kept, evidence: { ...kept.evidence, floodProximity: undefined } }, null, 2),
    ]) {
      await page.evaluate(() => (document.getElementById('status')!.textContent = ''));
      await drop(page, content);
      await page.getByText('Ce fichier n’est pas une réponse entière').waitFor();
      expect(await page.isVisible('#result'), content.slice(0, 40)).to.equal(false);
    }
    expect(complaints).to.deep.equal([]);
  });
});
