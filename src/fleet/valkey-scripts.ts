/**
 * The scripts that the engine runs; each is atomic. Their first keys are those of {@link VALKEY_KEYS}, in that order. Reads come first: a script
 * that meets data of another program has changed nothing. Those that begin with MAY_FILL also run when the memory of the server is full: what they
 * store is small, and without them a fleet would fall apart.
 */
const MAY_FILL = '#!lua flags=allow-oom\n';

const EPOCH = `local function epoch()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
end
`;

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const COMMON = `
local leases, members, document = KEYS[1], KEYS[2], KEYS[3]
${NOW}${EPOCH}`;

/**
 * ARGV: member, value, milliseconds, id of the known document. Returns the epoch, how long it has been known, members with their values, 1 if the
 * memory is full, and the document's id, nodes and text unless it is the known one.
 */
export const RENEW = `${MAY_FILL}${COMMON}
local epoch = epoch()
local saved = redis.call('HMGET', document, 'epoch', 'since', 'id', 'nodes', 'text')
local memory = redis.call('INFO', 'memory')
local most = tonumber(string.match(memory, 'maxmemory:(%d+)')) or 0
local used = tonumber(string.match(memory, 'used_memory:(%d+)')) or 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  redis.call('HDEL', members, id)
  redis.call('ZREM', leases, id)
end
redis.call('ZADD', leases, now + ARGV[3], ARGV[1])
redis.call('HSET', members, ARGV[1], ARGV[2])
if saved[1] ~= epoch then
  redis.call('HSET', document, 'epoch', epoch, 'since', now)
  saved[2] = now
end
local full = 0
if most > 0 and used > most then full = 1 end
local answer = { epoch, now - saved[2], redis.call('HGETALL', members), full }
if (saved[3] or '') ~= ARGV[4] then
  answer[5] = saved[3] or ''
  answer[6] = saved[4] or ''
  answer[7] = saved[5] or ''
end
return answer
`;

export const RELEASE = `${MAY_FILL}${COMMON}
redis.call('ZREM', leases, ARGV[1])
return redis.call('HDEL', members, ARGV[1])
`;

/** ARGV: id of the document that there must be, epoch; id, nodes and text of the new one. Returns 1 if stored. */
export const PUT_DOCUMENT = `${MAY_FILL}${COMMON}
if (redis.call('HGET', document, 'id') or '') ~= ARGV[1] or epoch() ~= ARGV[2] then return 0 end
redis.call('HSET', document, 'id', ARGV[3], 'nodes', ARGV[4], 'text', ARGV[5])
return 1
`;

/** The leases, then the record and the end of one context. */
const OF_CONTEXT = `
local leases, context, ended = KEYS[1], KEYS[2], KEYS[3]
${EPOCH}local function found()
  local how = redis.call('GET', ended)
  if how then return { 'ended', how } end
  local saved = redis.call('HMGET', context, 'home', 'takeovers', 'revision', 'text')
  if not saved[1] then return { 'none' } end
  return { 'open', saved[1], saved[2], saved[3], saved[4] }
end
`;

/** Returns the epoch and what there is. */
export const GET_CONTEXT = `${OF_CONTEXT}
return { epoch(), found() }
`;

/** ARGV: home, takeovers, revision, text, milliseconds, and whether it may be new: 1 or 0. */
export const PUT_CONTEXT = `${OF_CONTEXT}
local known = found()
if known[1] == 'ended' then return 'lost' end
if known[1] == 'none' and ARGV[6] ~= '1' then return 'missing' end
if known[1] == 'open' and (known[2] ~= ARGV[1] or known[3] ~= ARGV[2]) then return 'lost' end
if known[1] == 'none' or tonumber(known[4]) <= tonumber(ARGV[3]) then
  redis.call('HSET', context, 'home', ARGV[1], 'takeovers', ARGV[2], 'revision', ARGV[3], 'text', ARGV[4])
end
redis.call('PEXPIRE', context, ARGV[5])
return 'stored'
`;

/** ARGV: home and takeovers that there must be, the new home, epoch. Returns what there is then. */
export const ADOPT_CONTEXT = `${MAY_FILL}${OF_CONTEXT}
local known = found()
if known[1] ~= 'open' or known[2] ~= ARGV[1] or known[3] ~= ARGV[2] or epoch() ~= ARGV[4] then return known end
${NOW}local lease = redis.call('ZSCORE', leases, ARGV[1])
if ARGV[1] ~= ARGV[3] and lease and tonumber(lease) > now then return known end
redis.call('HSET', context, 'home', ARGV[3], 'takeovers', ARGV[2] + 1)
return found()
`;

/** ARGV: home and takeovers that there must be, how it ended, milliseconds. Returns whether it has ended. */
export const END_CONTEXT = `${MAY_FILL}${OF_CONTEXT}
local known = found()
if known[1] == 'open' and (known[2] ~= ARGV[1] or known[3] ~= ARGV[2]) then return 'lost' end
if known[1] ~= 'ended' then redis.call('SET', ended, ARGV[3], 'PX', ARGV[4]) end
redis.call('DEL', context)
return 'ended'
`;

/** The names of the keys, in the order in which scripts expect them. */
export const VALKEY_KEYS: readonly string[] = ['leases', 'members', 'definitions'];
