import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { DAY_MS, dayOf } from '../../messages/time.ts';
import { messageOf } from '../../words.ts';
import { fault, good, unchecked, warning, type Check, type Finding } from './check.ts';
import type { Installation } from './installation.ts';
import { readProxyFiles } from './proxy-files.ts';

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
