/** The secrets of webhooks in the stores of keys. */
import { expect } from 'chai';
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keysInFile } from '../../../src/core/keys/open-key-store.ts';
import { rotateSecret, signingSecrets } from '../../../src/features/webhooks/secrets.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { keyPlaces } from '../../support/drivers/key-stores.ts';

for (const [name, openPlace] of Object.entries(keyPlaces)) {
  describe(`The secrets of webhooks in ${name}`, function () {
    this.timeout(240_000);

    it('are made at first need, once for all processes', async () => {
      await using place = await openPlace();
      await using one = await place.open();
      await using two = await place.open();
      const found = await Promise.all([one, two, one, two].map((store) => signingSecrets(store, 'key_a')));
      expect(new Set(found.flat()).size).to.equal(1);
      expect(await signingSecrets(two, 'key_b')).to.not.deep.equal(found[0]);
    });

    it('sign together for a day after a rotation, and are lost by none of several at once', async () => {
      await using place = await openPlace();
      await using one = await place.open();
      await using two = await place.open();
      const [first] = await signingSecrets(one, 'key_a');
      const { secret, previousEndsAt } = await rotateSecret(two, 'key_a');
      expect(Date.parse(previousEndsAt!)).to.be.within(Date.now() + 86_000_000, Date.now() + 86_400_000);
      expect(await signingSecrets(one, 'key_a')).to.deep.equal([secret, first]);
      const both = await Promise.all([rotateSecret(one, 'key_a'), rotateSecret(two, 'key_a')]);
      const now = await signingSecrets(one, 'key_a');
      expect(now).to.include.members([...both.map((rotated) => rotated.secret), secret, first]);
      for (let i = 0; i < 5; i++) await rotateSecret(one, 'key_a');
      expect(await signingSecrets(one, 'key_a')).to.have.length(4);
    });
  });
}

describe('The file of keys', () => {
  it('is for its owner alone, also one of an earlier version', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'accounts.sqlite');
    await keysInFile(file)[Symbol.asyncDispose]();
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    chmodSync(file, 0o640);
    await using store = keysInFile(file);
    await signingSecrets(store, 'key_a');
    for (const name of [file, `${file}-wal`]) expect(statSync(name).mode & 0o777, name).to.equal(0o600);
  });
});
