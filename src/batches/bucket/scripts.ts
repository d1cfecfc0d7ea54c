import { redisScript, type RedisScript } from '../../stores/redis-script.ts';

/**
 * What has to happen at once in Redis. Each script gets the prefix of all names as its one key: the prefix has a hash tag, so that a cluster keeps
 * all of it on one node. Times are Redis's own, because the clocks of machines differ.
 *
 * Names below the prefix: `job:<id>` (hash, a batch), `chunks:<id>` (hash, index to JSON: lease `token`; `losses`, threads that were lost at it; `machine`, `at`, `object`, `bytes`, `counts` of
 * who may bill it; `done`), `live` (hash, unfinished batch to snapshot), `enqueue` (sorted set, when the queue has to be filled again), `queues`
 * (set of snapshots), `had` (hash, snapshot to when a machine last had it), `ending` (set, batches whose last step is open), `claims:<machine>` (set of `<id>/<index>`), `turns` (hash), `room` (hash, batches that are kept and their bytes), the
 * sorted sets of batch ids `key:<key id>`, `ended`, `expiring`, `uploads`, `trash`, `machines` (sorted set, when each was last heard of), and the strings `format`, `rows:<key id>:<day>` and `same:<key id>:<hash>`.
 */
export const PREFIX = '{land-lookup:batches}:';

/** Of what is in Redis. Version 0.2.0 wrote the same without a number. Each script refuses a number of a later version. */
const FORMAT = 1;

const COMMON = `
local known = ${FORMAT}
local format = tonumber(redis.call('GET', p .. 'format') or known)
if format > known then
  local formats = '(format ' .. format .. '; this version knows ' .. known .. ')'
  return redis.error_reply('ERR batches in Redis were written by a later version of land-lookup ' .. formats)
end
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function job(id) return p .. 'job:' .. id end
local function chunkOf(id, index)
  local text = redis.call('HGET', p .. 'chunks:' .. id, index)
  return text and cjson.decode(text) or {}
end
local function keep(id, index, chunk) redis.call('HSET', p .. 'chunks:' .. id, index, cjson.encode(chunk)) end
local function number(id, field) return tonumber(redis.call('HGET', job(id), field) or '0') end
local function isAnyClaimed(id, takeOverMs)
  for _, text in ipairs(redis.call('HVALS', p .. 'chunks:' .. id)) do
    local chunk = cjson.decode(text)
    if chunk.machine and not chunk.done and now() - chunk.at < takeOverMs then return true end
  end
  return false
end
local function giveRowsBack(id, count)
  local rows = p .. 'rows:' .. redis.call('HGET', job(id), 'keyId') .. ':' .. redis.call('HGET', job(id), 'day')
  if count > 0 and redis.call('EXISTS', rows) == 1 then redis.call('DECRBY', rows, count) end
end
local function hold(id, bytes)
  local keyId, before = redis.call('HGET', job(id), 'keyId'), number(id, 'held')
  local batches = (bytes > 0 and 1 or 0) - (before > 0 and 1 or 0)
  redis.call('HINCRBY', p .. 'room', 'all', bytes - before)
  redis.call('HINCRBY', p .. 'room', 'bytes:' .. keyId, bytes - before)
  if redis.call('HINCRBY', p .. 'room', 'batches:' .. keyId, batches) <= 0 then
    redis.call('HDEL', p .. 'room', 'batches:' .. keyId, 'bytes:' .. keyId)
  end
  redis.call('HSET', job(id), 'held', bytes)
end
local function retire(id)
  if redis.call('HDEL', p .. 'live', id) == 0 then return end
  redis.call('ZREM', p .. 'enqueue', id)
  redis.call('SREM', p .. 'ending', id)
  local keyId = redis.call('HGET', job(id), 'keyId')
  if redis.call('HINCRBY', p .. 'turns', 'n:' .. keyId, -1) <= 0 then redis.call('HDEL', p .. 'turns', 'n:' .. keyId, 'f:' .. keyId) end
  if redis.call('HLEN', p .. 'live') == 0 then redis.call('DEL', p .. 'turns') end
  local answered = number(id, 'found') + number(id, 'notFound') + number(id, 'outside') + number(id, 'invalid') + number(id, 'failed')
  giveRowsBack(id, number(id, 'rows') - answered)
end
`;

/** Makes a script; `p` is the prefix. */
export function batchScript<const F extends Parameters<typeof redisScript>[1]>(
  fields: F,
  body: string,
): RedisScript<'p', F> {
  return redisScript(['p'], fields, COMMON + body);
}
