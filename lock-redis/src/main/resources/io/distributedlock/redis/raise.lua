-- Raises the tokens of locks to a given one if the request holds all of these locks. Lowers no token. Safe to repeat; works
-- where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  the least token
-- Answer   1 if the request holds all, else 0 and nothing is changed; -1 if the sorted sets are needed
local least, locks = tonumber(ARGV[2]), {}
for i = 1, lockCount do
  local lock, failure = read(i, true)
  if failure then
    return failure
  end
  if lock.own.number ~= number or not lock.own.live then
    return 0
  end
  locks[i] = lock
end

for _, lock in ipairs(locks) do
  local own = lock.own
  lock.token = math.max(lock.token, least)
  if not own.alone and own.token < least then
    note(lock, contender, number, HELD, own.deadline, own.lease, least, own.mark, own.taken)
    occupy(lock.holders, contender, own.taken, own.deadline)
  end
  finish(lock, 0, true)
end
return 1
