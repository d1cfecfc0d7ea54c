import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

/** What the configuration of a proxy on this machine says of the service. */
export interface ProxyFile {
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
export function readProxyFiles(installation: Installation): readonly ProxyFile[] {
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
