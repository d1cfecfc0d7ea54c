import { expect } from 'chai';
import { PROBE } from '../../src/http/health.ts';
import { warmUp } from '../../src/http/warm-up.ts';
import type { LookupTask } from '../../src/shared/contract/lookup.ts';
import { okAnswer, sharedJournal, startFrontEnd } from '../support/front-end.ts';

describe('Warm-up', () => {
  const warmUpWith = async (lookup: (task: LookupTask) => Promise<typeof okAnswer>) => {
    await using front = await startFrontEnd();
    const journalled: string[] = [];
    const journal = await sharedJournal();
    const ms = await warmUp({
      ...{ app: front.app, metering: front.metering, snapshots: { lookup } },
      journal: {
        do: (operation, input) => {
          journalled.push(operation);
          return journal.do(operation, input);
        },
      },
    });
    return { ms, journalled, lines: front.lines.map(({ level, message }) => [level, message]) };
  };

  it('sends one lookup through the pool and the journal, which counts nothing', async () => {
    const asked: LookupTask[] = [];
    const { ms, journalled, lines } = await warmUpWith((task) => {
      asked.push(task);
      return Promise.resolve(okAnswer);
    });
    expect(ms).to.be.a('number');
    expect([asked, journalled, lines]).to.deep.equal([[PROBE], ['probe'], []]);
  });

  it('says when it failed, and lets the service start', async () => {
    const { ms, journalled, lines } = await warmUpWith(() => Promise.reject(new Error('no data')));
    expect([ms, journalled]).to.deep.equal([null, []]);
    expect(lines).to.deep.equal([['warn', 'the warm-up lookup failed']]);
  });
});
