/**
 * What has to happen at once in Redis. Each script gets the prefix of all names as its one key: the prefix has a hash tag, so that a cluster keeps
 * all of it on one node. Times are Redis's own, because the clocks of machines differ.
 *
 * Names below the prefix: `job:<id>` (hash, a batch), `chunks:<id>` (hash, index to JSON: lease `token`; `machine`, `at`, `object`, `bytes`, `counts` of
 * who may bill it; `done`), `live` (hash, unfinished batch to snapshot), `enqueue` (sorted set, when the queue has to be filled again), `queues`
 * (set of snapshots), `had` (hash, snapshot to when a machine last had it), `ending` (set, batches whose last step is open), `claims:<machine>` (set of `<id>/<index>`), `turns` (hash), `room` (hash, batches that are kept and their bytes), the
 * sorted sets of batch ids `key:<key id>`, `ended`, `expiring`, `uploads`, `trash`, `machines` (sorted set, when each was last heard of), and the strings `rows:<key id>:<day>` and `same:<key id>:<hash>`.
 */

const COMMON = `
local p = KEYS[1]
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function job(id) return p .. 'job:' .. id end
local function chunkOf(id, index)
  local text = redis.call('HGET', p .. 'chunks:' .. id, index)
  return text and cjson.decode(text) or {}
end
local function keep(id, index, chunk) redis.call('HSET', p .. 'chunks:' .. id, index, cjson.encode(chunk)) end
local function number(id, field) return tonumber(redis.call('HGET', job(id), field) or '0') end
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

/**
 * Accepts a batch. Turns: a chunk's number is 1 more than the number of the key's chunk before it, and larger than that of the last chunk taken.
 * Taken in the order of these numbers, keys take turns chunk by chunk.
 */
const accept = `${COMMON}
local id, keyId, snapshot, chunks, rows, perDay, day, same, hash, record =
  ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local sameMs, stored, expected, mostOfKey, mostOfAll, mostBatches =
  ARGV[11], tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14]), tonumber(ARGV[15]), tonumber(ARGV[16])
if redis.call('EXISTS', job(id)) == 1 then return { 'again', id } end
if same ~= '' then
  local earlier = redis.call('GET', p .. 'same:' .. keyId .. ':' .. same)
  local earlierId = earlier and string.sub(earlier, 66)
  if earlier and redis.call('EXISTS', job(earlierId)) == 1 then
    return { string.sub(earlier, 1, 64) == hash and 'again' or 'other', earlierId }
  end
end
if not redis.call('ZSCORE', p .. 'uploads', id) then return { 'lost' } end
local kept = tonumber(redis.call('HGET', p .. 'room', 'batches:' .. keyId) or '0')
if kept >= mostBatches then return { 'batches', tostring(kept) } end
local ofKey = tonumber(redis.call('HGET', p .. 'room', 'bytes:' .. keyId) or '0')
if ofKey + stored + expected > mostOfKey then return { 'key room', tostring(ofKey) } end
local ofAll = tonumber(redis.call('HGET', p .. 'room', 'all') or '0')
if ofAll + stored + expected > mostOfAll then return { 'room', tostring(ofAll) } end
local used = p .. 'rows:' .. keyId .. ':' .. day
local already = tonumber(redis.call('GET', used) or '0')
if already + rows > perDay then return { 'rows', tostring(already) } end
redis.call('INCRBY', used, rows)
redis.call('PEXPIRE', used, 172800000)
if same ~= '' then redis.call('SET', p .. 'same:' .. keyId .. ':' .. same, hash .. ' ' .. id, 'PX', sameMs) end
local taken = tonumber(redis.call('HGET', p .. 'turns', 'v') or '0')
local first = math.max(taken, tonumber(redis.call('HGET', p .. 'turns', 'f:' .. keyId) or '0')) + 1
redis.call('HSET', p .. 'turns', 'f:' .. keyId, first + chunks - 1)
redis.call('HINCRBY', p .. 'turns', 'n:' .. keyId, 1)
redis.call('HSET', job(id), 'record', record, 'keyId', keyId, 'snapshot', snapshot, 'chunks', chunks, 'rows', rows, 'day', day,
  'first', first, 'stored', stored, 'state', 'queued')
hold(id, stored + expected)
redis.call('HSET', p .. 'live', id, snapshot)
redis.call('SADD', p .. 'queues', snapshot)
redis.call('ZADD', p .. 'key:' .. keyId, 0, id)
redis.call('ZADD', p .. 'enqueue', now() + 5000, id)
redis.call('ZREM', p .. 'uploads', id)
return { 'new', id }
`;

/**
 * Gives a chunk that came out of the queue to a machine, or says why not. Chunks of a cancelled batch that were never taken are skipped; others are
 * done, because they may be billed already.
 */
const lease = `${COMMON}
local id, index, token, machine, takeOverMs, atIso, turn, leastAgeMs =
  ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local state = redis.call('HGET', job(id), 'state')
local taken = number(id, 'taken')
local isOver = state ~= 'queued' and state ~= 'running'
local chunk = chunkOf(id, index)
if isOver or chunk.done or (number(id, 'isCancelled') == 1 and index >= taken) then
  redis.call('SREM', p .. 'claims:' .. machine, id .. '/' .. index)
  return { 'skip' }
end
if chunk.machine and chunk.machine ~= machine and now() - chunk.at < takeOverMs then return { 'later', tostring(chunk.at + takeOverMs) } end
if leastAgeMs > 0 and (chunk.machine ~= machine or now() - chunk.at < leastAgeMs) then return { 'later', '0' } end
if chunk.machine == machine then chunk.at = now() end
chunk.token = token
keep(id, index, chunk)
if index >= taken then redis.call('HSET', job(id), 'taken', index + 1) end
if state == 'queued' then redis.call('HSET', job(id), 'state', 'running', 'startedAt', atIso) end
if turn > tonumber(redis.call('HGET', p .. 'turns', 'v') or '0') then redis.call('HSET', p .. 'turns', 'v', turn) end
return { 'take', unpack(redis.call('HGETALL', job(id))) }
`;

/** Whether a chunk is still of the worker with this token. */
const isLeased = `${COMMON}
local id, index, token = ARGV[1], ARGV[2], ARGV[3]
local state = redis.call('HGET', job(id), 'state')
local chunk = chunkOf(id, index)
return (state == 'running' and chunk.token == token and not chunk.done) and 1 or 0
`;

/**
 * Decides which machine bills a chunk. Until \`takeOverMs\` after it got the right, or last said that it is there, no other gets it. Returns the name of
 * the answers that these replace.
 */
const claim = `${COMMON}
local id, index, token, machine, takeOverMs, object, bytes, counts = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]), ARGV[8]
if redis.call('HGET', job(id), 'state') ~= 'running' then return { 'lost' } end
local chunk = chunkOf(id, index)
if chunk.done or chunk.token ~= token then return { 'lost' } end
if chunk.machine and chunk.machine ~= machine then
  if now() - chunk.at < takeOverMs then return { 'lost' } end
  redis.call('SREM', p .. 'claims:' .. chunk.machine, id .. '/' .. index)
end
local replaced = chunk.object
chunk.object, chunk.bytes, chunk.counts, chunk.machine, chunk.at = object, bytes, counts, machine, now()
keep(id, index, chunk)
redis.call('SADD', p .. 'claims:' .. machine, id .. '/' .. index)
return { 'won', replaced and replaced ~= object and replaced or '' }
`;

/** Makes the answers of a billed chunk visible. */
const done = `${COMMON}
local id, index, machine, object, againMs = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if redis.call('HGET', job(id), 'state') ~= 'running' then
  redis.call('SREM', p .. 'claims:' .. machine, id .. '/' .. index)
  return 'lost'
end
local chunk = chunkOf(id, index)
if chunk.object ~= object then return 'lost' end
if chunk.done then return 'stored' end
redis.call('SREM', p .. 'claims:' .. machine, id .. '/' .. index)
for outcome, rows in pairs(cjson.decode(chunk.counts)) do
  redis.call('HINCRBY', job(id), outcome, rows)
  if outcome == 'failed' then giveRowsBack(id, rows) end
end
redis.call('HINCRBY', job(id), 'resultBytes', chunk.bytes)
keep(id, index, { done = 1, object = chunk.object, bytes = chunk.bytes })
local ready, chunks = number(id, 'ready'), number(id, 'chunks')
while ready < chunks and chunkOf(id, ready).done do ready = ready + 1 end
redis.call('HSET', job(id), 'ready', ready)
redis.call('ZADD', p .. 'enqueue', now() + againMs, id)
local last = number(id, 'isCancelled') == 1 and number(id, 'taken') or chunks
if redis.call('HINCRBY', job(id), 'done', 1) < last then return 'stored' end
redis.call('HSET', job(id), 'state', 'finalizing')
redis.call('SADD', p .. 'ending', id)
return 'last'
`;

/** Ends a batch as soon as nothing of it is under way (\`error\` empty: it is cancelled), or at once with an error. */
const stop = `${COMMON}
local id, error = ARGV[1], ARGV[2]
local state = redis.call('HGET', job(id), 'state')
if state ~= 'queued' and state ~= 'running' then return 'over' end
if error == '' then redis.call('HSET', job(id), 'isCancelled', 1) else redis.call('HSET', job(id), 'error', error) end
if error == '' and number(id, 'done') < number(id, 'taken') then return 'under way' end
redis.call('HSET', job(id), 'state', 'finalizing')
redis.call('SADD', p .. 'ending', id)
return 'ending'
`;

/** The last step: from here on the bucket knows which objects are the results, and Redis forgets the chunks. */
const finish = `${COMMON}
local id, state, endedAt, endedMs, expiresAt, expiresMs, readable, machine =
  ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
if redis.call('HGET', job(id), 'state') ~= 'finalizing' then return 0 end
redis.call('HSET', job(id), 'state', state, 'endedAt', endedAt, 'expiresAt', expiresAt, 'ready', readable, 'endedBy', machine)
redis.call('DEL', p .. 'chunks:' .. id)
retire(id)
hold(id, number(id, 'stored') + number(id, 'resultBytes'))
redis.call('ZADD', p .. 'ended', endedMs, id)
redis.call('ZADD', p .. 'expiring', expiresMs, id)
return 1
`;

/** Forgets a batch; its objects are deleted by whoever empties the trash. */
const forget = `${COMMON}
local id = ARGV[1]
local keyId = redis.call('HGET', job(id), 'keyId')
if not keyId then return 0 end
retire(id)
hold(id, 0)
redis.call('DEL', job(id), p .. 'chunks:' .. id)
redis.call('ZREM', p .. 'key:' .. keyId, id)
redis.call('ZREM', p .. 'ended', id)
redis.call('ZREM', p .. 'expiring', id)
redis.call('ZADD', p .. 'trash', now(), id)
return 1
`;

/** Results are deleted: the record stays for a while, so that the client is told. */
const expire = `${COMMON}
local id, endedAt, endedMs, forgetMs, machine = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
if redis.call('EXISTS', job(id)) == 0 then return redis.call('ZREM', p .. 'expiring', id) end
if redis.call('HGET', job(id), 'state') == 'expired' then return 0 end
redis.call('HSET', job(id), 'state', 'expired', 'endedAt', endedAt, 'endedBy', machine)
hold(id, 0)
redis.call('ZADD', p .. 'ended', endedMs, id)
redis.call('ZADD', p .. 'expiring', endedMs + forgetMs, id)
redis.call('ZADD', p .. 'trash', now(), id)
return 1
`;

/**
 * The batches that have ended and whose end this machine reports: those that it ended itself, and those of a machine that has been silent for `goneMs`
 * and ended them after, or shortly before, it was last heard of.
 */
const ended = `${COMMON}
local afterMs, machine, goneMs = ARGV[1], ARGV[2], tonumber(ARGV[3])
redis.call('ZADD', p .. 'machines', now(), machine)
redis.call('ZREMRANGEBYSCORE', p .. 'machines', '-inf', now() - 2592000000)
local ids = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', p .. 'ended', '(' .. afterMs, '+inf')) do
  local by = redis.call('HGET', job(id), 'endedBy')
  if by and by ~= machine then
    local seen = tonumber(redis.call('ZSCORE', p .. 'machines', by) or '0')
    if now() - seen >= goneMs and tonumber(redis.call('ZSCORE', p .. 'ended', id)) >= seen - 60000 then
      redis.call('HSET', job(id), 'endedBy', machine)
      by = machine
    end
  end
  if by == machine then ids[#ids + 1] = id end
end
return ids
`;

/** Counts the batches that have not ended; the id says when a batch was accepted. */
const backlog = `${COMMON}
local queued, running, oldest = 0, 0, ''
for _, id in ipairs(redis.call('HKEYS', p .. 'live')) do
  if redis.call('HGET', job(id), 'state') == 'queued' then
    queued = queued + 1
    if oldest == '' or id < oldest then oldest = id end
  else
    running = running + 1
  end
end
return { tostring(queued), tostring(running), oldest }
`;

/** Notes the snapshots that a machine has. Returns for how long no machine has said so of those that it lacks, in ms. */
const presence = `${COMMON}
for _, snapshot in ipairs(cjson.decode(ARGV[1])) do redis.call('HSET', p .. 'had', snapshot, now()) end
local ages = {}
for i, snapshot in ipairs(cjson.decode(ARGV[2])) do ages[i] = now() - tonumber(redis.call('HGET', p .. 'had', snapshot) or '0') end
return ages
`;

/** Deletes what BullMQ keeps of a queue beside its entries. */
const closeQueue = `${COMMON}
local snapshot = ARGV[1]
for _, other in ipairs(redis.call('HVALS', p .. 'live')) do if other == snapshot then return 0 end end
local queue = p .. 'chunks-' .. snapshot .. ':'
if redis.call('EXISTS', queue .. 'wait', queue .. 'active', queue .. 'prioritized', queue .. 'delayed') > 0 then return 0 end
for _, name in ipairs({ 'meta', 'events', 'id', 'pc', 'marker', 'stalled', 'stalled-check' }) do redis.call('DEL', queue .. name) end
redis.call('HDEL', p .. 'had', snapshot)
return redis.call('SREM', p .. 'queues', snapshot)
`;

export const scripts = {
  accept,
  lease,
  isLeased,
  claim,
  done,
  stop,
  finish,
  forget,
  expire,
  ended,
  backlog,
  presence,
  closeQueue,
} as const;
