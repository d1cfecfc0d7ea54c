import { isIP } from 'node:net';
import { isIn, networkList } from '../../core/settings/networks.ts';
import { fault, good, unchecked, warning, type Check, type Finding } from './check.ts';
import { SETTINGS, type Installation } from './installation.ts';
import { readProxyFiles, type ProxyFile } from './proxy-files.ts';

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
