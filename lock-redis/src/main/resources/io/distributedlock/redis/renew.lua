-- Renews leases that have not run out. Shortens none. Safe to repeat; works where memory is used up.
--
-- KEYS     the locks' hashes, then the sorted sets `holders` of some, see shared.lua; all in one slot
-- ARGV[1]  packed: retention in ms, number of locks, number of KEYS
-- ARGV[1 + i] for the i-th lock, packed: contender and number; its new lease from now on in ms; index of the sorted set in
--          KEYS, or 0 if the request is likely to have the lock alone; up to four marks of the process that renews, 4 bytes
--          each, of which the first one is stored; or '*' for any, and the stored one stays
-- Answer   for each lock 1 if the request still holds it and the stored mark is among those marks, 2 if its lease has run
--          out, else 0; -1 if the sorted set is needed
local time = redis.call('TIME')
local retention, count, keyCount = struct.unpack('>I6I2I2', ARGV[1])
if #KEYS ~= keyCount then
  return redis.error_reply('LOCKKEYS The script got ' .. #KEYS .. ' of ' .. keyCount .. ' keys')
end
local now = math.floor((time[1] * 1000000 + time[2]) / 1000)

-- Returns the answer, and the new deadline if the lease goes on. It does not with an unknown mark: another process uses the
-- same request, or an extend was sent later.
local function extended(status, isSame, deadline, mark, marks, ttl)
  local known = mark == NO_MARK or string.find(marks, mark, 1, true)
  if isSame and (status == GONE or status == HELD and known and deadline <= now) then
    return 2
  elseif isSame and status == HELD and known then
    return 1, math.max(deadline, now + ttl)
  end
  return 0
end

local function renewAlone(key, state, number, ttl, marks)
  local version, status, shared, owner, last, deadline, lease, token, mark, kept, keptFor, sweepAt, delay =
    struct.unpack(STATE, state)
  deadline, kept = math.min(deadline, now + lease), math.min(kept, now + keptFor)
  marks = marks == '*' and mark or marks
  local answer, till = extended(status, last == number, deadline, mark, marks, ttl)
  if not till then
    return answer
  end
  local life = math.max(till + delay, kept) - now + retention
  -- This write passes when memory is used up, and then all others do.
  redis.call('PEXPIRE', key, shared > 0 and math.max(redis.call('PTTL', key), life) or life)
  redis.call('HSET', key, 'state', struct.pack(STATE, version, status, shared, owner, last, till, till - now, token,
    string.sub(marks .. NO_MARK, 1, 4), kept, keptFor, sweepAt, delay))
  return answer
end

local function renewShared(key, holders, contender, value, number, ttl, marks)
  local last, status, deadline, lease, token, mark, taken = struct.unpack(REGISTER, value)
  local isKnown = last == number and deadline + retention >= now
  deadline, marks = math.min(deadline, now + lease), marks == '*' and mark or marks
  -- Any other command would have noticed that.
  status = status == HELD and deadline <= now and GONE or status
  local answer, till = extended(status, isKnown, deadline, mark, marks, ttl)
  if not till then
    return answer
  elseif not holders then
    return -1
  end
  local score = redis.pcall('ZSCORE', holders, contender)
  if not score or isOfOtherType(score) then
    -- The contender is not in the set, as after an eviction: another request may have the lock.
    return 0
  elseif score.err then
    error(score.err, 0)
  end
  local life = math.max(redis.call('PTTL', key), till - now + retention)
  -- This write passes when memory is used up, and then all others do.
  redis.call('PEXPIRE', key, life)
  redis.call('HSET', key, 'by' .. contender,
    struct.pack(REGISTER, last, status, till, till - now, token, string.sub(marks .. NO_MARK, 1, 4), taken))
  occupy(holders, contender, taken, till)
  redis.call('PEXPIRE', holders, life)
  return answer
end

local answer = {}
for i = 1, count do
  local key = KEYS[i]
  local contender, number, ttl, holders = struct.unpack('>c10I6I6I2', ARGV[1 + i])
  local marks = string.sub(ARGV[1 + i], 25)
  -- A foreign value under one key must not stop the renewal of the others.
  local values = redis.pcall('HMGET', key, 'state')
  local state = values[1]
  if values.err and not isOfOtherType(values) then
    return values
  end
  local known = state and #state == LENGTH and string.byte(state) == VERSION
  answer[i] = 0
  if known and string.sub(state, 4, 19) == string.sub(ARGV[1 + i], 1, 16) then
    answer[i] = renewAlone(key, state, number, ttl, marks)
  elseif known and (string.sub(state, 4, 13) ~= contender or struct.unpack('>I6', state, 14) < number) then
    local own = redis.call('HMGET', key, 'by' .. contender)[1]
    answer[i] = own and #own == 32 and renewShared(key, KEYS[holders], contender, own, number, ttl, marks) or 0
  end
  if (answer[i] == 0 or answer[i] == 2) and (known or redis.call('EXISTS', key) == 0) then
    -- This write changes nothing. A replica that used to be the primary answers READONLY to it instead of "not yours".
    redis.call('HDEL', key, '')
  end
end
return answer
