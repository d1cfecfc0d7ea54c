/** The 36 conservation authorities become nine: no place that had a "yes" or a "not known" gets a "no" (decision 0253). */
import { expect } from 'chai';
import type { Told } from '../support/oracles/answers-at.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import {
  authorities,
  authorityAt,
  compositeIds,
  insideOf,
  mappedBy,
  MergingProvince,
  outsideOf,
  placeIn,
  places,
  regionName,
  type Authority,
} from '../support/doubles/merging-province.ts';

type Answers = ReturnType<MergingProvince['ask']>;

/** Two of one region, and one each of four others. */
const stays = authorityAt(0, 0);
const isGone = authorityAt(1, 0);
const isRedirected = authorityAt(2, 2);
const isMoved = authorityAt(4, 0);
const isShutDown = authorityAt(4, 4);
const staysToo = authorityAt(0, 4);
const mapping = [stays, isGone, isRedirected, isMoved, isShutDown, staysToo];

/** Places that had no "no" and got one. */
function wrongNos(was: Answers, after: Answers): string[] {
  return compositeIds.flatMap((id) =>
    places.flatMap(([lon, lat], i) => {
      const [old, now] = [was[id][i]!, after[id][i]!];
      return old.state !== 'absent' && now.state === 'absent' ? [`${id} at ${lat}, ${lon}: ${old.state} before`] : [];
    }),
  );
}

/** What the places of an authority are told; the last is beside its edge. */
function toldIn(answers: readonly Told[], authority: Authority): readonly Told['state'][] {
  const each = places.length / authorities.length;
  const first = authorities.indexOf(authority) * each;
  return answers.slice(first, first + each).map(({ state }) => state);
}

function expectUnknown(answers: Answers, authority: Authority): void {
  for (const id of compositeIds)
    expect(new Set(toldIn(answers[id], authority)), `${id}, ${authority.name}`).to.deep.equal(new Set(['no_coverage']));
}

/** Beside the edge to a neighbour whose part is left out, nothing is known of the land around a place, either. */
function expectSame(was: Answers, after: Answers, authority: Authority): void {
  for (const id of compositeIds) {
    const [old, now] = [toldIn(was[id], authority), toldIn(after[id], authority)];
    expect(now.slice(0, -1), `${id}, ${authority.name}`).to.deep.equal(old.slice(0, -1));
  }
}

/** Imports what is there before the merger. */
async function begin(province: MergingProvince): Promise<Answers> {
  const { code, text } = await province.load(['ca_admin_areas', ...compositeIds]);
  expect(code, text).to.equal(0);
  return province.ask();
}

describe('the merger of the conservation authorities', function () {
  this.timeout(480_000);

  describe('step by step', () => {
    let province: MergingProvince;
    let was: Answers;
    before(async () => {
      province = await MergingProvince.start(mapping);
      was = await begin(province);
    });
    after(() => province[Symbol.asyncDispose]());

    it('begins with a yes, a no and a "not known"', () => {
      for (const one of mapping)
        for (const id of compositeIds)
          expect(toldIn(was[id], one).slice(0, 3)).to.include.members(['present', 'absent']);
      expectUnknown(was, authorityAt(1, 1));
    });

    it('refuses the nine until somebody accepts them, and shows both lists and the command', async () => {
      province.merge();
      const { code, text } = await province.load(['ca_admin_areas', ...compositeIds]);
      expect(code).to.equal(2);
      expect(text).to.include('36 before, 9 now; gone: "Stream 00 Conservation Authority 1", ');
      expect(text).to.include('; new: "Region 00 Regional Conservation Authority 1", ');
      for (const { name } of authorities) expect(text).to.include(`"${name} `);
      for (const column of [0, 1, 2])
        for (const row of [0, 1, 2]) expect(text).to.include(`"${regionName(column, row)} `);
      expect(text).to.include('"land-lookup load-layers --only ca_admin_areas --accept-names" accepts it');
      expect(province.record('ca_admin_areas').featureCount).to.equal(36);
      expect(province.ask()).to.deep.equal(was);
    });

    it('accepts them by that command, and the floods stay', async () => {
      const { code, text } = await province.load(['ca_admin_areas'], { acceptNames: true });
      expect(code, text).to.equal(0);
      expect(province.record('ca_admin_areas').featureCount).to.equal(9);
      expect(province.ask()).to.deep.equal(was);
    });

    it('refreshes the floods with the areas that the parts had', async () => {
      const { code, text } = await province.load(compositeIds);
      expect(code, text).to.equal(0);
      expect(text).to.include(
        `${stays.name}, floodplain: the data set ca_admin_areas has no area of "${stays.name}" any more: ` +
          'its area is that of the last import',
      );
      expect(text).not.to.match(/correct the name|rename/i);
      expect(province.ask()).to.deep.equal(was);
      const again = await province.load(['ca_admin_areas', ...compositeIds]);
      expect(again.code, again.text).to.equal(0);
      expect(again.text).to.include('Nothing has changed');
    });

    it('leaves out the services that are gone, each alone, and refreshes the others', async () => {
      province.services.get(isGone.name)!.layers = [];
      await province.redirect(isRedirected, await province.moved(isRedirected));
      province.services.get(isMoved.name)!.layers = [];
      await province.shutDown(isShutDown);
      const { layers } = province.services.get(staysToo.name)!;
      const edited = Date.UTC(2026, 8, 1);
      province.services.get(staysToo.name)!.layers = layers.map((layer) => ({ ...layer, editedMs: edited }));

      const { code, text } = await province.load(compositeIds);
      expect(code, text).to.equal(2);
      const now = province.ask();
      expect(wrongNos(was, now)).to.deep.equal([]);
      for (const one of [isGone, isMoved]) expectUnknown(now, one);
      for (const one of [stays, staysToo, isRedirected, isShutDown]) expectSame(was, now, one);
      for (const id of compositeIds) {
        const { refused = [], keptParts = [], asOf } = province.record(id);
        expect(refused.map(({ part }) => part.split(',')[0])).to.deep.equal([isGone.name, isMoved.name]);
        expect(keptParts.map(({ part }) => part.split(',')[0])).to.include(isShutDown.name);
        expect(asOf, 'of the service that has new data').to.equal('2026-09-01');
      }
      expect(text).to.include(`${isShutDown.name}, floodplain: NOT REFRESHED since `);
    });

    it('knows the area again when the definition has the address where a service is now', async () => {
      const server = await ArcgisServer.start(mappedBy([isMoved]));
      province.editPart(isMoved.name, (part) => ({ ...part, server: server.url }));
      const { code, text } = await province.load(compositeIds);
      await server[Symbol.asyncDispose]();
      expect(code, text).to.equal(2);
      const now = province.ask();
      expect(wrongNos(was, now)).to.deep.equal([]);
      expectSame(was, now, isMoved);
      expectUnknown(now, isGone);
    });

    it('does not say "no" in a region because a part names it in "coverage"', async () => {
      province.editPart(isMoved.name, (part) => ({ ...part, use: { off: 'Its server has ended with a test.' } }));
      province.editPart(stays.name, (part) => ({ ...part, coverage: { authority: regionName(0, 0) } }));
      const { code, text } = await province.load(compositeIds);
      expect(code, text).to.equal(2);
      expect(text).to.match(
        /the area of "Region 00 [^"]+" in ca_admin_areas is [\d,]+ km² \((29|30)\d %\) larger than before/,
      );
      expect(text).to.include('so its area does not grow');
      const now = province.ask();
      expect(wrongNos(was, now)).to.deep.equal([]);
      expectSame(was, now, stays);
      // It is in the same region, and its service is gone.
      expectUnknown(now, isGone);
    });
  });

  describe('from where it began', () => {
    let province: MergingProvince;
    let was: Answers;
    before(async () => {
      province = await MergingProvince.start(mapping);
      was = await begin(province);
      province.keep();
    });
    beforeEach(() => {
      province.restore();
    });
    after(() => province[Symbol.asyncDispose]());

    it('takes a region for a part whose service answers right in every piece of the new land', async () => {
      const others = [authorityAt(1, 0), authorityAt(0, 1), authorityAt(1, 1)];
      province.merge();
      await province.load(['ca_admin_areas'], { acceptNames: true });
      province.services.get(stays.name)!.layers = mappedBy([stays, ...others]);
      const proof = (inside: readonly Authority[]): void => {
        province.editPart(stays.name, (part) => ({
          ...part,
          coverage: { authority: regionName(0, 0) },
          control: { ...part.control!, inside: inside.map((one) => [...insideOf(one)] as [number, number]) },
        }));
      };

      // What another part holds is a piece of its own.
      proof([stays, authorityAt(1, 1)]);
      expect((await province.load(compositeIds)).code).to.equal(2);
      expect(wrongNos(was, province.ask())).to.deep.equal([]);

      proof([stays, ...others]);
      const { code, text } = await province.load(compositeIds);
      expect(code, text).to.equal(0);
      const now = province.ask();
      for (const id of compositeIds)
        expect(toldIn(now[id], authorityAt(1, 1))).to.include.members(['present', 'absent']);
      expect(province.record('flood_hazard').keptAreas!.map(({ part }) => part)).not.to.include(
        `${stays.name}, floodplain`,
      );
    });

    it('does not take a region for a part that is new by its name and by its address', async () => {
      province.merge();
      await province.load(['ca_admin_areas'], { acceptNames: true });
      await using server = await province.moved(stays);
      province.editPart(stays.name, (part) => ({
        ...{ ...part, publisher: regionName(0, 0), server: server.url },
        coverage: { authority: regionName(0, 0) },
      }));
      const { code, text } = await province.load(compositeIds);
      expect(code, text).to.equal(2);
      const now = province.ask();
      expect(wrongNos(was, now)).to.deep.equal([]);
      expectUnknown(now, stays);
      expectSame(was, now, isGone);
    });

    describe('after a version that stored no areas', () => {
      it('knows what each part had, although the nine are imported first', async () => {
        province.makeOlder();
        province.merge();
        expect((await province.load(['ca_admin_areas'], { acceptNames: true })).code).to.equal(0);
        expect(province.ask()).to.deep.equal(was);
        const { code, text } = await province.load(compositeIds);
        expect(code, text).to.equal(0);
        expect(province.ask()).to.deep.equal(was);
        province.services.get(isGone.name)!.layers = [];
        expect((await province.load(compositeIds)).code).to.equal(2);
        const now = province.ask();
        expect(wrongNos(was, now)).to.deep.equal([]);
        expectUnknown(now, isGone);
        expectSame(was, now, stays);
      });

      it('keeps the coverage where that version has the nine already, and gives it up when a part is gone', async () => {
        province.merge();
        expect((await province.load(['ca_admin_areas'], { force: true })).code).to.equal(0);
        province.makeOlder();
        const { code, text } = await province.load(compositeIds);
        expect(code, text).to.equal(0);
        expect(province.ask()).to.deep.equal(was);
        province.services.get(isGone.name)!.layers = [];
        await province.load(compositeIds);
        expect(wrongNos(was, province.ask())).to.deep.equal([]);
      });
    });

    it('shows a wrong area at the first import of a part', async () => {
      const other = authorityAt(3, 3);
      await using server = await ArcgisServer.start(mappedBy([authorityAt(5, 5)]));
      province.editPart(isMoved.name, (part) => ({
        ...{ ...part, publisher: other.name, server: server.url, coverage: { authority: other.name } },
        control: { inside: [[...insideOf(authorityAt(5, 5))]], outside: [[...outsideOf(other)]], confirmed: null },
      }));
      const { code, text } = await province.load(compositeIds);
      expect(code).to.equal(2);
      expect(text).to.match(
        /in which no control point is inside the features, such as around 44\.1\d+, -79\.3\d+, so its area is not known/,
      );
      expect(wrongNos(was, province.ask())).to.deep.equal([]);
      expect(places).to.deep.include(placeIn(other, 0.54, 0.5));
    });
  });
});
