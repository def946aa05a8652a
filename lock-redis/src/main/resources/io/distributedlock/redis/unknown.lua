-- Names commands that the server does not know in scripts. Changes nothing: the key alone is too little for commands that
-- write.
--
-- KEYS[1]  a key that does not exist
-- ARGV     the commands to look for
-- Answer   the unknown ones
local unknown = {}
for _, command in ipairs(ARGV) do
  local answer = redis.pcall(command, KEYS[1])
  -- Up to what the error quotes, such as a key.
  local said = type(answer) == 'table' and answer.err and string.match(answer.err, "^[^'`\"]*")
  -- The errors of Redis, Valkey and Dragonfly; the error of Upstash. A refusal names the user, who may have any name.
  if said and not string.find(said, '^%-?NOPERM') and not string.find(said, '^%u+ ACL failure in script')
    and (string.find(said, 'nknown', 1, true) or string.find(said, 'not available', 1, true)) then
    unknown[#unknown + 1] = command
  end
end
return unknown
