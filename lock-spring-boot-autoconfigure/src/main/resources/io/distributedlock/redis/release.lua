-- Gives locks back and wakes who is next for each. Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  request id
-- ARGV[2]  retention in ms
-- ARGV[3]  beginning of the wake-up channels, the instance follows
-- ARGV[3 + i] what to tell the waiter of KEYS[i]: the encoded key; a fair one also, in a second line, its request id
-- ARGV[5 + number of KEYS] what is in the braces of sharded channels in the slot of the keys, or '': in the place that abandon.lua has for it
-- ARGV[6 + number of KEYS] the marks of the process that releases, see renew.lua
-- Answer   1 if the request was the owner of all, its leases had not run out and the marks know those that are kept, or if it has
--          released before, else 0
local request, marks = ARGV[1], ARGV[6 + #KEYS]
local time = redis.call('TIME')
now, retention, channels = math.floor((tonumber(time[1]) * 1000000 + tonumber(time[2])) / 1000), tonumber(ARGV[2]), ARGV[3]
shard = ARGV[5 + #KEYS]

-- Whether the reader or permit was still good. Its fields are read when it is known that it is none of the others.
local function releaseShared(key, lock, message, own)
  -- First the write that passes when memory is used up.
  redis.call('HDEL', key, own.name)
  redis.call('HSET', key, 's', string.sub(',' .. request .. (lock.s or ''), 1, 128 * 33))
  live(key, retention, true)
  local line = words(lock.w or '')
  if lock.m == 'S' then
    if #line > 0 then
      wake(table.remove(line, 1), message)
    end
    sharing.finish(key, lock, line, message)
  elseif not lock.held and lock.kept <= now and (lock.w or lock.z or sharing.isDue(lock)) then
    sharing.passOn(key, lock, line, message, false)
    sharing.finish(key, lock, line, message)
  end
  return own.deadline > now
end

-- Whether somebody who does not have the lock alone had it otherwise, or has released it before.
local function releaseOther(key, lock, message)
  local own
  lock.m, lock.s, own = unpack(redis.call('HMGET', key, 'm', 's', 'r' .. request))
  if own then
    share()
    own = sharing.parse('r' .. request, own)
  end
  if own and know(marks, own.mark) then
    sharing.begin(lock)
    return releaseShared(key, lock, message, own)
  end
  -- Changes nothing, but a replica that used to be the primary answers READONLY instead of "not yours".
  redis.call('HDEL', key, '')
  return string.find((lock[6] or '') .. (lock.s or ''), ',' .. request, 1, true)
end

-- Whether the owner's lease had not run out.
local function release(key, lock, message)
  -- First the write that passes when memory is used up.
  redis.call('HDEL', key, 'o', 'x', 'l', 'n')
  redis.call('HSET', key, 'e', string.sub(',' .. request .. (lock[6] or ''), 1, 8 * 33))
  live(key, math.max(lock.kept - now, 0) + retention, lock.y or lock.z)
  if lock.kept <= now then
    if lock[4] then
      redis.call('HDEL', key, 'k', 'f')
    end
    if lock.w or lock.y or lock.z then
      share()
      sharing.begin(lock)
      local line = words(lock.w or '')
      sharing.passOn(key, lock, line, message, true)
      sharing.finish(key, lock, line, message)
    end
  end
  return lock.held
end

local answer = 1
for i, key in ipairs(KEYS) do
  local lock = redis.pcall('HMGET', key, 'o', 'x', 'l', 'k', 'f', 'e', 'w', 'y', 'z', 'a', 'n')
  if lock.err then
    -- A foreign value under one key must not stop the release of the others.
    answer = lock
  else
    lock.held = lock[1] and math.min(tonumber(lock[2] or 0), now + tonumber(lock[3] or 0)) > now
    lock.kept = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
    lock.w, lock.y, lock.z, lock.a = lock[7], lock[8], lock[9], lock[10]
    local released = (lock[1] == request and know(marks, lock[11]) and release or releaseOther)(key, lock, ARGV[3 + i])
    if not released and answer == 1 then
      answer = 0
    end
  end
end
return answer
