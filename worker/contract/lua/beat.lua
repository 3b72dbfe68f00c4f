-- Extends a lease for its owner. ARGV: prefix, job id, owner (JSON), lease seconds
-- Returns 1, 2 when the job shall be cancelled, or 0 when somebody else (or nobody) holds it.
local p = ARGV[1]
local job = p .. 'job:' .. ARGV[2]
local now = redis.call('HMGET', job, 'owner', 'state', 'cancel')
if now[1] ~= ARGV[3] or now[2] ~= '"running"' then return 0 end
local time = redis.call('TIME')
local lease = string.format('%.3f', time[1] + time[2] / 1000000 + tonumber(ARGV[4]))
redis.call('HSET', job, 'lease_until', lease)
redis.call('ZADD', p .. 'leases', lease, ARGV[2])
if now[3] == 'true' then return 2 end
return 1
