-- Ends a request whose outcome is unknown, or that got too few nodes of several or too few replicas: frees what it holds,
-- refuses it when it arrives later, and takes back the word that it waits, unless its instance goes on waiting to have the
-- lock for itself, or its caller with another request that takes its place.
-- Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  request id
-- ARGV[2]  retention in ms
-- ARGV[3]  beginning of the wake-up channels, the instance follows
-- ARGV[3 + i] what to tell the waiter of KEYS[i]: the encoded key; a fair one also, in a second line, its request id
-- ARGV[4 + number of KEYS] how long the word that the instance, or the next request, waits is good, in ms, or 0 for none
-- ARGV[5 + number of KEYS] what is in the braces of sharded channels in the slot of the keys, or ''
-- ARGV[6 + number of KEYS] a fair request that comes before all who wait if the ended one was the owner, or ''
-- Answer   1 if the request was the owner of all, else 0
local request, waiting, successor = ARGV[1], tonumber(ARGV[4 + #KEYS]), ARGV[6 + #KEYS]
local time = redis.call('TIME')
now, retention, channels = math.floor((tonumber(time[1]) * 1000000 + tonumber(time[2])) / 1000), tonumber(ARGV[2]), ARGV[3]
shard = ARGV[5 + #KEYS]

share()

-- Whether the request was the owner.
local function abandon(key, lock, message)
  if lock[1] and lock[1] ~= 'X' and lock[1] ~= 'S' then
    return false
  end
  local owned = lock[2] == request
  local stays = waiting > 0 and successor == ''
  -- Unless its caller has given up meanwhile.
  local passes = owned and successor ~= '' and not string.find(lock.a or '', ',' .. successor, 1, true)
  local deadline = math.min(tonumber(lock[3] or 0), now + tonumber(lock[4] or 0))
  local kept = math.min(tonumber(lock[5] or 0), now + tonumber(lock[6] or 0))
  -- First the write that passes when memory is used up.
  local named = redis.call('HDEL', key, 'r' .. request, 'v' .. request, 'g' .. request, 'q' .. request) > 0
  if owned then
    -- An acquisition that nobody used has run nothing: k and f are its own and go too.
    redis.call('HDEL', key, 'o', 'x', 'l', 'k', 'f', 'n')
    deadline, kept = 0, 0
  end
  if not string.find(lock.a or '', ',' .. request, 1, true) then
    lock.a = string.sub(',' .. request .. (lock.a or ''), 1, 64 * 33)
    redis.call('HSET', key, 'a', lock.a)
  end
  live(key, waiting + retention, not owned or lock.y or lock.z)
  -- A reader or a fair waiter has left no word of its instance.
  local line = words(lock.w or '', not named and string.sub(request, 1, 16))
  if stays then
    -- It waits behind those who do, readers wait on, and it need not be told that the lock is free.
    line[#line + 1] = string.sub(request, 1, 16) .. string.format('%013.0f', now + waiting)
    lock.withdrawn = 1
  end
  if passes then
    -- Nobody else's turn has come, so nobody is told.
    sharing.scan(key, lock)
    local head = sharing.head(lock)
    local place = {name = 'q' .. successor, deadline = now + waiting, longest = waiting, changed = true}
    place.more = text((head and tonumber(head.more) or 1) - 1)
    table.insert(lock.q, place)
  elseif math.max(deadline, kept) <= now then
    if lock[1] ~= 'S' then
      sharing.passOn(key, lock, line, message, owned and not stays)
    elseif #line > 0 then
      sharing.scan(key, lock)
      if #lock.r < tonumber(lock[11]) then
        wake(table.remove(line, 1), message)
      end
    end
  end
  sharing.finish(key, lock, line, message)
  return owned or lock[12]
end

local answer = 1
for i, key in ipairs(KEYS) do
  local lock = redis.pcall('HMGET', key, 'm', 'o', 'x', 'l', 'k', 'f', 'a', 'w', 'y', 'z', 'p', 'r' .. request)
  if lock.err then
    -- A foreign value under one key must not stop the end of the others.
    answer = lock
  else
    lock.a, lock.w, lock.y, lock.z = lock[7], lock[8], lock[9], lock[10]
    sharing.begin(lock)
    if not abandon(key, lock, ARGV[3 + i]) and answer == 1 then
      answer = 0
    end
  end
end
return answer
