-- Format of a lock's state. LockScript prepends it to each of its scripts. A lock is a hash in every mode. While others
-- share it or queue for it, up to four sorted sets are in its slot (see shared.lua).
--
-- Numbers are big-endian; times are milliseconds of the server's clock. A contender is an instance (8 bytes) and one of its
-- places (2 bytes). A request is a contender and a number (6 bytes), of which the last 12 bits are random. Its order is the
-- number without these bits.
--
-- A hash without the field `state` is not a lock, since the first command for a lock writes that field.
--
-- Field `state`, in this order, LENGTH bytes:
--   version
--   status      of the request that has or last had the lock alone: 0 released, 1 held, 2 gone (abandoned or expired),
--               3 revoked (taken away)
--   shared      1 for a semaphore or if there are sorted sets, 2 more if a later request of the contender is known, and 4
--               more if the number of permits was set for all requests
--   contender, number   that request; zeros if there was none
--   deadline, lease     end of its lease, or time when it was abandoned or revoked; longest time that it may last from any
--                       now; zeros if it is held but a later command has noticed that the lease ran out
--   token       last fencing token of the lock, reserved spare tokens included
--   mark        of the last renewal or extend of the request, or zeros
--   kept, keptFor       time until which the lock stays taken at least; longest time that this may last from any now. 0 and 1
--                       once a release has given the lock to a request that keeps it or wants more locks, until that request
--                       has attempted again and has got all: the lock is only reserved
--   sweepAt     time of the next search for tombstones to remove, or 0 if there are no fields by<contender> and i<instance>
--   extra       while the status is HELD the delay in ms, for which the lock stays closed after the lease has run out without
--               a release or another end of the request; else the permits of a semaphore, or 0
--
-- That is as long as a value may be that Redis keeps in a compact hash (hash-max-listpack-value).
--
-- Field `by<contender>`, the last request of a contender, unless that is the one in `state`; a tombstone once it has ended:
--   number, status, deadline of its lease or time of its end, longest lease, token, mark, permits that it has taken
-- Field `waiters`, the contenders that wait for an exclusive lock or a permit, in order of arrival, woken ones last; ENTRY bytes
-- for each of them, of which there are at most LONGEST:
--   instance, deadline of the entry, 1 if it was woken since its last attempt
--   place and number of the request that left it; claim in ms, for which a release gives the lock to that request, or 0 for a
--   wake-up instead; 1 if that request keeps the lock for a time, has a delay or wants more locks; highest token that the
--   instance has seen
local VERSION, RELEASED, HELD, GONE, REVOKED = 5, 0, 1, 2, 3
local STATE, REGISTER, WAITER = '>BBBc10I6I6I6I7c4I6I6I6I4', '>I6BI6I6I7c4I2', '>c8I6Bc8I6BI7'
local NONE, NO_MARK, LENGTH, ENTRY, LONGEST = '\0\0\0\0\0\0\0\0\0\0', '\0\0\0\0', 64, 37, 512

-- Returns the state of a lock that has none yet.
local function blank()
  return string.char(VERSION) .. string.rep('\0', LENGTH - 1)
end
