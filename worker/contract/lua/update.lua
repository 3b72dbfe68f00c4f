-- Writes fields for the owner; an ending state closes the wish, frees the slot and starts the record's lifetime.
-- ARGV: prefix, job id, owner (JSON), seconds an ended record is kept or 0 when it does not end, field, value, ...
-- Returns {0} when somebody else owns the job or a state is given for one that ended, else {1, the id to ring for next or ''}.
local p = ARGV[1]
local id = ARGV[2]
local job = p .. 'job:' .. id
local was = redis.call('HMGET', job, 'owner', 'state', 'wish')
if was[1] ~= ARGV[3] then return { 0 } end
local open = was[2] == '"running"'
if not open then
  for i = 5, #ARGV, 2 do
    if ARGV[i] == 'state' then return { 0 } end
  end
end
local time = redis.call('TIME')
redis.call('HSET', job, 'updated', time[1] .. '.' .. string.format('%06d', time[2]), unpack(ARGV, 5))
for i = 5, #ARGV, 2 do
  if ARGV[i] == 'state' or ARGV[i] == 'step' then
    redis.call('XADD', p .. 'events:' .. id, 'MAXLEN', '~', 1000, '*', 'kind', ARGV[i], 'data', ARGV[i + 1])
  end
end
if ARGV[4] == '0' or not open then return { 1, '' } end

local wish = string.match(was[3], '^"(.*)"$')
local repo = string.match(wish, '^(%d+):')
if redis.call('GET', p .. 'wish:' .. wish) == id then redis.call('DEL', p .. 'wish:' .. wish) end
redis.call('SREM', p .. 'running:' .. repo, id)
redis.call('ZREM', p .. 'leases', id)
redis.call('EXPIRE', job, ARGV[4])
redis.call('EXPIRE', p .. 'events:' .. id, ARGV[4])
return { 1, redis.call('LINDEX', p .. 'waiting:' .. repo, 0) or '' }
