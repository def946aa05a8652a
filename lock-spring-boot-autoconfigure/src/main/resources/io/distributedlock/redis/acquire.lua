-- Takes a lock if it is free. Safe to repeat.
--
-- KEYS[1]  the lock's hash:
--   m kind ('X' exclusive)   o owner's request id   t last token   x deadline   l longest lease from any now
--   k kept until             f longest k from any now              e last released requests
--   a last abandoned or expired ones    w waiting instances, first come first
--   x and k are server milliseconds; e and a are ',' and 32 digits each, w is 16 digits and 13 of a deadline each
-- ARGV[1]  request id, 32 digits, the instance's 16 first
-- ARGV[2]  lease in ms
-- ARGV[3]  how long the lock stays taken at least, in ms, or 0
-- ARGV[4]  highest token this instance has seen
-- ARGV[5]  how long the word that this instance waits is good, in ms, or 0 to leave none
-- ARGV[6]  retention in ms
-- Answer   {1, token} granted    {0, remaining ms, holder's instance or ''} busy
--          {2} refused: the request has ended    {3, kind} another kind of lock lives here
local key, request = KEYS[1], ARGV[1]
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

local lock = redis.call('HMGET', key, 'm', 'o', 't', 'x', 'l', 'k', 'f', 'e', 'a', 'w')
if lock[1] and lock[1] ~= 'X' then
  return {3, lock[1]}
end
local owner = lock[2]
local released, abandoned, waiters = lock[8] or '', lock[9] or '', lock[10] or ''
-- If the server's clock went back, nothing lasts longer than it was taken for.
local deadline = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
local kept = math.min(tonumber(lock[6] or 0), now + tonumber(lock[7] or 0))

if owner == request then
  if deadline <= now then
    return {2}
  end
  deadline = math.max(deadline, now + ttl)
  -- First the write that passes when memory is used up.
  redis.call('PEXPIRE', key, text(math.max(deadline, kept) - now + retention))
  redis.call('HSET', key, 'x', text(deadline), 'l', text(deadline - now))
  return {1, tonumber(lock[3])}
end
if string.find(released, ',' .. request, 1, true) or string.find(abandoned, ',' .. request, 1, true) then
  return {2}
end

local held = owner and deadline > now
if held or kept > now then
  -- Changes nothing, but a replica that used to be the primary answers READONLY instead of busy.
  redis.call('HDEL', key, '')
  if held and deadline < tonumber(lock[4]) then
    redis.call('HSET', key, 'x', text(deadline))
  end
  if kept > now and kept < tonumber(lock[6]) then
    redis.call('HSET', key, 'k', text(kept))
  end
  if waiting > 0 then
    local live, position, count = others(waiters)
    if position or count < 64 then
      table.insert(live, position or count + 1, instance .. string.format('%013.0f', now + waiting))
      redis.call('HSET', key, 'w', table.concat(live))
    end
  end
  return {0, math.max(held and deadline or 0, kept) - now, held and string.sub(owner, 1, 16) or ''}
end

local token = math.max(tonumber(lock[3] or 0) + 1, micros, highest + 1)
local fields = {'m', 'X', 'o', request, 't', text(token), 'x', text(now + ttl), 'l', text(ttl)}
local stale = {}
local function put(name, value, present)
  if value then
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  elseif present then
    stale[#stale + 1] = name
  end
end
if owner then
  put('a', string.sub(',' .. owner .. abandoned, 1, 16 * 33), true)
end
put('k', keepFor > 0 and text(now + keepFor), lock[6])
put('f', keepFor > 0 and text(keepFor), lock[7])
if waiters ~= '' then
  local rest = table.concat((others(waiters)))
  put('w', rest ~= '' and rest, true)
end
redis.call('HSET', key, unpack(fields))
if #stale > 0 then
  redis.call('HDEL', key, unpack(stale))
end
redis.call('PEXPIRE', key, text(math.max(ttl, keepFor) + retention))
return {1, token}
