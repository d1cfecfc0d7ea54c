import { expect } from 'chai';
import { judge, type Base, type Known } from '../../../src/features/sources/judge.ts';
import type { LayerFacts, SourceCheck } from '../../../src/import/source-fetcher.ts';
import { DAY_MS } from '../../../src/messages/time.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 2);

const layer: LayerFacts = {
  ...{ id: 4, name: 'Lakes', isNamed: true, featureCount: 1000, missingFields: ['OWNER'], unknownWords: [] },
  list: ['1 A', '2 B'],
};
const asked: SourceCheck = {
  ...{ dataSet: 'lakes', source: 'Lakes/MapServer', state: 'answers', error: null, movedTo: null, editedOn: null },
  layer,
};
const base: Base = {
  at: '2026-11-01T02:00:00.000Z',
  id: 4,
  featureCount: 1000,
  missingFields: ['OWNER'],
  list: ['1 A', '2 B'],
};
const known: Known = { base, record: undefined, termDays: null, nowMs: NOW_MS };

const judged = (facts: Partial<LayerFacts>, more: Partial<Known> = {}) =>
  judge({ ...asked, layer: { ...layer, ...facts } }, { ...known, ...more });

describe('what asking a source showed', () => {
  it('is taken as it is the first time, but for what its definition does not know', () => {
    const { finding, base: first } = judged({ featureCount: 3, missingFields: ['OWNER', 'KIND'] }, { base: null });
    expect(finding).to.equal('ok');
    expect(first).to.deep.equal({
      ...base,
      at: '2026-11-20T02:00:00.000Z',
      featureCount: 3,
      missingFields: ['OWNER', 'KIND'],
    });
    expect(judged({ unknownWords: ['KIND "x" 1'] }, { base: null }).finding).to.equal('words_unknown');
    expect(judged({ isNamed: false }, { base: null }).finding).to.equal('names_changed');
  });

  it('is a loss from a twentieth on, also in small steps, and none when there are more', () => {
    expect(judged({ featureCount: 950 }).finding).to.equal('ok');
    expect(judged({ featureCount: 949 }).finding).to.equal('fewer');
    let [count, last] = [1000, base];
    const nights = Array.from({ length: 4 }, () => {
      count -= 20;
      const { finding, base: next } = judged({ featureCount: count }, { base: last });
      last = next!;
      return finding;
    });
    expect(nights).to.deep.equal(['ok', 'ok', 'fewer', 'fewer']);
    expect(judged({ featureCount: 2000 }).base!.featureCount).to.equal(2000);
  });

  it('is accepted when it was imported since', () => {
    const record = { asOf: '2026-11-19', importedAt: '2026-11-19T04:00:00.000Z' };
    const changes = { featureCount: 10, id: 7, list: ['9 C'], missingFields: ['OWNER', 'KIND'] };
    expect(judged(changes).finding).to.equal('moved');
    expect(judged(changes, { record: { ...record, importedAt: '2026-10-31T04:00:00.000Z' } }).finding).to.equal(
      'moved',
    );
    expect(judged(changes, { record })).to.deep.include({ finding: 'ok', reason: '' });
  });

  it('is not accepted each night by an import whose clock was ahead, nor by a check whose clock is behind', () => {
    const record = { asOf: '2026-11-19', importedAt: '2027-11-19T04:00:00.000Z' };
    const lost = { featureCount: 10 };
    for (const nowMs of [NOW_MS, Date.UTC(2020, 0, 1)]) {
      const { finding, base: next } = judged(lost, { record, nowMs });
      expect([finding, next]).to.deep.equal(['fewer', base]);
    }
    expect(judged(lost, { record, nowMs: Date.UTC(2027, 10, 20) }).finding).to.equal('ok');
  });

  it('is named by the gravest of all, and all reasons stand there', () => {
    const { finding, reason } = judged({ featureCount: 10, unknownWords: ['KIND "x" 1'], list: ['1 A', '9 C'] });
    expect(finding).to.equal('names_changed');
    expect(reason).to.equal(
      'its list of names is another one: 2 before, 2 now; gone: 2 B; new: 9 C; no definition knows the words KIND "x" 1; it has 10 features, and had 1,000',
    );
  });

  it('is overdue when neither its source nor the data in service changed within its term', () => {
    const day = (ago: number): string => new Date(NOW_MS - ago * DAY_MS).toISOString().slice(0, 10);
    const overdue = (editedOn: string | null, asOf: string, termDays: number | null = 30) =>
      judge({ ...asked, editedOn }, { ...known, termDays, record: { asOf, importedAt: base.at } }).finding;
    expect(overdue(day(30), day(30))).to.equal('ok');
    expect(overdue(day(31), day(30))).to.equal('overdue');
    expect(overdue(day(1), day(31))).to.equal('overdue');
    expect(overdue(null, day(31))).to.equal('overdue');
    expect(overdue(day(400), day(400), null)).to.equal('ok');
  });

  it('keeps what the layer was while it does not answer', () => {
    const silent: SourceCheck = { ...asked, state: 'silent', error: 'no answer', layer: null };
    expect(judge(silent, known)).to.deep.equal({ finding: 'unreachable', reason: 'no answer', base });
    const login = judge({ ...silent, state: 'gone', movedTo: 'https://a/login' }, known);
    expect(login).to.include({
      finding: 'gone',
      reason: 'no answer; its server sends requests on to https://a/login (no answer)',
    });
  });
});
