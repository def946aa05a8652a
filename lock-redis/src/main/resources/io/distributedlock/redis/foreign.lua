-- Explains why a key is not that of a lock: it belongs to another program, was written by another version, or is damaged.
-- Prepended to the scripts that report it. Types are distinguished by commands that the user of the store may run in any
-- case.

-- The code of an error is at its beginning. The rest may name a user, a command or a key, which may be called like a code.
local function isOfOtherType(answer)
  return type(answer) == 'table' and answer.err and string.find(answer.err, '^%-?WRONGTYPE ')
end

local function typeOf(key)
  return not isOfOtherType(redis.pcall('HMGET', key, '')) and 'a hash'
    or not isOfOtherType(redis.pcall('ZCOUNT', key, 0, 0)) and 'a sorted set' or 'neither a hash nor a sorted set'
end

-- Returns an error with the number of a key in KEYS, and its content.
local function foreign(key, what)
  for i, each in ipairs(KEYS) do
    if each == key then
      return redis.error_reply('LOCKFOREIGN ' .. i .. ' is ' .. what)
    end
  end
end

-- Returns an error if a key is there and is not the hash of a lock. `values` is an answer to HMGET, the state first.
local function hashProblem(key, values)
  local state = values[1]
  if values.err then
    return isOfOtherType(values) and foreign(key, typeOf(key)) or values
  elseif not state then
    return redis.call('EXISTS', key) > 0 and foreign(key, "a hash without the field 'state' of a lock") or nil
  elseif #state ~= LENGTH or string.byte(state) ~= VERSION then
    return string.byte(state) ~= VERSION and string.find(state, '^%c')
      and redis.error_reply('LOCKVERSION The lock was written by another version of the library')
      or foreign(key, "a hash whose field 'state' is not that of a lock")
  end
end

-- Returns an error for the first key that is of another type than a sorted set.
local function setProblem(...)
  for _, key in ipairs({...}) do
    if isOfOtherType(redis.pcall('ZCOUNT', key, 0, 0)) then
      return foreign(key, typeOf(key))
    end
  end
end
