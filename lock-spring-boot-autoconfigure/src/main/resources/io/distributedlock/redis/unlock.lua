-- Releases one lock that a request has alone, and wakes the instance that waits first. Safe to repeat; works where memory
-- is used up.
--
-- KEYS[1]  the lock's hash
-- ARGV[1]  packed: contender and number, retention in ms, how many bytes of the key wake-ups leave out, and up to four
--          marks of the request's renewals, 4 bytes each
-- Answer   1 if it is released, or -1 if it is not simply the request's: release.lua knows
local contender, number, retention, prefix = struct.unpack('>c10I6I6I2', ARGV[1])
local state, waiters = unpack(redis.call('HMGET', KEYS[1], 'state', 'waiters'))
if not state or string.byte(state) ~= VERSION then
  return -1
end

local _, status, shared, owner, last, deadline, lease, token, mark, kept = struct.unpack(STATE, state)
local isOwner = owner == contender and last == number and status == HELD
local isTwin = mark ~= NO_MARK and not string.find(ARGV[1], mark, 25, true)
if not isOwner or isTwin or shared > 0 or kept > 0 then
  return -1
end

-- First the write that passes when memory is used up.
redis.call('PEXPIRE', KEYS[1], retention)
redis.call('HSET', KEYS[1], 'state', string.char(VERSION, RELEASED) .. string.sub(state, 3))

if waiters then
  local time = redis.call('TIME')
  local now = math.floor((time[1] * 1000000 + time[2]) / 1000)
  local line, woken = '', ''
  for i = 1, #waiters, 15 do
    local entry = string.sub(waiters, i, i + 14)
    local high, low, till, before = struct.unpack('>I4I4I6B', entry)
    if till <= now or till > now + 60000 then
      -- It does not count any more.
    elseif woken == '' and before == 0 then
      -- Its entry stays, but behind the others: an instance that is late or dead is not woken again and again in their stead.
      woken = string.sub(entry, 1, 14) .. '\1'
      local channel = string.sub(KEYS[1], 1, prefix) .. '!wake:' .. string.format('%08x%08x', high, low)
      -- A user who may not publish loses the wake-up, nothing else.
      redis.pcall('PUBLISH', channel, string.sub(KEYS[1], prefix + 1))
    else
      line = line .. entry
    end
  end
  line = line .. woken
  if line ~= '' then
    redis.call('HSET', KEYS[1], 'waiters', line)
  else
    redis.call('HDEL', KEYS[1], 'waiters')
  end
end
return 1
