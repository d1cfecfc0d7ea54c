/** What a client may give as a receiver, and what a request to it may reach. */
import { expect } from 'chai';
import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { hostname } from 'node:os';
import { resolveByDns } from '../../../src/features/webhooks/resolve-names.ts';
import { isPublicAddress, callbackUrlFault } from '../../../src/features/webhooks/callback-url.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { WebhookReceiver } from '../../support/doubles/webhook-receiver.ts';
import { anEndedBatch, deliveriesOnce, hasEnded, quick, startWebhooks } from '../../support/drivers/webhooks.ts';

/** Addresses that no webhook may reach, each with what it is. */
const notPublic: Readonly<Record<string, string>> = {
  '0.0.0.0': 'this machine',
  '0.1.2.3': 'this network',
  '10.0.0.1': 'private',
  '100.64.0.1': 'shared by a provider (CGNAT)',
  '100.127.255.254': 'its end',
  '127.0.0.1': 'loopback',
  '127.255.255.254': 'its end',
  '169.254.169.254': 'metadata of clouds',
  '168.63.129.16': "Azure's host, with its metadata",
  '192.80.8.124': 'metadata of Equinix',
  '161.26.0.1': 'services of IBM',
  '166.8.0.1': 'services of IBM',
  '166.11.255.255': 'its end',
  '199.36.153.4': "restricted way to Google's APIs",
  '199.36.153.11': "private way to Google's APIs",
  '192.0.0.192': 'metadata of Oracle',
  '100.100.100.200': 'metadata of Alibaba',
  'fd00:ec2::254': 'metadata of Amazon',
  '172.16.0.1': 'private',
  '172.31.255.255': 'its end',
  '192.0.0.1': 'protocol assignments',
  '192.0.2.1': 'documentation',
  '192.88.99.1': 'relays of 6to4',
  '192.168.1.1': 'private',
  '198.18.0.1': 'benchmarks',
  '198.19.255.255': 'its end',
  '198.51.100.7': 'documentation',
  '203.0.113.7': 'documentation',
  '224.0.0.1': 'multicast',
  '239.255.255.250': 'its end',
  '240.0.0.1': 'reserved',
  '255.255.255.255': 'broadcast',
  '::': 'this machine',
  '::1': 'loopback',
  '::127.0.0.1': 'IPv4 inside, an old form',
  '::ffff:127.0.0.1': 'IPv4 inside',
  '::ffff:7f00:1': 'the same',
  '::ffff:8.8.8.8': 'IPv4 inside, although public',
  '::ffff:0:127.0.0.1': 'IPv4 translated',
  '64:ff9b::7f00:1': 'NAT64',
  '64:ff9b::10.0.0.1': 'NAT64',
  '64:ff9b:1::1': 'local NAT64',
  '100::1': 'discarded',
  '2001::1': 'Teredo',
  '2001:2::1': 'benchmarks',
  '2001:db8::1': 'documentation',
  '2002:7f00:1::': '6to4 of loopback',
  '2002:0a00:0001::1': '6to4 of a private network',
  '3fff::1': 'documentation',
  '5f00::1': 'segment routing',
  'fc00::1': 'unique local',
  'fd12:3456:789a::1': 'unique local',
  'fe80::1': 'link-local',
  'fe80::1%lo': 'link-local with its link',
  'fec0::1': 'site-local',
  'ff02::1': 'multicast',
};

const isPublic = [
  '8.8.8.8',
  '1.1.1.1',
  '99.79.0.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.32.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
];

/** URLs that are refused before anything is resolved. */
const badUrls: readonly string[] = [
  ...['http://hooks.example.com/', 'ftp://hooks.example.com/', 'file:///etc/passwd', 'gopher://hooks.example.com/'],
  ...['https:hooks.example.com', 'https:///hooks.example.com', '//hooks.example.com', 'hooks.example.com', ''],
  ...['https://user@hooks.example.com/', 'https://user:word@hooks.example.com/', 'https://:word@hooks.example.com/'],
  ...['https://hooks.example.com:22/', 'https://hooks.example.com:80/', 'https://hooks.example.com:0/'],
  ...['https://hooks.example.com:65536/', 'https://hooks.example.com/#part', 'https://hooks.example.com\\@127.0.0.1/'],
  ...[
    'https://hooks.example.com/ a',
    'https://hooks.example.com/\t',
    ' https://hooks.example.com/',
    'https://h\u00f6oks.example.com/',
  ],
  ...['https://hooks.example.com/\r\nx: y', 'https://１２７.0.0.1/', 'https://127。0。0。1/'],
  // Other ways to write loopback, which the URL parser reads as 127.0.0.1.
  ...['https://2130706433/', 'https://0x7f000001/', 'https://0177.0.0.1/', 'https://127.1/', 'https://127.0.0.1./'],
  ...['https://0x7f.0.0.1/', 'https://017700000001/', 'https://%31%32%37.0.0.1/', 'https://0/', 'https://[::]/'],
  ...['https://localhost/', 'https://localhost./', 'https://LOCALHOST/', 'https://a.localhost/', 'https://intranet/'],
  ...[
    'https://printer.local/',
    'https://hooks.internal/',
    'https://metadata.google.internal/',
    'https://nas.home.arpa/',
  ],
  `https://hooks.example.com/${'a'.repeat(2048)}`,
];

describe('The URL of a receiver', () => {
  it('is https with a public name or address, on 443 or a high port', () => {
    for (const url of [
      ...[
        'https://hooks.example.com/land?batch=1',
        'https://hooks.example.com:443/',
        'https://hooks.example.com:8443/x',
      ],
      ...[
        'https://8.8.8.8/',
        'https://[2606:4700::1111]/',
        'https://xn--hks-sna.example.com/',
        'HTTPS://Hooks.Example.com',
      ],
    ]) {
      expect(callbackUrlFault(url, []), url).to.equal(null);
    }
  });

  it('is refused with the reason when it is anything else', () => {
    for (const url of badUrls) expect(callbackUrlFault(url, []), url).to.be.a('string').with.length.above(10);
    for (const ip of Object.keys(notPublic)) {
      const url = `https://${ip.includes(':') ? `[${ip.replace('%', '%25')}]` : ip}/`;
      expect(callbackUrlFault(url, []), url).to.be.a('string');
    }
    expect(Object.keys(notPublic).length + badUrls.length).to.be.above(80);
  });

  it('may be inside when the operator allows it, then also over http and on any port', () => {
    const allow = ['10.0.0.0/8', 'hooks.internal', 'fd00::/8'];
    for (const url of ['http://10.1.2.3/', 'https://10.1.2.3:22/', 'http://hooks.internal/', 'http://[fd00::5]:80/']) {
      expect(callbackUrlFault(url, allow), url).to.equal(null);
    }
    for (const url of ['http://11.0.0.1/', 'https://192.168.0.1/', 'http://other.internal/', 'http://u@10.1.2.3/']) {
      expect(callbackUrlFault(url, allow), url).to.be.a('string');
    }
  });
});

describe('A public address', () => {
  it('is none of the special ones', () => {
    for (const [ip, what] of Object.entries(notPublic)) expect(isPublicAddress(ip), `${ip}: ${what}`).to.equal(false);
    for (const ip of isPublic) expect(isPublicAddress(ip), ip).to.equal(true);
    for (const text of ['', 'localhost', '1.2.3', '8.8.8.8/32']) expect(isPublicAddress(text), text).to.equal(false);
  });
});

describe('A name that a client has chosen', function () {
  this.timeout(240_000);

  it('is asked for by DNS alone: the file of hosts and the names of this machine lead nowhere', async () => {
    for (const name of [hostname(), 'nothing.invalid']) {
      const failure = await resolveByDns(name).catch((cause: unknown) => cause);
      if (failure instanceof Error) expect(failure.message).to.equal(`the name ${name} has no address`);
      else expect(name, 'a machine whose name is in DNS').to.equal(hostname());
    }
  });
});

describe('A webhook', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let inside: Server;
  let connections = 0;
  let port: number;

  before(async () => {
    // On all addresses of this machine, in both families where it has them.
    inside = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0);
    await once(inside, 'listening');
    port = (inside.address() as AddressInfo).port;
  });
  after(() => {
    inside.close();
    folder[Symbol.dispose]();
  });

  async function attemptsAt(url: string, resolve?: (host: string) => Promise<LookupAddress[]>, allow: string[] = []) {
    using own = temporaryFolder();
    const times = { ...quick, delaysMs: [5, 5] };
    await using webhooks = startWebhooks(own.path, { allow, times, ...(resolve ? { resolve } : {}) });
    webhooks.batchEnded(anEndedBatch(url));
    const [delivery] = await deliveriesOnce(webhooks, hasEnded);
    return delivery!;
  }

  it('connects to no address that is not public, whatever a name resolves to', async () => {
    for (const ip of Object.keys(notPublic)) {
      const family = ip.includes(':') ? 6 : 4;
      const { state, attempts } = await attemptsAt(`https://hooks.example.com:${port}/`, () =>
        Promise.resolve([{ address: ip, family }]),
      );
      expect(state, ip).to.equal('failed');
      for (const { error } of attempts)
        expect(error, ip).to.contain('not an address of the public internet').and.not.contain(ip);
    }
    expect(connections).to.equal(0);
  });

  it('connects to no address inside that stands in the URL, also when it was stored before', async () => {
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', 'localhost']) {
      for (const scheme of ['http', 'https']) {
        const { state, attempts } = await attemptsAt(`${scheme}://${host}:${port}/`);
        expect([state, attempts.length], host).to.deep.equal(['failed', 3]);
      }
    }
    expect(connections).to.equal(0);
  });

  it('is safe from a name that leads outside first and to loopback a moment later', async () => {
    // What the operator allows stands for the public internet, which no test may reach.
    let outside = 0;
    const receiver = createServer((socket) => {
      outside++;
      socket.destroy();
    }).listen(0, '127.0.0.2');
    await once(receiver, 'listening');
    const { port: same } = receiver.address() as AddressInfo;
    const trap = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(same, '127.0.0.1');
    await once(trap, 'listening');
    const answers = ['127.0.0.2', '127.0.0.1', '::1'];
    let asked = 0;
    const resolve = (): Promise<LookupAddress[]> => {
      const address = answers[asked++ % answers.length]!;
      return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
    };
    const { attempts } = await attemptsAt(`https://rebind.example.com:${same}/`, resolve, ['127.0.0.2']);
    trap.close();
    receiver.close();
    // Each attempt asks once: what is checked is what it connects to.
    expect([attempts.length, asked, outside, connections]).to.deep.equal([3, 3, 1, 0]);
  });

  it('is safe from a name with a public and a private address', async () => {
    const { state } = await attemptsAt(`https://both.example.com:${port}/`, () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
        { address: '169.254.169.254', family: 4 },
      ]),
    );
    expect(state).to.equal('failed');
    expect(connections).to.equal(0);
  });

  it('follows no redirect inside', async () => {
    await using receiver = await WebhookReceiver.start();
    receiver.manners.set('/away', (res) => res.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end());
    const { state, attempts } = await attemptsAt(receiver.url('/away'), undefined, ['127.0.0.1']);
    expect(state).to.equal('failed');
    expect(attempts[0]).to.deep.include({
      status: 307,
      error: 'the receiver answered 307, and redirects are not followed',
    });
    expect(connections).to.equal(0);
  });

  it('reaches inside what the operator allows: by its network, or by its name', async () => {
    await using receiver = await WebhookReceiver.start();
    expect((await attemptsAt(receiver.url('/'), undefined, ['127.0.0.0/8'])).state).to.equal('delivered');
    expect((await attemptsAt(receiver.url('/', 'localhost'), undefined, ['localhost'])).state).to.equal('delivered');
    expect((await attemptsAt(receiver.url('/'), undefined, ['127.0.0.2'])).state).to.equal('failed');
  });
});
