/**
 * The scripts that the engine runs; each is atomic. Their keys are those of {@link VALKEY_KEYS}, in that order. Writes come last:
 * a script that fails has changed nothing.
 */
const COMMON = `
local leases, members, log, snapshot = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local function epoch()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
end
local function head()
  local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if last then return string.match(last[1], '^%d+'), last[2][2] end
  local saved = redis.call('HMGET', snapshot, 'version', 'hash')
  return saved[1] or '0', saved[2] or ''
end
`;

/** ARGV: member, value, milliseconds. Returns the epoch, version and hash of the head, and members with their values. */
export const RENEW = `${COMMON}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  redis.call('HDEL', members, id)
  redis.call('ZREM', leases, id)
end
redis.call('ZADD', leases, now + ARGV[3], ARGV[1])
redis.call('HSET', members, ARGV[1], ARGV[2])
local version, hash = head()
return { epoch(), version, hash, redis.call('HGETALL', members) }
`;

/** ARGV: member. */
export const RELEASE = `${COMMON}
redis.call('ZREM', leases, ARGV[1])
return redis.call('HDEL', members, ARGV[1])
`;

/** ARGV: version and hash of the head that there must be, epoch, version, hash and text of the entry. Returns 1 if appended. */
export const APPEND = `${COMMON}
local version, hash = head()
if version ~= ARGV[1] or hash ~= ARGV[2] or epoch() ~= ARGV[3] then return 0 end
redis.call('XADD', log, ARGV[4] .. '-0', 'h', ARGV[5], 'e', ARGV[6])
return 1
`;

/** Returns the epoch, version, hash and text of the snapshot, and the entries. */
export const LOAD = `${COMMON}
return { epoch(), redis.call('HMGET', snapshot, 'version', 'hash', 'text'), redis.call('XRANGE', log, '-', '+') }
`;

/** ARGV: version, hash and text of the snapshot, first version to keep of the log. */
export const PUT_SNAPSHOT = `${COMMON}
local version = head()
if version ~= '0' then
  local entry = redis.call('XRANGE', log, ARGV[1] .. '-0', ARGV[1] .. '-0')[1]
  local last = tonumber(redis.call('HGET', snapshot, 'version') or '0')
  if not entry or entry[2][2] ~= ARGV[2] or last >= tonumber(ARGV[1]) then return 0 end
end
redis.call('HSET', snapshot, 'version', ARGV[1], 'hash', ARGV[2], 'text', ARGV[3])
redis.call('XTRIM', log, 'MINID', ARGV[4] .. '-0')
return 1
`;

/** The leases, then the record and the end of one context. */
const OF_CONTEXT = `
local leases, context, ended = KEYS[1], KEYS[2], KEYS[3]
local function epoch()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
end
local function found()
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
export const ADOPT_CONTEXT = `${OF_CONTEXT}
local known = found()
if known[1] ~= 'open' or known[2] ~= ARGV[1] or known[3] ~= ARGV[2] or epoch() ~= ARGV[4] then return known end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = redis.call('ZSCORE', leases, ARGV[1])
if ARGV[1] ~= ARGV[3] and lease and tonumber(lease) > now then return known end
redis.call('HSET', context, 'home', ARGV[3], 'takeovers', ARGV[2] + 1)
return found()
`;

/** ARGV: home and takeovers that there must be, how it ended, milliseconds. Returns whether it has ended. */
export const END_CONTEXT = `${OF_CONTEXT}
local known = found()
if known[1] == 'open' and (known[2] ~= ARGV[1] or known[3] ~= ARGV[2]) then return 'lost' end
if known[1] ~= 'ended' then redis.call('SET', ended, ARGV[3], 'PX', ARGV[4]) end
redis.call('DEL', context)
return 'ended'
`;

/** Keys: the journal and its writer. ARGV: the writer, or an empty text; milliseconds. Returns the entries. */
export const CLAIM_JOURNAL = `
if ARGV[1] ~= '' then redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2]) end
return redis.call('XRANGE', KEYS[1], '-', '+')
`;

/**
 * Keys: the journal and its writer. ARGV: the writer, milliseconds, id, text, 1 for an event that is complete, the first id to
 * keep, the id that the last entry must have to keep any. Returns 1 if appended.
 */
export const APPEND_JOURNAL = `
local writer = redis.call('GET', KEYS[2])
if writer and writer ~= ARGV[1] then return 0 end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local first = ARGV[6]
if last and last[1] ~= ARGV[7] then first = ARGV[3] end
local added = redis.pcall('XADD', KEYS[1], 'MINID', '=', first, ARGV[3], 'e', ARGV[4], 'f', ARGV[5])
if type(added) == 'table' and added.err then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** The names of the keys, in the order in which scripts expect them. */
export const VALKEY_KEYS: readonly string[] = ['leases', 'members', 'log', 'snapshot'];
