/** The tables that versions up to 0.2.0 kept keys in, and how their content becomes documents. */
import type { Database } from 'better-sqlite3';
import type { EarlierFormat } from '../files/open-store.ts';
import { addColumns } from '../../messages/store-format.ts';

/** What version 0.1.0 does not have. */
const LATER_TABLES = `
  CREATE TABLE IF NOT EXISTS webhook_secrets (key_id TEXT PRIMARY KEY, secrets TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS api_key_use (key_id TEXT PRIMARY KEY, last_used_at TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS signup (id TEXT PRIMARY KEY, is_finished INTEGER NOT NULL, record TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS customer (customer TEXT PRIMARY KEY, suspended_at TEXT, reason TEXT NOT NULL, resumed_at TEXT);
`;

const LATER_COLUMNS = {
  api_key: { limits: `TEXT NOT NULL DEFAULT '{}'` },
  customer: { cause: `TEXT NOT NULL DEFAULT 'operator'` },
};

const MOVE = `
  INSERT INTO document (collection, id, text, is_open)
    SELECT 'records', id, json_object('id', id, 'name', name, 'limitPerHour', limit_per_hour, 'customer', customer,
      'limits', json(limits), 'createdAt', created_at, 'expiresAt', expires_at, 'revokedAt', revoked_at,
      'secrets', json((SELECT json_group_array(json_object('hash', hash, 'createdAt', created_at, 'expiresAt', expires_at)
        ORDER BY created_at, hash) FROM api_key_secret WHERE key_id = api_key.id))), 0
    FROM api_key
    UNION ALL SELECT 'customers', customer, json_object('customer', customer, 'suspendedAt', suspended_at,
      'reason', reason, 'resumedAt', resumed_at, 'cause', cause), 0 FROM customer
    UNION ALL SELECT 'signups', id, record, NOT is_finished FROM signup
    UNION ALL SELECT 'webhook-secrets', key_id, secrets, 0 FROM webhook_secrets;
  INSERT INTO unique_value (collection, value, id) SELECT 'records', hash, key_id FROM api_key_secret;
  INSERT INTO raised (collection, name, text) SELECT 'last-used', key_id, last_used_at FROM api_key_use;
  INSERT INTO log (seq, text) SELECT seq, json_object('at', at, 'actor', actor, 'action', action, 'keyId', key_id,
    'detail', detail) FROM api_key_audit;
  DROP TABLE api_key_secret;
  DROP TABLE api_key;
  DROP TABLE api_key_audit;
  DROP TABLE api_key_use;
  DROP TABLE customer;
  DROP TABLE signup;
  DROP TABLE webhook_secrets;
`;

/**
 * The tables as version 0.2.0 reads them: while an upgrade restarts the processes of a machine one after another, those that still wait for it go
 * on with the keys as they are now. They change nothing, because views cannot be written. A later version may drop them.
 */
const VIEWS = `
  CREATE VIEW api_key AS SELECT id, text ->> '$.name' AS name, text ->> '$.limitPerHour' AS limit_per_hour, customer,
    text ->> '$.createdAt' AS created_at, text ->> '$.expiresAt' AS expires_at, text ->> '$.revokedAt' AS revoked_at,
    text -> '$.limits' AS limits FROM document WHERE collection = 'records';
  CREATE VIEW api_key_secret AS SELECT u.value AS hash, u.id AS key_id, one.value ->> '$.createdAt' AS created_at,
    one.value ->> '$.expiresAt' AS expires_at
    FROM unique_value u JOIN document USING (collection, id) JOIN json_each(text, '$.secrets') AS one
    WHERE u.collection = 'records' AND one.value ->> '$.hash' = u.value;
  CREATE VIEW customer AS SELECT id AS customer, text ->> '$.suspendedAt' AS suspended_at, text ->> '$.reason' AS reason,
    text ->> '$.resumedAt' AS resumed_at, text ->> '$.cause' AS cause FROM document WHERE collection = 'customers';
`;

export const keyTables: EarlierFormat = {
  table: 'api_key',
  upgrade(db: Database) {
    db.exec(LATER_TABLES);
    addColumns(db, LATER_COLUMNS);
    db.exec(MOVE);
    db.exec(VIEWS);
  },
};
