-- Stands before every script: how the state of a lock is written. It is a hash, whatever the mode, and up to four sorted
-- sets in its slot while others share the lock or queue for it (see shared.lua). Numbers are big-endian; times are
-- milliseconds of the server's clock; a contender is an instance (8 bytes) and one of its places (2 bytes); a request is
-- a contender and a number (6 bytes), of which the last 12 bits are random. Its order is the number without these.
--
-- A hash without the field `state` is no lock, since the first command for a lock writes that.
--
-- Field `state`, in this order, LENGTH bytes:
--   version
--   status      of the request that has the lock alone, or had it last: 0 released, 1 held, 2 gone (abandoned or expired),
--               3 revoked (taken away)
--   shared      1 if it is a semaphore or there are sorted sets, and 2 more if a later request of the contender is known
--   contender, number   that request; zeros if there was none
--   deadline, lease     the end of its lease (or when it was found gone), and the longest that it may last from any now;
--                       zeros if it is held but a later command has noticed that the lease ran out
--   token       the last one of the lock
--   mark        of the request's last renewal, or zeros
--   kept, keptFor       until when the lock stays taken at least, and the longest that this may last from any now
--   sweepAt     when requests that have ended are forgotten next, or 0 if there are no fields by<contender>
--   permits     of a semaphore, or 0
-- Field `by<contender>`, the last request of a contender, unless that is the one in `state`:
--   number, status, deadline of its lease or time of its end, longest lease, token, mark
-- Field `waiters`, the instances that wait to have the lock alone, or for a permit, first come first:
--   instance, deadline of the entry, 1 if it was woken since it asked last
--   place and number of the request that has left it, for how long a release gives the lock to that, or 0 for not, and the
--   highest token that the instance has seen
local VERSION, RELEASED, HELD, GONE, REVOKED = 2, 0, 1, 2, 3
local STATE, REGISTER, WAITER = '>BBBc10I6I6I6I7c4I6I6I6I4', '>I6BI6I6I7c4', '>c8I6Bc8I2I7'
local NONE, NO_MARK, LENGTH = '\0\0\0\0\0\0\0\0\0\0', '\0\0\0\0', 64
