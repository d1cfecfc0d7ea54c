import { expect } from 'chai';
import { createKey, hashKey, isWellFormedKey } from '../../src/core/keys/key-format.ts';
import fc from '../support/drivers/fast-check.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('Key format', () => {
  it('makes keys of 42 characters that are well formed and differ', () => {
    const keys = Array.from({ length: 1000 }, createKey);
    expect(new Set(keys).size).to.equal(1000);
    for (const key of keys)
      expect(key)
        .to.match(/^olk_[0-9A-Za-z]{38}$/)
        .and.satisfy(isWellFormedKey);
  });

  it('knows a fixed key, so that scanners may rely on the checksum', () => {
    // CRC-32 of the first 36 characters is 0xbb549eb2 = 3142885042, in base62 3QhDyE.
    expect(isWellFormedKey('olk_0123456789ABCDEFGHIJKLMNOPQRSTUV3QhDyE')).to.equal(true);
  });

  it('refuses every single mistyped character and every swap of neighbours', () => {
    const key = createKey();
    for (let at = 4; at < key.length; at++) {
      for (const other of BASE62) {
        if (other !== key[at]) expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).to.equal(false);
      }
      const swapped = key.slice(0, at - 1) + key[at]! + key[at - 1]! + key.slice(at + 1);
      if (swapped !== key) expect(isWellFormedKey(swapped), swapped).to.equal(false);
    }
  });

  it('refuses any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => !isWellFormedKey(text)));
  });

  it('hashes to SHA-256', () => {
    expect(hashKey('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
