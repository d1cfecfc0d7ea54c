/** The data of further answers, from servers of authorities and municipalities, by the project's own definitions and control points. */
import { expect } from 'chai';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { polygonOf } from '../support/doubles/arcgis/authorities.ts';
import { DATA_SETS, Further, KEYS } from '../support/doubles/further-servers.ts';
import type { Told } from '../support/oracles/answers-at.ts';

/** The numbers of the data sets that further answers alone read. */
function furtherOf(sets: readonly string[]): number[] {
  return sets.flatMap((name, set) => (DATA_SETS.some((id) => name.includes(id)) ? [set] : []));
}

describe('the data of further answers', function () {
  this.timeout(240_000);

  describe('downloaded', () => {
    let further: Further;
    before(async () => {
      further = await Further.start();
      const { code, text: printed } = await further.load('ca_admin_areas', ...KEYS);
      expect(code, printed).to.equal(0);
    });
    after(() => further[Symbol.asyncDispose]());

    it('are the regulated areas of four authorities, and "not there" in their areas alone', () => {
      const of = (authority: string, criteria: string | null = null): Told => ({
        ...{ value: { authority: `${authority} Conservation Authority`, criteria }, state: 'present' },
      });
      const ask = (lon: number, lat: number): Told => further.ask('regulatedArea', [lon, lat]);
      expect(ask(-79.3541, 43.6577)).to.deep.equal(of('Toronto and Region', 'Flood Plain, Crest of Slope'));
      expect(ask(-79.495, 43.755)).to.deep.equal(of('Toronto and Region'));
      expect(ask(-79.4608, 44.0478)).to.deep.equal(of('Lake Simcoe Region'));
      expect(ask(-79.5855, 43.5507)).to.deep.equal(of('Credit Valley'));
      expect(ask(-78.8135, 43.8755)).to.deep.equal(of('Central Lake Ontario'));
      expect(ask(-79.3985, 43.7066)).to.deep.equal({ value: null, state: 'absent' });
      expect(ask(-80.5, 43.7)).to.deep.equal({ value: null, state: 'no_coverage' });
      expect(further.record('regulated_area')).to.include({ coverage: 'area', featureCount: 5 });
    });

    it('are wellhead protection areas, and nothing is known beside them', () => {
      const value = { zone: 'WHPA-D', name: 'Nobleton', years: 25 };
      expect(further.ask('wellheadProtection', [-79.68, 43.9])).to.deep.equal({ value, state: 'present' });
      expect(further.ask('wellheadProtection', [-79.6, 43.9])).to.deep.equal({ value: null, state: 'no_coverage' });
    });

    it('are heritage districts with the day of their designation, where it is one', () => {
      const toronto = { municipality: 'City of Toronto' };
      const ask = (lon: number, lat: number): Told => further.ask('heritageDistrict', [lon, lat]);
      expect(ask(-79.367, 43.6665)).to.deep.equal({
        value: {
          ...{ ...toronto, name: 'Cabbagetown', status: 'designated', bylaw: '887-2001' },
          designatedOn: '2002-03-04',
        },
        state: 'present',
      });
      expect(ask(-79.405, 43.652).value, '1899-11-30').to.deep.equal({
        ...{ ...toronto, name: 'King', status: 'under_appeal', bylaw: null, designatedOn: null },
      });
      expect(ask(-79.425, 43.652), 'under study').to.deep.equal({ value: null, state: 'no_coverage' });
      expect(ask(-79.445, 43.652), 'a word that nobody knows').to.deep.equal({ value: null, state: 'unavailable' });
      expect(ask(-89.22, 48.437).value).to.deep.equal({
        ...{ municipality: 'City of Thunder Bay', name: 'Waverley Park', status: 'designated' },
        ...{ bylaw: null, designatedOn: null },
      });
    });

    it('are not read by a lookup that asks for none of them', () => {
      const { plain, all, sets } = further.setsAt([-79.3541, 43.6577]);
      const own = sets.indexOf('regulated_area');
      expect(all).to.include(own);
      expect(plain).to.not.include(own);
      expect(plain, 'all others').to.deep.equal(all.filter((set) => set < Math.min(...furtherOf(sets))));
    });

    it('are the same in the index and in the tables at hundreds of places', async () => {
      expect(await further.verify(600)).to.match(/at 600 places compared, \d+ differ, 0 by more than rounding/);
    });
  });

  describe('where a service does not answer as it is known to', () => {
    const places: readonly (readonly [service: string, key: (typeof KEYS)[number], at: readonly [number, number]])[] = [
      ['TRCA_Regulation_Limit2/FeatureServer', 'regulatedArea', [-79.3541, 43.6577]],
      ['OpenData/MapServer', 'regulatedArea', [-79.4608, 44.0478]],
      ['Hosted/Generic_Regulations_Limit_2025/FeatureServer', 'regulatedArea', [-79.5855, 43.5507]],
      ['CLOCA/OPENDATA/MapServer', 'regulatedArea', [-78.8135, 43.8755]],
      ['OpenData/Clean_Water_Act/MapServer', 'wellheadProtection', [-79.68, 43.9]],
      ['cot_geospatial11/MapServer', 'heritageDistrict', [-79.367, 43.6665]],
      ['Heritage_Conservation_District_Feature_Layer/FeatureServer', 'heritageDistrict', [-89.22, 48.437]],
    ];
    const changes: readonly (readonly [what: string, change: (one: ServedLayer) => ServedLayer | null])[] = [
      ['is gone', () => null],
      ['has moved', (one) => ({ ...one, id: one.id + 1, name: 'Something else' })],
      ['is empty', (one) => ({ ...one, features: [] })],
      [
        'finds a feature everywhere',
        (one) => ({ ...one, features: [{ ...one.features[0]!, geometry: polygonOf([-95, 42, -75, 55]) }] }),
      ],
    ];
    // Of the services of a data set that has several, an import has half changed, and half as they are.
    const groups = [0, 1].map((half) =>
      KEYS.flatMap((key) => places.filter((place) => place[1] === key).filter((_, n) => n % 2 === half)),
    );
    for (const [what, change] of changes)
      it(`knows nothing there when it ${what}`, async () => {
        for (const group of groups) {
          await using further = await Further.start();
          for (const [service] of group) further.change(service, change);
          const { code, text: printed } = await further.load('ca_admin_areas', ...new Set(group.map(([, key]) => key)));
          expect(code, `${group.join('; ')}: ${printed}`).to.equal(2);
          for (const [service, key, at] of group) {
            // Where no other part is left, the data set is not loaded.
            expect(further.ask(key, at).value, service).to.equal(null);
            expect(further.ask(key, at).state, service).to.be.oneOf(['no_coverage', 'unavailable']);
          }
        }
      });

    it('knows nothing there when its server fails, and keeps the last good data', async () => {
      await using further = await Further.start();
      further.others.faults = () => 'status 500';
      expect((await further.load('ca_admin_areas', ...KEYS)).code).to.equal(2);
      for (const [, key, at] of places)
        expect(further.ask(key, at)).to.deep.equal({ value: null, state: 'unavailable' });
      further.others.faults = () => null;
      expect((await further.load(...KEYS)).code).to.equal(0);
      further.others.faults = () => 'status 500';
      expect((await further.load(...KEYS)).code, 'nothing was imported').to.equal(1);
      for (const [, key, at] of places) expect(further.ask(key, at).state).to.equal('present');
    });
  });

  it('reads a regulated area of 100,000 vertices that comes as one multipolygon', async () => {
    await using further = await Further.start();
    const pieces = 100;
    const coordinates = Array.from({ length: pieces }, (_, i) => {
      const [lon, lat] = [-79.79 + (i % 20) * 0.01, 43.51 + Math.floor(i / 20) * 0.03];
      const corners = Array.from({ length: 1000 }, (_corner, n): [number, number] => {
        const angle = (n / 1000) * 2 * Math.PI;
        const reach = 0.0035 + 0.0005 * (n % 2);
        return [lon + reach * Math.cos(angle), lat + reach * Math.sin(angle)];
      });
      return [[...corners, corners[0]!]];
    });
    const control = polygonOf([-79.59, 43.545, -79.58, 43.555]);
    further.change('Hosted/Generic_Regulations_Limit_2025/FeatureServer', (one) => ({
      ...one,
      maxRecordCount: 1,
      features: [
        {
          attributes: {},
          geometry: { type: 'MultiPolygon', coordinates: [...coordinates, control.coordinates] },
        },
      ],
    }));
    const { code, text: printed } = await further.load('ca_admin_areas', 'regulatedArea');
    expect(code, printed).to.equal(0);
    expect(further.record('regulated_area').refused).to.equal(undefined);
    const inPiece = further.ask('regulatedArea', [-79.79, 43.51]);
    expect(inPiece.value).to.include({ authority: 'Credit Valley Conservation Authority' });
    expect(further.ask('regulatedArea', [-79.79, 43.525])).to.deep.equal({ value: null, state: 'absent' });
  });
});
