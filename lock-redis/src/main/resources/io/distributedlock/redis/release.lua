-- Releases locks, and wakes the next waiter of each or gives it the lock. Safe to repeat; works where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  marks of the request's renewals, 4 bytes each, or ''; '*' for any: a process that has only a handle of the lease
--          releases it, and the instance of the request is notified
-- Answer   1 if no other request can have had the locks up to now, if the request has released them before, or if a later
--          request of its contender is gone; 2 if a lease has run out, else 0; -1 if the sorted sets are needed
local marks, byHandle = ARGV[2], ARGV[2] == '*'

local function release(lock)
  local alone, unnoticed = lock.own.alone, isUnnoticed(lock)
  if alone then
    lock.status, lock.held = RELEASED, false
  else
    vacate(lock.holders, contender, lock.own.taken)
    noteEnd(lock, contender, number, RELEASED)
  end
  if byHandle then
    publish(lock, request, 0)
  end
  local kept, longer = math.max(lock.kept - now, 0), not alone or lock.shared > 0
  if not lock.held and kept == 0 then
    lock.kept, lock.keptFor = 0, 0
    for _ = 1, alone and 1 or lock.own.taken do
      passOn(lock, alone and unnoticed, 0)
    end
  end
  finish(lock, kept + retention, longer)
end

return forEach(function(lock)
  local own = lock.own
  local isLast = own.number == number
  local held = isLast and own.status == HELD and (own.mark == NO_MARK or byHandle or string.find(marks, own.mark, 1, true))
  if held and own.alone and lock.held and not own.live then
    -- The lock stays closed: writes that the holder sent before it lost its lease may still be on their way.
    return 1
  elseif held and (own.alone or own.live) then
    release(lock)
    return 1
  elseif held or isLast and own.status == GONE and not own.lost then
    return 2
  end
  -- Only if the later request is gone: one that has or had the lock may be of another process with the same identity.
  local wentOn = own.number >= order + 4096 and own.status == GONE
  return (wentOn or isLast and own.status == RELEASED) and 1 or 0
end)
