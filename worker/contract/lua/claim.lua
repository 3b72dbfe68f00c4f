-- Gives the oldest waiting job of the rung job's repository to a runner, if that repository has a free slot.
-- ARGV: prefix, rung job id, owner (JSON), lease seconds, slots per repository
-- Returns the record's fields and values, or an empty list.
local p = ARGV[1]
local wish = redis.call('HGET', p .. 'job:' .. ARGV[2], 'wish')
if not wish then return {} end
local repo = string.match(wish, '^"(%d+):')
local running = p .. 'running:' .. repo
if redis.call('SCARD', running) >= tonumber(ARGV[5]) then return {} end

local waiting = p .. 'waiting:' .. repo
local id = redis.call('LPOP', waiting)
while id and redis.call('HGET', p .. 'job:' .. id, 'state') ~= '"queued"' do
  id = redis.call('LPOP', waiting)
end
if redis.call('LLEN', waiting) == 0 then redis.call('SREM', p .. 'repos', repo) end
if not id then return {} end

local job = p .. 'job:' .. id
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
local lease = string.format('%.3f', tonumber(now) + tonumber(ARGV[4]))
local owners = redis.call('HGET', job, 'owners')
if owners == '[]' then owners = '[' .. ARGV[3] .. ']' else owners = string.sub(owners, 1, -2) .. ',' .. ARGV[3] .. ']' end
redis.call('HINCRBY', job, 'attempts', 1)
redis.call('HSET', job, 'state', '"running"', 'owner', ARGV[3], 'owners', owners, 'lease_until', lease, 'updated', now)
redis.call('SADD', running, id)
redis.call('ZADD', p .. 'leases', lease, id)
redis.call('XADD', p .. 'events:' .. id, 'MAXLEN', '~', 1000, '*', 'kind', 'state', 'data', '"running"')
return redis.call('HGETALL', job)
