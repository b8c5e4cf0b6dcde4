/** One defence taken out, and the test that must notice. */
export interface Mutation {
  /** What the defence keeps out. */
  readonly attack: string;
  /** What is changed: files of the repository, each with a text that stands there once and what it becomes. */
  readonly edits: readonly (readonly [file: string, from: string, to: string])[];
  /** The test file that has to fail, and a part of the tests' names in it. */
  readonly test: string;
  readonly named?: string;
}

const ATTACKS = 'test/security/attacks.test.ts';
const SCANNING = 'test/security/scanning.test.ts';
const ARCHIVES = 'test/security/archives.test.ts';
const DAMAGE = 'test/sources/archive/damage.test.ts';
const MMV_SCENES = 'test/sources/mmv/scenes.test.ts';
const MMV_HOSTILE = 'test/sources/mmv/hostile.test.ts';
const MMV_LIVE = 'test/sources/mmv/live.test.ts';
const MMV_DAMAGE = 'test/sources/mmv/damage.test.ts';
const FRAMES = 'test/fleet/link/frames.test.ts';
const LINK = 'test/fleet/link/link.test.ts';
const HANDING = 'test/http/handing.test.ts';
const ASKING = 'test/http/request/ask-members.test.ts';
const ASK = 'src/http/request/ask-members.ts';
const ROLES = 'test/security/role-escapes.test.ts';

/** Every defence that the suite stands for. */
export const MUTATIONS: readonly Mutation[] = [
  {
    attack: 'dry run: parts with more values than a response may have',
    edits: [['src/context/dry-run.ts', '    requireFewValues(parts, sample, listing, values);\n', '']],
    test: 'test/context/dry-run.test.ts',
    named: 'count the values of all parts',
  },
  {
    attack: 'dry run: a client that leaves while a second sample is awaited',
    edits: [
      [
        'src/context/operand-samples.ts',
        "    signal?.addEventListener('abort', leave, { once: true });\n",
        '    void leave;\n',
      ],
    ],
    test: 'test/context/dry-run.test.ts',
    named: 'end when the client leaves',
  },
  {
    attack: 'display hints: long units, and characters that turn text around',
    edits: [['src/derived/display.ts', '!UNIT.test(value)', "value === ''"]],
    test: 'test/derived/display.test.ts',
    named: 'are refused',
  },
  {
    attack: 'dry run: ten thousand instances for each part',
    edits: [['src/http/response/writers/derived-writer.ts', 'nameOf, INSTANCES_SHOWN)', 'nameOf, Infinity)']],
    test: 'test/api/derived-check.test.ts',
    named: 'has the first hundred instances of a part',
  },
  {
    attack: 'contexts of another gateway: another user',
    edits: [['src/http/request/request-context.ts', 'if (!isTheirs) throw unknownContext(id);', '']],
    test: 'test/api/access.test.ts',
    named: 'a gateway that has gone',
  },
  {
    attack: 'contexts of another gateway: other metrics than the role shows',
    edits: [['src/http/request/request-context.ts', 'spec.filter?.key !== filterKey', 'filterKey === id.toString()']],
    test: 'test/api/access.test.ts',
    named: 'a gateway that has gone',
  },
  {
    attack: 'contexts of another gateway: another user of the host',
    edits: [['src/http/request/request-context.ts', 'credentials?.username !== username', 'credentials === undefined']],
    test: 'test/api/fleet.test.ts',
    named: 'with the credentials of the request',
  },
  {
    attack: 'contexts of another gateway: passwords in records',
    edits: [['src/context/context-record.ts', "name.replaceAll(PASSWORD, '$1')", 'name']],
    test: 'test/context/context-record.test.ts',
    named: 'holds no password',
  },
  {
    attack: 'path prefix: a client that is no proxy sets it',
    edits: [
      [
        'src/http/request/path-prefix.ts',
        "clients?.isShared(networkOf(req.socket.remoteAddress ?? '')) !== true",
        'clients === undefined',
      ],
    ],
    test: 'test/api/base-path.test.ts',
    named: 'cannot set the prefix',
  },
  {
    attack: 'path prefix: a redirect to another host, or to another path',
    edits: [['src/http/request/path-prefix.ts', '!PREFIX.test(prefix)', 'prefix === undefined']],
    test: 'test/api/base-path.test.ts',
    named: 'is ignored',
  },
  {
    attack: 'path prefix: a long one',
    edits: [['src/http/request/path-prefix.ts', 'given.length > LONGEST_PREFIX', 'given.length > 1e6']],
    test: 'test/api/base-path.test.ts',
    named: 'is ignored',
  },
  {
    attack: 'scanning: names that lead to this machine',
    edits: [
      [
        'src/gateway/targets/host-policy.ts',
        "pattern.test(h) && (isLocalhost ? rangeOf(address) === 'loopback' : !isSpecial(address))",
        'pattern.test(h)',
      ],
    ],
    test: SCANNING,
    named: 'is not reached, however',
  },
  {
    attack: 'scanning: a block of all addresses holds this machine',
    edits: [['src/gateway/targets/host-policy.ts', 'return !isSpecial(address) || isAllSpecial;', 'return true;']],
    test: SCANNING,
    named: 'is not reached, however',
  },
  {
    attack: 'scanning: through a proxy that the client names',
    edits: [
      [
        'src/gateway/targets/source-resolver.ts',
        'target.proxy ? undefined : this.#policy.admit(target.address)',
        'this.#policy.admit(target.address)',
      ],
    ],
    test: SCANNING,
    named: 'is no proxy',
  },
  {
    attack: 'scanning: by how soon an answer comes',
    edits: [['src/gateway/targets/source-resolver.ts', 'if (leftMs > 0) await', 'if (leftMs > 1e9) await']],
    test: SCANNING,
    named: 'are told alike',
  },
  {
    attack: 'scanning: by what an answer says',
    edits: [
      [
        'src/gateway/targets/source-resolver.ts',
        "new GatewayError('SOURCE_UNREACHABLE', UNREACHABLE, { pmErr: EHOSTUNREACH }, { cause })",
        "new GatewayError('SOURCE_UNREACHABLE', String(Math.random()), { pmErr: EHOSTUNREACH }, { cause })",
      ],
    ],
    test: SCANNING,
    named: 'are told alike',
  },
  {
    attack: 'scanning: by reasons that are for this machine alone',
    edits: [
      [
        'src/http/request/request-context.ts',
        "if (!isHere && principal?.may('admin') !== true) return error;",
        'if (!isHere && error.message === String(isHere)) return error;',
      ],
    ],
    test: 'test/api/access.test.ts',
    named: 'why a host cannot be had',
  },
  {
    attack: 'scanning: sockets of this machine',
    edits: [
      [
        'src/gateway/targets/source-resolver.ts',
        'if (this.#options.hosts.allowSockets) return',
        'if (!this.#options.hosts.allowSockets) return',
      ],
    ],
    test: ATTACKS,
    named: 'sockets of this machine',
  },
  {
    attack: 'DNS rebinding of targets',
    edits: [
      [
        'src/gateway/targets/host-policy.ts',
        'return addresses.filter((address) => admits(address, own));',
        'return own.size < 0 ? [] : addresses;',
      ],
    ],
    test: SCANNING,
    named: 'names that lead to another address',
  },
  {
    attack: 'DNS rebinding of the gateway',
    edits: [['src/http/guards/web-pages.ts', 'this.#hostNames?.check(host);', 'host?.trim();']],
    test: ATTACKS,
    named: 'DNS rebinding of the gateway',
  },
  {
    attack: 'DNS rebinding of the gateway: names with dots',
    edits: [['src/http/guards/web-pages.ts', String.raw`/^[\w-]*$/`, String.raw`/^[\w.-]*$/`]],
    test: ATTACKS,
    named: 'a request to a name that is not ours',
  },
  {
    attack: 'a listing of archives that a role may not open',
    edits: [
      ['src/gateway/targets/archives.ts', 'isSeen(archive.name) &&', ''],
      ['src/gateway/targets/archives.ts', 'filter.isSeen(name)', 'name !== undefined'],
    ],
    test: ROLES,
    named: 'a listing tells a role',
  },
  {
    attack: 'names of hidden metrics in definitions of derived ones',
    edits: [
      [
        'src/derived/shown-definitions.ts',
        'if (!this.#allows(operand) || this.#verdicts.get(operand) === false) return false;',
        'if (this.#verdicts.get(operand) === false) return false;',
      ],
    ],
    test: ROLES,
    named: 'definitions over hidden metrics',
  },
  {
    attack: 'names of hidden metrics in definitions over definitions',
    edits: [
      [
        'src/derived/shown-definitions.ts',
        'if (!this.#allows(operand) || this.#verdicts.get(operand) === false) return false;',
        'if (!this.#allows(operand)) return false;',
      ],
    ],
    test: 'test/derived/shown-definitions.test.ts',
  },
  {
    attack: 'derived metrics under hidden names',
    edits: [
      [
        'src/derived/shown-definitions.ts',
        'if (!this.#allows(definition.name)) return false;',
        "if (definition.name === '') return false;",
      ],
    ],
    test: ROLES,
    named: 'whose name is hidden',
  },
  {
    attack: 'a listing of contexts that a role may not use: on hosts and archives that it may not see',
    edits: [['src/http/operations/contexts/context.ts', 'principal?.sees(spec) === false', "principal?.name === ''"]],
    test: ROLES,
    named: 'a listing of contexts',
  },
  {
    attack: 'a listing of contexts that a role may not use: with other metrics',
    edits: [
      [
        'src/http/operations/contexts/context.ts',
        'isShared ? !principal || isSeenAlike(spec, principal)',
        'isShared ? true',
      ],
    ],
    test: ROLES,
    named: 'a listing of contexts',
  },
  {
    attack: 'roles whose exclusions of hosts and archives exclude nothing',
    edits: [['src/access/access-file.ts', "if (!glob.startsWith('!')) continue;", "if (glob !== '!') continue;"]],
    test: 'test/access/access-file.test.ts',
    named: 'is refused',
  },
  {
    attack: 'scanning: addresses of this machine through a block that holds them',
    edits: [
      ['src/gateway/targets/host-policy.ts', '(rule.meansAddress || !own.has(normalized(address)))', 'own.size >= 0'],
    ],
    test: 'test/gateway/targets/host-policy.test.ts',
    named: 'an address of this machine',
  },
  {
    attack: 'scanning: addresses written as names',
    edits: [
      [
        'src/gateway/targets/host-policy.ts',
        'if (isNumericName(host)) return undefined;',
        "if (host === '') return undefined;",
      ],
    ],
    test: 'test/gateway/targets/host-policy.test.ts',
    named: 'takes .* for no name',
  },
  {
    attack: 'global definitions by roles for some hosts or metrics',
    edits: [
      [
        'src/http/operations/derived/derived.ts',
        "principal?.requireEverywhere('derive', name);",
        "principal?.require('derive');",
      ],
    ],
    test: ROLES,
    named: 'changes nothing that holds for all',
  },
  {
    attack: 'hidden definitions: finding out and changing them',
    edits: [
      [
        'src/http/operations/derived/derived.ts',
        "if (definitionsFor(request, principal.definable).get(name) === undefined) principal.refuse('derive', name);",
        "if (name === '') principal.refuse('derive', name);",
      ],
    ],
    test: ROLES,
    named: 'under a name that it may define',
  },
  {
    attack: 'hidden definitions: finding out and changing them by files',
    edits: [
      [
        'src/http/operations/derived/derived.ts',
        'if (name === undefined && principal?.definable.filter)',
        "if (name === '' && principal?.definable.filter)",
      ],
    ],
    test: ROLES,
    named: 'a role that reads less than it may define',
  },
  {
    attack: 'hidden definitions: changes that wait for one that makes them hidden',
    edits: [['src/gateway/derived-registry.ts', 'guard?.();\n      const origin', 'const origin']],
    test: 'test/gateway/derived-registry.test.ts',
  },
  {
    attack: 'cross-site requests by a page of our name that came by HTTP',
    edits: [['src/http/guards/web-pages.ts', "if (site !== undefined && site !== 'same-origin') return false;", '']],
    test: 'test/api/access.test.ts',
    named: 'a page of our name',
  },
  {
    attack: 'passwords in the log',
    edits: [
      ['src/http/request/exchange.ts', "/([?&]host(?:spec|name)=[^&?]*?)(?:\\?|%3f|%26)[^&]*/gi, '$1'", "/^$/, '$1'"],
    ],
    test: 'test/api/access.test.ts',
    named: 'passwords in the hostspec',
  },
  {
    attack: 'explanations: who defined metrics, and where the files of the gateway are',
    edits: [['src/context/why/explain.ts', '...(place && (viewer.seesOrigins || isTheirs) && place)', '...place']],
    test: 'test/api/access.test.ts',
    named: 'who defined a metric',
  },
  {
    attack: 'explanations of more than one answer may hold',
    edits: [['src/context/why/explain.ts', 'if (metrics <= METRICS_EXPLAINED) return;', 'if (metrics > 0) return;']],
    test: 'test/context/why/explain.test.ts',
    named: 'refuses more than a hundred',
  },
  {
    attack: 'explanations: records of hidden metrics',
    edits: [
      [
        'src/sources/filtered-source.ts',
        'const shown = pmids.filter((_, i) => visible[i]);\n    const found',
        'visible.fill(true);\n    const shown = pmids;\n    const found',
      ],
    ],
    test: 'test/context/why/explain.test.ts',
    named: 'of hidden metrics are not there',
  },
  {
    attack: 'memory for PMIDs that are nobody’s',
    edits: [
      [
        'src/sources/filtered-source.ts',
        'if (!names) return false;',
        'if (!names) this.#visible.set(pmid, false);\n    if (!names) return false;',
      ],
    ],
    test: 'test/sources/filtered-source.test.ts',
    named: 'are not remembered',
  },
  {
    attack: 'streams that go on for who may not listen any more',
    edits: [['src/gateway/gateway.ts', 'if (isOtherAccess) this.#streams.interrupt();', '']],
    test: 'test/gateway/security.test.ts',
    named: 'a stream outlives a reload',
  },
  {
    attack: 'files of secrets that everybody may write',
    edits: [['src/gateway/security.ts', '(statSync(file).mode & 0o002) !== 0', '(statSync(file).mode & 0o002) > 2']],
    test: 'test/gateway/security.test.ts',
    named: 'is not believed when',
  },
  {
    attack: 'TLS clients that never finish their handshake',
    edits: [
      [
        'src/http/server/server.ts',
        "server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy());",
        '',
      ],
    ],
    test: 'test/gateway/security.test.ts',
    named: 'are let go',
  },
  {
    attack: 'guessing passwords',
    edits: [
      ['src/access/login-throttle.ts', 'if (!tries || tries.wrong.size < this.#allowed) return;', 'if (tries) return;'],
    ],
    test: ATTACKS,
    named: 'guessing credentials',
  },
  {
    attack: 'guessing passwords by asking which are known',
    edits: [['src/access/access-control.ts', 'this.#wrongPasswords.refuseFlood(known.client);', '']],
    test: 'test/access/access-control.test.ts',
    named: 'that flood in',
  },
  {
    attack: 'guessing a password at one address that was right at another',
    edits: [
      [
        'src/access/access-control.ts',
        'this.#digest(`${origin.network} ${authorization}`)',
        'this.#digest(authorization)',
      ],
    ],
    test: 'test/access/access-control.test.ts',
    named: 'do not stop a password that was right',
  },
  {
    attack: 'telling users by how long a wrong password takes',
    edits: [['src/access/access-control.ts', 'this.#anyHash(user)', 'this.#file!.users.get(user)!.password']],
    test: 'test/access/access-control.test.ts',
    named: 'an unknown user costs',
  },
  {
    attack: 'locking users out: by names that are made up',
    edits: [
      [
        'src/access/access-control.ts',
        'await this.#passwordChecks.pretend(who, () => check(this.#anyHash(user)));',
        'await this.#passwordChecks.run(who, () => check(this.#anyHash(user)));',
      ],
    ],
    test: 'test/access/access-control.test.ts',
    named: 'a flood of passwords',
  },
  {
    attack: 'locking users out: by guesses at one of them',
    edits: [['src/access/password-checks.ts', 'this.#waiting.splice(at, 1)', 'this.#waiting.splice(-1, 1 + 0 * at)']],
    test: 'test/access/access-control.test.ts',
    named: 'a flood of passwords',
  },
  {
    attack: 'guessing passwords: forgotten among names that are made up',
    edits: [
      [
        'src/access/access-control.ts',
        'isShared && !found ? this.#wrongNames',
        "isShared && user === '' ? this.#wrongNames",
      ],
    ],
    test: 'test/access/access-control.test.ts',
    named: 'a flood of passwords',
  },
  {
    attack: 'archive roots: .., absolute paths and links',
    edits: [
      [
        'src/sources/archive/files/archive-files.ts',
        "return relative === '' || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..');",
        "return relative === '' || relative !== '';",
      ],
    ],
    test: ARCHIVES,
    named: 'links of files',
  },
  {
    attack: 'archive roots: .. in names',
    edits: [
      [
        'src/sources/archive/archive-roots.ts',
        "const isOutward = path.isAbsolute(element) || element.split(/[/\\\\]/).includes('..');",
        "const isOutward = element === '/';",
      ],
      [
        'src/sources/archive/files/archive-files.ts',
        "return relative === '' || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..');",
        "return relative === '' || relative !== '';",
      ],
    ],
    test: ATTACKS,
    named: 'out of the roots of archives',
  },
  {
    attack: 'archive roots: a link that changes after it was looked at',
    edits: [
      [
        'src/sources/archive/files/open-files.ts',
        'if (roots.some((root) => root !== undefined && isWithin(root, place))) return handle;',
        'if (roots.length > 0 || isWithin(place, place)) return handle;',
      ],
    ],
    test: 'test/sources/archive/files/open-files.test.ts',
  },
  {
    attack: 'archive roots: FIFOs',
    edits: [
      [
        'src/sources/archive/files/open-files.ts',
        'constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY',
        'constants.O_RDONLY | constants.O_NOCTTY',
      ],
    ],
    test: ARCHIVES,
    named: 'FIFOs',
  },
  {
    attack: 'header injection: names of metrics',
    edits: [
      ['src/http/operations/values/fetch-range.ts', String.raw`${'${'}name.replaceAll(/[^\w.-]/g, '_')}`, '${name}'],
    ],
    test: ARCHIVES,
    named: 'names of metrics',
  },
  {
    attack: 'exposition injection: names of metrics',
    edits: [
      ['src/http/response/writers/open-metrics.ts', 'const pcpName = escapeHelp(given);', 'const pcpName = given;'],
    ],
    test: ARCHIVES,
    named: 'names of metrics',
  },
  {
    attack: 'bombs: archives that inflate',
    edits: [
      [
        'src/sources/archive/files/decompress.ts',
        'if (bytes > mostBytes) throw',
        'if (bytes > 1e12 + mostBytes) throw',
      ],
    ],
    test: ARCHIVES,
    named: 'a small file that becomes a large one',
  },
  {
    attack: 'bombs: a temporal index of a terabyte that takes nothing on disk',
    edits: [
      ['src/sources/archive/metadata/temporal-index.ts', 'if (file.size > mostBytes) {', 'if (file.size > 2 ** 50) {'],
    ],
    test: 'test/sources/archive/hostile.test.ts',
    named: 'is refused when it is too large',
  },
  {
    attack: 'bombs: descriptors for inflated copies',
    edits: [
      [
        'src/sources/archive/files/decompress.ts',
        'if (this.#copies.size < inflatedFiles) return;',
        'if (inflatedFiles > 0) return;',
      ],
    ],
    test: 'test/sources/archive/archive-store.test.ts',
    named: 'are bounded: one of them',
  },
  {
    attack: 'abandoned work: an archive that is opened for nobody',
    edits: [['src/sources/shared-work.ts', 'if (--this.#waiting === 0) this', 'if (--this.#waiting < 0) this']],
    test: 'test/sources/archive/archive-store.test.ts',
    named: 'opening an archive is given up',
  },
  {
    attack: 'abandoned work: archives that are inflated for nobody, by way of HTTP',
    edits: [
      [
        'src/context/context-manager.ts',
        'return this.#sources.open(spec, signal);',
        'return this.#sources.open(spec);',
      ],
    ],
    test: 'test/faults/endless-archive.test.ts',
    named: 'are given up when their clients leave',
  },
  {
    attack: 'abandoned work: places for inflating that a dead disk holds',
    edits: [['src/sources/archive/files/decompress.ts', 'return await until(stop, work);', 'return await work;']],
    test: 'test/sources/archive/abandoned-inflating.test.ts',
    named: 'keeps nobody waiting',
  },
  {
    attack: 'abandoned work: a damaged volume that is searched for records for nobody',
    edits: [['src/sources/archive/records/record-search.ts', 'signal?.throwIfAborted();', '']],
    test: DAMAGE,
    named: 'no further once its client has left',
  },
  {
    attack: 'bombs: a damaged volume in which everything looks like the beginning of a record far away',
    edits: [
      ['src/sources/archive/records/record-search.ts', 'if (this.#probesLeft <= 0) return false;', ''],
      ['src/sources/archive/records/record-search.ts', 'if (length > this.#bytesLeft) return false;', ''],
    ],
    test: DAMAGE,
    named: 'in linear time',
  },
  {
    attack: 'bombs: a damaged volume in which everything looks like a long record',
    edits: [['src/sources/archive/records/record-search.ts', 'if (length > this.#bytesLeft) return false;', '']],
    test: DAMAGE,
    named: 'in linear time',
  },
  {
    attack: 'abandoned work: programs that go on inflating',
    edits: [
      [
        'src/sources/archive/files/decompress.ts',
        "stop.addEventListener('abort', kill, { once: true });",
        'stop.throwIfAborted();',
      ],
    ],
    test: 'test/sources/archive/abandoned-inflating.test.ts',
    named: 'ends its program',
  },
  {
    attack: 'abandoned work: an archive that is being opened when the gateway ends',
    edits: [
      [
        'src/sources/archive/archive-store.ts',
        'for (const { opening } of open) opening.giveUp(',
        'for (const { opening } of []) opening.giveUp(',
      ],
    ],
    test: 'test/sources/archive/archive-store.test.ts',
    named: 'given up when the store is closed',
  },
  {
    attack: 'inflated copies that stay when the gateway is killed',
    edits: [
      ['src/sources/archive/files/open-files.ts', 'await unlink(name).catch(', 'await Promise.resolve(unlink).catch('],
    ],
    test: 'test/faults/endless-archive.test.ts',
    named: 'leave nothing on disk',
  },
  {
    attack: 'a directory of many archives: read anew for each of them',
    edits: [
      [
        'src/sources/archive/files/archive-files.ts',
        'this.#read.set(directory, reading);',
        'this.#read.delete(directory);',
      ],
    ],
    test: 'test/sources/archive/archive-catalogue.test.ts',
    named: 'lists each directory once',
  },
  {
    attack: 'a directory of many archives: opened for each listing',
    edits: [
      [
        'src/sources/archive/archive-catalogue.ts',
        'if (known?.state === state && known.metaState === metaState) return',
        "if (known?.state === '') return",
      ],
      ['src/sources/archive/archive-catalogue.ts', 'if (known?.state === state) return known.end;', ''],
    ],
    test: 'test/sources/archive/archive-catalogue.test.ts',
    named: 'reads no archive again',
  },
  {
    attack: 'archive roots: links among the files of an archive',
    edits: [
      [
        'src/sources/archive/archive-roots.ts',
        'if (!links.has(path.basename(file))) continue;',
        'if (links.size >= 0) continue;',
      ],
    ],
    test: 'test/sources/archive/archive-roots.test.ts',
    named: 'follows no link to the outside',
  },
  {
    attack: 'cross-site request forgery',
    edits: [
      [
        'src/http/guards/web-pages.ts',
        "if (effect === 'changes') refuseForeignPage(call, this.#cors);",
        "if (effect === 'changes') this.#cors.allows('');",
      ],
    ],
    test: ATTACKS,
    named: 'a script or form of another origin',
  },
  {
    attack: 'cross-site request forgery: audited operations only',
    edits: [
      [
        'src/http/pipeline.ts',
        'pipeline.pages.check(call, pipeline.permission, pipeline.route.effect);',
        'if (pipeline.route.isAudited !== true) pipeline.pages.check(call, pipeline.permission, pipeline.route.effect);',
      ],
    ],
    test: ATTACKS,
    named: 'a script or form of another origin',
  },
  {
    attack: 'cross-site request forgery: images and links',
    edits: [['src/http/guards/web-pages.ts', "site !== 'none' && site !== 'same-origin'", "site === 'elsewhere'"]],
    test: ATTACKS,
    named: 'an image, script or link of another site',
  },
  {
    attack: 'cross-site request forgery: images that only Referer tells of',
    edits: [
      ['src/http/guards/web-pages.ts', 'site === undefined && referer !== undefined ?', "site === '' && referer ?"],
    ],
    test: ATTACKS,
    named: 'only Referer tells of',
  },
  {
    attack: 'cross-site request forgery: images that nothing tells of',
    edits: [['src/http/guards/web-pages.ts', 'isByGet && isBrowser(headers)', "isByGet && headers.origin === ''"]],
    test: ATTACKS,
    named: 'hides where it is',
  },
  {
    attack: 'cross-site request forgery: costly reads',
    edits: [
      [
        'src/http/guards/web-pages.ts',
        "else if (permission !== 'none') refuseUnreadable(call, this.#cors);",
        "else if (permission === 'admin') refuseUnreadable(call, this.#cors);",
      ],
    ],
    test: ATTACKS,
    named: 'costly reads',
  },
  {
    attack: 'cross-site request forgery: costly reads by frames',
    edits: [['src/http/guards/web-pages.ts', " && headers['sec-fetch-dest'] === 'document'", '']],
    test: ATTACKS,
    named: 'a frame of another site',
  },
  {
    attack: 'cross-site request forgery: reading',
    edits: [
      [
        'src/http/guards/web-pages.ts',
        'return LOCAL_ORIGIN.test(origin) || this.#origins.has(origin);',
        'return origin.length > 0;',
      ],
    ],
    test: ATTACKS,
    named: 'reading an answer',
  },
  {
    attack: 'cross-site request forgery: origins like localhost',
    edits: [['src/http/guards/web-pages.ts', String.raw`(?::\d{1,5})?$/`, String.raw`(?::\d{1,5})?/`]],
    test: ATTACKS,
    named: 'an origin that begins like localhost',
  },
  {
    attack: 'cross-site request forgery: JSON as text',
    edits: [['src/http/request/read-body.ts', 'requireReadable(req.headers, [JSON_TYPE]);', '']],
    test: ATTACKS,
    named: 'a batch that says it is text',
  },
  {
    attack: 'cross-site request forgery: inside a batch',
    edits: [['src/http/operations/batch/batch.ts', "  'if-none-match',\n", "  'if-none-match',\n  'origin',\n"]],
    test: ATTACKS,
    named: 'changes inside a batch',
  },
  {
    attack: 'header injection: warnings',
    edits: [
      [
        'src/http/response/answer.ts',
        'JSON.stringify(warning).replace(/[^\\x20-\\x7e]/g, escapeUnit)',
        'warning.name + escapeUnit(warning.message)',
      ],
    ],
    test: ATTACKS,
    named: 'header fields through every text',
  },
  {
    attack: 'header injection: echoed fields',
    edits: [
      [
        'src/http/request/exchange.ts',
        "typeof asked === 'string' && CLIENT_REQUEST_ID.test(asked)",
        "typeof asked === 'string' && (asked !== '' || CLIENT_REQUEST_ID.test(asked))",
      ],
    ],
    test: ATTACKS,
    named: 'header fields that are echoed',
  },
  {
    attack: 'markup: sniffing',
    edits: [['src/http/response/respond.ts', ", 'X-Content-Type-Options', 'nosniff'];", '];']],
    test: ATTACKS,
    named: 'markup',
  },
  {
    attack: 'recordings: of this machine, for roles of other hosts',
    edits: [['src/access/principal.ts', 'directory === RECORDINGS || ', '']],
    test: 'test/access/access-file.test.ts',
    named: 'recordings',
  },
  {
    attack: 'recordings: of what clients define over metrics that they may not see',
    edits: [
      [
        'src/recorder/sample-writer.ts',
        'isDerived && !recordsDerived(name)',
        'isDerived && name === recordsDerived.name',
      ],
    ],
    test: 'test/recorder/recorder.test.ts',
    named: 'none that clients registered',
  },
  {
    attack: 'recorder: a second gateway in the same directory',
    edits: [['src/recorder/directory-lock.ts', "{ flag: 'wx', mode: 0o640 }", "{ flag: 'w', mode: 0o640 }"]],
    test: 'test/recorder/recorder.test.ts',
    named: 'refuses to record where another gateway does',
  },
  {
    attack: 'recorder: a lock that looks like that of a dead process',
    edits: [
      [
        'src/recorder/directory-lock.ts',
        'if (holder !== undefined) throw new Error(',
        'if (holder === -1) throw new Error(',
      ],
    ],
    test: 'test/recorder/recorder.test.ts',
    named: 'refuses to record where another gateway does',
  },
  {
    attack: 'recorder: the lock of a process in another container',
    edits: [['src/recorder/directory-lock.ts', 'if (owner.namespace !== own.namespace) return', 'if (!own) return']],
    test: 'test/recorder/recorder.test.ts',
    named: 'takes the lock of a process that is gone',
  },
  {
    attack: 'recorder: half a record where the process was killed',
    edits: [
      [
        'src/sources/archive/writing/append-file.ts',
        "new AppendFile(await directory.open(path, 'r+'), length, true)",
        "new AppendFile(await directory.open(path, 'r+'), length, false)",
      ],
    ],
    test: 'test/sources/archive/writing/interruption.test.ts',
    named: 'is cut before zeros',
  },
  {
    attack: 'recorder: values joined over the gap that a crash left',
    edits: [
      [
        'src/sources/archive/writing/archive-writer.ts',
        'if (this.#owesMark) await this.#writeMark(timestamp);',
        'if (this.#owesMark && !this.#end) await this.#writeMark(timestamp);',
      ],
    ],
    test: 'test/sources/archive/writing/interruption.test.ts',
    named: 'after any number of operations',
  },
  {
    attack: 'recorder: an archive continued behind damage',
    edits: [
      [
        'src/sources/archive/writing/resume-point.ts',
        "if (found.tail === 'damaged') throw",
        "if (found.tail === 'damaged' && found.length < 0) throw",
      ],
    ],
    test: 'test/sources/archive/writing/interruption.test.ts',
    named: 'damaged before its end',
  },
  {
    attack: 'recorder: a slow group whose samples each begin an archive',
    edits: [['src/recorder/recorder.ts', 'return end && !isClockSetBack &&', 'return end && isClockSetBack &&']],
    test: 'test/recorder/recorder.test.ts',
    named: 'in time while another one waits',
  },
  {
    attack: 'changes: more sources than one request may read',
    edits: [['src/http/operations/values/changes.ts', ' || sources.length > MOST_SOURCES', '']],
    test: 'test/api/changes.test.ts',
    named: 'is refused',
  },
  {
    attack: 'changes: work for a client that has gone',
    edits: [['src/changes/measure-window.ts', '    settings.signal?.throwIfAborted();\n', '']],
    test: 'test/changes/measure-window.test.ts',
    named: 'stops when its client leaves',
  },
  {
    attack: 'paths: out of the guide',
    edits: [['src/http/operations/documentation.ts', 'GUIDE_PAGE = /^[a-z-]+$/', 'GUIDE_PAGE = /./']],
    test: ATTACKS,
    named: 'out of the documentation',
  },
  {
    attack: 'markup: the page in a frame',
    edits: [['src/http/operations/documentation.ts', '  "frame-ancestors \'none\'",\n', '']],
    test: ATTACKS,
    named: 'what answers say to browsers',
  },
  {
    attack: 'unknown members and parameters',
    edits: [
      [
        'src/http/request/parameters.ts',
        'if (kind !== undefined) return kind;',
        'if (kind !== undefined || name.length < 100) return kind as ParameterKind;',
      ],
    ],
    test: ATTACKS,
    named: 'members of every object',
  },
  {
    attack: 'log injection on a terminal',
    edits: [['src/log/log.ts', String.raw`\\u00([01][0-9a-f])|`, String.raw`\\u99([01][0-9a-f])|`]],
    test: 'test/log/log.test.ts',
    named: 'showControls',
  },
  {
    attack: 'log injection into JSON lines',
    edits: [
      [
        'src/log/log.ts',
        'const logger = pino({ level, base: common, timestamp: pino.stdTimeFunctions.isoTime }, sink);',
        "const logger = pino({ level, base: common, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => sink.write(line.replaceAll('\\\\n', '\\n')) });",
      ],
    ],
    test: 'test/log/log.test.ts',
    named: 'keeps text from a client in one line',
  },
  {
    attack: 'CSV injection',
    edits: [
      [
        'src/pmapi/values/value-text.ts',
        'FORMULA.test(text) && !NUMBER.test(text)',
        'FORMULA.test(text) && NUMBER.test(`${text}x`)',
      ],
    ],
    test: 'test/pmapi/values/value-text.test.ts',
  },
  {
    attack: 'request smuggling: framing',
    edits: [
      [
        'src/http/server/server.ts',
        '    IncomingMessage: GraftedRequest,\n',
        '    insecureHTTPParser: true,\n    IncomingMessage: GraftedRequest,\n',
      ],
    ],
    test: ATTACKS,
    named: 'Content-Length',
  },
  {
    attack: 'request smuggling: two Hosts',
    edits: [['src/http/server/server.ts', '++hosts > 1', '++hosts > 9']],
    test: ATTACKS,
    named: 'two Hosts',
  },
  {
    attack: 'request smuggling: HTTP/0.9',
    edits: [['src/http/server/server.ts', 'httpVersionMajor !== 1', 'httpVersionMajor === 7']],
    test: ATTACKS,
    named: 'HTTP/0.9',
  },
  {
    attack: 'slow clients: heads',
    edits: [
      ['src/http/server/server.ts', 'server.headersTimeout = headersMs;', 'server.headersTimeout = 0 * headersMs;'],
      ['src/http/server/server.ts', 'server.requestTimeout = requestMs;', 'server.requestTimeout = 0 * requestMs;'],
    ],
    test: ATTACKS,
    named: 'a head that never ends',
  },
  {
    attack: 'slow clients: bodies',
    edits: [
      ['src/http/server/server.ts', 'server.requestTimeout = requestMs;', 'server.requestTimeout = 0 * requestMs;'],
    ],
    test: ATTACKS,
    named: 'a body that never ends',
  },
  {
    attack: 'slow clients: idle connections',
    edits: [
      [
        'src/http/server/server.ts',
        'server.keepAliveTimeout = keepAliveMs;',
        'server.keepAliveTimeout = 0 * keepAliveMs;',
      ],
    ],
    test: ATTACKS,
    named: 'a connection kept for nothing',
  },
  {
    attack: 'all connections for one address',
    edits: [['src/http/guards/client-limits.ts', 'if (client.connections >= most) {', 'if (client.connections < 0) {']],
    test: ATTACKS,
    named: 'all of them for one address',
  },
  {
    attack: 'bombs: nested JSON',
    edits: [
      [
        'src/http/request/read-body.ts',
        '  refuseDeep(text);\n',
        '  if (text === MAX_JSON_DEPTH.toString()) refuseDeep(text);\n',
      ],
    ],
    test: ATTACKS,
    named: 'JSON that nests',
  },
  {
    attack: 'paths: around the rules of a proxy by more slashes',
    edits: [
      [
        'src/http/app.ts',
        'redirectSlashes(exchange, directory);\n',
        "req.url = req.url.replace(/^\\/+/, '/');\n      app(req, res);\n",
      ],
    ],
    test: ATTACKS,
    named: 'rules of a proxy',
  },
  {
    attack: 'paths: redirections to other sites',
    edits: [
      ['src/http/app.ts', 'directory.methodsOf(`/${path}`);', "['GET', directory.paths.length.toString()];"],
      ['src/http/app.ts', "toRoot(url.split('?', 1)[0]!) + path;", 'url;'],
    ],
    test: ATTACKS,
    named: 'redirections to other sites',
  },
  {
    attack: 'bombs: lists of too many elements',
    edits: [
      [
        'src/http/operations/values/response-size.ts',
        'if (count > this.#most) throw tooMany',
        'if (count < 0) throw tooMany',
      ],
    ],
    test: 'test/api/list-limits.test.ts',
  },
  {
    attack: 'bombs: lists of long texts',
    edits: [
      [
        'src/http/operations/values/response-size.ts',
        'if (this.#length > this.#most * LENGTH_PER_ELEMENT_VALUE) {',
        'if (this.#length < 0) {',
      ],
    ],
    test: 'test/api/list-limits.test.ts',
  },
  {
    attack: 'damaged archives: answers that end without a status',
    edits: [
      [
        'src/http/response/respond.ts',
        'if (!hasBegun(res) && !(hasPieces && answer.lastWords)) throw error;',
        'if (!hasPieces) throw error;',
      ],
    ],
    test: 'test/http/response/respond.test.ts',
    named: 'throws what fails after',
  },
  {
    attack: 'descriptors that run out: defects',
    edits: [
      [
        'src/http/response/error-response.ts',
        'if (!isUnreachable && isOutOfDescriptors(error)) return OUT_OF_DESCRIPTORS;',
        'isOutOfDescriptors(isUnreachable);',
      ],
    ],
    test: 'test/http/response/error-response.test.ts',
    named: 'no descriptor',
  },
  {
    attack: 'bombs: labels that nest',
    edits: [['src/pmapi/labels.ts', ' || nestsDeeper(label.json, MAX_NESTING)', '']],
    test: 'test/pmapi/labels.test.ts',
    named: 'nest without end',
  },
  {
    attack: 'bombs: bodies',
    edits: [
      [
        'src/http/request/read-body.ts',
        '> maxBytes) return Promise.reject(tooLarge());',
        '> 100 * maxBytes) return Promise.reject(tooLarge());',
      ],
      ['src/http/request/read-body.ts', 'if (size <= maxBytes) return', 'if (size <= 100 * maxBytes) return'],
    ],
    test: ATTACKS,
    named: 'a body beyond the limit',
  },
  {
    attack: 'bombs: names',
    edits: [['src/http/request/validate.ts', 'value.length <= mostElements', 'value.length <= 1e9 + mostElements']],
    test: ATTACKS,
    named: 'a hundred thousand names',
  },
  {
    attack: 'bombs: entries of a batch',
    edits: [
      ['src/http/operations/batch/batch-entry.ts', 'listed.length > maxEntries', 'listed.length > 1e9 + maxEntries'],
    ],
    test: ATTACKS,
    named: 'a batch of ten thousand entries',
  },
  {
    attack: 'bombs: other requests among the subscriptions of streams',
    edits: [['src/http/operations/batch/streams.ts', 'if (!/^', 'if (!/^|^']],
    test: 'test/api/stream.test.ts',
    named: 'has the events of every stream',
  },
  {
    attack: 'slow clients: what is opened for a client that has left, as part of a batch or of many streams',
    edits: [['src/http/operations/batch/batch.ts', 'if (this.#isGone) listener();', 'if (this.#isGone) return;']],
    test: 'test/http/operations/batch/leaving.test.ts',
    named: 'those that come late immediately',
  },
  {
    attack: 'bombs: batches of batches',
    edits: [['src/http/routes.ts', 'readsDocument: true, standsAlone: true,', 'readsDocument: true,']],
    test: ATTACKS,
    named: 'a batch of batches',
  },
  {
    attack: 'bombs: URLs',
    edits: [
      ['src/http/pipeline.ts', 'if (url.length <= urlBytes) return;', 'if (url.length <= 100 * urlBytes) return;'],
      [
        'src/http/server/server.ts',
        'maxHeaderSize: urlBytes + HEADER_BYTES,',
        'maxHeaderSize: 100 * urlBytes + HEADER_BYTES,',
      ],
    ],
    test: ATTACKS,
    named: 'a URL beyond the limit',
  },
  {
    attack: 'bombs: compressed bodies',
    edits: [['src/http/request/read-body.ts', "(encoding === undefined || encoding === 'identity') && ", '']],
    test: ATTACKS,
    named: 'a compressed body',
  },
  {
    attack: 'bombs: regular expressions',
    edits: [
      [
        'src/context/selection/pattern.ts',
        'const regex = compilePosixPattern(pattern);',
        'const regex = { reason: "", ...compilePosixPattern(""), size: 1, test: (t: string) => new RegExp(pattern).test(t) };',
      ],
      ['src/context/selection/pattern.ts', "if ('reason' in regex) throw refuse(regex.reason);", ''],
    ],
    test: ATTACKS,
    named: 'a regular expression that backtracks',
  },
  {
    attack: 'bombs: patterns that are large together',
    edits: [
      ['src/context/selection/pattern.ts', 'if (size > PATTERNS_SIZE_MAX) {', 'if (size > 1e9 + PATTERNS_SIZE_MAX) {'],
    ],
    test: 'test/context/selection/pattern.test.ts',
    named: 'that cost too much',
  },
  {
    attack: 'bombs: samples of streams',
    edits: [['src/context/stream/stream-group.ts', 'this.#request.check?.(result);', '']],
    test: 'test/api/stream.test.ts',
    named: 'too large for its interval',
  },
  {
    attack: 'so many requests in one moment that all of them begin in one turn of the event loop',
    edits: [['src/http/guards/overload/overload-guard.ts', 'if (turn !== this.#turn) {', 'if (turn !== undefined) {']],
    test: 'test/http/guards/overload/overload-guard.test.ts',
    named: 'in each turn of a loop',
  },
  {
    attack: 'large answers that nobody takes',
    edits: [
      [
        'src/http/guards/overload/overload-guard.ts',
        'if (this.#unsentBytes > 0 && this.#unsentBytes + sizeBytes > most) {',
        'if (this.#unsentBytes < 0 && this.#unsentBytes + sizeBytes > most) {',
      ],
    ],
    test: 'test/http/guards/overload/overload-guard.test.ts',
    named: 'room for large answers',
  },
  {
    attack: 'large answers behind others of a connection that ends',
    edits: [['src/http/server/connections.ts', "      res.emit('close');\n", '']],
    test: 'test/faults/clients.test.ts',
    named: 'counts no more',
  },
  {
    attack: 'answers behind a stream that does not end',
    edits: [
      [
        'src/http/response/respond.ts',
        'if (isWaiting(res)) req.socket.destroy();',
        'if (res.destroyed) req.socket.destroy();',
      ],
    ],
    test: 'test/faults/clients.test.ts',
    named: 'wait behind a stream',
  },
  {
    attack: 'requests without end on one connection',
    edits: [
      [
        'src/http/server/connections.ts',
        'if (waiting.size >= MOST_WAITING) {',
        'if (waiting.size < 0 * MOST_WAITING) {',
      ],
    ],
    test: 'test/faults/clients.test.ts',
    named: 'ever more without waiting',
  },
  {
    attack: 'guessing the passwords of a host',
    edits: [
      [
        'src/http/request/request-context.ts',
        "spec.kind !== 'host' || !holdsCredentials(spec)) return",
        "spec.kind === 'host') return",
      ],
    ],
    test: 'test/api/access.test.ts',
    named: 'guesses at a host in',
  },
  {
    attack: 'bombs: nested expressions',
    edits: [
      ['src/derived/language/parse.ts', 'nesting: 100,', 'nesting: 1e9,'],
      ['src/derived/language/parse.ts', 'tokens: 2_000,', 'tokens: 1e9,'],
      ['src/derived/language/parse.ts', 'length: 16_384,', 'length: 1e9,'],
    ],
    test: ATTACKS,
    named: 'bombs.*an expression',
  },
  {
    attack: 'bombs: repairs that are tried again and again',
    edits: [['src/derived/dry-run/closing-repairs.ts', 'left -= text.length;', 'left -= 0;']],
    test: 'test/derived/dry-run/closing-repairs.test.ts',
    named: 'try no more than a few texts',
  },
  {
    attack: 'bombs: repairs of texts that are too long',
    edits: [
      [
        'src/derived/dry-run/repairs.ts',
        'if (fault.isLimit === true) return',
        "if (fault.isLimit === true && text === '') return",
      ],
    ],
    test: 'test/derived/dry-run/closing-repairs.test.ts',
    named: 'are not looked for',
  },
  {
    attack: 'bombs: expressions that take ever more steps',
    edits: [['src/derived/language/parse.ts', 'nesting: 100,', 'nesting: 1e9,']],
    test: 'test/derived/dry-run/check-steps.test.ts',
    named: 'calls that open|colons',
  },
  {
    attack: 'bombs: definitions that are parsed in one turn',
    edits: [['src/derived/load-definitions.ts', "case 'definition': {\n        yield;\n", "case 'definition': {\n"]],
    test: 'test/derived/in-steps.test.ts',
  },
  {
    attack: 'bombs: definitions that are bound in one turn',
    edits: [['src/derived/derived-scope.ts', '      yield;\n', '']],
    test: 'test/derived/in-steps.test.ts',
  },
  {
    attack: 'bombs: aliases of YAML',
    edits: [['src/config/parse-yaml.ts', 'MAX_ALIASES = 100', 'MAX_ALIASES = 1e9']],
    test: 'test/security/files.test.ts',
    named: 'an access file',
  },
  {
    attack: 'guessing contexts: their identifiers',
    edits: [
      [
        'src/context/context-manager.ts',
        'const id = (bytes.readUInt32BE(0) & 0x1fffff) * 0x1_0000_0000 + bytes.readUInt32BE(4);',
        'const id = 4_000_000_000_000 + (bytes.readUInt32BE(0) % 1e9);',
      ],
    ],
    test: ATTACKS,
    named: 'predicting identifiers',
  },
  {
    attack: 'guessing contexts: those of others',
    edits: [
      [
        'src/http/request/request-context.ts',
        'isShared || owner === principal.name || principal.may(',
        "isShared || owner !== '' || principal.may(",
      ],
    ],
    test: 'test/api/access.test.ts',
    named: 'contexts are their owner',
  },
  {
    attack: 'role escapes: values',
    edits: [
      [
        'src/http/request/request-context.ts',
        'return filter ? { ...spec, filter } : spec;',
        'return filter && false ? { ...spec, filter } : spec;',
      ],
    ],
    test: ROLES,
  },
  {
    attack: 'role escapes: by name',
    edits: [
      [
        'src/sources/filtered-source.ts',
        'return this.filter.allows(names[i]!) ? result : PM_ERR.NAME;',
        'return result;',
      ],
      [
        'src/sources/filtered-source.ts',
        'const verdict = names.some((name) => this.filter.allows(name));',
        'const verdict = names.length > 0;',
      ],
    ],
    test: ROLES,
  },
  {
    attack: 'role escapes: by PMID',
    edits: [
      [
        'src/sources/filtered-source.ts',
        'const verdict = names.some((name) => this.filter.allows(name));',
        'const verdict = names.length > 0;',
      ],
    ],
    test: 'test/sources/filtered-source.test.ts',
  },
  {
    attack: 'role escapes: by instance domain',
    edits: [
      [
        'src/sources/filtered-source.ts',
        '    await this.requireIndom(indom);\n    return this.inner.instances(indom, at);',
        '    return this.inner.instances(indom, at);',
      ],
    ],
    test: 'test/sources/filtered-source.test.ts',
  },
  {
    attack: 'role escapes: by parameters of event records',
    edits: [['src/sources/metric-filter.ts', 'this.#verdicts.get(pmid) === true', 'this.#verdicts.has(pmid)']],
    test: 'test/sources/filtered-source.test.ts',
    named: 'allowed metrics, and no others',
  },
  {
    attack: 'role escapes: by a list of archives',
    edits: [['src/access/principal.ts', "list.split(',').map((archive) => archive.trim())", '[list.trim()]']],
    test: ROLES,
    named: 'beside them in a list',
  },
  {
    attack: 'role escapes: permissions',
    edits: [
      [
        'src/http/pipeline.ts',
        "if (permission !== 'none') call.principal?.require(permission);",
        "if (permission === 'admin') call.principal?.require(permission);",
      ],
    ],
    test: 'test/api/access.test.ts',
  },
  {
    attack: 'listening beyond loopback for everybody',
    edits: [
      [
        'src/gateway/security.ts',
        "if (isLocal(listen.host) || access.file !== null || access.anonymousFrom === 'anywhere') return;",
        'if (isLocal || access.file !== problems.length.toString()) return;',
      ],
    ],
    test: 'test/gateway/security.test.ts',
  },
  {
    attack: 'large lists of metadata for clients that have gone',
    edits: [['src/http/response/representation.ts', 'if (isUnwanted()) return undefined;', '']],
    test: 'test/http/response/respond.test.ts',
  },
  {
    attack: 'values of one context in the answers of another',
    edits: [['src/context/plans/fetcher.ts', 'if (!use.isKept) results.give(fetched);', 'results.give(fetched);']],
    test: 'test/context/contexts-apart.test.ts',
  },
  {
    attack: 'overload: large fetches that all begin at once',
    edits: [
      [
        'src/http/operations/values/fetch.ts',
        'isLargeRequest(metrics) ? await largeFetchTurn(request, context) : undefined',
        'undefined as (() => void) | undefined',
      ],
    ],
    test: 'test/faults/overload.test.ts',
    named: 'two large fetches',
  },
  {
    attack: 'overload: streams that are opened and left at once',
    edits: [['src/context/stream/stream-request.ts', 'Math.min(limitMs, LINGER_RATIO * ageMs)', 'limitMs']],
    test: 'test/context/stream/stream-hub.test.ts',
    named: 'ten times as long',
  },
  {
    attack: 'overload: streams that differ only in what their clients are called',
    edits: [
      [
        'src/http/response/writers/event-stream-writer.ts',
        'key: JSON.stringify([formKey, by, unreadable])',
        'key: JSON.stringify([formKey, by, client, unreadable])',
      ],
    ],
    test: 'test/api/stream.test.ts',
    named: 'clients of all names',
  },
  {
    attack: 'overload: streams of ever more metrics',
    edits: [['src/context/stream/stream-hub.ts', 'this.#load?.admitSampling();', '']],
    test: 'test/context/stream/stream-hub.test.ts',
    named: 'asks for room',
  },
  {
    attack: 'overload: streams that all sample in the same turn of the event loop',
    edits: [['src/context/stream/stream-group.ts', 'await eventLoopTurns.own();\n    // Ids grow', '// Ids grow']],
    test: 'test/context/stream/stream-hub.test.ts',
    named: 'of its own',
  },
  {
    attack: 'a stop that waits for whoever has not agreed on TLS',
    edits: [['src/gateway/gateway.ts', 'this.#connections.closeAll()', 'this.#server.closeAllConnections()']],
    test: 'test/gateway/gateway.test.ts',
    named: 'agreed on TLS',
  },
  {
    attack: 'a pmcd that sends help texts of megabytes',
    edits: [['src/sources/pmcd/frame-splitter.ts', 'length > maxBytes', 'length > 0x7ffffff0']],
    test: 'test/sources/pmcd/hostile-pmcd.test.ts',
    named: 'help texts of megabytes',
  },
  {
    attack: 'a pmcd whose help texts are kept whole',
    edits: [['src/sources/pmcd/replies.ts', 'length <= MAX_TEXT_BYTES ? length', 'length >= 0 ? length']],
    test: 'test/sources/pmcd/replies.test.ts',
    named: 'first 64 KiB',
  },
  {
    attack: 'a pmcd that has long texts of everything',
    edits: [
      ['src/context/names/metadata-cache.ts', 'new MemoryBudget(maxBytes, whole)', 'new MemoryBudget(2 ** 40, whole)'],
    ],
    test: 'test/context/names/metadata-cache.test.ts',
    named: 'is bounded in bytes',
  },
  {
    attack: 'a pmcd with labels that fill a search index without a word',
    edits: [['src/search/search-indexes.ts', ' || characters >= charactersPerIndex', '']],
    test: 'test/search/search-indexes.test.ts',
    named: 'bounds instances',
  },
  {
    attack: 'a pmcd whose lists keep the event loop',
    edits: [['src/sources/pmcd/replies.ts', 'const STEP_BYTES = 65536;', 'const STEP_BYTES = 2 ** 40;']],
    test: 'test/sources/pmcd/pmcd-source.test.ts',
    named: 'decodes lists in turns',
  },
  {
    attack: 'a pmcd that falls silent',
    edits: [
      [
        'src/sources/pmcd/connection.ts',
        'if (leftMs > 0) this.#startTimer(leftMs);',
        'if (leftMs > -1e9) this.#startTimer(1e9);',
      ],
    ],
    test: 'test/sources/pmcd/connection.test.ts',
    named: 'takes too long',
  },
  {
    attack: 'a pmcd whose lists fill the memory while they are decoded',
    edits: [['src/sources/pmcd/connection.ts', 'this.#stream.pause();', '']],
    test: 'test/sources/pmcd/pmcd-source.test.ts',
    named: 'reads nothing more while',
  },
  {
    attack: 'a pmcd whose values keep the event loop',
    edits: [['src/sources/pmcd/pmcd-source.ts', 'VALUES_PER_TURN = 20_000', 'VALUES_PER_TURN = 1e9']],
    test: 'test/sources/pmcd/pmcd-source.test.ts',
    named: 'decodes many values in turns',
  },
  {
    attack: 'a pmcd whose value pointers keep the event loop',
    edits: [['src/sources/wire/value-sets.ts', 'VALUES_PER_STEP = 65_536', 'VALUES_PER_STEP = 2 ** 40']],
    test: 'test/sources/pmcd/pmcd-source.test.ts',
    named: 'checks the value pointers',
  },
  {
    attack: 'a pmcd that answers a small fetch with millions of value sets',
    edits: [['src/sources/pmcd/replies.ts', 'asked !== undefined && count !== asked', 'asked === -1']],
    test: 'test/sources/pmcd/replies.test.ts',
    named: 'as many as were asked for',
  },
  {
    attack: 'a pmcd whose event records keep the event loop: those to keep',
    edits: [
      [
        'src/sources/pmcd/event-relay.ts',
        'MAX_KEPT_ARRAYS = MAX_KEPT_BYTES / ARRAY_OVERHEAD_BYTES',
        'MAX_KEPT_ARRAYS = 2 ** 40',
      ],
    ],
    test: 'test/sources/pmcd/event-relay.test.ts',
    named: 'decodes no more of one reply',
  },
  {
    attack: 'a pmcd whose event records keep the event loop: those to join',
    edits: [
      ['src/sources/pmcd/pmcd-source.ts', 'if (i % VALUES_PER_TURN === VALUES_PER_TURN - 1) await', 'if (i < 0) await'],
    ],
    test: 'test/sources/pmcd/event-relay.test.ts',
    named: 'are joined in turns',
  },
  {
    attack: 'a pmcd whose event records of thousands of metrics fill the memory',
    edits: [['src/sources/pmcd/event-relay.ts', 'MAX_HOST_BYTES = 16 * MIB', 'MAX_HOST_BYTES = 2 ** 40']],
    test: 'test/sources/pmcd/event-relay.test.ts',
    named: '16 MiB',
  },
  {
    attack: 'a pmcd that fills the memory before the handshake is over',
    edits: [
      [
        'src/sources/pmcd/pdu-stream.ts',
        'this.#onFrame ? this.#maxBytes(type) : MAX_HANDSHAKE_BYTES',
        'this.#maxBytes(type)',
      ],
    ],
    test: 'test/sources/pmcd/connection.test.ts',
    named: 'longer than any of a handshake',
  },
  {
    attack: 'a pmcd with millions of values to choose instances from',
    edits: [['src/context/selection/series-filter.ts', 'if (values > VALUES_MAX) return', 'if (values < 0) return']],
    test: 'test/context/selection/fetch-view.test.ts',
    named: 'does not choose from more values',
  },
  {
    attack: 'derived metrics bound for clients that have gone',
    edits: [['src/context/names/binding-cache.ts', 'signal?.throwIfAborted();\n        found.set', 'found.set']],
    test: 'test/context/names/binding-cache.test.ts',
    named: 'stops when the client leaves: definitions',
  },
  {
    attack: 'derived metrics that meta= names, bound for clients that have gone',
    edits: [
      [
        'src/context/names/binding-cache.ts',
        'signal?.throwIfAborted();\n        const { program }',
        'const { program }',
      ],
    ],
    test: 'test/context/names/binding-cache.test.ts',
    named: 'stops when the client leaves: those',
  },
  {
    attack: 'derived metrics of a whole namespace bound for clients that have gone',
    edits: [['src/context/names/namespace.ts', 'bindAll(free, signal)', 'bindAll(free)']],
    test: 'test/faults/clients.test.ts',
    named: 'has no more of them bound',
  },
  {
    attack: 'instances chosen for clients that have gone',
    edits: [
      ['src/http/operations/values/instance-selection.ts', 'of inBatches(all, gone))', 'of inBatches(all, NEVER))'],
    ],
    test: 'test/http/operations/values/instance-selection.test.ts',
    named: 'stops when nobody waits',
  },
  {
    attack: 'misspelt names: each compared with a namespace of millions',
    edits: [['src/context/names/meant-names.ts', '.slice(0, CANDIDATES)', '']],
    test: 'test/context/names/meant-names.test.ts',
    named: 'among the first 20,000',
  },
  {
    attack: 'misspelt names: thousands in one request',
    edits: [['src/context/names/meant-names.ts', '.slice(0, NAMES_SOUGHT)', '']],
    test: 'test/context/names/meant-names.test.ts',
    named: 'the first three names only',
  },
  {
    attack: 'misspelt names: the namespace read for each poll',
    edits: [['src/context/names/meant-names.ts', 'known.set(key, nearest);', '']],
    test: 'test/context/names/meant-names.test.ts',
    named: 'not again for names that it knows',
  },
  {
    attack: 'repeated lists: a list that is copied for each of its elements',
    edits: [
      [
        'src/http/request/parameters.ts',
        'append(values[name] as (string | number)[], value);',
        'values[name] = [...(values[name] as (string | number)[]), ...(value as (string | number)[])];',
      ],
    ],
    test: 'test/http/request/parameters.test.ts',
    named: 'as often as a body can hold',
  },
  {
    attack: 'definitions that fill the memory',
    edits: [['src/derived/memory-quota.ts', 'this.#bytes + bytes <= this.#limit', 'this.#bytes <= Infinity']],
    test: 'test/derived/memory-quota.test.ts',
    named: 'there is no room',
  },
  {
    attack: 'definitions whose patterns fill the memory',
    edits: [['src/derived/definition.ts', 'PATTERN_SIZE_BYTES * Math.min', '0 * Math.min']],
    test: 'test/derived/memory-quota.test.ts',
    named: 'repetitions are written out',
  },
  {
    attack: 'definitions over HTTP that fill the memory',
    edits: [
      [
        'src/gateway/room-options.ts',
        'memoryBytes: memoryShares(limits.memoryBytes).global_definitions',
        'memoryBytes: 2 ** 40',
      ],
    ],
    test: ATTACKS,
    named: 'large definitions for everybody',
  },
  {
    attack: 'definitions of contexts over HTTP that fill the memory',
    edits: [['src/gateway/room-options.ts', 'definitionBytes: definitions,', 'definitionBytes: 2 ** 40,']],
    test: ATTACKS,
    named: 'large definitions of contexts',
  },
  {
    attack: 'views and plans over HTTP that fill the memory',
    edits: [['src/gateway/room-options.ts', 'keptBytes: plans,', 'keptBytes: 2 ** 40,']],
    test: ATTACKS,
    named: 'views and plans of contexts',
  },
  {
    attack: 'a state that fills the memory at each start',
    edits: [
      [
        'src/gateway/derived-registry.ts',
        "new MemoryQuota('global derived metrics', memoryBytes)",
        "new MemoryQuota('', 2 ** 40)",
      ],
    ],
    test: 'test/api/withheld.test.ts',
    named: 'listed as withheld',
  },
  {
    attack: 'definitions that are withheld and cannot be removed',
    edits: [['src/http/operations/derived/derived.ts', 'if (!isWithheld) requireKnown', 'requireKnown']],
    test: 'test/api/withheld.test.ts',
    named: 'can be removed',
  },
  {
    attack: 'open streams whose views fill the memory',
    edits: [['src/context/stream/stream-group.ts', 'if (added > 0) quota.require(added);', '']],
    test: 'test/context/stream/stream-hub.test.ts',
    named: 'what open streams take',
  },
  {
    attack: 'instance profiles that fill the memory',
    edits: [
      [
        'src/context/context.ts',
        'if (indom !== undefined) quota.require(InstanceProfile.bytesOf(instances.length));',
        '',
      ],
    ],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'instance profiles of contexts',
  },
  {
    attack: 'copies of contexts whose profiles fill the memory',
    edits: [
      [
        'src/context/context-manager.ts',
        'original.copyProfile();\n    this.#kept.profiles.require(profile.bytes);',
        'original.copyProfile();',
      ],
    ],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'are counted when they are copied',
  },
  {
    attack: 'metadata of many hosts that fills the memory',
    edits: [['src/context/names/metadata-cache.ts', 'new MemoryBudget(maxBytes, whole)', 'new MemoryBudget(maxBytes)']],
    test: 'test/context/names/metadata-cache.test.ts',
    named: 'what the metadata of all sources may take',
  },
  {
    attack: 'metadata of hosts that nobody asks for any more',
    edits: [['src/context/shared-source.ts', '  metadata.close();\n', '']],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'metadata of sources',
  },
  {
    attack: 'names and descriptors that fill the memory',
    edits: [
      [
        'src/context/names/metadata-cache.ts',
        'this.#budget.note(this.#found, this.#foundBytes)',
        'this.#budget.touch(this.#found)',
      ],
    ],
    test: 'test/context/names/metadata-cache.test.ts',
    named: 'holds its names and descriptors',
  },
  {
    attack: 'ranges that are read on for clients that have left',
    edits: [['src/http/operations/values/fetch-range.ts', '    signal: gone,\n', '']],
    test: 'test/security/ranges.test.ts',
    named: 'is read no more',
  },
  {
    attack: 'ranges that are read on after they were given up',
    edits: [
      [
        'src/context/range/range-reader.ts',
        'signal?.throwIfAborted();\n    return this.#turns.next()?.then(() => {\n      signal?.throwIfAborted();\n    });',
        'return this.#turns.next();',
      ],
    ],
    test: 'test/context/range/range-reader.test.ts',
    named: 'stops with the reason when the client leaves',
  },
  {
    attack: 'ranges that are read for seconds before they are found too large',
    edits: [
      [
        'src/context/open-range.ts',
        '  checkRangeEstimate(await estimateValues(source, profile, metrics, request, series, signal), isCollected, limits);\n',
        '',
      ],
    ],
    test: 'test/security/ranges.test.ts',
    named: 'is refused before any of it is read',
  },
  {
    attack: 'archives that are replaced while they are opened: defects',
    edits: [
      [
        'src/sources/archive/archive-store.ts',
        'throw new PmError(errnoOf(error), path.basename(meta.path), { cause: error });',
        'throw error;',
      ],
    ],
    test: 'test/faults/archive.test.ts',
    named: 'replaced while it is being opened',
  },
  {
    attack: 'archives that are there and told to be missing when descriptors run out',
    edits: [
      [
        'src/sources/archive/archive-roots.ts',
        '  throw error;\n}\n\nfunction badName',
        '  return undefined;\n}\n\nfunction badName',
      ],
    ],
    test: 'test/faults/archive.test.ts',
    named: 'a machine without descriptors',
  },
  {
    attack: 'definitions that are parsed for clients that have left',
    edits: [
      [
        'src/gateway/derived-registry.ts',
        "{ file: 'body', origin: 'api', by }), signal)",
        "{ file: 'body', origin: 'api', by }))",
      ],
    ],
    test: 'test/gateway/derived-registry.test.ts',
    named: 'are given up when their client leaves',
  },
  {
    attack: 'definitions of contexts that are parsed for clients that have left',
    edits: [
      [
        'src/context/context.ts',
        'throughInTurns(this.#derived.scope.parseFileInSteps(text), signal)',
        'throughInTurns(this.#derived.scope.parseFileInSteps(text))',
      ],
    ],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'while they are parsed',
  },
  {
    attack: 'definitions of contexts that are bound for clients that have left',
    edits: [
      [
        'src/context/names/derived-metrics.ts',
        'throughInTurns(this.scope.addInSteps(parsed, environment), signal)',
        'throughInTurns(this.scope.addInSteps(parsed, environment))',
      ],
    ],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'while they are bound',
  },
  {
    attack: 'definition files that keep the event loop when they are loaded again',
    edits: [
      [
        'src/gateway/derived-registry.ts',
        'await throughInTurns(this.store.loadInSteps(text, { file, origin, lenient: true }))',
        'this.store.load(text, { file, origin, lenient: true })',
      ],
    ],
    test: 'test/gateway/derived-registry.test.ts',
    named: 'are parsed in turns',
  },
  {
    attack: 'browsers that come back at once, all together',
    edits: [['src/http/response/error-response.ts', 'Math.max(details.retryAfterSec ?? 0, BROWSER_RETRY_SEC)', '0']],
    test: 'test/api/stream.test.ts',
    named: 'is told to come back',
  },
  {
    attack: 'views, plans and histories that fill the memory',
    edits: [['src/context/memory-budget.ts', 'maxSize: Math.floor(bytes)', 'maxSize: 2 ** 40']],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'fits into one budget',
  },
  {
    attack: 'contexts that go and leave what they kept',
    edits: [['src/context/context.ts', 'this.#derived.close();', '']],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'is given back',
  },
  {
    attack: 'a name ten thousand times in one fetch',
    edits: [['src/context/selection/fetch-view.ts', 'const first = firsts.get(pmid) ?? m;', 'const first = m;']],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'counts once',
  },
  {
    attack: 'many definitions that are bound in one turn of the event loop',
    edits: [['src/context/names/binding-cache.ts', 'of inTurns(open)', 'of open']],
    test: 'test/context/kept-for-clients.test.ts',
    named: 'in turns of the event loop',
  },
  {
    attack: 'MMV files: offsets that lead out of the file',
    edits: [['src/sources/mmv/host-bytes.ts', 'return offset + length <= this.size;', 'return length <= this.size;']],
    test: MMV_SCENES,
    named: 'valuesMany|instancesMany|nameBeyond|wrappedOffset',
  },
  {
    attack: 'MMV files: more metrics than a file may have',
    edits: [['src/sources/mmv/mmv-layout.ts', 'if (count > most) {', 'if (count > most && most === 0) {']],
    test: MMV_SCENES,
    named: 'metricsMany',
  },
  {
    attack: 'MMV files: types that no value has',
    edits: [['src/sources/mmv/mmv-layout.ts', 'if (!isServedType(type)) {', 'if (!isServedType(type) && item < 0) {']],
    test: MMV_SCENES,
    named: 'aggregate',
  },
  {
    attack: 'MMV files: FIFOs, devices, folders',
    edits: [
      ['src/sources/mmv/mmv-file.ts', 'found?.isFile() === true ?', 'found !== undefined ?'],
      ['src/sources/mmv/mmv-file.ts', 'constants.O_RDONLY | constants.O_NONBLOCK |', 'constants.O_RDONLY |'],
    ],
    test: MMV_HOSTILE,
    named: 'a FIFO would wait',
  },
  {
    attack: 'MMV files: large ones',
    edits: [['src/sources/mmv/mmv-file.ts', 'if (size > limits.fileBytes) throw', 'if (size < 0) throw']],
    test: MMV_HOSTILE,
    named: 'larger than a file may be',
  },
  {
    attack: 'MMV files: many large ones',
    edits: [['src/sources/mmv/mmv-directory.ts', 'if (bytes > totalBytes) return', 'if (bytes < 0) return']],
    test: MMV_HOSTILE,
    named: 'all files together are larger',
  },
  {
    attack: 'MMV files: any number of them',
    edits: [
      [
        'src/sources/mmv/mmv-directory.ts',
        'if (files.length >= this.#options.limits.files) {',
        'if (files.length < 0) {',
      ],
    ],
    test: MMV_HOSTILE,
    named: 'beyond a number of files',
  },
  {
    attack: 'MMV files: descriptors of files that are gone',
    edits: [['src/sources/mmv/mmv-directory.ts', 'for (const file of before.values()) file.close();', '']],
    test: MMV_HOSTILE,
    named: 'beyond a number of files',
  },
  {
    attack: 'MMV files: any number of directory entries',
    edits: [['src/sources/mmv/mmv-directory.ts', 'i < this.#options.limits.entries', 'i < Infinity']],
    test: MMV_HOSTILE,
    named: 'up to a number of entries',
  },
  {
    attack: 'MMV files: that say more than they are long',
    edits: [['src/sources/mmv/mmv-layout.ts', 'if (this.#cost > this.#maxBytes) throw', 'if (this.#cost < 0) throw']],
    test: MMV_HOSTILE,
    named: 'more than it is long',
  },
  {
    attack: 'MMV files: that say too much together',
    edits: [
      ['src/sources/mmv/mmv-directory.ts', 'if (layoutBytes > totalLayoutBytes) return', 'if (layoutBytes < 0) return'],
    ],
    test: MMV_HOSTILE,
    named: 'all files together say',
  },
  {
    attack: 'MMV files: any number of lines in the log',
    edits: [['src/sources/mmv/mmv-agent.ts', 'this.#logged.size >= MOST_LOGGED ||', '']],
    test: MMV_HOSTILE,
    named: 'no more than a thousand times',
  },
  {
    attack: 'MMV files: values of a layout that is being replaced',
    edits: [['src/sources/mmv/value-reader.ts', 'if (!this.file.isUnchanged()) return;', '']],
    test: MMV_LIVE,
    named: 'between the request and its read',
  },
  {
    attack: 'MMV files: values that point to another metric',
    edits: [
      [
        'src/sources/mmv/value-reader.ts',
        'if (bytes.offset(at + 16) !== owners[i] || bytes.offset(at + 24) !== places[i]) return -1;',
        'if (owners.length < 0 || places.length < 0) return -1;',
      ],
    ],
    test: MMV_HOSTILE,
    named: 'points elsewhere',
  },
  {
    attack: 'MMV files: that shrink while they are read',
    edits: [['src/sources/mmv/value-reader.ts', 'at >= 0 && this.bytes.has(at, length)', 'at >= 0']],
    test: MMV_DAMAGE,
    named: 'do no harm',
  },
  {
    attack: 'MMV files: labels that say who the machine is',
    edits: [['src/sources/mmv/mmv-label.ts', 'if (RESERVED.has(name)) return', "if (name === '') return"]],
    test: MMV_SCENES,
    named: 'labelsReserved',
  },
  {
    attack: 'MMV files: names that others have',
    edits: [['src/sources/mmv/mmv-catalogue.ts', "if (this.#names.has(name)) return 'the name is taken';", '']],
    test: MMV_SCENES,
    named: 'noPrefix|belowLeaf',
  },
  {
    attack: 'MMV files: PMIDs that others have',
    edits: [['src/sources/mmv/clusters.ts', 'const isTaken = own.some(', 'const isTaken = [].some(']],
    test: MMV_SCENES,
    named: 'clusterClash',
  },
  {
    attack: 'MMV files: their names, told to clients elsewhere',
    edits: [['src/http/operations/about.ts', 'isOnThisMachine(request) ? { cluster,', 'true ? { cluster,']],
    test: 'test/gateway/mmv.test.ts',
    named: 'are named when',
  },
  {
    attack: 'series of archives that a role may not read',
    edits: [
      [
        'src/series/series.ts',
        'if (visible) archives.push(archive.seenThrough(visible.filter));',
        'archives.push(archive);',
      ],
    ],
    test: 'test/series/series.test.ts',
    named: 'does not exist: archives',
  },
  {
    attack: 'series of live hosts that a role may not read',
    edits: [['src/http/operations/series/series.ts', 'visibilityOf(spec, principal)', 'visibilityOf(spec, undefined)']],
    test: 'test/api/live-series.test.ts',
    named: 'sees series of the hosts',
  },
  {
    attack: 'series of what a host showed to those who know a password',
    edits: [['src/gateway/targets/live-stores.ts', '!holdsCredentials(spec)', 'spec !== undefined']],
    test: 'test/api/live-series.test.ts',
    named: 'does not see what was asked for with a password',
  },
  {
    attack: 'series of metrics that a role may not see',
    edits: [['src/series/series.ts', 'archive.seenThrough(visible.filter)', 'archive.seenThrough(undefined)']],
    test: 'test/series/series.test.ts',
    named: 'does not exist: metrics',
  },
  {
    attack: 'a request for all values of all series',
    edits: [['src/series/evaluation/read-values.ts', 'if (this.#values <= this.#bounds.values) return;', 'return;']],
    test: 'test/api/series.test.ts',
    named: 'hold for the values',
  },
  {
    attack: 'a query that selects everything',
    edits: [['src/series/series-view.ts', 'if (count <= series) return;', 'return;']],
    test: 'test/api/series.test.ts',
    named: 'hold for the values',
  },
  {
    attack: 'queries as long as a body',
    edits: [['src/series/language/parse.ts', 'if (text.length > QUERY_LIMITS.length)', 'if (text.length > 1e9)']],
    test: 'test/series/language/parse.test.ts',
    named: 'bounds length',
  },
  {
    attack: 'functions in functions, as deep as the stack',
    edits: [['src/series/language/parse.ts', '++depth > QUERY_LIMITS.nesting', '++depth > 1e9']],
    test: 'test/series/language/parse.test.ts',
    named: 'bounds length',
  },
  {
    attack: 'values that are read for a client that has left',
    edits: [
      ['src/series/evaluation/read-values.ts', 'archive.open(signal)', 'archive.open()'],
      ['src/series/series-view.ts', 'values: limits.values, ...this.#bounds', 'values: limits.values'],
      ['src/series/series-view.ts', 'this.#signal?.throwIfAborted();', ''],
    ],
    test: 'test/series/series.test.ts',
    named: 'reading',
  },
  {
    attack: 'an exported archive whose metadata fills the memory',
    edits: [['src/recorder/export-archive.ts', 'if (bytes <= most) return;', 'if (bytes < Infinity) return;']],
    test: 'test/recorder/export-archive.test.ts',
    named: 'beyond its limit',
  },
  {
    attack: 'exports that are read for a client that has left',
    edits: [
      [
        'src/recorder/export-archive.ts',
        'of archiveFiles(options))',
        'of await (async (all = []) => { for await (const file of archiveFiles(options)) all.push(file); return all; })())',
      ],
    ],
    test: 'test/recorder/export-archive.test.ts',
    named: 'once its reader has left',
  },
  {
    attack: 'remote reads that claim to be small',
    edits: [
      [
        'src/http/request/remote-read-request.ts',
        'uncompress(new Uint8Array(body), MESSAGE_BYTES)',
        'uncompress(new Uint8Array(body))',
      ],
    ],
    test: 'test/api/remote-read.test.ts',
    named: 'larger when it is decompressed',
  },
  {
    attack: 'remote reads of many queries',
    edits: [['src/http/request/remote-read-request.ts', 'if (count <= most) return;', 'return;']],
    test: 'test/api/remote-read.test.ts',
    named: 'many queries',
  },
  {
    attack: 'remote reads with regular expressions as large as a body',
    edits: [['src/http/request/remote-read-request.ts', 'if (size > PATTERNS_SIZE_MAX) {', 'if (size > 1e9) {']],
    test: 'test/api/remote-read.test.ts',
    named: 'many queries',
  },
  {
    attack: 'remote reads of all samples of all series',
    edits: [['src/series/evaluation/read-numbers.ts', '    if (values > most) throw tooMany();', '']],
    test: 'test/series/series.test.ts',
    named: 'whatever was estimated',
  },
  {
    attack: 'remote reads of more than fits, which are refused late',
    edits: [
      ['src/series/evaluation/read-numbers.ts', 'estimate.values > ESTIMATE_SLACK * most', 'estimate.values < 0'],
    ],
    test: 'test/series/series.test.ts',
    named: 'before any of it is read',
  },
  {
    attack: 'remote reads for clients that have left',
    edits: [['src/series/series-view.ts', '{ values, ...this.#bounds }', '{ values }']],
    test: 'test/series/series.test.ts',
    named: 'stops when its client leaves',
  },
  {
    attack: 'timelines: archives that a role may not read',
    edits: [
      [
        'src/http/request/host-timeline.ts',
        'return visible ? [{ archive, ...visible }] : [];',
        'return [{ archive, filter: visible?.filter }];',
      ],
    ],
    test: 'test/api/host-timeline.test.ts',
    named: 'may see of each archive',
  },
  {
    attack: 'timelines: metrics that a role may not see',
    edits: [
      [
        'src/http/request/host-timeline.ts',
        'filter ? { ...part, source: filterSource(part.source, filter).archive! } : part;',
        'part;',
      ],
      ['src/http/request/host-timeline.ts', '...(spec.filter ? { filter: spec.filter } : {}),', ''],
    ],
    test: 'test/api/host-timeline.test.ts',
    named: 'hidden from it',
  },
  {
    attack: 'timelines: contexts of others by their numbers',
    edits: [['src/context/context-manager.ts', '!context || isPutTogether(context.spec)', '!context']],
    test: 'test/api/host-timeline.test.ts',
    named: 'put together for a range',
  },
  {
    attack: 'pushed archives: a host name that leads out of the directory',
    edits: [
      ['src/push/push-receiver.ts', 'if (!HOST_NAME.test(label.hostName)) throw', "if (label.hostName === '/') throw"],
    ],
    test: 'test/push/push-receiver.test.ts',
    named: 'refuses a label',
  },
  {
    attack: 'pushed archives: a time zone that is a path',
    edits: [['src/push/push-receiver.ts', 'if (!TIME_ZONE.test(zone)) throw', "if (zone === '//') throw"]],
    test: 'test/push/push-receiver.test.ts',
    named: 'refuses a label',
  },
  {
    attack: 'pushed archives: a directory that is a link',
    edits: [
      [
        'src/push/push-receiver.ts',
        'if (!(await lstat(directory)).isDirectory()) throw',
        'if (!(await lstat(directory))) throw',
      ],
    ],
    test: 'test/push/push-receiver.test.ts',
    named: 'no symbolic link',
  },
  {
    attack: 'pushed archives: requests that wait for their rate, of clients that left',
    edits: [
      ['src/push/push-receiver.ts', 'this.#rates.spend(client, cost, signal)', 'this.#rates.spend(client, cost)'],
    ],
    test: 'test/push/push-receiver.test.ts',
    named: 'stops waiting',
  },
  {
    attack: 'pushed archives: damaged records',
    edits: [
      [
        'src/sources/archive/writing/received-records.ts',
        'else if (!checker.isRecord(view, at, length)) throw',
        'else if (length < 0) throw',
      ],
    ],
    test: 'test/push/push-receiver.test.ts',
    named: 'a damaged record',
  },
  {
    attack: 'pushed archives: a record as large as the memory',
    edits: [
      [
        'src/sources/archive/writing/received-records.ts',
        'if (length > mostBytes) throw',
        'if (length > Infinity) throw',
      ],
    ],
    test: 'test/push/push-receiver.test.ts',
    named: 'a damaged record',
  },
  {
    attack: 'pushed archives: descriptors that make the archive unreadable',
    edits: [['src/push/pushed-archive.ts', 'if (conflict !== undefined) throw', 'if (conflict === 0) throw']],
    test: 'test/push/push-receiver.test.ts',
    named: 'contradicts',
  },
  {
    attack: 'pushed archives: the numbers of other clients',
    edits: [['src/push/push-receiver.ts', 'kept.client !== client || ', '']],
    test: 'test/push/push-receiver.test.ts',
    named: 'only by its client',
  },
  {
    attack: 'pushed archives: a full disk',
    edits: [['src/push/push-receiver.ts', 'this.#makeRoom(client, bytes, open?.name);', '']],
    test: 'test/push/push-receiver.test.ts',
    named: 'room',
  },
  {
    attack: 'pushed archives: floods',
    edits: [['src/push/rate-limits.ts', 'if (waitMs <= 0) return false;', 'return false;']],
    test: 'test/push/push-receiver.test.ts',
    named: 'exceeds its rate',
  },
  {
    attack: 'pushed archives: the same body twice',
    edits: [
      [
        'src/push/pushed-archive.ts',
        'if (this.#isRepeated(part, body, digest, connection)) {',
        'if (body.length < 0) {',
      ],
    ],
    test: 'test/push/push-receiver.test.ts',
    named: 'sent again',
  },
  {
    attack: 'pushed archives: any client',
    edits: [
      ['src/http/pipeline.ts', "permission === 'push' && this.#pushesFrom(remoteAddress)", "permission === 'push'"],
    ],
    test: 'test/gateway/push.test.ts',
    named: 'role with the permission',
  },
  {
    attack: 'pushed archives: hosts that a role does not cover',
    edits: [
      [
        'src/http/operations/logger.ts',
        "principal?.requireOn('push', { kind: 'host', hostspec: receiver.readLabel(body).hostName });",
        'receiver.readLabel(body);',
      ],
    ],
    test: 'test/gateway/push.test.ts',
    named: 'role with the permission',
  },
  {
    attack: 'hosts in the list that a role does not cover',
    edits: [['src/http/operations/about.ts', "principal?.sees({ kind: 'host', hostspec }) !== false", 'true']],
    test: 'test/api/access.test.ts',
    named: 'only those that the client may see',
  },
  {
    attack: 'hosts in the list: those that clients opened for themselves',
    edits: [['src/http/operations/about.ts', "isShared && spec.kind === 'host'", "spec.kind === 'host'"]],
    test: 'test/api/access.test.ts',
    named: 'opened for themselves',
  },
  {
    attack: 'hosts in the list: credentials of other clients',
    edits: [['src/http/operations/about.ts', ' && !holdsCredentials(spec)', '']],
    test: 'test/api/access.test.ts',
    named: 'opened for themselves',
  },
  {
    attack: 'whoami: permissions that no role gives',
    edits: [['src/http/operations/about.ts', 'isOn[each] && principal?.may(each) !== false', 'isOn[each]']],
    test: 'test/api/access.test.ts',
    named: 'what its roles permit',
  },
  {
    attack: 'fleet: names of other gateways, for clients elsewhere',
    edits: [['src/http/operations/about.ts', 'isOnThisMachine(request) ? { cluster,', 'true ? { cluster,']],
    test: 'test/api/gateway.test.ts',
    named: 'about the fleet',
  },
  {
    attack: 'fleet: entries of a log that another program writes to',
    edits: [['src/gateway/fleet-definitions.ts', 'return isWhole ?', 'return true as boolean ?']],
    test: 'test/gateway/fleet-definitions.test.ts',
    named: 'skips an entry',
  },
  {
    attack: 'fleet: entries in a log that do not follow the others',
    edits: [['src/fleet/log-copy.ts', 'if (!isSameHead(entryAfter(tail, entry.text), entry)) return false;', '']],
    test: 'test/fleet/log-copy.test.ts',
    named: 'does not follow',
  },
  ...(
    [
      [
        'frames that are longer than they may be',
        'frames.ts',
        'if (length > longest) throw',
        'if (length < 0) throw',
        FRAMES,
        'by its head alone',
      ],
      [
        'frames before the handshake',
        'frames.ts',
        'if (!this.isTrusted && ',
        'if (this.isTrusted && length < 0 && ',
        FRAMES,
        'before the handshake',
      ],
      [
        'JSON longer than its payload',
        'frames.ts',
        'flag > 1 || end > payload.length',
        'flag > 1',
        FRAMES,
        'a payload with',
      ],
      [
        'members without the secret',
        'handshake.ts',
        'given.length !== expected.length || !timingSafeEqual(given, expected)',
        'given.length > expected.length',
        LINK,
        'the handshake',
      ],
      [
        'a proof that is sent back',
        'handshake.ts',
        "this.#side === 'caller' ? 'answerer' : 'caller'",
        'this.#side',
        LINK,
        'the handshake',
      ],
      [
        'a member in the place of another',
        'handshake.ts',
        'hello.name !== expectedName',
        'hello.name === undefined',
        LINK,
        'another name',
      ],
      [
        'a secret that leaves this machine',
        'handshake.ts',
        "'path' in address || isLoopbackHost(address.host)",
        "'path' in address || address.host !== ''",
        LINK,
        'stays on this machine',
      ],
      [
        'connections that never finish their handshake',
        'listen-link.ts',
        "this.#socket.close(new Error('no handshake in time'))",
        'undefined',
        LINK,
        'over in time',
      ],
      [
        'streams that were never opened',
        'listen-link.ts',
        'if (stream > this.#lastStream) throw',
        'if (stream < 0) throw',
        LINK,
        'a hostile peer',
      ],
      [
        'a stream that is used twice',
        'listen-link.ts',
        'if (stream <= this.#lastStream) throw',
        'if (stream < 0) throw',
        LINK,
        'on one stream twice',
      ],
      [
        'credit without end',
        'listen-link.ts',
        'if (answering.creditBytes > STREAM_CREDIT_BYTES) throw',
        'if (answering.creditBytes < 0) throw',
        LINK,
        'on one stream twice',
      ],
      [
        'more pieces than there is credit for',
        'member-link.ts',
        'open.body.outstandingBytes > STREAM_CREDIT_BYTES',
        'open.body.outstandingBytes < 0',
        LINK,
        'credit for',
      ],
      [
        'work for a client that has left',
        'listen-link.ts',
        'this.#calls.get(stream)?.end();',
        '',
        LINK,
        'when its client leaves',
      ],
    ] as const
  ).map(([attack, file, from, to, test, named]) => ({
    attack: `link between members: ${attack}`,
    edits: [[`src/fleet/link/${file}`, from, to]] as const,
    test,
    named,
  })),
  {
    attack: 'a fleet: streams of clients with other roles',
    edits: [['src/http/request/relay-stream.ts', 'principal?.roleNames, ', '']],
    test: HANDING,
    named: 'same roles',
  },
  {
    attack: 'a fleet: header fields that gateways send to one another',
    edits: [['src/http/handing.ts', " && !name.startsWith('pmgate-')", '']],
    test: HANDING,
    named: 'in the name of this gateway',
  },
  {
    attack: 'a fleet: calls without a principal at a gateway with access control',
    edits: [
      [
        'src/http/answer-handed.ts',
        "throw new GatewayError('FORBIDDEN', 'the gateway that handed the request over has no access control');",
        'return undefined as unknown as Principal;',
      ],
    ],
    test: HANDING,
    named: 'must be there',
  },
  {
    attack: 'a fleet: roles of another gateway that permit everything here',
    edits: [
      [
        'src/access/access-control.ts',
        '.filter((role) => role !== undefined);',
        '.map(() => [...this.#roles.values()][0]!);',
      ],
    ],
    test: HANDING,
    named: 'does not know',
  },
  {
    attack: 'a fleet: calls that go round in circles',
    edits: [['src/http/request/place-call.ts', 'about === undefined || call.isHanded === true', 'about === undefined']],
    test: HANDING,
    named: 'never handed on',
  },
  {
    attack: 'a fleet: passwords of users that leave the gateway that checked them',
    edits: [['src/http/handing.ts', "name === 'authorization' && access?.hasUsers === true", "name === 'pmgate-none'"]],
    test: HANDING,
    named: 'password does not leave',
  },
  {
    attack: 'lists of all gateways: one that sends without end',
    edits: [[ASK, '    if (size > MAX_PART_BYTES) return undefined;\n', '']],
    test: ASKING,
    named: 'a hundred megabytes',
  },
  {
    attack: 'lists of all gateways: one that never answers',
    edits: [[ASK, 'timers.after(ANSWER_MS, end)', 'timers.after(ANSWER_MS, () => undefined)']],
    test: ASKING,
    named: 'is not waited for',
  },
  {
    attack: 'lists of all gateways: one that answers with something else',
    edits: [[ASK, 'if (isPart(json)) parts.push(json);', 'if (json !== undefined) parts.push(json as Part);']],
    test: ASKING,
    named: 'with JSON of another kind',
  },
  {
    attack: 'lists of all gateways: work for a client that has left',
    edits: [[ASK, '  onClose(end);\n', '']],
    test: ASKING,
    named: 'is told when the client has left',
  },
  {
    attack: 'lists of all gateways: clients that ask as a gateway does',
    edits: [[ASK, 'call.isHanded === true && headers[OWN]', 'headers[OWN]']],
    test: ASKING,
    named: 'clients cannot ask for the part of one gateway',
  },
];
