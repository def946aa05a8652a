-- Takes one lock for an exclusive request. Safe to repeat.
--
-- KEYS[1]  the lock's hash
-- ARGV[1]  packed: contender and number; lease in ms; time that the lock stays taken at least in ms; highest token that the
--          instance has seen; lifetime of its waiter entry in ms, or 0 for no entry; retention in ms; number of spare
--          tokens, which are reserved after the token of the answer; claim in ms, or 0 for a wake-up instead
-- Answer   the token, or
--          {2, token} if others are in line
--          {0, remaining ms, holder's instance or '', 0} busy, with a fifth value if the next release gives it the lock
--          -2 refused: the request has ended
--          -1 acquire.lua is needed: others share the lock or queue for it, its state is special, or the key is no lock
local contender, number, ttl, keepFor, highest, waiting, retention, spare, claim =
  struct.unpack('>c10I6I6I6I7I4I6I2I6', ARGV[1])
local values = redis.pcall('HMGET', KEYS[1], 'state', 'by' .. contender, 'waiters')
local state, earlier, waiters = values[1], values[2], values[3]
if state and (#state ~= LENGTH or string.byte(state) ~= VERSION)
  or not state and (values.err or redis.call('EXISTS', KEYS[1]) > 0) then
  return -1
end

local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]
local now = math.floor(token / 1000)
local _, status, shared, owner, last, deadline, lease, lastToken, mark, kept, keptFor, sweepAt, extra =
  struct.unpack(STATE, state or blank())
local clockWentBack = deadline > now + lease or kept > now + keptFor or sweepAt > now + retention
if shared > 0 or extra > 0 or clockWentBack or (sweepAt > 0 and sweepAt <= now) then
  return -1
end

local held = status == HELD and deadline > now
if owner == contender and last == number and held then
  deadline = math.max(deadline, now + ttl)
  if kept == 0 and keptFor > 0 then
    kept, keptFor = now + keepFor, keepFor
  end
  -- A claim may have given the lock before the callers of the spare tokens came: they get new tokens.
  token = spare > 0 and math.max(token, lastToken + 1, highest + 1) or lastToken
  -- This write passes when memory is used up, and then all others do.
  redis.call('PEXPIRE', KEYS[1], math.max(deadline, kept) - now + retention)
  redis.call('HSET', KEYS[1], 'state', struct.pack(STATE, VERSION, HELD, 0, owner, last, deadline, deadline - now,
    token + spare, mark, kept, keptFor, sweepAt, 0))
  return token
end
-- The last known request of the contender, or -1.
local latest = owner == contender and last or -1
if latest < 0 and earlier then
  local other, _, ended = struct.unpack(REGISTER, earlier)
  latest = ended + retention >= now and other or -1
end
if latest >= number - number % 4096 then
  return -2
end

-- The line of the waiter entries, and the place of the entry of this contender in it, counted from 1. Entries that do not
-- count any more go if they are the first, or of this contender: the line may be long, so it is not read.
local busy, instance, line, place = held or kept > now, string.sub(contender, 1, 8), waiters or '', nil
if waiters then
  place = 0
  for _ = 0, #line do
    place = string.find(line, instance, place + 1, true)
    if not place or (place % ENTRY == 1 and string.sub(line, place + 15, place + 16) == string.sub(contender, 9)) then
      break
    end
  end
  local function counts(at)
    local _, till = struct.unpack('>c8I6', line, at)
    return till > now and till <= now + 60000
  end
  if busy and waiting > 0 and not place and #line >= LONGEST * ENTRY then
    return -1
  end
  if place and not (busy and counts(place)) then
    line = string.sub(line, 1, place - 1) .. string.sub(line, place + ENTRY)
    place = nil
  end
  local over = 0
  for at = 1, #line, ENTRY do
    if counts(at) then
      break
    end
    over = at + ENTRY - 1
  end
  line, place = string.sub(line, over + 1), place and place - over
end

if busy then
  -- This write changes nothing. A replica that used to be the primary answers READONLY to it instead of busy.
  redis.call('HDEL', KEYS[1], '')
  local isNext
  if waiting > 0 then
    place = place or #line + 1
    local entry = struct.pack(WAITER, instance, now + waiting, 0, string.sub(ARGV[1], 9, 16), claim,
      keepFor > 0 and 1 or 0, highest)
    redis.call('HSET', KEYS[1], 'waiters', string.sub(line, 1, place - 1) .. entry .. string.sub(line, place + ENTRY))
    isNext = place == 1 and claim > 0 and kept <= now
  end
  return {0, math.max(held and deadline or 0, kept) - now, held and string.sub(owner, 1, 8) or '', 0, isNext and 1 or nil}
end

token = math.max(token, lastToken + 1, highest + 1)
local ended
if owner ~= contender and owner ~= NONE then
  ended = struct.pack(REGISTER, last, status == HELD and GONE or status, now, 0, 0, NO_MARK, 0)
  sweepAt = sweepAt > 0 and sweepAt or now + retention
end
state = struct.pack(STATE, VERSION, HELD, 0, contender, number, now + ttl, ttl, token + spare, NO_MARK,
  keepFor > 0 and now + keepFor or 0, keepFor, sweepAt, 0)
if ended then
  redis.call('HSET', KEYS[1], 'state', state, 'by' .. owner, ended)
else
  redis.call('HSET', KEYS[1], 'state', state)
end
if line ~= '' then
  redis.call('HSET', KEYS[1], 'waiters', line)
elseif waiters then
  redis.call('HDEL', KEYS[1], 'waiters')
end
redis.call('PEXPIRE', KEYS[1], math.max(ttl, keepFor) + retention)
return line ~= '' and {2, token} or token
