/** What a machine says of batches that another one keeps. */
import { expect } from 'chai';
import { setKey, issueKey } from '../../../src/core/keys/keys.ts';
import { createBatchId, markOf, markOfJournal } from '../../../src/features/batches/job.ts';
import type { ProblemDocument } from '../../../src/messages/wire/problem.ts';
import { startFrontEnd, type FrontEnd } from '../../support/drivers/front-end.ts';

const OTHER = 'b1b1b1b1';

/** As version 0.2.0 made ids: 4 is the version of a UUID. */
const UNMARKED = 'bat_019b76da9c004a0b8c1d2e3f4a5b6c7d';

const routes = [
  ['GET', ''],
  ['GET', '/results'],
  ['POST', '/cancel'],
  ['DELETE', ''],
] as const;

describe('The id of a batch', () => {
  it('carries the mark of its machine, and keeps the form that ids have', () => {
    const mark = markOfJournal('31e9a1a0-5d2c-4e0e-9a53-0f6f4c1f2d11');
    expect(mark)
      .to.match(/^[0-9a-f]{8}$/)
      .and.not.equal(markOfJournal('31e9a1a0-5d2c-4e0e-9a53-0f6f4c1f2d12'));
    const ids = new Set(Array.from({ length: 1000 }, () => createBatchId(1_764_000_000_000, mark)));
    expect(ids.size).to.equal(1000);
    for (const id of ids) expect([/^bat_[0-9a-f]{32}$/.test(id), markOf(id)], id).to.deep.equal([true, mark]);
  });

  it('has none in version 0.2.0, and what is no id has none', () => {
    const marked = createBatchId(0, OTHER);
    for (const id of [UNMARKED, '', 'bat_', `${marked}0`, marked.slice(0, -1), marked.toUpperCase(), `x${marked}`])
      expect(markOf(id), id).to.equal(null);
  });
});

describe('A request about a batch of another machine', () => {
  let front: FrontEnd;
  before(async () => {
    front = await startFrontEnd();
    await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 100 } });
  });
  after(() => front[Symbol.asyncDispose]());

  const ask = (id: string, [method, path]: readonly [string, string], key = front.key) =>
    fetch(`${front.url}/api/batches/${id}${path}`, { method, headers: { authorization: `Bearer ${key}` } });

  const send = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'text/csv' };
    const sent = await fetch(`${front.url}/api/batches`, { method: 'POST', headers, body: 'address\n1 Main St\n' });
    return ((await sent.json()) as { readonly id: string }).id;
  };

  for (const route of routes) {
    it(`gets 503 with the mark of that machine, whoever asks: ${route.join(' …')}`, async () => {
      const { key } = await issueKey(front.store, { name: 'another' });
      for (const asking of [front.key, key]) {
        const answer = await ask(createBatchId(Date.now(), OTHER), route, asking);
        expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '30']);
        const problem = (await answer.json()) as ProblemDocument;
        expect(problem).to.include({ code: 'DB_ERROR', reason: 'ELSEWHERE', machine: OTHER });
        expect(JSON.stringify(problem)).to.not.contain(front.batches().mark);
      }
    });

    it(`gets 404 where no other machine can know more: ${route.join(' …')}`, async () => {
      const { key } = await issueKey(front.store, { name: 'another' });
      const own = await send();
      for (const [id, asking] of [
        [createBatchId(Date.now(), front.batches().mark), front.key],
        [own, key],
        [UNMARKED, front.key],
        ['bat_x', front.key],
      ] as const)
        expect((await ask(id, route, asking)).status, id).to.equal(404);
    });
  }

  it('does not concern those that it has, whatever their ids are', async () => {
    expect(front.batches().mark).to.equal(markOfJournal(front.services.journal.id));
    const id = await send();
    expect(markOf(id)).to.equal(front.batches().mark);
    expect((await ask(id, routes[0])).status).to.equal(200);
  });
});
