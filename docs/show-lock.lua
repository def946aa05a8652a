-- Shows the state of a lock in Redis in readable lines. Changes nothing.
--
--   redis-cli --eval show-lock.lua lock::order:42
--   redis-cli --eval show-lock.lua app:lock::order:42 , app:lock:        with another distributed-lock.key-prefix
--
-- KEYS[1]  the lock's hash: prefix, name, ':' and key
-- ARGV[1]  the key prefix, or nothing for 'lock:'
-- Answer   lines of a name and a value; times are milliseconds of the server's clock, requests are instance (16 digits),
--          place (4) and number (12)
local key, prefix = KEYS[1], ARGV[1] or 'lock:'
local tagged = string.match(key, '{[^}]+}') and key or '{' .. key .. '}'
local time = redis.call('TIME')
local statuses = {[0] = 'released', 'held', 'gone', 'revoked'}
local lines = {}

local function hex(bytes)
  return (string.gsub(bytes, '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end))
end

local function add(name, ...)
  local line = name
  for _, value in ipairs({...}) do
    line = line .. ' ' .. (type(value) == 'number' and string.format('%.0f', value) or value)
  end
  lines[#lines + 1] = line
end

-- The type of a key that is neither a hash nor a sorted set, if it is there.
local function foreign(key, expected)
  local type = redis.call('TYPE', key).ok
  return type ~= expected and type ~= 'none' and 'of another program: a ' .. type
end

local function set(name)
  local set = prefix .. '%' .. name .. ':' .. tagged
  local found = foreign(set, 'zset')
  if found then
    add(name, found)
  end
  return found and {} or redis.call('ZRANGE', set, 0, -1, 'WITHSCORES')
end

add('now', time[1] * 1000 + math.floor(time[2] / 1000))
local found = foreign(key, 'hash')
local state = not found and redis.call('HGET', key, 'state')
if found then
  add('lock', found)
  return lines
elseif not state and redis.call('EXISTS', key) == 0 then
  add('lock', 'not in use')
elseif not state or #state ~= 64 or string.byte(state) ~= 5 then
  local isOther = state and string.find(state, '^%c') and string.byte(state) ~= 5
  add('lock', isOther and 'of another version' or 'of another program, or damaged')
  return lines
else
  local version, status, shared, contender, number, deadline, lease, token, mark, kept, keptFor, sweepAt, extra =
    struct.unpack('>BBBc10I6I6I6I7c4I6I6I6I4', state)
  add('version', version)
  add('status', statuses[status])
  add('shared', shared)
  add('owner', hex(string.sub(state, 4, 19)))
  add('deadline', deadline)
  add('lease', lease)
  add('token', token)
  add('mark', hex(mark))
  add('kept', kept)
  add('keptFor', keptFor)
  add('sweepAt', sweepAt)
  add('permits', status == 1 and 0 or extra)
  add('delay', status == 1 and extra or 0)
end
local waiters = redis.call('HGET', key, 'waiters') or ''
for i = 1, #waiters, 37 do
  local instance, deadline, woken, sequence, claim, keeps = struct.unpack('>c8I6Bc8I6B', waiters, i)
  add('waiter', hex(instance), deadline, woken == 1 and 'woken' or 'asleep')
  if claim > 0 then
    add('claim', hex(instance .. sequence), claim, keeps == 1 and 'keeps' or nil)
  end
end
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  if #fields[i] == 12 and string.sub(fields[i], 1, 2) == 'by' then
    local number, status, deadline, lease, token, mark, taken = struct.unpack('>I6BI6I6I7c4I2', fields[i + 1])
    local request = hex(string.sub(fields[i], 3) .. string.sub(fields[i + 1], 1, 6))
    add('last', request, statuses[status], deadline, lease, token, hex(mark), taken > 1 and taken or nil)
  elseif #fields[i] == 9 and string.sub(fields[i], 1, 1) == 'i' then
    add('sign', hex(string.sub(fields[i], 2)), struct.unpack('>I6I6', fields[i + 1]))
  end
end
local queue = set('queue')
for i = 1, #queue, 2 do
  local place = redis.call('HGET', key, 'q' .. queue[i])
  local deadline, since = struct.unpack('>I6I6', place or string.rep('\0', 12))
  add('fair', hex(queue[i]), queue[i + 1], deadline, since > 0 and since or nil)
end
for _, name in ipairs({'holders', 'readers', 'admitted'}) do
  local members = set(name)
  for i = 1, #members, 2 do
    add(name, hex(members[i]), members[i + 1])
  end
end
local wakes = redis.call('HGET', key, 'wakes') or ''
for i = 1, #wakes, 8 do
  add('wake', hex(string.sub(wakes, i, i + 7)))
end
return lines
