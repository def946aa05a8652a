-- Writes a guarded value unless a newer token has written it. Doing so twice is doing so once.
--
-- KEYS[1]  the guarded value: a hash of v, the value, and f, the newest token that has written it
-- ARGV[1]  the token of the writer, up to 53 bits
-- ARGV[2]  the value
-- Answer   the newest token: the writer's own if the value was written, a larger one if it was refused
local fence = tonumber(redis.call('HGET', KEYS[1], 'f') or 0)
if fence > tonumber(ARGV[1]) then
  return fence
end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'f', ARGV[1])
return tonumber(ARGV[1])
