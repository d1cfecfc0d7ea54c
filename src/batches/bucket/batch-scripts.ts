/** Scripts about batches as a whole, and about all of them. */
import { batchScript } from './scripts.ts';

/**
 * Accepts a batch. Turns: a chunk's number is 1 more than the number of the key's chunk before it, and larger than that of the last chunk taken.
 * Taken in the order of these numbers, keys take turns chunk by chunk.
 */
export const accept = batchScript(
  {
    id: 'text',
    keyId: 'text',
    snapshot: 'text',
    chunks: 'number',
    rows: 'number',
    rowsPerDay: 'number',
    day: 'text',
    sameKey: 'text',
    sameRequest: 'text',
    sameMs: 'number',
    record: 'text',
    stored: 'number',
    expected: 'number',
    mostOfKey: 'number',
    mostOfAll: 'number',
    mostBatches: 'number',
  },
  `if redis.call('EXISTS', job(id)) == 1 then return { 'again', id } end
if sameKey ~= '' then
  local earlier = redis.call('GET', p .. 'same:' .. keyId .. ':' .. sameKey)
  local earlierId = earlier and string.sub(earlier, 66)
  if earlier and redis.call('EXISTS', job(earlierId)) == 1 then
    return { string.sub(earlier, 1, 64) == sameRequest and 'again' or 'other', earlierId }
  end
end
if not redis.call('ZSCORE', p .. 'uploads', id) then return { 'lost' } end
local function held(field) return tonumber(redis.call('HGET', p .. 'room', field) or '0') end
local batches, ofKey, ofAll = held('batches:' .. keyId), held('bytes:' .. keyId), held('all')
local used = p .. 'rows:' .. keyId .. ':' .. day
local ofDay = tonumber(redis.call('GET', used) or '0')
local needed = stored + expected
if batches >= mostBatches or ofKey + needed > mostOfKey or ofAll + needed > mostOfAll or ofDay + rows > rowsPerDay then
  return { 'full', tostring(batches), tostring(ofKey), tostring(ofAll), tostring(ofDay) }
end
redis.call('SET', p .. 'format', known)
redis.call('INCRBY', used, rows)
redis.call('PEXPIRE', used, 172800000)
if sameKey ~= '' then redis.call('SET', p .. 'same:' .. keyId .. ':' .. sameKey, sameRequest .. ' ' .. id, 'PX', sameMs) end
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
`,
);

/**
 * Ends a batch as soon as nothing of it is under way (`error` empty: it is cancelled). With an error it waits only for chunks that a machine may be billing:
 * what is billed must be read. It is called again for these (`ending`), until they are done or nobody was heard of for `takeOverMs`.
 */
export const stop = batchScript(
  { id: 'text', error: 'text', takeOverMs: 'number' },
  `local state = redis.call('HGET', job(id), 'state')
if state ~= 'queued' and state ~= 'running' then return 'over' end
if error == '' then redis.call('HSET', job(id), 'isCancelled', 1) else redis.call('HSET', job(id), 'error', error) end
if error == '' and number(id, 'done') < number(id, 'taken') then return 'under way' end
redis.call('SADD', p .. 'ending', id)
if error ~= '' and isAnyClaimed(id, takeOverMs) then return 'under way' end
redis.call('HSET', job(id), 'state', 'finalizing')
return 'ending'
`,
);

/** The last step: from here on the bucket knows which objects are the results, and Redis forgets the chunks. */
export const finish = batchScript(
  {
    id: 'text',
    state: 'text',
    endedAt: 'text',
    endedMs: 'number',
    expiresAt: 'text',
    expiresMs: 'number',
    readable: 'number',
    machine: 'text',
  },
  `if redis.call('HGET', job(id), 'state') ~= 'finalizing' then return 0 end
redis.call('HSET', job(id), 'state', state, 'endedAt', endedAt, 'expiresAt', expiresAt, 'ready', readable, 'endedBy', machine)
redis.call('DEL', p .. 'chunks:' .. id)
retire(id)
hold(id, number(id, 'stored') + number(id, 'resultBytes'))
redis.call('ZADD', p .. 'ended', endedMs, id)
redis.call('ZADD', p .. 'expiring', expiresMs, id)
return 1
`,
);

/** Forgets a batch; its objects are deleted by whoever empties the trash. */
export const forget = batchScript(
  { id: 'text' },
  `local keyId = redis.call('HGET', job(id), 'keyId')
if not keyId then return 0 end
retire(id)
hold(id, 0)
redis.call('DEL', job(id), p .. 'chunks:' .. id)
redis.call('ZREM', p .. 'key:' .. keyId, id)
redis.call('ZREM', p .. 'ended', id)
redis.call('ZREM', p .. 'expiring', id)
redis.call('ZADD', p .. 'trash', now(), id)
return 1
`,
);

/** Results are deleted: the record stays for a while, so that the client is told. */
export const expire = batchScript(
  { id: 'text', endedAt: 'text', endedMs: 'number', forgetMs: 'number', machine: 'text' },
  `if redis.call('EXISTS', job(id)) == 0 then return redis.call('ZREM', p .. 'expiring', id) end
if redis.call('HGET', job(id), 'state') == 'expired' then return 0 end
redis.call('HSET', job(id), 'state', 'expired', 'endedAt', endedAt, 'endedBy', machine)
hold(id, 0)
redis.call('ZADD', p .. 'ended', endedMs, id)
redis.call('ZADD', p .. 'expiring', endedMs + forgetMs, id)
redis.call('ZADD', p .. 'trash', now(), id)
return 1
`,
);

/**
 * The batches that have ended after `afterMs` and whose end this machine reports: those that it ended itself, and those that it takes over of a machine
 * that has been silent for `goneMs` and ended them after, or shortly before, it was last heard of. It looks for these as far back as a machine may have
 * become silent that was not gone yet when this one last looked, but not more than a day further: each call is one step of Redis. What it takes over
 * counts as ended now, so that later calls return it too. Versions up to 0.2.0 wrote ends with the clock of their machine, later ones with that of Redis:
 * `afterMs` is taken for the earlier one of the two, as the difference to the machine's time `nowMs` shows them.
 */
export const ended = batchScript(
  { afterMs: 'number', machine: 'text', goneMs: 'number', nowMs: 'number' },
  `local heard, machines = {}, redis.call('ZRANGE', p .. 'machines', 0, -1, 'WITHSCORES')
for i = 1, #machines, 2 do heard[machines[i]] = tonumber(machines[i + 1]) end
local looked = math.max(math.min(heard[machine] or now(), now()), now() - 86400000)
redis.call('ZADD', p .. 'machines', now(), machine)
redis.call('ZREMRANGEBYSCORE', p .. 'machines', '-inf', now() - 2592000000)
local after = math.min(afterMs, afterMs + now() - nowMs)
local from = math.min(after, looked - goneMs - 60000)
local ids, found = {}, redis.call('ZRANGEBYSCORE', p .. 'ended', '(' .. from, '+inf', 'WITHSCORES')
for i = 1, #found, 2 do
  local id, at = found[i], tonumber(found[i + 1])
  local by = redis.call('HGET', job(id), 'endedBy')
  if by and by ~= machine then
    local seen = heard[by] or 0
    if now() - seen >= goneMs and at >= seen - 60000 then
      by, at = machine, now()
      redis.call('HSET', job(id), 'endedBy', machine)
      redis.call('ZADD', p .. 'ended', at, id)
    end
  end
  if by == machine and at > after then ids[#ids + 1] = id end
end
return ids
`,
);

/** Counts the batches that have not ended; the id says when a batch was accepted. */
export const backlog = batchScript(
  {},
  `local queued, running, oldest = 0, 0, ''
for _, id in ipairs(redis.call('HKEYS', p .. 'live')) do
  if redis.call('HGET', job(id), 'state') == 'queued' then
    queued = queued + 1
    if oldest == '' or id < oldest then oldest = id end
  else
    running = running + 1
  end
end
return { tostring(queued), tostring(running), oldest }
`,
);

/** Notes the snapshots that a machine has. Returns for how long no machine has said so of those that it lacks, in ms. */
export const presence = batchScript(
  { has: 'texts', lacks: 'texts' },
  `for _, snapshot in ipairs(has) do redis.call('HSET', p .. 'had', snapshot, now()) end
local ages = {}
for i, snapshot in ipairs(lacks) do ages[i] = now() - tonumber(redis.call('HGET', p .. 'had', snapshot) or '0') end
return ages
`,
);

/** Forgets the queue of a snapshot, unless a batch of it was accepted meanwhile. */
export const forgetQueue = batchScript(
  { snapshot: 'text' },
  `for _, other in ipairs(redis.call('HVALS', p .. 'live')) do if other == snapshot then return 0 end end
redis.call('HDEL', p .. 'had', snapshot)
redis.call('SREM', p .. 'queues', snapshot)
return 1
`,
);
