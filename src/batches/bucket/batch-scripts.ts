/** Scripts about batches as a whole, and about all of them. */
import { COMMON } from './script-parts.ts';

/**
 * Accepts a batch. Turns: a chunk's number is 1 more than the number of the key's chunk before it, and larger than that of the last chunk taken.
 * Taken in the order of these numbers, keys take turns chunk by chunk.
 */
export const accept = `${COMMON}
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

/** Ends a batch as soon as nothing of it is under way (\`error\` empty: it is cancelled), or at once with an error. */
export const stop = `${COMMON}
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
export const finish = `${COMMON}
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
export const forget = `${COMMON}
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
export const expire = `${COMMON}
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
export const ended = `${COMMON}
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
export const backlog = `${COMMON}
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
