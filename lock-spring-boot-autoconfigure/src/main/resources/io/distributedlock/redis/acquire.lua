-- Takes a lock if it is free, or several if all are. Safe to repeat.
--
-- KEYS     the locks' hashes, in one slot, none twice:
--   m kind ('X' exclusive)   o owner's request id   t last token   x deadline   l longest lease from any now
--   k kept until             f longest k from any now              e last released requests
--   a last abandoned or expired ones    w waiting instances, first come first
--   x and k are server milliseconds; e and a are ',' and 32 digits each, w is 16 digits and 13 of a deadline each
-- ARGV[1]  request id, 32 digits, the instance's 16 first
-- ARGV[2]  lease in ms
-- ARGV[3]  how long the locks stay taken at least, in ms, or 0
-- ARGV[4]  highest token this instance has seen
-- ARGV[5]  how long the word, left where it is busy, that this instance waits is good, in ms, or 0 to leave none
-- ARGV[6]  retention in ms
-- Answer   {1, token} granted, one token for all
--          {0, remaining ms, holder's instance or '', index} the first busy lock, counted from 0; none is taken
--          {2} refused: the request has ended, or holds only some of the locks any more
--          {3, kind, index} another kind of lock lives there
local request = ARGV[1]
local ttl, keepFor, highest = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local waiting, retention = tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)
local instance = string.sub(request, 1, 16)

local function text(number)
  return string.format('%.0f', number)
end

-- The waiting instances without the dead ones and without this one; where this one stood, and how many stay.
local function others(waiters)
  local live, position, count = {}, nil, 0
  for i = 1, #waiters, 29 do
    local entry = string.sub(waiters, i, i + 28)
    if string.sub(entry, 1, 16) == instance then
      position = count + 1
    elseif tonumber(string.sub(entry, 17)) > now then
      count = count + 1
      live[count] = entry
    end
  end
  return live, position, count
end

-- Adds a field to those to set, or to those to delete if it has no value any more.
local function put(fields, stale, name, value, present)
  if value then
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  elseif present then
    stale[#stale + 1] = name
  end
end

-- All is read and decided before anything is written.
local locks, owned, ended, busy = {}, 0, false, nil
local token, mark = math.max(micros, highest + 1), ',' .. request
for i, key in ipairs(KEYS) do
  local lock = redis.call('HMGET', key, 'm', 'o', 't', 'x', 'l', 'k', 'f', 'e', 'a', 'w')
  if lock[1] and lock[1] ~= 'X' then
    return {3, lock[1], i - 1}
  end
  -- If the server's clock went back, nothing lasts longer than it was taken for.
  lock.deadline = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
  lock.kept = math.min(tonumber(lock[6] or 0), now + tonumber(lock[7] or 0))
  lock.held = lock[2] and lock.deadline > now
  if lock[2] == request then
    owned = owned + 1
    ended = ended or not lock.held
  elseif string.find(lock[8] or '', mark, 1, true) or string.find(lock[9] or '', mark, 1, true) then
    ended = true
  elseif lock.held or lock.kept > now then
    busy = busy or i
  end
  token = math.max(token, tonumber(lock[3] or 0) + 1)
  locks[i] = lock
end

if ended or (owned > 0 and owned < #KEYS) then
  return {2}
end
if owned > 0 then
  for i, key in ipairs(KEYS) do
    local deadline = math.max(locks[i].deadline, now + ttl)
    -- First the write that passes when memory is used up.
    redis.call('PEXPIRE', key, text(math.max(deadline, locks[i].kept) - now + retention))
    redis.call('HSET', key, 'x', text(deadline), 'l', text(deadline - now))
  end
  return {1, tonumber(locks[1][3])}
end

if busy then
  local key, lock = KEYS[busy], locks[busy]
  -- Changes nothing, but a replica that used to be the primary answers READONLY instead of busy.
  redis.call('HDEL', key, '')
  if lock.held and lock.deadline < tonumber(lock[4]) then
    redis.call('HSET', key, 'x', text(lock.deadline))
  end
  if lock.kept > now and lock.kept < tonumber(lock[6]) then
    redis.call('HSET', key, 'k', text(lock.kept))
  end
  if waiting > 0 then
    local live, position, count = others(lock[10] or '')
    if position or count < 64 then
      table.insert(live, position or count + 1, instance .. string.format('%013.0f', now + waiting))
      redis.call('HSET', key, 'w', table.concat(live))
    end
  end
  local free = math.max(lock.held and lock.deadline or 0, lock.kept)
  return {0, free - now, lock.held and string.sub(lock[2], 1, 16) or '', busy - 1}
end

for i, key in ipairs(KEYS) do
  local lock, stale = locks[i], {}
  local fields = {'m', 'X', 'o', request, 't', text(token), 'x', text(now + ttl), 'l', text(ttl)}
  if lock[2] then
    put(fields, stale, 'a', string.sub(',' .. lock[2] .. (lock[9] or ''), 1, 16 * 33))
  end
  put(fields, stale, 'k', keepFor > 0 and text(now + keepFor), lock[6])
  put(fields, stale, 'f', keepFor > 0 and text(keepFor), lock[7])
  if lock[10] then
    local rest = table.concat((others(lock[10])))
    put(fields, stale, 'w', rest ~= '' and rest, true)
  end
  redis.call('HSET', key, unpack(fields))
  if #stale > 0 then
    redis.call('HDEL', key, unpack(stale))
  end
  redis.call('PEXPIRE', key, text(math.max(ttl, keepFor) + retention))
end
return {1, token}
