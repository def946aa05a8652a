-- Sets the number of permits of a semaphore, which counts before that of requests and has no time to live, or removes it.
-- Wakes waiters for permits that are new. Safe to repeat.
--
-- KEYS and ARGV[1], see shared.lua: one lock with its sorted sets; no request
-- ARGV[2]  packed: the number, or 0 to remove it
-- Answer   1, or 0 if the lock is in use and no semaphore: nothing is changed
local wanted = struct.unpack('>I4', ARGV[2])
local lock, failure = read(1)
if failure then
  return failure
elseif lock.permits == 0 and isInUse(lock) then
  return 0
elseif wanted == 0 and not lock.fixed then
  return 1
end

local more = wanted - lock.permits
forgetOwner(lock)
lock.fixed, lock.permits = wanted > 0, wanted > 0 and wanted or lock.permits
lock.shared = math.max(lock.shared, isShared(lock) and 1 or 0)
for _ = 1, math.min(more, #lock.line) do
  passOn(lock, false, 0)
end
finish(lock, lifeNeeded(lock), false)
return 1
