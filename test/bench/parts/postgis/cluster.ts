/** A PostgreSQL of its own in a temporary folder: a unix socket, no network, gone when the program ends. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSIONS = '/usr/lib/postgresql';
const PACKAGES =
  'postgresql postgresql-15-postgis-3 gdal-bin (apt-get install; the middle one has the version in its name)';

/** Everything the data needs fits into memory, and nothing is spent on what one reader does not need. */
const SETTINGS = {
  listen_addresses: '',
  shared_buffers: '2GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  random_page_cost: '1.1',
  effective_cache_size: '8GB',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  plan_cache_mode: 'force_generic_plan',
  join_collapse_limit: '1',
  autovacuum: 'off',
  fsync: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
};

export interface Cluster {
  /** Where the server and its client programs may write. */
  readonly folder: string;
  /** For programs that connect by themselves. */
  readonly connection: string;
  version(): string;
  /** Runs SQL and gives what it prints: rows of text, no heads. */
  sql(text: string): string;
  pgbench(args: readonly string[]): string;
}

/** @throws Error that names the packages when they are missing. */
export function startCluster(): Cluster {
  const bin = programs();
  const isRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(join(tmpdir(), 'land-lookup-pg-'));
  if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
  // PostgreSQL refuses to run as root.
  const run = (program: string, args: readonly string[], input = ''): string => {
    const command = [join(bin, program), ...args];
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    return execFileSync(file!, rest, {
      cwd: folder,
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
  };
  const data = join(folder, 'data');
  process.once('exit', () => {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
    rmSync(folder, { recursive: true });
  });
  // While a client program runs, the signal ends that one, and its error this program; else the next wait.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const where = ['-h', folder, '-U', 'postgres'];
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: folder });
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
  const options = settings.map(([name, value]) => `-c ${name}='${value}'`).join(' ');
  run('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-o', options, 'start']);
  const sql = (text: string): string =>
    run('psql', [...where, '-d', 'postgres', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], text).trimEnd();
  return {
    folder,
    connection: `PG:host=${folder} user=postgres dbname=postgres`,
    version: () =>
      sql("SELECT 'PostgreSQL ' || current_setting('server_version') || ', PostGIS ' || PostGIS_Lib_Version()"),
    sql,
    pgbench: (args) => run('pgbench', [...where, ...args, 'postgres']),
  };
}

function programs(): string {
  const newest = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))[0] : undefined;
  const extension = `/usr/share/postgresql/${newest ?? ''}/extension/postgis.control`;
  if (newest === undefined || !existsSync(extension)) throw new Error(`this comparison needs the packages ${PACKAGES}`);
  return join(VERSIONS, newest, 'bin');
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
