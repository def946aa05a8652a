-- Ends a request whose outcome is unknown: frees what it holds, refuses it when it arrives later, and takes back the
-- word that its instance waits. Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  request id
-- ARGV[2]  retention in ms
-- ARGV[3]  beginning of the wake-up channels, the instance follows
-- ARGV[3 + i] what to tell the waiter of KEYS[i]: the encoded key
-- Answer   1 if the request was the owner of all, else 0
local request, retention = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local instance = string.sub(request, 1, 16)

-- Takes this instance out of the line; one that may have been woken, then wakes the next.
local function leave(key, waiters, free, message)
  local live = {}
  for i = 1, #waiters, 29 do
    local entry = string.sub(waiters, i, i + 28)
    if string.sub(entry, 1, 16) ~= instance and tonumber(string.sub(entry, 17)) > now then
      live[#live + 1] = entry
    end
  end
  local woken = free and table.remove(live, 1)
  if #live > 0 then
    redis.call('HSET', key, 'w', table.concat(live))
  else
    redis.call('HDEL', key, 'w')
  end
  if woken then
    -- A user who may not publish loses the wake-up, not the release.
    redis.pcall('PUBLISH', ARGV[3] .. string.sub(woken, 1, 16), message)
  end
end

-- Whether the request was the owner.
local function abandon(key, lock, message)
  if lock[1] and lock[1] ~= 'X' then
    return false
  end
  local owned = lock[2] == request
  local deadline = math.min(tonumber(lock[3] or 0), now + tonumber(lock[4] or 0))
  local kept = math.min(tonumber(lock[5] or 0), now + tonumber(lock[6] or 0))
  -- First the write that passes when memory is used up.
  local life = retention
  if owned then
    -- An acquisition that nobody used has run nothing: k and f are its own and go too.
    redis.call('HDEL', key, 'o', 'x', 'l', 'k', 'f')
    deadline, kept = 0, 0
  else
    redis.call('HDEL', key, '')
    life = math.max(redis.call('PTTL', key), life)
  end
  local abandoned = lock[7] or ''
  if not string.find(abandoned, ',' .. request, 1, true) then
    redis.call('HSET', key, 'a', string.sub(',' .. request .. abandoned, 1, 16 * 33))
  end
  redis.call('PEXPIRE', key, string.format('%.0f', life))
  if lock[8] then
    leave(key, lock[8], math.max(deadline, kept) <= now, message)
  end
  return owned
end

local answer = 1
for i, key in ipairs(KEYS) do
  local lock = redis.pcall('HMGET', key, 'm', 'o', 'x', 'l', 'k', 'f', 'a', 'w')
  if lock.err then
    -- A foreign value under one key must not stop the end of the others.
    answer = lock
  elseif not abandon(key, lock, ARGV[3 + i]) and answer == 1 then
    answer = 0
  end
end
return answer
