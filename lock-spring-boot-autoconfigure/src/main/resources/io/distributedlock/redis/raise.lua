-- Raises the token of locks to at least a given one if the request holds all of them, and lowers none. Safe to repeat;
-- works where memory is used up.
--
-- KEYS     the locks' hashes, see acquire.lua
-- ARGV[1]  request id
-- ARGV[2]  the least token
-- Answer   1 if the request holds all, else 0 and nothing is changed
local request, least = ARGV[1], ARGV[2]
local time = redis.call('TIME')
now = math.floor((tonumber(time[1]) * 1000000 + tonumber(time[2])) / 1000)

local locks = {}
for i, key in ipairs(KEYS) do
  local lock = redis.call('HMGET', key, 'o', 'x', 'l', 't', 'r' .. request)
  if lock[5] then
    share()
    lock.own = sharing.parse('r' .. request, lock[5])
  end
  local deadline = lock.own and lock.own.deadline or 0
  if lock[1] == request then
    deadline = math.min(tonumber(lock[2] or 0), now + tonumber(lock[3] or 0))
  end
  -- Changes nothing, but passes when memory is used up, and a replica that used to be the primary answers READONLY.
  redis.call('HDEL', key, '')
  if deadline <= now then
    return 0
  end
  locks[i] = lock
end

for i, key in ipairs(KEYS) do
  local lock = locks[i]
  if tonumber(lock[4]) < tonumber(least) then
    redis.call('HSET', key, 't', least)
  end
  if lock.own and tonumber(lock.own.more) < tonumber(least) then
    lock.own.more = least
    redis.call('HSET', key, lock.own.name, sharing.entry(lock.own))
  end
end
return 1
