import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseRedisUrl } from '../../src/core/settings/redis-url.ts';
import { createKey } from '../../src/core/keys/key-format.ts';
import { issueKey } from '../../src/core/keys/keys.ts';
import { BadKeyLimit } from '../../src/core/http/refused-requests.ts';
import { clientNetwork } from '../../src/core/settings/networks.ts';
import fc from '../support/drivers/fast-check.ts';
import { startFrontEnd } from '../support/drivers/front-end.ts';

describe('Client network', () => {
  it('is the address for IPv4, also on a dual-stack socket, and the /64 for IPv6', () => {
    expect(clientNetwork('203.0.113.7')).to.equal('203.0.113.7');
    expect(clientNetwork('::ffff:203.0.113.7')).to.equal('203.0.113.7');
    expect(clientNetwork('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
    expect(clientNetwork('2001:DB8::1')).to.equal('2001:db8:0:0::/64');
    expect(clientNetwork('::1')).to.equal('0:0:0:0::/64');
    expect(clientNetwork('fe80::1%eth0')).to.equal('fe80:0:0:0::/64');
    expect(clientNetwork('64:ff9b::192.0.2.33')).to.equal('64:ff9b:0:0::/64');
    expect(clientNetwork(undefined)).to.equal('unknown');
    expect(clientNetwork('not an address')).to.equal('unknown');
  });

  it('is one for all addresses of a /64, however they are written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const network = clientNetwork(ip);
        if (network.includes('.') || network === 'unknown') return;
        const groups = network.replace('::/64', '').split(':');
        expect(groups).to.have.length(4);
        expect(clientNetwork(`${groups.join(':')}:1:2:3:4`)).to.equal(network);
      }),
    );
  });
});

describe('Bad keys', () => {
  const wrong = () => ({ authorization: `Bearer ${createKey()}` });
  const address = { address: '1 Main St, Toronto, ON' };

  it('are refused with 429 after 60 from one address, while a key in use goes on', async () => {
    await using front = await startFrontEnd();
    expect((await front.post(address)).status).to.equal(200);
    for (let i = 0; i < 60; i++) expect((await front.post(address, wrong())).status).to.equal(401);
    const refused = await front.post(address, wrong());
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await front.post(address)).status).to.equal(200);
    const { key } = await issueKey(front.store, { name: 'not seen yet' });
    expect((await front.post(address, { authorization: `Bearer ${key}` })).status).to.equal(429);
  });

  it('are counted in bounded memory', () => {
    const limit = new BadKeyLimit();
    for (let i = 0; i < 60; i++) limit.note('victim');
    expect(() => {
      limit.check('victim');
    }).to.throw();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 500_000; i++)
      limit.note(`2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::/64`);
    collect();
    expect(process.memoryUsage().heapUsed - before).to.be.lessThan(20e6);
  });
});

describe('REDIS_URL', () => {
  it('names one Redis, a socket, sentinels or a cluster, with and without TLS', () => {
    expect(parseRedisUrl('redis://u:p@h:1/2')).to.deep.equal({ kind: 'single', url: 'redis://u:p@h:1/2' });
    expect(parseRedisUrl('unix:///run/redis.sock')).to.deep.equal({ kind: 'socket', path: '/run/redis.sock' });
    expect(parseRedisUrl('redis+sentinel://u:p%40x@a:1,b/main/3')).to.deep.equal({
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26379 },
      ],
      master: 'main',
      db: 3,
      tls: false,
      username: 'u',
      password: 'p@x',
    });
    expect(parseRedisUrl('rediss+cluster://:p@[::1]:7000,b')).to.deep.equal({
      kind: 'cluster',
      hosts: [
        { host: '::1', port: 7000 },
        { host: 'b', port: 6379 },
      ],
      tls: true,
      password: 'p',
    });
  });

  it('is refused without being repeated', () => {
    for (const bad of [
      'localhost:6379',
      'http://x',
      'redis+sentinel://a:1',
      'redis+cluster://a/0',
      'redis+cluster://a:99999',
      'redis+cluster://a,,b',
      'redis+other://:hunter2@a',
      'redis://',
      'unix://',
      'redis://:hunter2@a/abc',
      'redis://:hunter2@a/0/1',
      'redis://a?db=one',
      'unix:///run/redis.sock?db=one',
    ]) {
      expect(() => parseRedisUrl(bad), bad)
        .to.throw()
        .with.property('message')
        .not.contain('hunter2');
    }
  });
});
