-- Extends leases that have not run out. Shortens none. Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  retention in ms
-- ARGV[2i] request id of KEYS[i]
-- ARGV[2i + 1] its new lease from now on, in ms
-- Answer   for each key 1 if the request is still the owner, else 0
local time = redis.call('TIME')
now, retention = math.floor((tonumber(time[1]) * 1000000 + tonumber(time[2])) / 1000), tonumber(ARGV[1])
local answer = {}
for i, key in ipairs(KEYS) do
  -- A foreign value under one key must not stop the renewal of the others.
  local lock = redis.pcall('HMGET', key, 'o', 'x', 'l', 'k', 'f', 'y', 'z', 'r' .. ARGV[2 * i])
  if lock.err and not string.find(lock.err, 'WRONGTYPE', 1, true) then
    return lock
  end
  if lock[8] then
    share()
  end
  local deadline, own = 0, lock[8] and sharing.parse('r' .. ARGV[2 * i], lock[8])
  if lock[1] == ARGV[2 * i] then
    deadline = math.min(tonumber(lock[2] or 0), now + tonumber(lock[3] or 0))
  elseif own then
    deadline = own.deadline
  end
  if deadline > now then
    local kept = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
    deadline = math.max(deadline, now + tonumber(ARGV[2 * i + 1]))
    -- First the write that passes when memory is used up.
    live(key, math.max(deadline, kept) - now + retention, lock[6] or lock[7])
    if own then
      own.deadline, own.longest = deadline, deadline - now
      redis.call('HSET', key, own.name, sharing.entry(own))
    else
      redis.call('HSET', key, 'x', text(deadline), 'l', text(deadline - now))
    end
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
