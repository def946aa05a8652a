-- Gives a lock back and wakes one waiting instance. Safe to repeat; works where memory is used up.
--
-- KEYS[1]  the lock's hash, see acquire.lua
-- ARGV[1]  request id
-- ARGV[2]  retention in ms
-- ARGV[3]  beginning of the wake-up channels, the instance follows
-- ARGV[4]  what to tell the waiter: the encoded key
-- Answer   1 if the request was the owner and its lease had not run out, or if it has released before, else 0
local key, request = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local lock = redis.call('HMGET', key, 'o', 'x', 'l', 'k', 'f', 'e', 'w')

-- The first instance whose word is still good, and those behind it.
local function firstLive(waiters)
  for i = 1, #waiters, 29 do
    if tonumber(string.sub(waiters, i + 16, i + 28)) > now then
      return string.sub(waiters, i, i + 15), string.sub(waiters, i + 29)
    end
  end
  return nil, ''
end

if lock[1] ~= request then
  -- Changes nothing, but a replica that used to be the primary answers READONLY instead of "not yours".
  redis.call('HDEL', key, '')
  return string.find(lock[6] or '', ',' .. request, 1, true) and 1 or 0
end
local deadline = math.min(tonumber(lock[2] or 0), now + tonumber(lock[3] or 0))
local kept = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
-- First the write that passes when memory is used up.
redis.call('HDEL', key, 'o', 'x', 'l')
redis.call('HSET', key, 'e', string.sub(',' .. request .. (lock[6] or ''), 1, 8 * 33))
redis.call('PEXPIRE', key, string.format('%.0f', math.max(kept - now, 0) + tonumber(ARGV[2])))
if lock[7] and kept <= now then
  local instance, rest = firstLive(lock[7])
  if rest == '' then
    redis.call('HDEL', key, 'w')
  else
    redis.call('HSET', key, 'w', rest)
  end
  if instance then
    -- A user who may not publish loses the wake-up, not the release.
    redis.pcall('PUBLISH', ARGV[3] .. instance, ARGV[4])
  end
end
return deadline > now and 1 or 0
