-- Puts a job back in front of its repository's list for its owner, who stops in good order: the attempt is not counted.
-- ARGV: prefix, job id, owner (JSON). Returns 1, or 0 when somebody else owns the job.
local p = ARGV[1]
local id = ARGV[2]
local job = p .. 'job:' .. id
local was = redis.call('HMGET', job, 'owner', 'state', 'wish')
if was[1] ~= ARGV[3] or was[2] ~= '"running"' then return 0 end
local repo = string.match(was[3], '^"(%d+):')
local time = redis.call('TIME')
redis.call('HINCRBY', job, 'attempts', -1)
redis.call('HSET', job, 'state', '"queued"', 'owner', '""', 'lease_until', '0', 'updated',
  time[1] .. '.' .. string.format('%06d', time[2]))
redis.call('SREM', p .. 'running:' .. repo, id)
redis.call('ZREM', p .. 'leases', id)
redis.call('LPUSH', p .. 'waiting:' .. repo, id)
redis.call('SADD', p .. 'repos', repo)
redis.call('XADD', p .. 'events:' .. id, 'MAXLEN', '~', 1000, '*', 'kind', 'state', 'data', '"queued"')
return 1
