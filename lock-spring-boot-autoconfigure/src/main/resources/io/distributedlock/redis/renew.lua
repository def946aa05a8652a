-- Extends leases that have not run out. Shortens none. Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  retention in ms
-- ARGV[2i] request id of KEYS[i]
-- ARGV[2i + 1] its new lease from now on, in ms
-- Answer   for each key 1 if the request is still the owner, else 0
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local retention = tonumber(ARGV[1])
local answer = {}
for i, key in ipairs(KEYS) do
  -- A foreign value under one key must not stop the renewal of the others.
  local lock = redis.pcall('HMGET', key, 'o', 'x', 'l', 'k', 'f')
  if lock.err and not string.find(lock.err, 'WRONGTYPE', 1, true) then
    return lock
  end
  local deadline = 0
  if lock[1] == ARGV[2 * i] then
    deadline = math.min(tonumber(lock[2] or 0), now + tonumber(lock[3] or 0))
  end
  if deadline > now then
    local kept = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
    deadline = math.max(deadline, now + tonumber(ARGV[2 * i + 1]))
    -- First the write that passes when memory is used up.
    redis.call('PEXPIRE', key, string.format('%.0f', math.max(deadline, kept) - now + retention))
    redis.call('HSET', key, 'x', string.format('%.0f', deadline), 'l', string.format('%.0f', deadline - now))
    answer[i] = 1
  else
    if not lock.err then
      -- Changes nothing, but a replica that used to be the primary answers READONLY instead of "not yours".
      redis.call('HDEL', key, '')
    end
    answer[i] = 0
  end
end
return answer
