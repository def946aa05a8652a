-- Sets the leases of a request anew, longer or shorter. A renewal or an extend that was sent earlier has no effect after
-- it, and a copy of it changes nothing. Safe to repeat; works where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  packed: the new lease from now on in ms, and up to four marks of the process, 4 bytes each: that of this
--          command, which is stored, then those of its renewals before
-- ARGV[3]  packed: time from now on that the locks stay taken at least in ms; or '' for no change
-- Answer   1 if the leases are set, 2 if one has run out, else 0; -1 if the sorted sets are needed
local ttl, marks = struct.unpack('>I6', ARGV[2]), string.sub(ARGV[2], 7)
local newest, keepFor = string.sub(marks, 1, 4), ARGV[3] ~= '' and struct.unpack('>I6', ARGV[3])

local function extend(lock)
  local own = lock.own
  if own.alone then
    lock.deadline, lock.lease, lock.mark = now + ttl, ttl, newest
    if keepFor then
      lock.kept, lock.keptFor = keepFor > 0 and now + keepFor or 0, keepFor
    end
  else
    hold(lock, now + ttl, own.token, newest, own.taken)
  end
  local closed = now + ttl + (own.alone and lock.delay or 0)
  finish(lock, math.max(closed, lock.kept) - now + retention, not own.alone or lock.shared > 0)
end

return forEach(function(lock)
  local own = lock.own
  local isLast = own.number == number
  local held = isLast and own.status == HELD and (own.mark == NO_MARK or string.find(marks, own.mark, 1, true))
  if held and own.live then
    if own.mark ~= newest then
      extend(lock)
    end
    return 1
  end
  return (held or isLast and own.status == GONE and not own.lost) and 2 or 0
end)
