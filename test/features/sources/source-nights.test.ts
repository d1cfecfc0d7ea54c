/** All sources over some nights, with every kind of trouble in one of them. Night by night, one kind at a time: `test/release/source-nights.test.ts`. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { keptFile } from '../../../src/features/sources/kept-checks.ts';
import { troubles, WatchedProvince, type Night } from '../../support/doubles/watched-province.ts';
import { given } from '../../support/drivers/given.ts';

const HOSTILE = `<img src=x onerror=alert(1)>\u001b[31m\n\u202e${'x'.repeat(100_000)}`;

given('download').describe('All sources, asked each night', function () {
  this.timeout(240_000);
  let watched: WatchedProvince;
  let nights: Readonly<Record<'first' | 'quiet' | 'troubled' | 'still' | 'back' | 'later' | 'cutOff', Night>>;

  before(async () => {
    watched = await WatchedProvince.start();
    const first = await watched.night();
    const quiet = await watched.night();
    for (const { change } of troubles) change(watched);
    const troubled = await watched.night();
    const still = await watched.night();
    watched.makeSound();
    const back = await watched.night();
    const later = await watched.night();
    watched.cutOff();
    nights = { first, quiet, troubled, still, back, later, cutOff: await watched.night() };
  });
  after(() => watched[Symbol.asyncDispose]());

  it('asks every source of the 41 data sets', () => {
    const asked = new Set(nights.first.all.map(({ dataSet }) => dataSet));
    expect(asked.size).to.equal(41);
    expect([...asked]).to.have.members(watched.dataSets.map(({ id }) => id));
    expect(nights.first.all.length).to.be.above(55);
  });

  it('says nothing while all is well', () => {
    for (const { code, drifting, said } of [nights.first, nights.quiet, nights.later])
      expect({ code, drifting, said }).to.deep.equal({ code: 0, drifting: [], said: [] });
  });

  for (const { what, dataSet, finding, reason } of troubles) {
    it(`finds the same night: ${what}`, () => {
      const [one, ...more] = nights.troubled.drifting.filter((told) => told.dataSet === dataSet);
      expect(more).to.deep.equal([]);
      expect(one).to.include({ finding, since: '2026-11-05T02:00:00.000Z' });
      expect(one!.reason).to.match(reason);
      expect(one!.before).to.deep.equal({
        finding: 'ok',
        since: '2026-11-03T02:00:00.000Z',
        until: '2026-11-04T02:00:00.000Z',
      });
      expect(nights.troubled.said.filter((line) => line.startsWith(`sources: ${dataSet}, `))).to.have.length(1);
    });
  }

  it('finds nothing else, and tells by its exit code', () => {
    expect(nights.troubled.drifting).to.have.length(troubles.length);
    expect([nights.troubled.code, nights.still.code]).to.deep.equal([3, 3]);
  });

  it('goes on to say since when, and says each once', () => {
    expect(nights.still.said).to.deep.equal([]);
    expect(nights.still.drifting.map(({ dataSet }) => dataSet)).to.deep.equal(
      nights.troubled.drifting.map(({ dataSet }) => dataSet),
    );
    for (const { since, seenAt } of nights.still.drifting)
      expect([since, seenAt]).to.deep.equal(['2026-11-05T02:00:00.000Z', '2026-11-06T02:00:00.000Z']);
  });

  it('says of each source that it is back, with what was found before', () => {
    expect([nights.back.code, nights.back.drifting]).to.deep.equal([0, []]);
    expect(nights.back.said).to.have.length(troubles.length);
    for (const { dataSet, finding } of troubles) {
      expect(nights.back.said.join('\n')).to.match(
        new RegExp(`^sources: ${dataSet}, .*: is back, was ${finding} since 2026-11-05$`, 'm'),
      );
      const before = nights.back.all.filter((told) => told.dataSet === dataSet).map((told) => told.before?.finding);
      expect(before).to.include(finding);
    }
  });

  it('says that what is kept is damaged, and begins anew', async () => {
    watched.reconnect();
    writeFileSync(
      keptFile(watched.config.dataDir),
      '{"format":1,"checkedAt":"2026-11-03T02:00:00.000Z","sources":{"a"',
    );
    const { code, drifting, said, all } = await watched.night();
    expect({ code, drifting }).to.deep.equal({ code: 0, drifting: [] });
    expect(said).to.have.length(1);
    expect(said[0]).to.match(/watched-sources\.json cannot be read: .*: begun anew$/);
    expect(all.every(({ before }) => before === null)).to.equal(true);
  });

  it('keeps names of servers in one line, without what a terminal would obey', async () => {
    watched.changeLayer((one) => (one.name === 'Wetland With Significance' ? { ...one, name: HOSTILE } : one));
    const { drifting } = await watched.night();
    expect(drifting).to.have.length(1);
    expect(drifting[0]!.reason)
      .to.contain('<img src=x onerror=alert(1)>')
      .and.not.match(/[\p{Cc}\p{Cf}]/u);
    expect(drifting[0]!.reason.length).to.be.below(700);
  });

  it('keeps what it knows when no source answers, because then it is this machine that has no network', () => {
    const { code, all, said } = nights.cutOff;
    expect(code).to.equal(1);
    expect(said.join()).to.contain('no source answered, so this machine has no network');
    expect(all).to.deep.equal(nights.later.all);
  });
});
