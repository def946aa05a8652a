-- Releases one lock that a request has alone. Wakes the instance that waits first, or gives the lock to its request. Safe
-- to repeat; works where memory is used up.
--
-- KEYS[1]  the lock's hash
-- ARGV[1]  packed: contender and number; retention in ms; length in bytes of the key prefix, which wake-ups leave out; up
--          to four marks of the request's renewals, 4 bytes each
-- Answer   1 if it is released, or -1 if release.lua is needed: the lock is not simply the request's
local contender, number, retention, prefix = struct.unpack('>c10I6I6I2', ARGV[1])
local state, waiters = unpack(redis.pcall('HMGET', KEYS[1], 'state', 'waiters'))
if not state or #state ~= LENGTH or string.byte(state) ~= VERSION then
  return -1
end

local _, status, shared, owner, last, deadline, lease, token, mark, _, keptFor, sweepAt, delay = struct.unpack(STATE, state)
local isOwner = owner == contender and last == number and status == HELD
local isTwin = mark ~= NO_MARK and not string.find(ARGV[1], mark, 25, true)
if not isOwner or isTwin or shared > 0 or keptFor > 0 then
  return -1
end
local clock = delay > 0 and redis.call('TIME')
if clock and deadline <= math.floor(clock[1] * 1000 + clock[2] / 1000) then
  return -1
end

-- This write passes when memory is used up, and then all others do.
redis.call('PEXPIRE', KEYS[1], retention)
local released = string.char(VERSION, RELEASED) .. string.sub(state, 3, -5) .. NO_MARK
if not waiters then
  redis.call('HSET', KEYS[1], 'state', released)
  return 1
end

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
-- The line may be long, so it is read up to the first entry that counts and was not woken.
local line, first = '', nil
for at = 1, #waiters, ENTRY do
  local entry = string.sub(waiters, at, at + ENTRY - 1)
  local _, till, woken = struct.unpack(WAITER, entry)
  local counts = till > now and till <= now + 60000
  if counts and woken == 0 then
    first, line = entry, line .. string.sub(waiters, at + ENTRY)
    break
  end
  line = line .. (counts and entry or '')
end

local fields = {'state', released}
if first then
  local instance, _, _, sequence, claim, keeps, highest = struct.unpack(WAITER, first)
  local message = string.sub(KEYS[1], prefix + 1)
  token = math.max(micros, token + 1, highest + 1)
  if claim > 0 then
    local a, b, c, d = struct.unpack('>I4I4I4I4', instance .. sequence)
    message = message .. string.format('\n%08x%08x%08x%08x\n%.0f', a, b, c, d, token)
  end
  -- The message goes out before the state is written, which cannot fail any more. A user who may not PUBLISH gives the lock
  -- to no request, and loses only the wake-up.
  local channel = string.sub(KEYS[1], 1, prefix) .. '!wake:' .. string.format('%08x%08x', struct.unpack('>I4I4', instance))
  local sent = redis.pcall('PUBLISH', channel, message)
  if claim > 0 and type(sent) == 'number' then
    local heir, its = struct.unpack('>c10I6', instance .. sequence)
    if heir ~= contender then
      fields = {'state', '', 'by' .. contender, struct.pack(REGISTER, number, RELEASED, now, 0, 0, NO_MARK, 0)}
      sweepAt = sweepAt > 0 and sweepAt or now + retention
    end
    fields[2] = struct.pack(STATE, VERSION, HELD, 0, heir, its, now + claim, claim, token, NO_MARK, 0, keeps, sweepAt, 0)
    redis.call('PEXPIRE', KEYS[1], claim + retention)
  else
    -- The entry moves to the end of the line. So an instance that is late or dead is not woken again and again instead of
    -- others.
    line = line .. string.sub(first, 1, 14) .. '\1' .. string.sub(first, 16)
  end
end
if line ~= '' then
  fields[#fields + 1] = 'waiters'
  fields[#fields + 1] = line
else
  redis.call('HDEL', KEYS[1], 'waiters')
end
redis.call('HSET', KEYS[1], unpack(fields))
return 1
