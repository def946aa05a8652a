-- Extends leases that have not run out. Shortens none. Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  retention in ms
-- ARGV[3i - 1] request id of KEYS[i]
-- ARGV[3i] its new lease from now on, in ms
-- ARGV[3i + 1] the marks of the process that renews, the newest one first, which is kept: 8 digits each, ',' in between
-- Answer   for each key 1 if the request is still the owner and the marks know the one that is kept, else 0
local time = redis.call('TIME')
now, retention = math.floor((tonumber(time[1]) * 1000000 + tonumber(time[2])) / 1000), tonumber(ARGV[1])
local answer = {}
for i, key in ipairs(KEYS) do
  local request, marks = ARGV[3 * i - 1], ARGV[3 * i + 1]
  -- A foreign value under one key must not stop the renewal of the others.
  local lock = redis.pcall('HMGET', key, 'o', 'x', 'l', 'k', 'f', 'y', 'z', 'r' .. request, 'n')
  if lock.err and not string.find(lock.err, 'WRONGTYPE', 1, true) then
    return lock
  end
  if lock[8] then
    share()
  end
  local deadline, mark, own = 0, lock[9], lock[8] and sharing.parse('r' .. request, lock[8])
  if lock[1] == request then
    deadline = math.min(tonumber(lock[2] or 0), now + tonumber(lock[3] or 0))
  elseif own then
    deadline, mark = own.deadline, own.mark
  end
  if deadline > now and know(marks, mark) then
    local newest = string.sub(marks, 1, 8)
    local kept = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
    deadline = math.max(deadline, now + tonumber(ARGV[3 * i]))
    -- First the write that passes when memory is used up.
    live(key, math.max(deadline, kept) - now + retention, lock[6] or lock[7])
    if own then
      own.deadline, own.longest, own.mark = deadline, deadline - now, newest
      redis.call('HSET', key, own.name, sharing.entry(own))
    else
      redis.call('HSET', key, 'x', text(deadline), 'l', text(deadline - now), 'n', newest)
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
