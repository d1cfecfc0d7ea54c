import { expect } from 'chai';
import { BulkLookups, LOOKUPS_PER_MESSAGE } from '../../src/pool/bulk-lookups.ts';
import type { LookupAnswer, LookupTask } from '../../src/shared/contract/lookup.ts';
import { fail, type Outcome } from '../../src/shared/outcome.ts';
import { AppError } from '../../src/shared/problems.ts';

const point = (lat: number): LookupTask => ({ kind: 'point', lat, lon: -79, full: false });
const answerOf = (task: LookupTask): LookupAnswer => ({
  ...{ json: JSON.stringify(task), geocodeMs: 0, layersMs: 0 },
});
const latOf = (task: LookupTask): number => (task.kind === 'point' ? task.lat : NaN);

describe('Lookups in bulk', () => {
  /** A pool that remembers its messages; `lookupAll` is what a test has it do. */
  function poolWith(lookupAll: (tasks: readonly LookupTask[]) => Promise<readonly Outcome<LookupAnswer>[]>) {
    const messages: number[][] = [];
    const alone: number[] = [];
    return {
      ...{ messages, alone },
      lookupAll: (tasks: readonly LookupTask[]) => {
        messages.push(tasks.map(latOf));
        return lookupAll(tasks);
      },
      lookup: (task: LookupTask): Promise<LookupAnswer> => {
        alone.push(latOf(task));
        return latOf(task) === 3
          ? Promise.reject(new AppError('DB_ERROR', 'the lookup thread was lost'))
          : Promise.resolve(answerOf(task));
      },
    };
  }
  const found = (tasks: readonly LookupTask[]): Promise<readonly Outcome<LookupAnswer>[]> =>
    Promise.resolve(tasks.map((task) => ({ ok: true, value: answerOf(task) })));

  it('go in one message when they are asked for together, but not too many', async () => {
    const pool = poolWith(found);
    const bulk = new BulkLookups(pool);
    const lats = Array.from({ length: LOOKUPS_PER_MESSAGE + 5 }, (_, lat) => lat);
    const answers = await Promise.all(lats.map((lat) => bulk.lookup(point(lat))));
    expect(answers.map(({ json }) => json)).to.deep.equal(lats.map((lat) => JSON.stringify(point(lat))));
    expect(pool.messages.map(({ length }) => length)).to.deep.equal([LOOKUPS_PER_MESSAGE, 5]);
    await bulk.lookup(point(50));
    expect(pool.messages.at(-1), 'asked for later').to.deep.equal([50]);
  });

  it('fail each by itself, with what the failure adds', async () => {
    const bulk = new BulkLookups(
      poolWith((tasks) =>
        Promise.resolve(
          tasks.map((task) =>
            latOf(task) === 1 ? fail('ADDRESS_NOT_FOUND', 'no', { reason: 'X' }) : { ok: true, value: answerOf(task) },
          ),
        ),
      ),
    );
    const [first, second] = await Promise.allSettled([bulk.lookup(point(1)), bulk.lookup(point(2))]);
    expect(first.status === 'rejected' && (first.reason as AppError)).to.include({ code: 'ADDRESS_NOT_FOUND' });
    expect(first.status === 'rejected' && (first.reason as AppError).extras).to.deep.equal({ reason: 'X' });
    expect(second.status).to.equal('fulfilled');
  });

  it('are asked for again one by one when their thread is lost, so that only its own lookup fails', async () => {
    const pool = poolWith(() => Promise.reject(new AppError('DB_ERROR', 'the lookup thread was lost')));
    const bulk = new BulkLookups(pool);
    const ends = await Promise.allSettled([1, 2, 3, 4].map((lat) => bulk.lookup(point(lat))));
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect([pool.messages, pool.alone]).to.deep.equal([[[1, 2, 3, 4]], [1, 2, 3, 4]]);
  });
});
