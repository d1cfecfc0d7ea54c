import { expect } from 'chai';
import { isAllowedFrom, parseNetworks } from '../../src/core/settings/networks.ts';
import { NO_LIMITS } from '../../src/core/keys/key-store.ts';

describe("a key's networks", () => {
  it('let in their addresses alone, of both families, also as a dual-stack socket writes them', () => {
    const limits = { ...NO_LIMITS, networks: parseNetworks('203.0.113.0/24, 198.51.100.7,2001:db8::/32') };
    for (const ip of ['203.0.113.255', '::ffff:203.0.113.1', '198.51.100.7', '2001:db8:1::1']) {
      expect(isAllowedFrom(limits, ip), ip).to.equal(true);
    }
    for (const ip of ['203.0.114.0', '198.51.100.8', '2001:db9::1', '::1', '', 'x', undefined]) {
      expect(isAllowedFrom(limits, ip), ip).to.equal(false);
    }
    expect(isAllowedFrom(NO_LIMITS, undefined)).to.equal(true);
  });

  it('are refused when they are none', () => {
    for (const text of ['', ',', '203.0.113.0/33', '203.0.113.0/', '203.0.113/24', '2001:db8::/129', '1.2.3.4/8/8']) {
      expect(() => parseNetworks(text), text).to.throw('is no network');
    }
  });
});
