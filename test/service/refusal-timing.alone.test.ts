import { expect } from 'chai';
import { Authenticator } from '../../src/core/keys/authenticator.ts';
import { createKey } from '../../src/core/keys/key-format.ts';
import type { KeyStore } from '../../src/core/keys/key-store.ts';
import { issueKey, revokeKey } from '../../src/core/keys/keys.ts';
import { keyPlaces } from '../support/drivers/key-stores.ts';

const TRIALS = 150;

/**
 * Of two classes with the same times, a trial of one is the slower in half of the pairs, give or take 0.033 (standard deviation for 150
 * trials each, Mann-Whitney): four and a half of them.
 */
const MOST_OFF_HALF = 0.15;

describe('The time of a refusal', function () {
  this.timeout(240_000);

  for (const [name, openPlace] of Object.entries(keyPlaces)) {
    it(`does not tell unknown, revoked and expired keys apart, in ${name}`, async () => {
      await using place = await openPlace();
      await using store = await place.open();
      const authenticator = new Authenticator(store);
      const times: Record<string, number[]> = { unknown: [], revoked: [], expired: [] };
      const trials = await makeTrials(store);
      for (const trial of trials) {
        for (const [kind, key] of Object.entries(trial)) times[kind]!.push(await refusalMs(authenticator, key));
      }
      for (const kind of ['revoked', 'expired']) {
        const share = shareSlower(times[kind]!, times['unknown']!);
        expect(share, `${kind} slower than unknown`).to.be.within(0.5 - MOST_OFF_HALF, 0.5 + MOST_OFF_HALF);
      }
    });
  }
});

/** A key of each kind for each trial: none is remembered. */
async function makeTrials(store: KeyStore): Promise<Record<string, string>[]> {
  const trials: Record<string, string>[] = [];
  for (let i = 0; i < TRIALS; i++) {
    const revoked = await issueKey(store, { name: 'revoked' });
    await revokeKey(store, revoked.record.id);
    const expired = await issueKey(store, { name: 'expired', expiresAt: '2020-01-01T00:00:00.000Z' });
    const kinds = Object.entries({ unknown: createKey(), revoked: revoked.key, expired: expired.key });
    // Each is first, second and third equally often.
    const turn = i % kinds.length;
    trials.push(Object.fromEntries([...kinds.slice(turn), ...kinds.slice(0, turn)]));
  }
  return trials;
}

async function refusalMs(authenticator: Authenticator, key: string): Promise<number> {
  const start = performance.now();
  const outcome = await authenticator.authenticate(`Bearer ${key}`).then(
    () => 'let in',
    () => 'refused',
  );
  expect(outcome).to.equal('refused');
  return performance.now() - start;
}

function shareSlower(some: readonly number[], others: readonly number[]): number {
  const slower = some.reduce((sum, ms) => sum + others.filter((other) => ms > other).length, 0);
  return slower / (some.length * others.length);
}
