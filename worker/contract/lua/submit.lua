-- Takes one delivery in, once: finds or makes the wish's open record, queues it and rings, or changes nothing.
-- KEYS: delivery, ask (the same comment or label event), wish, job, waiting list, repositories, doorbell list
-- ARGV: prefix, job id, repository id, seconds to remember, trigger, doorbell message, field, value, ...
for i = 1, 2 do
  local known = redis.call('GET', KEYS[i])
  if known then return { known, 'known' } end
end

local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
local id = redis.call('GET', KEYS[3])
local how = 'joined'

if id and redis.call('EXISTS', ARGV[1] .. 'job:' .. id) == 1 then
  -- JSON text is joined, never decoded: the server's own JSON turns [] into {} and rounds large numbers.
  local job = ARGV[1] .. 'job:' .. id
  local triggers = redis.call('HGET', job, 'triggers')
  redis.call('HSET', job, 'triggers', string.sub(triggers, 1, -2) .. ',' .. ARGV[5] .. ']', 'updated', now)
  redis.call('XADD', ARGV[1] .. 'events:' .. id, 'MAXLEN', '~', 1000, '*', 'kind', 'trigger', 'data', ARGV[5])
elseif redis.call('EXISTS', KEYS[4]) == 1 then
  return { ARGV[2], 'known' }
else
  id = ARGV[2]
  how = 'made'
  redis.call('HSET', KEYS[4], unpack(ARGV, 7))
  redis.call('HSET', KEYS[4], 'created', now, 'updated', now)
  redis.call('SET', KEYS[3], id)
  redis.call('RPUSH', KEYS[5], id)
  redis.call('SADD', KEYS[6], ARGV[3])
  redis.call('LPUSH', KEYS[7], ARGV[6])
  redis.call('XADD', ARGV[1] .. 'events:' .. id, 'MAXLEN', '~', 1000, '*', 'kind', 'state', 'data', '"queued"')
end

redis.call('SET', KEYS[1], id, 'EX', ARGV[4])
redis.call('SET', KEYS[2], id, 'EX', ARGV[4])
return { id, how }
