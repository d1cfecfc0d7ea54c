/** The table of deliveries: who has one, and what may be stored of it, whatever the clock does. */
import { expect } from 'chai';
import { join } from 'node:path';
import { DeliveryStore } from '../../../src/features/webhooks/delivery-store.ts';
import type { Attempt } from '../../../src/features/webhooks/delivery.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';

const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;
const T0 = Date.parse('2026-11-22T12:00:00.000Z');
const failure: Attempt = { at: '2026-11-22T12:00:00.000Z', ms: 3, status: 500, error: 'the receiver answered 500' };
const success: Attempt = { ...failure, status: 200, error: null };

describe('The table of deliveries', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let one: DeliveryStore;
  let two: DeliveryStore;
  beforeEach(() => {
    folder = temporaryFolder();
    [one, two] = [1, 2].map(() => new DeliveryStore(join(folder.path, 'webhooks.sqlite'), LEASE_MS)) as [
      DeliveryStore,
      DeliveryStore,
    ];
  });
  afterEach(() => {
    one[Symbol.dispose]();
    two[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  function add(eventId: string, url = 'https://hooks.example.com/', keyId = 'key_a'): void {
    const at = new Date(T0).toISOString();
    one.add({ keyId, url, type: 'batch.completed', eventId, at, data: { id: `bat_${eventId}` } }, T0);
  }
  const stateOf = (id: string) => one.find('key_a', id)?.state;

  it('gives a delivery to one process, and to another when the lease has ended', () => {
    add('evt_1');
    expect(one.claim(T0)?.id).to.equal('evt_1');
    expect(two.claim(T0 + LEASE_MS - 1)).to.equal(null);
    expect(two.claim(T0 + LEASE_MS)?.id).to.equal('evt_1');
  });

  it('stores no failure of a process that has lost its lease, but its success', () => {
    add('evt_1');
    const frozen = one.claim(T0)!;
    const other = two.claim(T0 + LEASE_MS)!;
    one.finish(frozen, failure, { state: 'failed' }, T0 + LEASE_MS);
    expect(one.find('key_a', 'evt_1')).to.deep.include({ state: 'pending', attempts: [] });
    one.finish(frozen, success, { state: 'delivered' }, T0 + LEASE_MS);
    two.finish(other, failure, { state: 'pending', nextMs: T0 + HOUR_MS }, T0 + LEASE_MS + 1);
    expect(one.find('key_a', 'evt_1')).to.deep.include({ state: 'delivered', attempts: [success] });
    expect(two.claim(T0 + 2 * HOUR_MS)).to.equal(null);
  });

  it('keeps nothing waiting when the clock is set back', () => {
    add('evt_1');
    add('evt_2', 'https://other.example.com/');
    const first = one.claim(T0)!;
    one.finish(first, failure, { state: 'pending', nextMs: T0 + 10 * HOUR_MS }, T0);
    expect(one.claim(T0)?.id).to.equal('evt_2');
    const earlier = T0 - 40 * HOUR_MS;
    // Both would have to wait for two days: one for its next attempt, one for a lease that nobody has.
    expect([two.claim(earlier)?.id, two.claim(earlier)?.id]).to.have.members(['evt_1', 'evt_2']);
  });

  it('lets a host, a key and the machine have only so many at once', () => {
    for (let i = 0; i < 4; i++) add(`evt_a${i}`);
    for (let i = 0; i < 8; i++) add(`evt_b${i}`, `https://h${i}.example.com/`, 'key_b');
    for (let i = 0; i < 40; i++) add(`evt_c${i}`, `https://h${i}.example.com/`, `key_${i}`);
    const claimed = Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).claim(T0)).flatMap((claim) => claim ?? []);
    expect(claimed).to.have.length(16);
    const of = (start: string): number => claimed.filter(({ id }) => id.startsWith(start)).length;
    expect([of('evt_a'), of('evt_b')]).to.deep.equal([2, 4]);
    one.finish(claimed[0]!, success, { state: 'delivered' }, T0);
    expect(two.claim(T0)).to.not.equal(null);
  });

  it('ends what waits for a receiver that is gone, and what is under way when it fails', () => {
    for (const id of ['evt_1', 'evt_2', 'evt_3']) add(id);
    add('evt_4', 'https://hooks.example.com/other');
    const [first, second] = [one.claim(T0)!, two.claim(T0)!];
    one.finish(first, { ...failure, status: 410 }, { state: 'disabled', reason: 'gone' }, T0);
    expect(['evt_1', 'evt_2', 'evt_3', 'evt_4'].map(stateOf)).to.deep.equal([
      ...['disabled', 'pending', 'disabled', 'pending'],
    ]);
    two.finish(second, failure, { state: 'pending', nextMs: T0 + HOUR_MS }, T0);
    expect([stateOf('evt_2'), one.find('key_a', 'evt_3')?.reason]).to.deep.equal(['disabled', 'gone']);
    add('evt_5');
    expect(stateOf('evt_5')).to.equal('disabled');
    expect(one.resend('key_a', 'evt_5', T0)).to.equal('queued');
    add('evt_6');
    expect([stateOf('evt_5'), stateOf('evt_6')]).to.deep.equal(['pending', 'pending']);
  });
});
