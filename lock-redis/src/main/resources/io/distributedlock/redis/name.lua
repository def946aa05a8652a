-- Stores or reads the name of an instance.
--
-- KEYS[1]  the hash of the instance, with one field
-- ARGV[1]  the name, or '' to read it
-- ARGV[2]  packed: lifetime of the name in ms
-- Answer   the name, or '' if none is known
if ARGV[1] ~= '' then
  redis.call('HSET', KEYS[1], 'name', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], (struct.unpack('>I6', ARGV[2])))
end
return redis.call('HMGET', KEYS[1], 'name')[1] or ''
