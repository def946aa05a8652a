-- Ends a request whose outcome is unknown: frees what it holds, refuses it when it arrives later, and takes back the
-- word that its instance waits. Safe to repeat; works where memory is used up.
--
-- KEYS[1]  the lock's hash, see acquire.lua
-- ARGV[1]  request id
-- ARGV[2]  retention in ms
-- ARGV[3]  beginning of the wake-up channels, the instance follows
-- ARGV[4]  what to tell the waiter: the encoded key
-- Answer   1 if the request was the owner, else 0
local key, request = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local instance = string.sub(request, 1, 16)
local lock = redis.call('HMGET', key, 'm', 'o', 'x', 'l', 'k', 'f', 'a', 'w')
if lock[1] and lock[1] ~= 'X' then
  return 0
end
local owned = lock[2] == request
local deadline = math.min(tonumber(lock[3] or 0), now + tonumber(lock[4] or 0))
local kept = math.min(tonumber(lock[5] or 0), now + tonumber(lock[6] or 0))

-- First the write that passes when memory is used up.
local life = tonumber(ARGV[2])
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
  local live = {}
  for i = 1, #lock[8], 29 do
    local entry = string.sub(lock[8], i, i + 28)
    if string.sub(entry, 1, 16) ~= instance and tonumber(string.sub(entry, 17)) > now then
      live[#live + 1] = entry
    end
  end
  -- The wake-up that this instance may have had goes to the next one.
  local woken = math.max(deadline, kept) <= now and table.remove(live, 1)
  if #live > 0 then
    redis.call('HSET', key, 'w', table.concat(live))
  else
    redis.call('HDEL', key, 'w')
  end
  if woken then
    -- A user who may not publish loses the wake-up, not the release.
    redis.pcall('PUBLISH', ARGV[3] .. string.sub(woken, 1, 16), ARGV[4])
  end
end
return owned and 1 or 0
