import { isIP } from 'node:net';
import { isIn, networkList } from '../../core/settings/networks.ts';
import {
  type Check,
  type Finding,
  fault,
  good,
  unchecked,
  warning,
  type Installation,
  SETTINGS,
} from './installation.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { DAY_MS, dayOf } from '../../messages/time.ts';
import { messageOf } from '../../words.ts';
import { join } from 'node:path';

const RESTART = 'then restart: sudo land-lookup-use-release RELEASE';

/** Where the service listens, and which proxies it believes. */
export const proxyCheck: Check = {
  name: 'proxy',
  run: (installation) => {
    const files = readProxyFiles(installation);
    const found = [
      ...addresses(installation),
      ...hops(installation, files),
      ...files.flatMap((file) => servers(installation, file)),
    ];
    if (found.length > 0) return found;
    const hopsNow = installation.config.trustProxyHops ?? 0;
    if (installation.isContainer) return [unchecked('what stands before a container cannot be seen from inside')];
    if (files.length > 0)
      return [good(`TRUST_PROXY_HOPS=${hopsNow}, as ${files.map(({ path }) => path).join(', ')} needs it`)];
    return [
      hopsNow === 0
        ? good('none is here, and none is believed')
        : unchecked('no configuration of HAProxy or nginx for this service is here'),
    ];
  },
};

/** Addresses that only this machine or its own network reaches (RFC 1918, RFC 4193). */
const OWN = networkList([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
]);

/** The name of a machine may be anything. */
function isOwn(host: string): boolean {
  return isIP(host) === 0 || isIn(OWN, host);
}

function addresses({ config, isContainer }: Installation): Finding[] {
  const { host = '127.0.0.1', adminHost = '127.0.0.1', trustProxyHops = 0 } = config;
  if (isContainer) return [];
  return [
    ...(isOwn(host)
      ? []
      : [
          warning(
            trustProxyHops > 0
              ? `HOST=${host}: who goes past the proxy writes its own address (TRUST_PROXY_HOPS=${trustProxyHops}), and sends its key without TLS`
              : `HOST=${host}: other machines reach the service without a proxy, and send their keys without TLS`,
            `sudoedit ${SETTINGS}, line: HOST=127.0.0.1, ${RESTART}`,
          ),
        ]),
    ...(isOwn(adminHost)
      ? []
      : [
          fault(
            `ADMIN_HOST=${adminHost}: everybody reaches the metrics and the snapshots, which need no key`,
            `sudoedit ${SETTINGS}, line: ADMIN_HOST=127.0.0.1, ${RESTART}`,
          ),
        ]),
  ];
}

function hops({ config }: Installation, files: readonly ProxyFile[]): Finding[] {
  const trusted = config.trustProxyHops ?? 0;
  const [first] = files;
  if (first === undefined) return [];
  const remedy = `sudoedit ${SETTINGS}, line: TRUST_PROXY_HOPS=1, ${RESTART}`;
  if (trusted === 0)
    return [
      fault(
        `${first.path} stands before the service, and TRUST_PROXY_HOPS=0 takes all clients for one: limits and networks of keys are wrong`,
        remedy,
      ),
    ];
  const replacing = files.find((file) => file.replacesAddress);
  return trusted > 1 && replacing
    ? [warning(`TRUST_PROXY_HOPS=${trusted}, but ${replacing.path} passes one address on`, remedy)]
    : [];
}

function servers({ instances, isInstalled }: Installation, { path, program, ports }: ProxyFile): Finding[] {
  if (!isInstalled || ports.length === 0) return [];
  const unknown = instances.filter((port) => !ports.includes(port));
  const silent = ports.filter((port) => !instances.includes(port));
  return [
    ...unknown.map((port) =>
      warning(
        `${path} sends nothing to land-lookup@${port}`,
        `sudoedit ${path}, line: server ${program === 'haproxy' ? `p${port} ` : ''}127.0.0.1:${port}${program === 'nginx' ? ';' : ''}, then: sudo systemctl reload ${program}`,
      ),
    ),
    ...silent.map((port) =>
      warning(
        `${path} sends requests to port ${port}, and no process is enabled there`,
        `sudo systemctl enable --now land-lookup@${port}`,
      ),
    ),
  ];
}

/** Certificates of 90 days are renewed when 30 are left. */
const SOON_DAYS = 21;
const URGENT_DAYS = 7;

/** The file of the samples in deploy/proxy. */
const SAMPLE_FILE = '/etc/land-lookup/tls.pem';

/** The certificates that proxies on this machine use. */
export const certificateCheck: Check = {
  name: 'certificate',
  run: (installation) => {
    const files = readProxyFiles(installation);
    const used = files.flatMap(({ certificates, keys }) =>
      certificates.map((path, i) => ({ path, key: keys[i] ?? path })),
    );
    const paths = new Map(used.map((one) => [one.path, one]));
    if (existsSync(installation.at(SAMPLE_FILE))) paths.set(SAMPLE_FILE, { path: SAMPLE_FILE, key: SAMPLE_FILE });
    if (paths.size === 0) return [unchecked('no proxy of this machine has one')];
    return [...paths.values()].flatMap((one) => lookAtFile(installation, one));
  },
};

function lookAtFile(
  { at, nowMs, config }: Installation,
  { path, key }: { readonly path: string; readonly key: string },
): Finding[] {
  const renew = `sudo sh -c 'cat /etc/letsencrypt/live/HOST/fullchain.pem /etc/letsencrypt/live/HOST/privkey.pem > ${path}' && sudo systemctl reload haproxy nginx`;
  if (!existsSync(at(path))) return [fault(`${path} does not exist`, renew)];
  const text = readFileSync(at(path), 'utf8');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    const [own, ...chain] = blocks.map((block) => new X509Certificate(block));
    if (own === undefined) return [fault(`${path} has no certificate`, renew)];
    const days = Math.floor((own.validToDate.getTime() - nowMs) / DAY_MS);
    const until = `the certificate of ${path} ends on ${dayOf(own.validToDate.getTime())}, in ${days} days`;
    const found = [
      ...(days < SOON_DAYS ? [(days < URGENT_DAYS ? fault : warning)(until, renew)] : []),
      ...(own.validFromDate.getTime() > nowMs
        ? [fault(`the certificate of ${path} is not valid yet`, 'timedatectl')]
        : []),
      ...chainFaults(own, chain, path, renew),
      ...keyFaults(own, at(key), key, renew),
      ...nameFaults(own, config.publicUrl ?? null, path),
    ];
    return found.length > 0 ? found : [good(until)];
  } catch (cause) {
    return [fault(`${path} cannot be read as a certificate: ${messageOf(cause)}`, renew)];
  }
}

function chainFaults(own: X509Certificate, chain: readonly X509Certificate[], path: string, renew: string): Finding[] {
  if (own.checkIssued(own) || chain.some((one) => own.checkIssued(one))) return [];
  return [warning(`${path} lacks the certificate that signed its first one: some clients refuse it`, renew)];
}

function keyFaults(own: X509Certificate, file: string, key: string, renew: string): Finding[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const block = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----/.exec(text)?.[0];
  if (block === undefined) return [fault(`${key} has no key: the proxy does not start`, renew)];
  return own.checkPrivateKey(createPrivateKey(block))
    ? []
    : [fault(`${key} has the key of another certificate: the proxy does not start`, renew)];
}

function nameFaults(own: X509Certificate, publicUrl: string | null, path: string): Finding[] {
  if (publicUrl === null) return [];
  const { hostname } = new URL(publicUrl);
  return own.checkHost(hostname) === undefined
    ? [fault(`the certificate of ${path} is not for ${hostname} (PUBLIC_URL)`, `sudo certbot certonly -d ${hostname}`)]
    : [];
}

/** What the configuration of a proxy on this machine says of the service. */
interface ProxyFile {
  readonly path: string;
  readonly program: 'haproxy' | 'nginx';
  /** Ports of this machine that it sends requests to. */
  readonly ports: readonly string[];
  /** Files with a certificate, its key or both. */
  readonly certificates: readonly string[];
  readonly keys: readonly string[];
  /** It writes one address into X-Forwarded-For, in place of what clients write there. */
  readonly replacesAddress: boolean;
}

/** Configurations of HAProxy and nginx that are about land-lookup: our samples, or what was made from them. */
function readProxyFiles(installation: Installation): readonly ProxyFile[] {
  const { at } = installation;
  const nginx = ['/etc/nginx/conf.d', '/etc/nginx/sites-enabled'].flatMap((folder) =>
    existsSync(at(folder)) ? readdirSync(at(folder)).map((name) => join(folder, name)) : [],
  );
  return ['/etc/haproxy/haproxy.cfg', ...nginx]
    .filter((path) => existsSync(at(path)))
    .map((path) => readProxyFile(path, readFileSync(at(path), 'utf8')))
    .filter((file, i, all) => isOurs(readFileSync(at(all[i]!.path), 'utf8'), file, installation));
}

function isOurs(text: string, { ports }: ProxyFile, { instances }: Installation): boolean {
  return /land[-_]lookup/.test(text) || ports.some((port) => instances.includes(port));
}

function readProxyFile(path: string, whole: string): ProxyFile {
  const text = whole.replace(/^\s*#.*$/gm, '');
  const all = (pattern: RegExp): string[] => [...new Set([...text.matchAll(pattern)].map(([, one]) => one!))];
  return {
    path,
    program: path.startsWith('/etc/haproxy') ? 'haproxy' : 'nginx',
    ports: all(/^\s*server\s+(?:\S+\s+)?(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)/gm),
    certificates: [...all(/\bcrt\s+(\S+)/g), ...all(/^\s*ssl_certificate\s+([^;\s]+)/gm)],
    keys: all(/^\s*ssl_certificate_key\s+([^;\s]+)/gm),
    replacesAddress: /set-header\s+X-Forwarded-For\s+%\[src\]|X-Forwarded-For\s+\$remote_addr/.test(text),
  };
}
