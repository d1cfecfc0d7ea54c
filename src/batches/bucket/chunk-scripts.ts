/** Scripts about the chunks of batches. */
import { batchScript } from './scripts.ts';

/**
 * Gives a chunk that came out of the queue to a machine, or says why not. Chunks of a cancelled batch that were never taken are skipped; others are
 * done, because they may be billed already. Of a batch with an error, only a chunk is done that this machine may have billed. Says whether it may.
 */
export const lease = batchScript(
  {
    id: 'text',
    index: 'number',
    token: 'text',
    machine: 'text',
    takeOverMs: 'number',
    atIso: 'text',
    turn: 'number',
    leastAgeMs: 'number',
  },
  `local state = redis.call('HGET', job(id), 'state')
local taken = number(id, 'taken')
local isOver = state ~= 'queued' and state ~= 'running'
local hasFailed = redis.call('HEXISTS', job(id), 'error') == 1
local chunk = chunkOf(id, index)
local isOurs = chunk.machine == machine
if isOver or chunk.done or (hasFailed and not isOurs) or (number(id, 'isCancelled') == 1 and index >= taken) then
  redis.call('SREM', p .. 'claims:' .. machine, id .. '/' .. index)
  return { 'skip' }
end
if chunk.machine and not isOurs and now() - chunk.at < takeOverMs then return { 'later', tostring(chunk.at + takeOverMs) } end
if leastAgeMs > 0 and (not isOurs or now() - chunk.at < leastAgeMs) then return { 'later', '0' } end
if isOurs and not hasFailed then chunk.at = now() end
chunk.token = token
keep(id, index, chunk)
if index >= taken then redis.call('HSET', job(id), 'taken', index + 1) end
if state == 'queued' then redis.call('HSET', job(id), 'state', 'running', 'startedAt', atIso) end
if turn > tonumber(redis.call('HGET', p .. 'turns', 'v') or '0') then redis.call('HSET', p .. 'turns', 'v', turn) end
return { 'take', isOurs and 'ours' or '', unpack(redis.call('HGETALL', job(id))) }
`,
);

/** Whether a chunk is still of the worker with this token. */
export const isLeased = batchScript(
  { id: 'text', index: 'number', token: 'text' },
  `local state = redis.call('HGET', job(id), 'state')
local chunk = chunkOf(id, index)
local isToFail = redis.call('HEXISTS', job(id), 'error') == 1 and not chunk.machine
return (state == 'running' and chunk.token == token and not chunk.done and not isToFail) and 1 or 0
`,
);

/** Counts a thread that was lost at a chunk. Returns how many there were; 0 when the chunk is not of the worker with this token. */
export const countLoss = batchScript(
  { id: 'text', index: 'number', token: 'text' },
  `local chunk = chunkOf(id, index)
if redis.call('HGET', job(id), 'state') ~= 'running' or chunk.token ~= token or chunk.done then return 0 end
chunk.losses = (chunk.losses or 0) + 1
keep(id, index, chunk)
return chunk.losses
`,
);

/**
 * Decides which machine bills a chunk. Until `takeOverMs` after it got the right, or last said that it is there, no other gets it. Returns the name of
 * the answers that these replace.
 */
export const claim = batchScript(
  {
    id: 'text',
    index: 'number',
    token: 'text',
    machine: 'text',
    takeOverMs: 'number',
    object: 'text',
    bytes: 'number',
    counts: 'text',
  },
  `if redis.call('HGET', job(id), 'state') ~= 'running' then return { 'lost' } end
local chunk = chunkOf(id, index)
if chunk.done or chunk.token ~= token then return { 'lost' } end
if redis.call('HEXISTS', job(id), 'error') == 1 and chunk.machine ~= machine then return { 'lost' } end
if chunk.machine and chunk.machine ~= machine then
  if now() - chunk.at < takeOverMs then return { 'lost' } end
  redis.call('SREM', p .. 'claims:' .. chunk.machine, id .. '/' .. index)
end
local replaced = chunk.object
chunk.object, chunk.bytes, chunk.counts, chunk.machine, chunk.at = object, bytes, counts, machine, now()
keep(id, index, chunk)
redis.call('SADD', p .. 'claims:' .. machine, id .. '/' .. index)
return { 'won', replaced and replaced ~= object and replaced or '' }
`,
);

/** Makes the answers of a billed chunk visible. */
export const done = batchScript(
  { id: 'text', index: 'number', machine: 'text', object: 'text', againMs: 'number', takeOverMs: 'number' },
  `if redis.call('HGET', job(id), 'state') ~= 'running' then
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
local hasFailed = redis.call('HEXISTS', job(id), 'error') == 1
if redis.call('HINCRBY', job(id), 'done', 1) < last and (not hasFailed or isAnyClaimed(id, takeOverMs)) then return 'stored' end
redis.call('HSET', job(id), 'state', 'finalizing')
redis.call('SADD', p .. 'ending', id)
return 'last'
`,
);
