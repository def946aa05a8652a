-- Takes a lock away from its holders, for an operator. Their requests end, so neither a renewal nor a late copy brings them
-- back. Notifies their instances, and wakes the next waiter or gives it the lock, as a release does. Safe to repeat; works
-- where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua: one lock with its sorted sets, and the only request to end, or zeros for all requests
-- ARGV[2]  'refuse' to refuse that request also if it has not come yet, or ''
-- Answer   number of requests that were ended, of at most 1,000 readers or permits; 1 if the lock was only kept
local all = request == string.rep('\0', 16)

-- Notifies the instance of a request that has lost the lock: a token of zero says so.
local function revoke(lock, of, last)
  publish(lock, of .. struct.pack('>I6', last), 0)
end

local function endOwner(lock)
  if not lock.held or not (all or lock.own.alone and lock.own.number == number) then
    return 0
  end
  revoke(lock, lock.contender, lock.number)
  lock.status, lock.deadline, lock.lease, lock.held = REVOKED, now, 0, false
  return 1
end

-- Returns the contenders of the readers or permits to end.
local function sharing(lock)
  if all then
    return redis.call('ZRANGE', lock.holders, 0, 999)
  end
  local own = lock.own
  return own.number == number and own.live and not own.alone and {contender} or {}
end

-- Returns the number of requests, and of readers or permits.
local function endSharing(lock)
  local requests, permits = 0, 0
  for _, holder in ipairs(sharing(lock)) do
    if #holder == #NONE then
      local value = redis.call('HMGET', lock.key, 'by' .. holder)[1]
      local last, _, _, _, _, _, taken = struct.unpack(REGISTER, value or string.rep('\0', 32))
      vacate(lock.holders, holder, taken)
      noteEnd(lock, holder, last, REVOKED)
      revoke(lock, holder, last)
      requests, permits = requests + 1, permits + taken
    end
  end
  return requests, permits
end

local lock, failure = read(1, true)
if failure then
  return failure
end
local unnoticed, owned = isUnnoticed(lock), endOwner(lock)
local shared, freed = endSharing(lock)
local ended = owned + shared
if owned > 0 or all and lock.kept > now then
  lock.kept, lock.keptFor = 0, 0
  ended = math.max(ended, 1)
end
local own = lock.own
if ARGV[2] == 'refuse' and own.number < order and (own.alone or not own.live) then
  noteEnd(lock, contender, number, REVOKED)
end
if ended > 0 and not lock.held and lock.kept <= now then
  for _ = 1, lock.permits > 0 and freed or 1 do
    passOn(lock, owned > 0 and unnoticed, 0)
  end
end
finish(lock, retention, true)
return ended
