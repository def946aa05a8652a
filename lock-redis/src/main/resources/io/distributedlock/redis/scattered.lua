-- Finds out whether keys are on servers that do not know each other, as behind a proxy that sends a script to the server of
-- its first key.
--
-- KEYS     one key to mark, or all keys to count and delete; none is a lock's, and only one caller has them
-- Answer   number of keys that had a mark, as far as this server knows
if #KEYS == 1 then
  redis.call('HSET', KEYS[1], 'p', '1')
  redis.call('PEXPIRE', KEYS[1], 60000)
  return 1
end
local marked = 0
for _, key in ipairs(KEYS) do
  marked = marked + redis.call('HDEL', key, 'p')
end
return marked
