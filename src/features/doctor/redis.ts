import type { Redis } from 'ioredis';
import { fault, good, unchecked, warning, type Check, type Finding, SECRETS } from './installation.ts';

const CONNECT_MS = 5000;
/** Oldest versions that do (docs/api.md), for keys and limits. */
const OLDEST = '5.0';

/** Whether Redis is there, keeps what it gets, and is closed to others. */
export const redisCheck: Check = {
  name: 'redis',
  run: async ({ config }) => {
    const url = config.redisUrl;
    if (!url) return [good('not used: one process alone can serve the data')];
    const { connectRedis, whenReady } = await import('../../core/stores/redis.ts');
    const { masters } = await import('../../core/stores/redis.ts');
    let reason = 'it does not answer';
    const redis = connectRedis(url, (cause) => (reason = cause.message), CONNECT_MS);
    try {
      await whenReady(redis, CONNECT_MS);
      if (redis.status !== 'ready') return [unreachable(reason)];
      const found = await Promise.all(masters(redis).map((node) => lookAtNode(node)));
      return found.flat();
    } catch (cause) {
      const { name, message } = cause as Error;
      return [unreachable(name === 'MaxRetriesPerRequestError' ? reason : message)];
    } finally {
      redis.disconnect();
    }
  },
};

function unreachable(reason: string): Finding {
  const isLogin = /NOAUTH|WRONGPASS|NOPERM|AUTH/i.test(reason);
  const text = `Redis of REDIS_URL cannot be used: ${reason}`;
  return isLogin
    ? fault(text, `sudo install -m 0600 /dev/stdin ${SECRETS}/REDIS_URL, and type redis://:PASSWORD@HOST:6379`)
    : fault(text, 'redis-cli ping; sudo systemctl start redis-server');
}

type Node = Pick<Redis, 'info' | 'config'>;

async function lookAtNode(node: Node): Promise<readonly Finding[]> {
  const { faultsOfNode, parseInfo } = await import('../../core/stores/redis.ts');
  const info = parseInfo(
    (await Promise.all(['server', 'memory', 'persistence', 'replication'].map((one) => node.info(one)))).join('\r\n'),
  );
  const version = info.get('redis_version') ?? '0';
  const settings = (await faultsOfNode(node)).map((text) =>
    fault(
      `Redis may lose keys and limits: ${text}`,
      `redis-cli config set ${text.startsWith('appendonly') ? 'appendonly yes' : 'maxmemory-policy noeviction'} && redis-cli config rewrite`,
    ),
  );
  const found = [
    ...(isOlder(version, OLDEST)
      ? [fault(`Redis ${version} is older than ${OLDEST}`, 'sudo apt install redis-server')]
      : []),
    ...settings,
    ...stateOf(info),
    ...(await closedToOthers(node)),
  ];
  return found.some(({ state }) => state !== 'not checked')
    ? found
    : [...found, good(`Redis ${version} answers, and keeps what it gets`)];
}

function isOlder(version: string, than: string): boolean {
  const [[major = 0, minor = 0], [oldMajor = 0, oldMinor = 0]] = [version, than].map((one) =>
    one.split('.').map(Number),
  ) as [number[], number[]];
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}

function stateOf(info: ReadonlyMap<string, string>): Finding[] {
  const [used, most] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))];
  const unsaved = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'].filter(
    (name) => info.get(name) === 'err',
  );
  return [
    ...(info.get('role') === 'slave'
      ? [fault('Redis is a replica, which takes no changes', 'name its master in REDIS_URL')]
      : []),
    ...(unsaved.length > 0
      ? [
          fault(
            `Redis cannot write to its disk (${unsaved.join(', ')})`,
            'df -h /var/lib/redis; journalctl -u redis-server -n 20',
          ),
        ]
      : []),
    ...(most > 0 && used > 0.9 * most
      ? [
          warning(
            `Redis uses ${Math.round((100 * used) / most)} % of its maxmemory; at 100 % it takes no changes`,
            'redis-cli config set maxmemory BYTES && redis-cli config rewrite',
          ),
        ]
      : []),
  ];
}

/** Who reaches a Redis without a password reads hashes of keys, and may change limits. */
async function closedToOthers(node: Node): Promise<Finding[]> {
  try {
    const read = async (name: string): Promise<string> =>
      ((await node.config('GET', name)) as readonly string[])[1] ?? '';
    const [port, tlsPort, bind] = [await read('port'), await read('tls-port'), await read('bind')];
    const isOpen =
      (port !== '0' || !['0', ''].includes(tlsPort)) &&
      bind.split(/\s+/).some((one) => !/^-?(127\.|::1$|localhost$)/.test(one));
    if (!isOpen || (await read('requirepass')) !== '' || (await read('protected-mode')) === 'yes') return [];
    return [
      warning(
        'Redis listens to other machines without a password',
        'redis-cli config set requirepass PASSWORD && redis-cli config rewrite, and the password into REDIS_URL; or bind 127.0.0.1 in /etc/redis/redis.conf',
      ),
    ];
  } catch (cause) {
    return [unchecked(`whether Redis is closed to others: ${cause instanceof Error ? cause.message : String(cause)}`)];
  }
}
