-- Releases locks and wakes the next waiter of each. Safe to repeat; works where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  marks of the request's renewals, 4 bytes each, or ''
-- Answer   1 if no other request can have had the locks up to now, or if the request has released them before, or if a later
--          one of its contender is gone, else 0; -1 if the sorted sets are needed
local marks = ARGV[2]

local function release(lock)
  local alone, unnoticed = lock.own.alone, isUnnoticed(lock)
  if alone then
    lock.status, lock.held = RELEASED, false
  else
    redis.call('ZREM', lock.holders, contender)
    noteEnd(lock, contender, number, RELEASED)
  end
  local kept, longer = math.max(lock.kept - now, 0), not alone or lock.shared > 0
  if not lock.held and kept == 0 then
    lock.kept, lock.keptFor = 0, 0
    passOn(lock, alone and unnoticed, 0)
  end
  finish(lock, kept + retention, longer)
end

-- Whether the request held the lock and no other one can have had it.
local function isHolder(own)
  local known = own.mark == NO_MARK or string.find(marks, own.mark, 1, true)
  return known and (own.alone or own.live)
end

return forEach(function(lock)
  local own = lock.own
  if own.number == number and own.status == HELD and isHolder(own) then
    release(lock)
    return true
  end
  -- A later request that has the lock, or had it, may be one of another process with the same identity.
  local wentOn = own.number >= order + 4096 and own.status == GONE
  return wentOn or (own.number == number and own.status == RELEASED)
end)
