/** Scripts about the snapshots that batches need. */
import { COMMON } from './script-parts.ts';

/** Notes the snapshots that a machine has. Returns for how long no machine has said so of those that it lacks, in ms. */
export const presence = `${COMMON}
for _, snapshot in ipairs(cjson.decode(ARGV[1])) do redis.call('HSET', p .. 'had', snapshot, now()) end
local ages = {}
for i, snapshot in ipairs(cjson.decode(ARGV[2])) do ages[i] = now() - tonumber(redis.call('HGET', p .. 'had', snapshot) or '0') end
return ages
`;

/** Deletes what BullMQ keeps of a queue beside its entries. */
export const closeQueue = `${COMMON}
local snapshot = ARGV[1]
for _, other in ipairs(redis.call('HVALS', p .. 'live')) do if other == snapshot then return 0 end end
local queue = p .. 'chunks-' .. snapshot .. ':'
if redis.call('EXISTS', queue .. 'wait', queue .. 'active', queue .. 'prioritized', queue .. 'delayed') > 0 then return 0 end
for _, name in ipairs({ 'meta', 'events', 'id', 'pc', 'marker', 'stalled', 'stalled-check' }) do redis.call('DEL', queue .. name) end
redis.call('HDEL', p .. 'had', snapshot)
return redis.call('SREM', p .. 'queues', snapshot)
`;
