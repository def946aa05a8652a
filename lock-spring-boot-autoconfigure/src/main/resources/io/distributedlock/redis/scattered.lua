-- Finds out whether keys are on servers that do not know of each other, as behind a proxy that sends a script to the
-- server of its first key. Safe to repeat, and by several instances at a time.
--
-- KEYS     one key to mark, or all to count; none is a lock's
-- Answer   how many of them have a mark, as far as this server knows
if #KEYS == 1 then
  redis.call('HSET', KEYS[1], 'p', '1')
  redis.call('PEXPIRE', KEYS[1], 60000)
end
local marked = 0
for _, key in ipairs(KEYS) do
  if redis.call('HMGET', key, 'p')[1] then
    marked = marked + 1
  end
end
return marked
