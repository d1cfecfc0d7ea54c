/**
 * A thread that ends while better-sqlite3 objects are alive: a database, a prepared statement, an iterator half way. It posts a message when
 * they are, then does what `workerData.then` says: `return` ends by itself, `exit` calls process.exit, `query` runs a query until it is
 * terminated from outside, `collect` collects garbage first.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

export type SqliteEnding = 'return' | 'exit' | 'query' | 'collect';

/** Tenths of a second inside one call of the binding, which `terminate()` does not interrupt: the thread ends when the call does. */
const LONG_QUERY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3e5) SELECT count(*) FROM n`;

const SOME_ROWS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n`;

if (!isMainThread) {
  const { then } = workerData as { then: SqliteEnding };
  const kept: unknown[] = [];
  for (let i = 0; i < 20; i++) {
    const db = new Database(':memory:');
    const rows = db.prepare(SOME_ROWS).iterate();
    rows.next();
    kept.push(db, db.prepare('SELECT 1'), rows);
  }
  if (then === 'collect') {
    kept.length = 0;
    globalThis.gc?.();
  }
  parentPort!.postMessage('open');
  if (then === 'exit') process.exit(0);
  if (then === 'query') new Database(':memory:').prepare(LONG_QUERY).get();
}
