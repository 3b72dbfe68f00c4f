-- Puts jobs whose lease ran out back in front, oldest first, and names the waiting jobs nobody was rung for.
-- KEYS: doorbell list. ARGV: prefix, slots per repository
-- Returns {ids put back}, {ids to ring for}.
local p = ARGV[1]
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
local lapsed = redis.call('ZRANGEBYSCORE', p .. 'leases', '-inf', '(' .. now)
local back = {}
for _, id in ipairs(lapsed) do
  local was = redis.call('HMGET', p .. 'job:' .. id, 'state', 'wish', 'created')
  redis.call('ZREM', p .. 'leases', id)
  if was[2] then
    local repo = string.match(was[2], '^"(%d+):')
    redis.call('SREM', p .. 'running:' .. repo, id)
    if was[1] == '"running"' then back[#back + 1] = { id = id, repo = repo, created = tonumber(was[3]) } end
  end
end
table.sort(back, function(a, b) return a.created > b.created end)
local ids = {}
for _, job in ipairs(back) do
  redis.call('HSET', p .. 'job:' .. job.id, 'state', '"queued"', 'owner', '""', 'lease_until', '0', 'updated', now)
  redis.call('LPUSH', p .. 'waiting:' .. job.repo, job.id)
  redis.call('SADD', p .. 'repos', job.repo)
  redis.call('XADD', p .. 'events:' .. job.id, 'MAXLEN', '~', 1000, '*', 'kind', 'state', 'data', '"queued"')
  ids[#ids + 1] = job.id
end

-- A doorbell list that still holds messages will be worked off by whoever gets free: ringing again would only pile up.
local ring = {}
if redis.call('LLEN', KEYS[1]) == 0 then
  for _, repo in ipairs(redis.call('SMEMBERS', p .. 'repos')) do
    local free = tonumber(ARGV[2]) - redis.call('SCARD', p .. 'running:' .. repo)
    if free > 0 then
      for _, id in ipairs(redis.call('LRANGE', p .. 'waiting:' .. repo, 0, free - 1)) do ring[#ring + 1] = id end
    end
  end
else
  ring = ids
end
return { ids, ring }
