/** Address of Redis, read from `REDIS_URL`. */
type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'socket'; readonly path: string }
  | (RedisLogin & {
      readonly kind: 'sentinel';
      readonly hosts: readonly RedisHost[];
      readonly master: string;
      readonly db: number;
    })
  | (RedisLogin & { readonly kind: 'cluster'; readonly hosts: readonly RedisHost[] });

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface RedisLogin {
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** `scheme://[[user]:password@]host[:port][,host[:port]...][/path]`; IPv6 addresses are in brackets. */
const MANY_HOSTS = /^(redis|rediss)\+(sentinel|cluster):\/\/(?:([^:@/]*):([^@/]*)@)?([^@/]+)(?:\/(.*))?$/;

/**
 * Reads a `REDIS_URL`: `redis://`, `rediss://` (TLS), `unix:///path`, `redis+sentinel://host,host/master[/db]`,
 * `redis+cluster://host,host`, the last two also with `rediss+`.
 * @throws Error without the URL's text, which may hold a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const path = /^unix:(?:\/\/)?(\/[^/].*)$/.exec(url)?.[1];
  if (path !== undefined) {
    checkDatabase('', new URLSearchParams(/\?(.*)$/.exec(path)?.[1]));
    return { kind: 'socket', path };
  }
  const [, scheme, kind, username, password, hosts = '', rest = ''] = MANY_HOSTS.exec(url) ?? [];
  if (scheme === undefined) return parseSingle(url);
  const login: RedisLogin = {
    tls: scheme === 'rediss',
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
  };
  return kind === 'cluster' ? parseCluster(hosts, rest, login) : parseSentinel(hosts, rest, login);
}

function parseCluster(hosts: string, path: string, login: RedisLogin): RedisAddress {
  if (path !== '') throw new Error('must have no path with a cluster');
  return { kind: 'cluster', hosts: parseHosts(hosts, 6379), ...login };
}

function parseSentinel(hosts: string, path: string, login: RedisLogin): RedisAddress {
  const [, master, db = '0'] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(path) ?? [];
  if (master === undefined) throw new Error('needs the name of the master: redis+sentinel://host:port,host:port/name');
  return { kind: 'sentinel', hosts: parseHosts(hosts, 26379), master, db: Number(db), ...login };
}

function parseSingle(url: string): RedisAddress {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol) && new URL(url).host !== '') {
    const { pathname, searchParams } = new URL(url);
    checkDatabase(pathname.slice(1), searchParams);
    return { kind: 'single', url };
  }
  throw new Error(
    'must be a URL that begins with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// (or rediss+...)',
  );
}

/** The client would use database 0 for a name that is none. */
function checkDatabase(path: string, options: URLSearchParams): void {
  if ([path || '0', options.get('db') ?? '0'].every((db) => /^\d{1,4}$/.test(db))) return;
  throw new Error('must end with the number of a database, as in redis://host:6379/1, or with none');
}

function parseHosts(text: string, defaultPort: number): RedisHost[] {
  return text.split(',').map((part) => {
    const [, bracketed, plain, port = String(defaultPort)] =
      /^(?:\[([\da-fA-F:]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(part) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined || Number(port) > 65_535) throw new Error('must list hosts as host:port,host:port');
    return { host, port: Number(port) };
  });
}
