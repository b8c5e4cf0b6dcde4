// Generated from openapi.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/pmapi/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Current values of metrics.
         * @description One of `names`, `name`, `pmids`, `pmid` and `prefix` says what to fetch; if several are given, the first of them in this
         *     order applies. With the plural forms, metrics that cannot be fetched are left out of `values` and listed in `warnings`;
         *     with the singular forms they are errors. The profile of the context restricts the instances. See pmFetch(3).
         *
         *     `iname`, `instance`, `labels` and `top` select values, `rate` and `units` convert them, `times` and `numbers` set their
         *     format: for single fetches, ranges and streams alike. A single fetch with `rate` or `units` returns the resulting `type`,
         *     `sem` and `units` of each metric.
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/fetch`, `/pmapi/_fetch`, `/pmapi/{context}/_fetch`.
         */
        get: operations["fetchValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A stream of samples.
         * @description Server-sent events, until the client disconnects. A host is sampled every `interval`, aligned to the clock; clients that
         *     stream the same metrics of the same context share one fetch per interval, however many they are. An archive is replayed
         *     from `start` to `finish` at the pace at which it was recorded, times `speed`.
         *
         *     - The first event is `metrics`: the metadata of the values. It is sent again when metrics appear, disappear or change, and
         *       when the source behind requests without a context changes (`local.source: auto`, or a reload): `context` is then a
         *       different one.
         *     - A message without an event name is a sample: `data` is the response to a fetch, without `context`; `id` is its
         *       timestamp.
         *     - `failure`: one sample failed, or is too large for this interval; `data` is the error. The stream continues.
         *     - `gap`: the samples between two times (both exclusive) are no longer available, or were never taken because the gateway stood still.
         *     - `end`: the stream is over. `reason` is `archive` (end of the archive), `failed` (it cannot be continued),
         *       `destroyed` (the context) or `shutdown` (of the gateway; reconnect later).
         *     - Comments (`: heartbeat`) are sent after a period of silence.
         *     - EventSource never reconnects after an HTTP error. A browser's EventSource that would get 429, 503 or 507 therefore gets 200
         *       with `retry`, a `failure` and the end of the connection, and reconnects after 5 seconds or more. Other clients get the status.
         *
         *     With `changed=true` a sample has only the values that differ from the previous sample, and new instances; `gone` lists
         *     instances that disappeared. The first sample has all values, and so does every sample with `full`.
         *
         *     A client that lost its connection resumes by sending the last `id` it received, in the header `Last-Event-ID` (as browsers
         *     do on their own) or as `lastEventId`: the samples it missed are replayed as far as they are still buffered, and none is
         *     sent twice. A client that reads too slowly (`streams.bufferBytes`) is disconnected, and may resume in the same way.
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/stream`.
         */
        get: operations["streamValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create or inspect a context.
         * @description Without `context`, this creates a context on `hostspec`, which expires when it has not been used for `polltimeout`
         *     seconds. With `context`, it describes that context and restarts its timer. See pmNewContext(3).
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/context`, `/pmapi/_context`, `/pmapi/{context}/_context`.
         */
        get: operations["createContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/metric": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metadata of metrics.
         * @description Each element of `prefix`, `names` or `name` (the first that is given applies) is a subtree of the namespace: a metric or
         *     everything below an interior node, which counts once in a list. `pmids` and `pmid` select by PMID instead. Without any of
         *     them: every metric. If several elements are requested, unknown ones are returned in place, with `success: false`, and
         *     listed in `warnings`; the status is 200, even if all are unknown. A single unknown element is an error (404).
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/metric`, `/pmapi/_metric`, `/pmapi/{context}/_metric`.
         */
        get: operations["describeMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The direct children of a node of the namespace.
         * @description Only the last component of each name; a metric has no children. See pmGetChildrenStatus(3).
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/children`, `/pmapi/_children`, `/pmapi/{context}/_children`.
         */
        get: operations["listChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/indom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An instance domain and its instances.
         * @description The instance domain is given by a metric (`name`, which takes precedence) or by `indom`; `iname` (which takes precedence)
         *     or `instance` select instances. The profile of the context does not apply. See pmGetInDom(3).
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/indom`, `/pmapi/_indom`, `/pmapi/{context}/_indom`.
         */
        get: operations["listInstances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Change the instance profile of a context.
         * @description Without `indom` and `name`: all instance domains. Without `iname` and `instance`: the whole instance domain. The first
         *     `add` with instances restricts the instance domain to them, later ones extend it. Without a context, this creates one. See
         *     pmAddProfile(3) and pmDelProfile(3).
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/{context}/profile`, `/pmapi/_profile`, `/pmapi/{context}/_profile`.
         */
        get: operations["changeProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values in an exposition format.
         * @description The numeric metrics of the selected subtrees (`names`, `name`, `prefix`, `target`: the first that is given applies;
         *     without any: every metric except those of single processes, `proc` and `hotproc`, which make up nearly all values of a
         *     machine). `format`, or else `Accept`, selects OpenMetrics 1.0.0, the text format of pmproxy (the default) or OpenTelemetry
         *     metrics data as JSON.
         *
         *     Other forms: POST with the parameters in a body, `/pmapi/metrics`, `/pmapi/{context}/metrics`, `/pmapi/_metrics`, `/pmapi/{context}/_metrics`.
         */
        get: operations["scrapeMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/contexts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every open context.
         * @description Of all gateways of a fleet, and of all processes that serve the port: `warnings` (UNAVAILABLE) says which did not answer. A client sees the contexts of its own user
         *     and shared ones, an administrator all of them.
         */
        get: operations["listContexts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/dup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a context.
         * @description The copy has the same source, timeout and profile; from then on both are independent. See pmDupContext(3).
         */
        post: operations["duplicateContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/reconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reconnect to the host.
         * @description The gateway reconnects to a lost pmcd by itself, at the first request after a back-off of up to half a minute; this skips
         *     the back-off. It has no effect while the connection is good, and none on archives and on this machine
         *     without a pmcd. See pmReconnectContext(3).
         */
        post: operations["reconnectContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Inspect a context and restart its timer. */
        get: operations["getContext"];
        put?: never;
        post?: never;
        /**
         * Destroy a context.
         * @description See pmDestroyContext(3). A context that requests without a context share cannot be destroyed.
         */
        delete: operations["deleteContext"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/derive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Define derived metrics for one context.
         * @description `name` and `expr` define one derived metric. `expr` alone (or a plain text body) is a definition file: lines of `name =
         *     expression`, comments start with `#`; `;` and `&` also end a line. Either all definitions are accepted or, after any
         *     error, none. With `name` in the query, a plain text body is the expression. See pmAddDerived(3); for the language,
         *     pmRegisterDerived(3). A form-encoded body without a member `expr` is read as plain text, because that is what `curl -d`
         *     sends.
         *
         *     Other forms: GET, the parameters in a body, `/pmapi/{context}/derive`, `/pmapi/_derive`, `/pmapi/{context}/_derive`.
         */
        post: operations["deriveMetrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/derived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Global derived metrics.
         * @description In the order of registration. With `context`: the definitions visible in the context, that is its own (origin `context`)
         *     and the global ones that they do not mask. Definitions that refer to metrics hidden from the client are hidden as well.
         */
        get: operations["listDerived"];
        put?: never;
        /**
         * Register global derived metrics.
         * @description `name` and `expr` register one, with the help texts `oneline` and `helptext`; `expr` alone (or a plain text body) is a
         *     definition file: either all definitions are accepted or, after any error, none. Every context sees them at once, unless it
         *     has a metric of that name; they survive a restart, with their PMIDs. Registering the same definition again has no effect.
         *     See pmRegisterDerived(3) and pmLoadDerivedConfig(3).
         *
         *     Other forms: the members of the body in the query.
         */
        post: operations["loadDerived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/derived/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check an expression without registering it.
         * @description A dry run. For a valid expression it returns its canonical text, a fully parenthesised form (`parenthesised`), its tree
         *     with the metadata and the values of every node, its operands, and its values. For an invalid one: every error with its
         *     position, an explanation and, where there is an obvious one, a repair; the parts that are valid have values. The status is 200
         *     either way; `ok` tells them apart. Without a context the expression is checked on `hostspec`.
         *
         *     The values are those of one moment: of `at`; by default now and, on an archive, the last time at which all operands that
         *     change have values. On a live host delta() and rate() compare with a remembered sample of the last minutes; where there is none,
         *     the response takes 250 ms for a first sample. In the past they compare with the time one recording interval before, by the rules of
         *     interpolation. Values count against `limits.values` (413), those of all parts together. The position of an archive stays.
         *     Of a tree with more than 200 nodes the outermost 200 are shown; `omitted` counts those left out below a node.
         *
         *     To reach a global derived metric named `check`, use `/derived/%63heck`.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["checkExpression"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/derived/functions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The functions of expressions.
         * @description Every function and constructor of the language, in the order of pmRegisterDerived(3). To reach a global derived metric named
         *     `functions`, use `/derived/%66unctions`.
         */
        get: operations["listFunctions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/derived/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One global derived metric.
         * @description With `context`, `hostspec` or `hostname`, also its `binding` there: its metadata, what masks it, or why it does not bind.
         */
        get: operations["getDerived"];
        /**
         * Register a global derived metric.
         * @description Returns 201 for a new definition, 200 if it exists with the same expression, and 409 if it exists with a different one.
         *     Help texts replace the existing ones; for definitions from files only the help texts in the file apply (403). Not
         *     permitted (403) are roles restricted to some hosts or archives, since a global definition affects all clients, and, for
         *     roles restricted to some metrics, names outside them and definitions that they cannot see. See pmRegisterDerivedMetric(3).
         *
         *     Other forms: the members of the body in the query.
         */
        put: operations["putDerived"];
        post?: never;
        /**
         * Remove a global derived metric.
         * @description Only definitions registered over REST can be removed; to remove one from a file, edit the file. Its PMID is reused only
         *     after all others have been used. See pmUnregisterDerived(3).
         */
        delete: operations["deleteDerived"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the value of a metric.
         * @description Disabled by default (`store.enabled`); the GET form, which any link can trigger, also requires `store.allowGet`. `value`
         *     is parsed according to the type of the metric: integers exactly, in decimal, octal (`017`) or hexadecimal (`0x1f`). A
         *     metric with instances requires `iname` or `instance`; all named instances get the same value. The source decides who may
         *     store what: see pmStore(3), and `Authorization` for storing as a user.
         *
         *     Other forms: GET, the parameters in a body, `/pmapi/{context}/store`, `/pmapi/_store`, `/pmapi/{context}/_store`.
         */
        post: operations["storeValue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the position and the mode of fetches from an archive.
         * @description Parameters that are not given keep their values. `forward` and `backward` move from record to record, to the next that
         *     contains a requested metric; `interp` returns values at regular intervals, interpolated where none was recorded. Derived
         *     metrics that compare samples start over when `time` is given. See pmSetMode(3).
         *
         *     Other forms: the parameters in a body.
         */
        post: operations["setMode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The raw records of an archive, including mark records.
         * @description From the current position, in the direction of the mode, to the end of the archive or until `samples` records were
         *     written; the position advances. Each record is complete, regardless of the profile of the context. One JSON text per line;
         *     if reading fails midway, the last line is an error. The timeline of a host has no position: a range with `hostspec` and `start`, without
         *     `interval`, has all its samples and marks. See pmFetchArchive(3).
         */
        get: operations["readRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send many requests in one.
         * @description Each entry gets the response it would get on its own, with its own status, in the order of the entries. Entries that only
         *     read run concurrently. An entry that changes something, or moves a context on an archive, waits for all entries before it,
         *     and all entries after it wait for that. Each entry is checked like any other request, with the permissions of the batch:
         *     `Authorization` and similar headers are those of the batch.
         *
         *     A path may refer to a member of an earlier response: `{$0.context}` by the index of the entry (from 0), or
         *     `{$made.context}` by its `id`. `{$0.metrics.0.indom}` descends into objects and arrays. The reference is replaced by the
         *     string or number it points to, percent-encoded. An entry that refers to a failed one fails with 424.
         *
         *     Batches, streams and the documentation cannot be entries. `limits.batch` limits the entries, `limits.batchBytes` all
         *     responses together; an entry that exceeds it fails with 413. So does one with which the expressions of all entries
         *     (`/derived/check`, `/series/query`) have more than 65,536 characters.
         */
        post: operations["runBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Many streams on one connection.
         * @description Each subscription is a request for a stream, such as `/pmapi/stream?names=mem.util.free&hostspec=web1`, written like an entry of
         *     a batch, and is checked and counted as if it came alone. All events are those of that stream, and `subscription` in their data is
         *     the `id` of the entry, or else its index. A subscription that cannot be opened gets `failure` and `end`; the others go on. The
         *     connection ends when all subscriptions have ended.
         *
         *     A client that lost its connection sends each subscription again with the `lastEventId` of its last sample. `limits.batch` limits
         *     the subscriptions.
         */
        post: operations["streamMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/archives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the archives.
         * @description Searches the configured roots, up to eight levels deep, so that new files appear at once. Archives that cannot be opened
         *     are listed with the error. `name` is the value for the parameter `archive`. Clients see the archives that their roles
         *     permit. What was read from an archive is cached until its files change; with a thousand archives or more, the list itself may be
         *     some seconds old.
         *
         *     `hostspec`, `start` and `finish` list only archives of that host and those that overlap the window, and none that cannot be
         *     opened; `limit` the latest.
         */
        get: operations["listArchives"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is recorded and remembered of a host.
         * @description Lists the archives of a host and what the gateway remembers of it, by time: what a range on the host (`fetch` with `start`)
         *     reads. Each segment says where its values come from and how far apart samples are. With `names`, only archives and samples with these metrics are listed. Archives belong to the host that their label names; `hosts.named` can add others. A host that does not
         *     answer has a timeline, too. Clients see the archives that their roles permit.
         */
        get: operations["getTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logger/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether archives can be pushed.
         * @description pmlogger asks before it begins. Fails unless `push.enabled` is set, and the client may push.
         */
        get: operations["pushPing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logger/label": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to push an archive.
         * @description The body is a label record, 132 (version 2) or 808 bytes (version 3), as in the archive's files. The response has the number
         *     under which the rest is sent. The content type of requests to `/logger` is not checked.
         */
        post: operations["pushLabel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logger/meta/{archive}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Push metadata records.
         * @description The body may end anywhere: a record may continue in the next request. A damaged record is rejected (`BAD_BODY`); the records before it are kept, and the next request begins with a record.
         */
        post: operations["pushMeta"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logger/index/{archive}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Push entries of the temporal index.
         * @description The body may end anywhere: a record may continue in the next request. A record that is damaged is refused (`BAD_BODY`); what is
         *     before it is kept, and the next request begins with a record.
         */
        post: operations["pushIndex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logger/volume/{volume}/{archive}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Push records of a volume.
         * @description The body may end anywhere: a record may continue in the next request. A record that is damaged is refused (`BAD_BODY`); what is
         *     before it is kept, and the next request begins with a record.
         */
        post: operations["pushVolume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed between two time windows, or between one host and others.
         * @description Compares every metric and instance in two windows, and lists what differs, most important first (resources that reached their limit,
         *     then by score): numbers whose level moved
         *     (counters as rates), texts and discrete values that changed, instances and metrics that appeared or vanished. Series that
         *     changed alike are one finding. Without `names` and `prefix`, all metrics except those of single processes are compared.
         *
         *     A number is a finding if its medians differ by at least a quarter of the earlier one and by 1.75 spreads, and if Cliff's
         *     delta is at least 0.65, or if this holds for the end of a later window in which it rises or falls steadily; `score` is that effect times log2(1 + distance in spreads). The guide describes the method.
         *
         *     With `against`, the other sources take the place of the earlier window: "why is this host unlike the others?" Of a host,
         *     archives, the gateway's recordings and what it remembers are compared as one; a host that is down is compared, too.
         */
        get: operations["findChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/diagnosis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is wrong, since when, and who did it.
         * @description Judges each resource by rules, which are conditions in the language of derived metrics: `usual`, `busy`, `saturated` or `failing`,
         *     with what it was before, since when, and the processes and control groups with the largest shares. Without `at`, `start` and
         *     `finish`, the last 15 seconds of a live host are judged, which is measured twice, two seconds apart, unless they are recorded or remembered; of an archive, its end is judged. What is recorded and
         *     remembered of the hour before tells when trouble began. Rules without their metrics are in `notJudged`; without any other, the state is `unknown`. The guide describes the rules.
         */
        get: operations["diagnose"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search metrics, instance domains and instances.
         * @description Searches names, help texts and labels: of the given context or source, or by default of this machine and of every host
         *     with an open context that needs no credentials. Archives, containers, and hosts that require a password are searched only
         *     if they are named. In a fleet, the hosts of all gateways are searched; `warnings` (UNAVAILABLE) says which gateways did not answer.
         *
         *     All words must match, each as a word or as a prefix of one: `disk read` finds `disk.dev.read_bytes`. If nothing matches
         *     them all, words that differ in a letter or two match, and then any of the words (`likeness`). Everyday words match PCP's,
         *     too: `number of cpus` finds `hinv.ncpu`, unless the query is a name with dots. Results are ranked: entities whose name is
         *     the query, then those whose name contains it, matches in help texts, instances, and matches only in labels; among equals,
         *     metrics of the whole machine (`kernel.all`, `mem.util`, `disk.all`, `network.interface` and the like) come before those of
         *     its parts.
         *
         *     The index is built when a source is first searched, and rebuilt when derived metrics change. Reading every help text of a
         *     live host takes seconds: until then only its names are searched, and a warning (UNAVAILABLE) says so. When the source
         *     itself has changed, or after a minute, the old index serves once more while a new one is built in the background. It
         *     contains the first 1000 instances of each domain, and 4096 characters of each help text.
         *
         *     One more parameter, `return`, lists the members of results to return: a name that few languages allow.
         */
        get: operations["searchMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Select series, or values with a time window.
         * @description Identifiers of the series that a query of pmseries(1) selects; values where it has a time window (`[samples:5]`); one made-up
         *     identifier for an expression with functions or arithmetic.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["querySeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values of series.
         * @description Samples as they were recorded: nothing is interpolated. Without a window the newest sample.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["getSeriesValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/descs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Descriptors of series.
         * @description One for each identifier, in the order requested; unknown ones have `unknown` everywhere.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["getSeriesDescriptors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Names of metrics.
         * @description The metric of each series, or names of metrics that match a glob; without either, all.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["getSeriesMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Instances of series.
         * @description The instances of each series, or names of instances that match a glob; without either, all.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["getSeriesInstances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Labels of series and instances.
         * @description The labels of each series or instance, in the order requested; values of labels by `names`; or names of labels that match a glob.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["getSeriesLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/series/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sources of series.
         * @description What each source is called, its host and its archives; or names that match a glob.
         *
         *     Other forms: POST with the parameters in a body.
         */
        get: operations["getSeriesSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recorded samples for Prometheus.
         * @description Prometheus' remote read: the samples of the series that match, in archives and in remembered samples of live hosts, under the names and
         *     labels that a scrape of `/metrics` stores. The
         *     body and the response are protobuf messages in snappy's block format; responses are of the type SAMPLES. A mark in an archive, and
         *     the time between two archives, end a series with a stale marker. At most 2,000,000 samples (`archives.rangeValues`, if that is
         *     less) and 64 MiB in one response.
         */
        post: operations["remoteRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the client is, and what it may do.
         * @description The principal of the request, its roles and permissions, and limits of single requests.
         */
        get: operations["getWhoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The hosts that the gateway knows.
         * @description `localhost`, the hosts of `hosts.named`, and hosts with an open context that is shared, as far as the client may see them. No host is contacted for this. In a fleet, hosts with an open context at any gateway count; `warnings` (UNAVAILABLE) says which gateways did not answer. Other hosts can be reached if `hosts.allow` permits.
         */
        get: operations["listHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness probe. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness probe.
         * @description Returns 503 while the gateway starts or drains, or its local source is missing.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This API description, as YAML. */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Two times with a comma between, each as for a range or empty. */
        WindowText: string;
        /** @enum {string} */
        DiagnosisState: "usual" | "busy" | "saturated" | "failing";
        Diagnosis: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @description The window that was judged. */
            start: number;
            finish: number;
            /** @enum {string} */
            state: "unknown" | "usual" | "busy" | "saturated" | "failing";
            /** @description Since when, up to `finish`, samples of each rule that was judged are at most 150 seconds apart; absent if there are none in the last 150. */
            sampledSince?: number;
            resources: components["schemas"]["DiagnosedResource"][];
            /** @description Rules whose metrics are missing, hidden or not recorded. */
            notJudged: {
                rule: string;
                resource: string;
                reason: string;
            }[];
            /** @description A request for what else changed, if something is wrong. */
            changes?: string;
            warnings?: components["schemas"]["Warning"][];
        };
        DiagnosedResource: {
            resource: string;
            state: components["schemas"]["DiagnosisState"];
            /** @description What is wrong, since when, and who it is, in plain English. */
            sentence: string;
            /** @description What else is wrong with the resource. */
            also: string[];
            /** @description The name of the rule. */
            rule?: string;
            /** @description Where the rule comes from. */
            source?: string;
            /** @description The instance of which the rule is true. */
            instance?: string;
            /** @description The mean of the rule's expression in the window, while the rule was true. */
            value?: number;
            unit?: string;
            /** @description The median over time of the same while the rule was not true; absent without history. */
            before?: number;
            /** @description The first sample since which the rule is true; absent if what was before is not known. */
            since?: number;
            /** @description The last sample in which it was; absent if it is at the end of the window. */
            until?: number;
            /** @description Who it is, others last; shares add up to 1. */
            who?: components["schemas"]["Culprit"][];
            /** @description The unit of `use`: of processors, per cent of one processor. */
            whoUnit?: string;
            /** @description What stands for the use where the kernel does not count it: by processor time, for example. */
            whoBy?: string;
            /** @enum {string} */
            shareOf?: "rise" | "whole";
            /** @description Why it is not known who it is. */
            unknown?: string;
            evidence?: {
                metric: string;
                /** @description A request for the values, as columns. */
                range: string;
                /** @description A request that explains the last value. */
                why: string;
                /** @description Its chart in the console. */
                chart?: string;
            }[];
        };
        Culprit: {
            /** @enum {string} */
            kind: "process" | "group" | "others";
            name: string;
            pid?: number;
            /** @description When the process started, in seconds since the epoch. */
            startTime?: number;
            user?: string;
            /** @description The control group. */
            group?: string;
            container?: string;
            use: number;
            /** @description The part of `use` of children that ended. */
            ofChildren?: number;
            /** @description The same before the trouble; absent if it was not measured. */
            before?: number;
            /** @description When its last sample was, in seconds since the epoch: it may have ended since. */
            lastSeen?: number;
            /**
             * @description Later samples are without it: it ended, or (`unseen`) it did or used too little to be recorded.
             * @enum {string}
             */
            gone?: "ended" | "unseen";
            share: number;
            metrics: string[];
            /** @description The number of the instance. */
            instance?: number;
        };
        Changes: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            before: components["schemas"]["ComparedWindow"];
            after: components["schemas"]["ComparedWindow"];
            /** @description The metrics and instances that were compared. */
            compared: number;
            /** @description Metrics and instances that have values in both windows, but in fewer than five parts of one of them. */
            tooFew: number;
            /** @description The number of findings, including those beyond `limit`. */
            total: number;
            findings: components["schemas"]["ChangeFinding"][];
            /** @description What many findings have in common, such as a factor by which most metrics moved. */
            note?: string;
            warnings?: components["schemas"]["Warning"][];
        };
        ComparedWindow: {
            start: number;
            finish: number;
            /** @description The equal parts that the window was divided into; a number is the mean of one part. */
            parts: number;
        };
        ChangeFinding: {
            /**
             * @description With `against`: `appeared` is only on this source, `vanished` only on the others.
             * @enum {string}
             */
            kind: "number" | "state" | "appeared" | "vanished";
            /** @description How much it stands out; comparable within one response. */
            score: number;
            /** @description The finding in plain English; with `against`, it names both sources. */
            sentence: string;
            /** @description The metric that stands for the finding. */
            name?: string;
            /** @description The name of the instance. */
            instance?: string;
            /** @description The instance domain. */
            indom?: string;
            /** @description The units of the numbers; for counters, per second. */
            units?: string;
            /** @enum {string} */
            direction?: "up" | "down";
            /** @description Cliff's delta, where differences below a quarter of the earlier median count as equal. */
            effect?: number;
            /** @description The distance of the medians in spreads of the earlier window. */
            distance?: number;
            /** @description The later median divided by the earlier one. */
            ratio?: number;
            before?: components["schemas"]["ComparedDistribution"];
            after?: components["schemas"]["ComparedDistribution"];
            /** @description The text or discrete value throughout the earlier window. */
            stateBefore?: string | number;
            /** @description The last one of the later window. */
            stateAfter?: string | number;
            /** @description The start of the first part of the later window that lies outside of what was usual before. */
            since?: number;
            /** @description The other metrics and instances that changed in the same way. */
            alikeCount?: number;
            /** @description The first of them. */
            alike?: {
                name: string;
                instance?: string;
            }[];
            /**
             * @description Whose use of the resource rose most since the earlier window, others last; shares of the rise add up to 1. Of findings about
             *     processors, memory, disks, the network, descriptors and processes, where the use rose.
             */
            who?: components["schemas"]["Culprit"][];
            /** @description The unit of `use`: of processors, per cent of one processor. */
            whoUnit?: string;
            /** @description What stands for the use where the kernel does not count it: by processor time, for example. */
            whoBy?: string;
            /** @description Why it is not known who it is. */
            unknown?: string;
            /**
             * @description What appeared or vanished.
             * @enum {string}
             */
            what?: "instances" | "metrics";
            /** @description How many of them. */
            count?: number;
            /** @description The first of them. */
            names?: string[];
            /** @description The metrics that they were seen in. */
            metricCount?: number;
            /** @description The first of these metrics. */
            metrics?: string[];
            /** @description A request for the values over both windows, as columns. */
            href: string;
        };
        ComparedDistribution: {
            median: number;
            /** @description The first decile. */
            p10: number;
            /** @description The last decile. */
            p90: number;
            /** @description The parts of the window that have values. */
            parts: number;
        };
        /**
         * @description A query in the language of pmseries(1).
         * @example sample.seconds[samples:2]
         */
        SeriesExpression: string;
        /**
         * @description Identifiers of 40 hexadecimal digits, separated by commas.
         * @example [
         *       "e9897e33772e2d3beff4eb168f7d3c74541e57db"
         *     ]
         */
        SeriesIds: string[];
        /** @description A glob over whole names; nothing matches an empty one. */
        SeriesGlob: string;
        /** @description Names of labels, separated by commas. */
        SeriesLabelNames: string[];
        /** @description A part of a time window, as text. */
        SeriesWindowText: string;
        SeriesId: string;
        SeriesValue: {
            series: components["schemas"]["SeriesId"];
            /** @description The identifier of an instance; absent for a metric without instance domain, empty for a result over all instances. */
            instance?: string;
            /** @description Milliseconds since the epoch, with three digits of microseconds. */
            timestamp: number;
            /** @description The value as text; strings have quotes around them. */
            value: string;
        };
        SeriesDescription: {
            series: string;
            source: string;
            pmid: string;
            indom: string;
            semantics: string;
            type: string;
            units: string;
        };
        SeriesMetric: {
            series: string;
            name: string;
        };
        SeriesInstance: {
            series: string;
            source: components["schemas"]["SeriesId"];
            instance: components["schemas"]["SeriesId"];
            id: number;
            name: string;
        };
        SeriesLabelled: {
            series: string;
            labels: Record<string, never>;
        };
        SeriesSource: {
            source: string;
            name: string;
        };
        /** @description Identifiers, or values. With `client`, an object of `client` and `result`. */
        SeriesQueryResponse: components["schemas"]["SeriesId"][] | components["schemas"]["SeriesValue"][] | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description Values. With `client`, an object of `client` and `result`. */
        SeriesValuesResponse: components["schemas"]["SeriesValue"][] | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description Descriptors. With `client`, an object of `client` and `result`. */
        SeriesDescsResponse: components["schemas"]["SeriesDescription"][] | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description Metrics, or names. With `client`, an object of `client` and `result`. */
        SeriesMetricsResponse: components["schemas"]["SeriesMetric"][] | string[] | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description Instances, or names. With `client`, an object of `client` and `result`. */
        SeriesInstancesResponse: components["schemas"]["SeriesInstance"][] | string[] | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description Labels, values by name, or names. With `client`, an object of `client` and `result`. */
        SeriesLabelsResponse: components["schemas"]["SeriesLabelled"][] | string[] | {
            [key: string]: unknown[];
        } | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description Sources, or names. With `client`, an object of `client` and `result`. */
        SeriesSourcesResponse: components["schemas"]["SeriesSource"][] | string[] | {
            client: components["schemas"]["Client"];
            result: unknown[] | Record<string, never>;
        };
        /** @description A list of requests, alone or as a member. */
        BatchRequest: components["schemas"]["BatchEntries"] | {
            requests: components["schemas"]["BatchEntries"];
        };
        BatchEntries: components["schemas"]["BatchEntry"][];
        /** @description One request of a batch. */
        BatchEntry: {
            /** @description Echoed in the response; later entries can refer to it. */
            id?: string;
            /**
             * @default GET
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "DELETE";
            /** @description Path and query, percent-encoded; may contain references. */
            path: string;
            /** @description Only `Accept` and `Content-Type`. */
            headers?: {
                [key: string]: string;
            };
            /** @description An object is a JSON body; a string is of the type in `Content-Type`. */
            body?: Record<string, never> | string;
        };
        /** @description The responses of a batch. */
        BatchResponse: {
            responses: components["schemas"]["BatchAnswer"][];
        };
        /** @description The response to one entry. */
        BatchAnswer: {
            id?: string;
            status: number;
            /** @description Header fields by lower-case name. */
            headers: {
                [key: string]: string;
            };
            /** @description JSON as it is, other media types as a string. */
            body: unknown;
        };
        ContextId: number;
        Hostspec: string;
        Hostspecs: string;
        ArchiveName: string;
        TimeText: string;
        /** @enum {string} */
        ArchiveScope: "position" | "archive";
        /** @enum {string} */
        Decimation: "min" | "max" | "average" | "last" | "envelope";
        Flag: boolean;
        UnitsText: string;
        /** @description Conditions on labels, with or without braces. */
        LabelSelector: string;
        TopCount: number;
        /** @enum {string} */
        Rest: "sum" | "mean";
        /** @description Members of the metadata of a metric. */
        MetricFields: ("name" | "pmid" | "indom" | "type" | "sem" | "units" | "labels" | "display" | "oneline" | "help")[];
        /** @enum {string} */
        TimeForm: "epoch" | "iso";
        /** @enum {string} */
        NumberForm: "plain" | "exact";
        /** @description Seconds since the epoch, with nine decimals; with `times=iso` a string in ISO 8601. */
        SampleTime: number | string;
        /** @enum {string} */
        RangeFormat: "rows" | "columns" | "ndjson" | "csv" | "archive" | "arrow";
        SampleCount: number;
        Zone: string;
        PushResult: {
            client?: components["schemas"]["Client"];
            /** @constant */
            success: true;
        };
        PushStarted: {
            archive: number;
            client?: components["schemas"]["Client"];
            /** @constant */
            success: true;
        };
        PollTimeout: number;
        Client: string;
        /** @description Names. */
        NameList: string[];
        /** @description PMIDs as `domain.cluster.item`, as decimal or as `0x` hexadecimal numbers, as an array or as a string that is split at commas. */
        PmidList: string[];
        /** @description A PMID as `domain.cluster.item`, as a decimal or as a `0x` hexadecimal number. */
        PmidWord: string;
        StoredValue: string;
        Node: string;
        /** @description An instance domain as `domain.serial`, as a decimal or as a `0x` hexadecimal number. */
        IndomText: string;
        /** @description Instance names. */
        InstanceNames: string[];
        /** @description Instance identifiers. */
        InstanceIds: number[];
        /**
         * @description Whole names, glob patterns (`*`, `?`, `[…]`), or POSIX extended regular expressions that may match anywhere.
         * @enum {string}
         */
        Match: "exact" | "glob" | "regex";
        /** @enum {string} */
        ProfileChange: "add" | "del";
        Times: boolean;
        /** @description Patterns. */
        Filter: string[];
        EventId: string;
        Speed: string;
        /** @enum {string} */
        ExpositionFormat: "text" | "openmetrics" | "opentelemetry";
        /** @description Components joined by dots, each a letter followed by letters, digits and underscores. */
        DerivedName: string;
        ExpressionText: string;
        OnelineText: string;
        HelpText: string;
        /**
         * @description Shipped with the gateway, from a file in its configuration, registered over REST, or defined in a context.
         * @enum {string}
         */
        DerivedOrigin: "shipped" | "file" | "api" | "context";
        DerivedLoadParameters: {
            name?: components["schemas"]["DerivedName"];
            expr?: components["schemas"]["ExpressionText"];
            oneline?: components["schemas"]["OnelineText"];
            helptext?: components["schemas"]["HelpText"];
            client?: components["schemas"]["Client"];
        };
        DerivedRegisterParameters: {
            expr?: components["schemas"]["ExpressionText"];
            oneline?: components["schemas"]["OnelineText"];
            helptext?: components["schemas"]["HelpText"];
            client?: components["schemas"]["Client"];
        };
        ErrorDetails: {
            subscription?: components["schemas"]["SubscriptionId"];
            /** @description The context of the request. */
            context?: number;
            client?: components["schemas"]["Client"];
            /** @description What is wrong, where, and what was expected; where pmproxy's clients parse it, the wording is pmproxy's. */
            message: string;
            /** @constant */
            success: false;
            /** @description The kind of error; stable. */
            code: string;
            /** @description The PM_ERR code behind the error, see pmErrStr(3). */
            pmErr?: number;
            /** @description The parameter at fault. */
            parameter?: string;
            /** @description What is accepted. */
            expected?: string;
            /** @description Where in a text the error lies. */
            position?: {
                offset: number;
                end?: number;
                line: number;
                column: number;
            };
            /** @description Seconds after which to retry. */
            retryAfterSec?: number;
            /** @description The id of the request in the log; only with internal errors. */
            requestId?: string;
        };
        /** @description A part of the request that failed, while the rest succeeded. */
        Warning: {
            /** @description The name, as requested. */
            name?: string;
            /** @description The PMID, as requested. */
            pmid?: string;
            /** @description The instance identifier, as requested. */
            instance?: number;
            /** @description The host, if the request named several. */
            hostspec?: string;
            message: string;
            code: string;
            pmErr?: number;
        };
        Warnings: components["schemas"]["Warning"][];
        Hash: string;
        /** @description Labels by name, with the values as the source reports them. */
        Labels: Record<string, never>;
        PmidText: string;
        /** @enum {string} */
        Type: "32" | "u32" | "64" | "u64" | "float" | "double" | "string" | "aggregate" | "aggregate_static" | "event" | "highres_event" | "unsupported" | "unknown";
        /** @enum {string} */
        Semantics: "counter" | "instant" | "discrete" | "???";
        /**
         * @description 64-bit integers have all their digits; with `numbers=exact` those beyond 2^53 are strings. `null`: a number that JSON
         *     cannot represent (not a number, infinite), an event, or an unsupported type.
         */
        Value: number | string | null;
        /**
         * @description What serves the context: a pmcd, archives, or the collector embedded in the gateway.
         * @enum {string}
         */
        ContextKind: "host" | "archive" | "local";
        Context: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            source: components["schemas"]["Hash"];
            /** @description The name that the source itself reports. */
            hostspec: string;
            labels: components["schemas"]["Labels"];
            kind: components["schemas"]["ContextKind"];
            /** @description For an archive: its name as requested. */
            archive?: string;
            /** @description For an archive: the version of its format, 2 or 3. */
            version?: number;
            /** @description The time zone of the source, see tzset(3). */
            timezone?: string;
            /** @description The start of an archive, in seconds since the epoch. */
            start?: number;
            /** @description The current end of an archive, in seconds since the epoch. */
            end?: number;
            mode?: components["schemas"]["ArchiveMode"];
            /** @description The position of the next fetch from an archive, in seconds since the epoch. */
            position?: number;
        };
        ContextDescription: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            source: components["schemas"]["Hash"];
            /** @description The name that the source itself reports. */
            hostspec: string;
            labels: components["schemas"]["Labels"];
            kind: components["schemas"]["ContextKind"];
            /** @description Seconds without use after which the context expires. */
            polltimeout: number;
            /** @description Whether requests without a context use it. */
            shared: boolean;
            /** @description For an archive: its name as requested. */
            archive?: string;
            /** @description For an archive: the version of its format, 2 or 3. */
            version?: number;
            /** @description The time zone of the source, see tzset(3). */
            timezone?: string;
            /** @description The start of an archive, in seconds since the epoch. */
            start?: number;
            /** @description The current end of an archive, in seconds since the epoch. */
            end?: number;
            mode?: components["schemas"]["ArchiveMode"];
            /** @description The position of the next fetch from an archive, in seconds since the epoch. */
            position?: number;
        };
        /**
         * @description The mode of fetches from an archive: record by record, forward or backward, or interpolated values.
         * @enum {string}
         */
        ArchiveMode: "forward" | "backward" | "interp";
        RangeSample: {
            timestamp: components["schemas"]["SampleTime"];
            values: components["schemas"]["ValueSets"];
            /**
             * @description Recording was interrupted here; there are no values, and nothing is interpolated across. Absent for samples.
             * @enum {boolean}
             */
            mark?: true;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description A sample, or the error that ended the response. If records of an archive are damaged, the last line is a warning. */
        RangeLine: components["schemas"]["RangeSample"] | components["schemas"]["RangeWarnings"] | components["schemas"]["ErrorDetails"];
        /** @description What was found damaged while the samples were read. */
        RangeWarnings: {
            warnings: components["schemas"]["Warnings"];
        };
        /** @description A range as rows: for each sample the response of a fetch at that time. */
        RangeRows: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            metrics: {
                name: string;
                pmid: components["schemas"]["PmidText"];
                indom?: string;
                type: components["schemas"]["Type"];
                sem: components["schemas"]["Semantics"];
                units: string;
            }[];
            samples: components["schemas"]["RangeSample"][];
            warnings?: components["schemas"]["Warnings"];
            why?: components["schemas"]["Why"];
        };
        /** @description The data of the events of a stream, by the name of the event. A sample has no name, and is `message` here. */
        StreamEvents: {
            metrics?: components["schemas"]["StreamHead"];
            message?: components["schemas"]["StreamSample"];
            failure?: components["schemas"]["ErrorDetails"];
            gap?: components["schemas"]["StreamGap"];
            end?: components["schemas"]["StreamEnd"];
        };
        /** @description On a connection of many streams: which of them. */
        SubscriptionId: string;
        /** @description The metadata of the values of a stream. */
        StreamHead: {
            subscription?: components["schemas"]["SubscriptionId"];
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @description Seconds between samples; absent for a replay of the recorded samples. */
            interval?: number;
            metrics: {
                name: string;
                pmid: components["schemas"]["PmidText"];
                indom?: string;
                type: components["schemas"]["Type"];
                sem: components["schemas"]["Semantics"];
                units: string;
            }[];
            warnings?: components["schemas"]["Warnings"];
        };
        StreamSample: {
            subscription?: components["schemas"]["SubscriptionId"];
            reconnected?: components["schemas"]["Reconnected"];
            /**
             * @description With `changed=true`: these are all values.
             * @constant
             */
            full?: true;
            /** @description With `changed=true`: instances that no longer have values, by metric. */
            gone?: {
                name: string;
                instances: (number | null)[];
            }[];
            timestamp: components["schemas"]["SampleTime"];
            values: components["schemas"]["ValueSets"];
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description The samples between two times (both exclusive) are no longer available. */
        StreamGap: {
            subscription?: components["schemas"]["SubscriptionId"];
            from: components["schemas"]["SampleTime"];
            to: components["schemas"]["SampleTime"];
        };
        /** @description Why a stream is over. */
        StreamEnd: {
            subscription?: components["schemas"]["SubscriptionId"];
            /** @enum {unknown} */
            reason: "archive" | "destroyed" | "failed" | "shutdown";
            message: string;
        };
        /** @description A range as columns. All arrays of values have the length of `times`. */
        RangeColumns: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            times: components["schemas"]["SampleTime"][];
            metrics: {
                name: string;
                pmid: components["schemas"]["PmidText"];
                indom?: string;
                type: components["schemas"]["Type"];
                sem: components["schemas"]["Semantics"];
                units: string;
                /** @description With `points`: how many samples of the metric there are. */
                samples?: number;
                series: {
                    /** @description `null` for a metric without instances. */
                    instance: number | null;
                    /** @description The name of the instance. */
                    name?: string;
                    /** @description `null` where there is no value, and in a separate row where the recording was interrupted. */
                    values: components["schemas"]["Value"][];
                    /** @description With `decimation=envelope`: the minima; `values` are the averages. */
                    min?: components["schemas"]["Value"][];
                    /** @description With `decimation=envelope`: the maxima. */
                    max?: components["schemas"]["Value"][];
                }[];
                /** @description With `rest`: the series that are not among the top ones, as one. */
                rest?: {
                    count: number;
                    values: (number | null)[];
                };
            }[];
            /** @description Where recording was interrupted, paused, or continued by another archive. Absent if there is none. */
            marks?: {
                /** @description The row of `times` in which all values are `null`. */
                row: number;
                from: components["schemas"]["SampleTime"];
                to: components["schemas"]["SampleTime"];
                /**
                 * @description `mark`: nothing was recorded between `from` and `to`, the samples around it. `joint`: after that time, another
                 *     archive, or what the gateway remembers, goes on. There is no mark where one follows another without a pause. `hole`: for five
                 *     times the usual interval (the second longest of the last five; it takes four to know it), and at least five seconds, there is no sample of any of
                 *     the metrics, although the recording went on; a rate after it is the mean since the sample before. Discrete metrics have no holes.
                 * @enum {unknown}
                 */
                reason: "mark" | "joint" | "hole";
            }[];
            warnings?: components["schemas"]["Warnings"];
        };
        Mode: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            mode: components["schemas"]["ArchiveMode"];
            /** @description The position of the next fetch, in seconds since the epoch. */
            position: number;
            /** @description Seconds between two fetches with `interp`. */
            interval: number;
        };
        /** @description A record, a mark record where the recording was interrupted, or the error that ended the response. */
        ArchiveRecord: {
            timestamp: number;
            values: components["schemas"]["ValueSets"];
            warnings?: components["schemas"]["Warnings"];
        } | {
            timestamp: number;
            /** @constant */
            mark: true;
        } | components["schemas"]["ErrorDetails"];
        Functions: {
            functions: {
                name: string;
                /** @description How a call is written. */
                synopsis: string;
                summary: string;
            }[];
        };
        Whoami: {
            /**
             * @description `open` if the gateway has no access control.
             * @enum {string}
             */
            kind: "open" | "anonymous" | "user" | "token";
            /** @description The name of the user or token. */
            name?: string;
            roles: string[];
            /** @description What at least one role permits, and the configuration does not disable. */
            permissions: ("read" | "derive" | "store" | "push" | "admin")[];
            limits: {
                /** @description The largest number of list elements in one request. */
                names: number;
                /** @description The largest request body. */
                bodyBytes: number;
                /** @description The longest path and query. */
                urlBytes: number;
            };
        };
        Hosts: {
            hosts: {
                /** @description The value for the parameter `hostspec`. */
                hostspec: string;
                /**
                 * @description This machine, a name of `hosts.named`, or a host with an open context.
                 * @enum {string}
                 */
                origin: "local" | "named" | "open";
                /** @description Whether a shared context on the host is open. */
                open: boolean;
            }[];
            warnings?: components["schemas"]["Warnings"];
        };
        Timeline: {
            client?: components["schemas"]["Client"];
            /** @description The host, as requested. */
            hostspec: string;
            /** @description The start of the time in question, in seconds since the epoch. */
            start: number;
            /** @description The end of the time in question. */
            finish: number;
            /** @description Whether the host answers now. */
            live: boolean;
            /** @description By time. Each moment of a metric belongs to one segment: where several have it, to the one with the smaller resolution. Segments overlap only where they have different metrics. */
            segments: {
                /** @description In seconds since the epoch. */
                from: number;
                /** @description In seconds since the epoch. */
                to: number;
                /** @description Typical seconds between two samples; absent if unknown. */
                resolution?: number;
                /**
                 * @description `archive`: an archive below the configured roots; `recorder`: one that the gateway recorded; `push`: one that was
                 *     pushed to it; `memory`: what the gateway remembers of recent fetches.
                 * @enum {string}
                 */
                origin: "archive" | "recorder" | "push" | "memory";
                /** @description The value for the parameter `archive`; absent for memory. */
                archive?: string;
            }[];
            /** @description Times between two segments in which there is nothing. */
            gaps: {
                /** @description In seconds since the epoch. */
                from: number;
                /** @description In seconds since the epoch. */
                to: number;
            }[];
            warnings?: components["schemas"]["Warnings"];
        };
        Archives: {
            archives: ({
                /** @description The value for the parameter `archive`. */
                name: string;
                /** @description The host that was recorded. */
                hostspec?: string;
                /** @description Its time zone, see tzset(3). */
                timezone?: string;
                /** @description The start, in seconds since the epoch. */
                start?: number;
                /** @description The current end, in seconds since the epoch. */
                end?: number;
                /** @description The version of the format, 2 or 3. */
                version?: number;
                /** @description The number of metrics. */
                metrics?: number;
                /** @description The size of all its files on disk, in bytes. */
                size?: number;
                error?: components["schemas"]["ErrorDetails"];
            } & (unknown | unknown))[];
        };
        /** @description Words, at most twelve; there are no operators. Names and help texts are split at dots, underscores, digits and capitals. */
        SearchWords: string;
        /** @default 0 */
        SearchOffset: number;
        /** @default 10 */
        SearchLimit: number;
        /** @description What to find. `0`, which Grafana's search app sends for an empty selection, means everything. */
        EntityTypes: ("metric" | "indom" | "instance" | "0")[];
        /** @description What to search. */
        SearchFields: ("name" | "oneline" | "helptext" | "labels")[];
        /** @description Fields of an entity. */
        SearchTextFields: ("name" | "oneline" | "helptext")[];
        /** @enum {string} */
        EntityType: "metric" | "indom" | "instance";
        /** @description The positions of matching words, `end` exclusive; counted in UTF-16 units, in the text without highlighting. */
        SearchSpans: number[][];
        /** @description One entity, as in SearchTextResult, with additional members. */
        SearchResult: {
            /** @description The name of the metric or the instance, or the number of the instance domain. */
            name?: string;
            type?: components["schemas"]["EntityType"];
            /** @description The instance domain that the entity is, belongs to, or has values for. */
            indom?: string;
            oneline?: string;
            helptext?: string;
            /** @description The labels that match. */
            labels?: {
                [key: string]: string;
            };
            source: components["schemas"]["Hash"];
            /** @description The hostspec of the source, without credentials. */
            hostspec?: string;
            /** @description The value for the parameter `archive`. */
            archive?: string;
            /** @description The relevance among results of the same likeness. */
            score: number;
            /** @description Where words match. */
            fields: ("name" | "oneline" | "helptext" | "labels")[];
            /** @description The positions of the matches. */
            highlights: {
                name?: components["schemas"]["SearchSpans"];
                oneline?: components["schemas"]["SearchSpans"];
                helptext?: components["schemas"]["SearchSpans"];
            };
        };
        Search: {
            client?: components["schemas"]["Client"];
            /** @description The total number of results. */
            total: number;
            /** @description The duration of the search, in seconds. */
            elapsed: number;
            offset: number;
            limit: number;
            /**
             * @description How the results match the query: all words, all words except for a letter or two, or any of the words.
             * @enum {string}
             */
            likeness: "all" | "similar" | "any";
            results: components["schemas"]["SearchResult"][];
            warnings?: components["schemas"]["Warnings"];
        };
        Contexts: {
            contexts: {
                /**
                 * @description The context's number. Returned only to clients on the gateway's own machine, since the number is enough to use
                 *     the context.
                 */
                context?: number;
                /** @description The requested source of the context, without credentials. */
                hostspec: string;
                kind: components["schemas"]["ContextKind"];
                /** @description Seconds without use after which the context expires. */
                polltimeout: number;
                /** @description Whether requests without a context use it. */
                shared: boolean;
            }[];
            warnings?: components["schemas"]["Warnings"];
        };
        Done: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @constant */
            success: true;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description Metadata as text. */
        CheckedMetadata: {
            /**
             * @description As in pmTypeStr(3).
             * @example U64
             */
            type: string;
            semantics: components["schemas"]["Semantics"];
            /**
             * @description As in pmUnitsStr(3); empty if dimensionless.
             * @example Kbyte / sec
             */
            units: string;
            /** @description `null` for a singular value. */
            indom: string | null;
        };
        DerivedEntry: {
            name: string;
            /** @description As it was given. */
            expression: string;
            /** @description The expression in canonical form; definitions with equal canonical forms are the same. */
            canonical: string;
            pmid: components["schemas"]["PmidText"];
            origin: components["schemas"]["DerivedOrigin"];
            oneline?: string;
            helptext?: string;
            display?: components["schemas"]["DisplayHints"];
        };
        DerivedList: {
            context?: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            derived: components["schemas"]["DerivedEntry"][];
            /**
             * @description Definitions registered over REST that could not be restored at the last start, because they exceed
             *     `limits.memoryBytes` or because a file now defines their name. The state file keeps them until they are removed. Only
             *     for clients that may see all metrics, and without a context.
             */
            withheld?: {
                name: string;
                code: string;
                message: string;
            }[];
        };
        DerivedDefinition: components["schemas"]["DerivedEntry"] & {
            client?: components["schemas"]["Client"];
            binding?: components["schemas"]["DerivedBinding"];
        };
        /** @description The binding of a global derived metric in a context. */
        DerivedBinding: {
            context: components["schemas"]["ContextId"];
            /** @description Whether the name refers to this definition there. */
            bound: boolean;
            metadata?: components["schemas"]["CheckedMetadata"];
            /**
             * @description What the name refers to instead: a metric of the source or a definition of the context.
             * @enum {string}
             */
            maskedBy?: "source" | "context";
            /** @description Why it does not bind. */
            reason?: string;
            pmErr?: number;
        };
        Removed: {
            name: string;
            client?: components["schemas"]["Client"];
            /** @constant */
            success: true;
        };
        /** @description A position in the expression. `offset` and `end` count UTF-16 units from 0, line and column from 1. */
        TextPosition: {
            offset: number;
            end?: number;
            line: number;
            column: number;
        };
        /** @description A node of the expression's tree. */
        CheckedNode: {
            /** @enum {string} */
            kind: "name" | "integer" | "double" | "mkconst" | "novalue" | "unary" | "binary" | "ternary" | "select" | "name-call" | "call" | "rescale" | "matchinst";
            /** @description The operator or function, for the kinds that have one. */
            operator?: string;
            /** @description Canonical text of the node; `…` for a long one, whose children have the text. */
            text: string;
            /** @description The start of the node in the given expression. */
            start: number;
            /** @description The end of the node, exclusive. */
            end: number;
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description False for a branch of a guard whose condition is constant and selects the other branch; it is never evaluated. */
            selected: boolean;
            sample?: components["schemas"]["PartSample"];
            /** @description Nodes below this one that are left out, because the tree has more than 200. */
            omitted?: number;
            children: components["schemas"]["CheckedNode"][];
        };
        /** @description A metric that the expression refers to. */
        CheckedOperand: {
            name: string;
            known: boolean;
            pmid?: components["schemas"]["PmidText"];
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description Whether evaluation needs its values. */
            needed: boolean;
        };
        /** @description A change that would correct this error. */
        CheckRepair: {
            /** @description A description of the change. */
            text: string;
            /** @description The edits to make. */
            replace?: {
                start: number;
                end: number;
                text: string;
            }[];
            /** @description The whole expression after the change. */
            expression?: string;
        };
        /** @description An error in the expression. */
        CheckProblem: {
            /** @enum {string} */
            phase: "syntax" | "semantic";
            /** @description `syntax`, or the name of the violated rule; stable. */
            code: string;
            /** @description The message, as PCP words it. */
            reason: string;
            explanation: string;
            position: components["schemas"]["TextPosition"];
            /** @description The line with the error, and a caret below its position. */
            excerpt: string;
            /** @description The construct with the error, as PCP prints it. */
            where?: string;
            operator?: string;
            operands?: string[];
            /** @description For a syntax error: the unexpected token. */
            found?: string;
            /** @description For a syntax error: the expected tokens. */
            expected?: string[];
            repair?: components["schemas"]["CheckRepair"];
        };
        /** @description The values of the expression. */
        CheckSample: {
            /** @description Seconds since the epoch, with nine decimals. */
            timestamp: number;
            instances: components["schemas"]["CheckedValues"];
            /** @description The reason if there are no values. */
            message?: string;
            pmErr?: number;
        };
        /**
         * @description The values of a part at the same moment. Absent for a part that is not evaluated: one that does not bind, that is never selected, or
         *     the name in defined().
         */
        PartSample: {
            /** @description The number of values; `instances` has the first 100. */
            count: number;
            instances: components["schemas"]["CheckedValues"];
            /** @description The reason if there are no values. */
            message?: string;
            pmErr?: number;
        };
        CheckedValues: {
            /** @description `null` for a singular value. */
            instance: number | null;
            /** @description The instance's name. */
            name?: string;
            value: components["schemas"]["Value"];
        }[];
        DerivedCheck: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @description Whether the expression is valid and binds here. */
            ok: boolean;
            /** @description As it was given. */
            expression: string;
            /** @description The canonical form; absent if the expression does not parse. */
            canonical?: string;
            /** @description The same with every operation in parentheses. */
            parenthesised?: string;
            tree?: components["schemas"]["CheckedNode"];
            operands: components["schemas"]["CheckedOperand"][];
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description The errors, in the order of the checks: up to 32, with repairs for the first 8. */
            errors: components["schemas"]["CheckProblem"][];
            sample?: components["schemas"]["CheckSample"];
        };
        Fetch: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            timestamp: components["schemas"]["SampleTime"];
            reconnected?: components["schemas"]["Reconnected"];
            values: components["schemas"]["ValueSets"];
            warnings?: components["schemas"]["Warnings"];
            why?: components["schemas"]["Why"];
        };
        /**
         * @description The gateway reconnected to the host since the last fetch of this context, or a local hostspec has switched between pmcd and
         *     the embedded collector (`local.source: auto`). Derived metrics have started over.
         * @constant
         */
        Reconnected: true;
        ValueSets: {
            pmid: components["schemas"]["PmidText"];
            name: string;
            type?: components["schemas"]["Type"];
            sem?: components["schemas"]["Semantics"];
            /** @description With `type` and `sem`: the metadata of the values as converted by `rate` or `units`; absent without these. */
            units?: string;
            instances: {
                /** @description `null` for a metric without instances. */
                instance: number | null;
                /** @description With `inames=true`: the name of the instance. */
                name?: string;
                value: components["schemas"]["Value"];
                records?: components["schemas"]["EventRecords"];
            }[];
            /** @description With `rest`: the values that are not among the top ones, if there are any. */
            rest?: {
                count: number;
                value: number | null;
            };
        }[];
        /**
         * @description The records of an event value, oldest first; `null` for a value that cannot be unpacked. Each record is returned once per
         *     context. The metrics event.flags and event.missed of pmUnpackEventRecords(3) are `flags` and `missed` here. Parameters
         *     that are hidden from the client are left out, as are parameters without a name for clients restricted to some metrics.
         */
        EventRecords: {
            /** @description Seconds since the epoch, with nine decimals. */
            timestamp: number;
            flags: ("point" | "start" | "end" | "id" | "parent" | "missed")[];
            /** @description The number of records lost before this one. */
            missed?: number;
            parameters: {
                pmid: components["schemas"]["PmidText"];
                /** @description The name of the metric; absent if it has none here, or none visible to the client. */
                name?: string;
                value: components["schemas"]["Value"];
            }[];
        }[] | null;
        /** @description Why the values of a response are what they are. */
        Why: {
            /** @description Where the values come from. */
            source: {
                kind: components["schemas"]["ContextKind"];
                /** @description The host name that the source reports. */
                host: string;
                /**
                 * @description Recent samples of a live host.
                 * @constant
                 */
                remembered?: true;
            };
            /** @description In the order of the values. */
            metrics: components["schemas"]["WhyMetric"][];
        };
        /** @description Why a metric has its values. */
        WhyMetric: {
            name: string;
            pmid: components["schemas"]["PmidText"];
            /** @description What the name means. */
            meaning: {
                scope: components["schemas"]["WhyScope"];
                definition?: components["schemas"]["WhyDefinition"];
                /** @description Definitions of the same name that are masked. */
                masks: {
                    scope: components["schemas"]["WhyScope"];
                    definition: components["schemas"]["WhyDefinition"];
                }[];
            };
            metadata: components["schemas"]["CheckedMetadata"];
            values: components["schemas"]["WhyValue"][];
            missing: components["schemas"]["WhyMissing"][];
            expression?: components["schemas"]["WhyNode"];
            /** @description The conversion to the requested units: value × factor + offset. */
            units?: {
                from: string;
                to: string;
                factor: number;
                offset: number;
            };
            /**
             * @description The sample was evaluated for an earlier request, and what the derived metric was compared with then is no longer known.
             * @constant
             */
            repeated?: true;
            /**
             * @description The metric has more values, or its expression more nodes and values, than one response explains.
             * @constant
             */
            truncated?: true;
        };
        /**
         * @description `source`: a metric of the source; `context`: a derived metric of the context; `global`: a derived metric of the gateway. Each
         *     masks those that follow.
         * @enum {unknown}
         */
        WhyScope: "source" | "context" | "global";
        /** @description A definition of a derived metric. */
        WhyDefinition: {
            expression: string;
            /** @enum {string} */
            origin: "shipped" | "file" | "api" | "context";
            /** @description The user or token that defined it. Shown to that user, to administrators and on the machine of the gateway. */
            by?: string;
            /** @description The file of the definition. Shown to administrators and on the machine of the gateway. */
            file?: string;
            /** @description The line of the definition in its file, or in the text that was sent. */
            line?: number;
        };
        /** @description Why a value is what it is. */
        WhyValue: {
            instance: components["schemas"]["WhyInstance"];
            name?: string;
            value: components["schemas"]["Value"];
            from?: components["schemas"]["WhyOrigin"];
            rate?: components["schemas"]["WhyRate"];
        };
        /** @description `null` for a metric without instances. */
        WhyInstance: number | null;
        /** @description A value that is missing. */
        WhyMissing: {
            /** @description Absent: the metric has no values at all. */
            instance?: number;
            name?: string;
            /** @description The part of the expression that lost the value. */
            node?: string;
            reason: string;
        };
        /**
         * @description What a value was made from. `exact`: the value of `sample`. `earlier`, `later`: the value of `low` or `high`, the nearer of
         *     the two (without `high`, the last value of a discrete metric). `line`: a counter on the line between the two,
         *     low + elapsed × (high - low) / span.
         */
        WhyOrigin: {
            /** @enum {string} */
            rule: "exact" | "earlier" | "later" | "line";
            value: components["schemas"]["Value"];
            sample?: components["schemas"]["WhySample"];
            low?: components["schemas"]["WhySample"];
            high?: components["schemas"]["WhySample"];
            /** @description Seconds from `low` to the time of the value. */
            elapsed?: number;
            /** @description Seconds from `low` to `high`. */
            span?: number;
            /**
             * @description The counter wrapped between `low` and `high`.
             * @constant
             */
            wrapped?: true;
        };
        /** @description A value as it was recorded or sampled. */
        WhySample: {
            timestamp: components["schemas"]["SampleTime"];
            value: components["schemas"]["Value"];
            /** @description For a live host: seconds before now. */
            age?: number;
            /** @description The base name of the archive; of a range on a host, its name as in `/archives`. */
            archive?: string;
            volume?: number;
            /** @description The position of the record in the (uncompressed) volume, in bytes. */
            offset?: number;
        };
        /** @description (after - before + wraps × wrapsBy) × factor / elapsed. */
        WhyRate: {
            before: components["schemas"]["WhyCount"];
            after: components["schemas"]["WhyCount"];
            /** @description Seconds between the two. */
            elapsed: number;
            /** @description How often the counter wrapped. */
            wraps: number;
            /** @description The range of the counter; 0 for one that does not wrap. */
            wrapsBy: number;
            /** @description For counters of time the seconds in their unit; else 1. */
            factor: number;
            value: components["schemas"]["Value"];
        };
        /** @description A value of a counter. */
        WhyCount: {
            timestamp: components["schemas"]["SampleTime"];
            value: components["schemas"]["Value"];
            from?: components["schemas"]["WhyOrigin"];
        };
        /** @description A node of the expression's tree, with its values. */
        WhyNode: {
            /** @enum {string} */
            kind: "name" | "integer" | "double" | "mkconst" | "novalue" | "unary" | "binary" | "ternary" | "select" | "name-call" | "call" | "rescale" | "matchinst";
            /** @description The operator or function, for the kinds that have one. */
            operator?: string;
            /** @description Canonical text of the node; `…` for a long one, whose children have the text. */
            text: string;
            /** @description The start of the node in the given expression. */
            start: number;
            /** @description The end of the node, exclusive. */
            end: number;
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description False for a branch of a guard whose condition is constant and selects the other branch; it is never evaluated. */
            selected: boolean;
            /** @description Absent for nodes that are not evaluated. */
            values?: components["schemas"]["WhyNodeValue"][];
            /** @description In place of values. */
            error?: string;
            /** @description For `delta()` and `rate()`, the previous values of the operand. */
            previous?: {
                timestamp: components["schemas"]["SampleTime"];
                /** @description Seconds since then. */
                elapsed: number;
                values: components["schemas"]["WhyNodeValue"][];
            };
            children: components["schemas"]["WhyNode"][];
        };
        /** @description A value of a node; `from` for the values of metrics. */
        WhyNodeValue: {
            instance: components["schemas"]["WhyInstance"];
            name?: string;
            value: components["schemas"]["Value"];
            from?: components["schemas"]["WhyOrigin"];
        };
        /** @description The response to a fetch from several hosts: one entry for each, in the order of the request. */
        FetchOfHosts: {
            client?: components["schemas"]["Client"];
            hosts: ({
                /** @description The host, as requested. */
                hostspec: string;
                context?: components["schemas"]["ContextId"];
                timestamp?: components["schemas"]["SampleTime"];
                reconnected?: components["schemas"]["Reconnected"];
                values?: components["schemas"]["ValueSets"];
                warnings?: components["schemas"]["Warnings"];
                error?: components["schemas"]["ErrorDetails"];
            } & (unknown | unknown))[];
        };
        /** @description With `fields`: the chosen metadata of a metric. */
        MetricSummary: {
            name: string;
            pmid?: components["schemas"]["PmidText"];
            /** @description Absent for a metric without instances. */
            indom?: string;
            type: components["schemas"]["Type"];
            sem: components["schemas"]["Semantics"];
            units: string;
            labels?: components["schemas"]["Labels"];
            "text-oneline"?: string;
            "text-help"?: string;
            display?: components["schemas"]["DisplayHints"];
        };
        /** @description For derived metrics: how to draw the values, from the definition file. */
        DisplayHints: {
            /** @description What to write behind numbers in place of the units, such as `%`. */
            unit?: string;
            /** @description The least value that the metric can have. It is not checked. */
            min?: number;
            /** @description The greatest value that the metric can have. It is not checked. */
            max?: number;
        };
        MetricFailure: {
            name: string;
            message: string;
            /** @constant */
            success: false;
        };
        Metric: {
            name: string;
            series: components["schemas"]["Hash"];
            pmid: components["schemas"]["PmidText"];
            /** @description Absent for a metric without instances. */
            indom?: string;
            type: components["schemas"]["Type"];
            sem: components["schemas"]["Semantics"];
            /** @description See pmUnitsStr(3); `none` for dimensionless. */
            units: string;
            labels: components["schemas"]["Labels"];
            "text-oneline": string;
            "text-help": string;
            display?: components["schemas"]["DisplayHints"];
        };
        Metrics: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            metrics: (components["schemas"]["Metric"] | components["schemas"]["MetricSummary"] | components["schemas"]["MetricFailure"])[];
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description Metadata from several hosts: one entry for each, in the order of the request. */
        MetricsOfHosts: {
            client?: components["schemas"]["Client"];
            hosts: ({
                /** @description The host, as requested. */
                hostspec: string;
                context?: components["schemas"]["ContextId"];
                metrics?: (components["schemas"]["Metric"] | components["schemas"]["MetricSummary"] | components["schemas"]["MetricFailure"])[];
                warnings?: components["schemas"]["Warnings"];
                error?: components["schemas"]["ErrorDetails"];
            } & (unknown | unknown))[];
        };
        Children: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            name: string;
            leaf: string[];
            nonleaf: string[];
        };
        Instance: {
            instance: number;
            name: string;
            labels: components["schemas"]["Labels"];
        };
        Indom: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            indom: string;
            labels: components["schemas"]["Labels"];
            "text-oneline"?: string;
            "text-help"?: string;
            instances: components["schemas"]["Instance"][];
            warnings?: components["schemas"]["Warnings"];
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "ready";
            /** @constant */
            success: true;
            /**
             * @description The current target of `localhost`: the pmcd of this machine or the embedded collector. Only for readyz.
             * @enum {string}
             */
            local?: "pmcd" | "embedded";
            /** @description The gateways that share global derived metrics. Only for readyz of a gateway with `cluster`, and only for clients on this machine. */
            cluster?: {
                /**
                 * @description `alone`: the servers of `cluster` are unreachable, or the definitions there cannot be read.
                 * @enum {string}
                 */
                state: "member" | "alone";
                /** @description The number of gateways, this one included. */
                members: number;
                /** @description The version of the global derived metrics, which grows by one with each change; see the header Pmgate-Definitions. */
                version: number;
                /** @description Gateways whose definition files differ from those of this one. */
                differs: string[];
            };
            /** @description MMV files that the embedded collector does not serve, or only in part, and what is wrong with the servers of the fleet. Only for readyz, and only for clients on this machine. */
            problems?: string[];
        };
        /** @description OpenTelemetry metrics data as JSON. */
        OpenTelemetry: {
            resourceMetrics: {
                resource: {
                    attributes: components["schemas"]["OtelAttributes"];
                };
                scopeMetrics: {
                    scope: {
                        name: string;
                        version?: string;
                    };
                    metrics: components["schemas"]["OtelMetric"][];
                }[];
            }[];
        };
        OtelAttributes: {
            key: string;
            value: {
                stringValue?: string;
                boolValue?: boolean;
                intValue?: string;
                doubleValue?: number;
            };
        }[];
        OtelPoints: {
            attributes: components["schemas"]["OtelAttributes"];
            timeUnixNano: string;
            /** @description Integers of 2^63 and above are in `asDouble`. */
            asInt?: string;
            /** @description `"NaN"`, `"Infinity"` and `"-Infinity"` are strings. */
            asDouble?: number | string;
        }[];
        OtelMetric: {
            name: string;
            description: string;
            /** @description A UCUM unit. */
            unit: string;
            gauge?: {
                dataPoints: components["schemas"]["OtelPoints"];
            };
            sum?: {
                /**
                 * @description Cumulative.
                 * @constant
                 */
                aggregationTemporality: 2;
                /** @constant */
                isMonotonic: true;
                dataPoints: components["schemas"]["OtelPoints"];
            };
        };
    };
    responses: {
        /** @description Identifiers of series, or values. */
        SeriesQueryAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Pmgate-Warnings": components["headers"]["PartialFailures"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       "478a0418b9c93521493fbf0252bba454d1a728d9"
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesQueryResponse"];
            };
        };
        /** @description Values. */
        SeriesValuesAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Pmgate-Warnings": components["headers"]["PartialFailures"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       {
                 *         "series": "478a0418b9c93521493fbf0252bba454d1a728d9",
                 *         "instance": "7b5415fefd3ee34c7abb64a0822e0e82ea6e13aa",
                 *         "timestamp": 1431100794528.286,
                 *         "value": "2.980000e+00"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesValuesResponse"];
            };
        };
        /** @description Descriptors in the order requested. */
        SeriesDescsAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       {
                 *         "series": "478a0418b9c93521493fbf0252bba454d1a728d9",
                 *         "source": "7e9b8f13bacdfe9fdb7a8de14d185bc17e612553",
                 *         "pmid": "60.2.0",
                 *         "indom": "60.2",
                 *         "semantics": "instant",
                 *         "type": "float",
                 *         "units": "none"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesDescsResponse"];
            };
        };
        /** @description Metrics of series, or names. */
        SeriesMetricsAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       {
                 *         "series": "478a0418b9c93521493fbf0252bba454d1a728d9",
                 *         "name": "kernel.all.load"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesMetricsResponse"];
            };
        };
        /** @description Instances of series, or names. */
        SeriesInstancesAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       {
                 *         "series": "478a0418b9c93521493fbf0252bba454d1a728d9",
                 *         "source": "7e9b8f13bacdfe9fdb7a8de14d185bc17e612553",
                 *         "instance": "7b5415fefd3ee34c7abb64a0822e0e82ea6e13aa",
                 *         "id": 1,
                 *         "name": "1 minute"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesInstancesResponse"];
            };
        };
        /** @description Labels of series, values of labels, or names. */
        SeriesLabelsAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       {
                 *         "series": "478a0418b9c93521493fbf0252bba454d1a728d9",
                 *         "labels": {
                 *           "hostname": "brolley-t530"
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesLabelsResponse"];
            };
        };
        /** @description Names of sources. */
        SeriesSourcesAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       {
                 *         "source": "7e9b8f13bacdfe9fdb7a8de14d185bc17e612553",
                 *         "name": "brolley-t530"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["SeriesSourcesResponse"];
            };
        };
        /** @description Done. */
        PushDone: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": true
                 *     }
                 */
                "application/json": components["schemas"]["PushResult"];
            };
        };
        /** @description The archive can be pushed. */
        PushBegun: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "archive": 1046080276,
                 *       "success": true
                 *     }
                 */
                "application/json": components["schemas"]["PushStarted"];
            };
        };
        /** @description The responses, in the order of the requests. */
        BatchAnswers: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "responses": [
                 *         {
                 *           "id": "made",
                 *           "status": 200,
                 *           "headers": {
                 *             "content-type": "application/json"
                 *           },
                 *           "body": {
                 *             "context": 2134478040
                 *           }
                 *         },
                 *         {
                 *           "status": 404,
                 *           "headers": {
                 *             "content-type": "application/json"
                 *           },
                 *           "body": {
                 *             "context": 2134478040,
                 *             "message": "unknown metric",
                 *             "success": false,
                 *             "code": "UNKNOWN_METRIC"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchResponse"];
            };
        };
        /** @description The request is malformed; `code` says how and `parameter` where. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "message": "invalid context identifier: abc",
                 *       "success": false,
                 *       "code": "BAD_PARAMETER",
                 *       "parameter": "context"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description No such context, metric, instance domain, instance or path. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 99,
                 *       "message": "unknown context identifier: 99",
                 *       "success": false,
                 *       "code": "UNKNOWN_CONTEXT",
                 *       "pmErr": -12376
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The context is shared by requests without a context and cannot be changed. */
        SharedContext: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 1350228144,
                 *       "message": "context 1350228144 is shared by requests without a context: create one of your own with /pmapi/context",
                 *       "success": false,
                 *       "code": "SHARED_CONTEXT"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The request failed, or the source or the gateway did; `code` says why, and `message` explains it. */
        Failure: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "message": "cannot connect to PMCD: No route to host",
                 *       "success": false,
                 *       "code": "SOURCE_UNREACHABLE",
                 *       "pmErr": -113
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The context. */
        ContextAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "source": "81540769f309cae4b59d5d434d6bb15a19c0e014",
                 *       "hostspec": "web1",
                 *       "labels": {
                 *         "hostname": "web1",
                 *         "machineid": "3d1219c7c4c5404aaa1f6d2a48adfda4"
                 *       },
                 *       "kind": "host"
                 *     }
                 */
                "application/json": components["schemas"]["Context"];
            };
        };
        /** @description The context, in full. */
        ContextDescriptionAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "source": "81540769f309cae4b59d5d434d6bb15a19c0e014",
                 *       "hostspec": "web1",
                 *       "labels": {
                 *         "hostname": "web1"
                 *       },
                 *       "kind": "host",
                 *       "polltimeout": 5,
                 *       "shared": false,
                 *       "timezone": "UTC"
                 *     }
                 */
                "application/json": components["schemas"]["ContextDescription"];
            };
        };
        /** @description The mode and the position of fetches. */
        ModeAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "mode": "interp",
                 *       "position": 1795183200,
                 *       "interval": 60
                 *     }
                 */
                "application/json": components["schemas"]["Mode"];
            };
        };
        /** @description The records, one JSON text per line. */
        Records: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {"timestamp":1795183200.000000000,"values":[{"pmid":"60.1.2","name":"mem.util.free","instances":[{"instance":null,"value":23987772}]}]}
                 *     {"timestamp":1795183260.000000000,"mark":true}
                 */
                "application/x-ndjson": string;
            };
        };
        /** @description The events. */
        EventStream: {
            headers: {
                /** @description Tells proxies not to buffer events. */
                "X-Accel-Buffering"?: "no";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example retry: 1000
                 *     event: metrics
                 *     data: {"context":2134478040,"interval":1,"metrics":[{"name":"mem.util.free","pmid":"60.1.2","type":"u64","sem":"instant","units":"Kbyte"}]}
                 *
                 *     id: 1795191848.000412000
                 *     data: {"timestamp":1795191848.000412000,"values":[{"pmid":"60.1.2","name":"mem.util.free","instances":[{"instance":null,"value":23987772}]}]}
                 *
                 *     : heartbeat
                 *
                 *     id: 1795191849.000398000
                 *     data: {"timestamp":1795191849.000398000,"values":[{"pmid":"60.1.2","name":"mem.util.free","instances":[{"instance":null,"value":23987104}]}]}
                 *
                 *     event: failure
                 *     data: {"context":2134478040,"message":"Connection reset by peer","success":false,"code":"SOURCE_FAILED","pmErr":-12366}
                 *
                 *     event: end
                 *     data: {"reason":"shutdown","message":"the gateway is shutting down"}
                 */
                "text/event-stream": string;
            };
        };
        /** @description The end of the archive is reached in this direction. */
        EndOfArchive: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "message": "End of PCP archive log",
                 *       "success": false,
                 *       "code": "END_OF_ARCHIVE",
                 *       "pmErr": -12370
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The functions. */
        FunctionsAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "functions": [
                 *         {
                 *           "name": "rate",
                 *           "synopsis": "rate(expr)",
                 *           "summary": "The difference to the previous sample per second."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Functions"];
            };
        };
        /** @description The principal. */
        WhoamiAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "kind": "user",
                 *       "name": "alice",
                 *       "roles": [
                 *         "operators"
                 *       ],
                 *       "permissions": [
                 *         "read",
                 *         "derive"
                 *       ],
                 *       "limits": {
                 *         "names": 1000,
                 *         "bodyBytes": 1048576,
                 *         "urlBytes": 65536
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Whoami"];
            };
        };
        /** @description The hosts, by name. */
        HostsAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "hosts": [
                 *         {
                 *           "hostspec": "localhost",
                 *           "origin": "local",
                 *           "open": true
                 *         },
                 *         {
                 *           "hostspec": "web1",
                 *           "origin": "named",
                 *           "open": false
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Hosts"];
            };
        };
        /** @description What is recorded and remembered of the host. */
        TimelineAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "hostspec": "web1",
                 *       "start": 1795104000,
                 *       "finish": 1795190400,
                 *       "live": true,
                 *       "segments": [
                 *         {
                 *           "from": 1795104000,
                 *           "to": 1795147200.5,
                 *           "resolution": 60,
                 *           "origin": "archive",
                 *           "archive": "web1/20261120"
                 *         },
                 *         {
                 *           "from": 1795150000,
                 *           "to": 1795188600,
                 *           "resolution": 10,
                 *           "origin": "recorder",
                 *           "archive": "recorded/20261120-000000"
                 *         },
                 *         {
                 *           "from": 1795188601,
                 *           "to": 1795190400,
                 *           "resolution": 1,
                 *           "origin": "memory"
                 *         }
                 *       ],
                 *       "gaps": [
                 *         {
                 *           "from": 1795147200.5,
                 *           "to": 1795150000
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Timeline"];
            };
        };
        /** @description The archives, by name relative to their root. */
        ArchivesAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "archives": [
                 *         {
                 *           "name": "web1/20261120.00.10",
                 *           "hostspec": "web1",
                 *           "timezone": "UTC",
                 *           "start": 1795132200.048268,
                 *           "end": 1795191848.048268,
                 *           "version": 3,
                 *           "metrics": 812,
                 *           "size": 60123456
                 *         },
                 *         {
                 *           "name": "web1/20261119.00.10",
                 *           "error": {
                 *             "message": "Corrupted record in a PCP archive log",
                 *             "success": false,
                 *             "code": "BAD_ARCHIVE",
                 *             "pmErr": -12373
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Archives"];
            };
        };
        /** @description The state of each resource, those in trouble first. */
        DiagnosisAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Diagnosis"];
            };
        };
        /** @description What changed, most remarkable first. */
        ChangesAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 1,
                 *       "before": {
                 *         "start": 1763893200,
                 *         "finish": 1763894400,
                 *         "parts": 96
                 *       },
                 *       "after": {
                 *         "start": 1763894400,
                 *         "finish": 1763894700,
                 *         "parts": 24
                 *       },
                 *       "compared": 1123,
                 *       "tooFew": 4,
                 *       "total": 1,
                 *       "findings": [
                 *         {
                 *           "kind": "number",
                 *           "score": 4.09,
                 *           "sentence": "disk.dev.await of sda rose from 3 to 48 millisec / count (×16); 3 more alike",
                 *           "name": "disk.dev.await",
                 *           "instance": "sda",
                 *           "indom": "60.1",
                 *           "units": "millisec / count",
                 *           "direction": "up",
                 *           "effect": 1,
                 *           "distance": 16,
                 *           "ratio": 16,
                 *           "before": {
                 *             "median": 3,
                 *             "p10": 2.1,
                 *             "p90": 4.4,
                 *             "parts": 96
                 *           },
                 *           "after": {
                 *             "median": 48,
                 *             "p10": 41,
                 *             "p90": 55,
                 *             "parts": 24
                 *           },
                 *           "alikeCount": 3,
                 *           "alike": [
                 *             {
                 *               "name": "disk.dev.aveq",
                 *               "instance": "sda"
                 *             }
                 *           ],
                 *           "href": "/pmapi/fetch?names=disk.dev.await&iname=sda&start=1763893200.000000000&finish=1763894700.000000000&points=240&rate=true&format=columns",
                 *           "since": 1763894500
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Changes"];
            };
        };
        /** @description The results, best first. */
        SearchAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "total": 2,
                 *       "elapsed": 0.000504,
                 *       "offset": 0,
                 *       "limit": 10,
                 *       "likeness": "all",
                 *       "results": [
                 *         {
                 *           "name": "disk.dev.read",
                 *           "type": "metric",
                 *           "indom": "60.1",
                 *           "oneline": "per-disk read operations",
                 *           "source": "05af7f3eb840277fd3cfa91f90ef0067199743c0",
                 *           "hostspec": "localhost",
                 *           "score": 61.842,
                 *           "fields": [
                 *             "name",
                 *             "oneline"
                 *           ],
                 *           "highlights": {
                 *             "name": [
                 *               [
                 *                 0,
                 *                 4
                 *               ],
                 *               [
                 *                 9,
                 *                 13
                 *               ]
                 *             ],
                 *             "oneline": [
                 *               [
                 *                 4,
                 *                 8
                 *               ],
                 *               [
                 *                 9,
                 *                 13
                 *               ]
                 *             ]
                 *           }
                 *         },
                 *         {
                 *           "name": "disk.dev.read_bytes",
                 *           "type": "metric",
                 *           "indom": "60.1",
                 *           "oneline": "per-disk count of bytes read",
                 *           "source": "05af7f3eb840277fd3cfa91f90ef0067199743c0",
                 *           "hostspec": "localhost",
                 *           "score": 60.211,
                 *           "fields": [
                 *             "name",
                 *             "oneline"
                 *           ],
                 *           "highlights": {
                 *             "name": [
                 *               [
                 *                 0,
                 *                 4
                 *               ],
                 *               [
                 *                 9,
                 *                 13
                 *               ]
                 *             ],
                 *             "oneline": [
                 *               [
                 *                 4,
                 *                 8
                 *               ],
                 *               [
                 *                 24,
                 *                 28
                 *               ]
                 *             ]
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Search"];
            };
        };
        /** @description The open contexts, oldest first; those of several gateways by source. */
        ContextsAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "contexts": [
                 *         {
                 *           "context": 2134478040,
                 *           "hostspec": "localhost",
                 *           "kind": "local",
                 *           "polltimeout": 5,
                 *           "shared": true
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Contexts"];
            };
        };
        /** @description Done. */
        DoneAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "success": true
                 *     }
                 */
                "application/json": components["schemas"]["Done"];
            };
        };
        /** @description The response of one host, or an entry for each of several. */
        FetchFromHosts: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "hosts": [
                 *         {
                 *           "hostspec": "web1",
                 *           "context": 2134478040,
                 *           "timestamp": 1795191848.048268,
                 *           "values": []
                 *         },
                 *         {
                 *           "hostspec": "web2",
                 *           "error": {
                 *             "message": "cannot connect to PMCD: No route to host",
                 *             "success": false,
                 *             "code": "SOURCE_UNREACHABLE",
                 *             "pmErr": -113
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Fetch"] | components["schemas"]["FetchOfHosts"] | components["schemas"]["RangeRows"] | components["schemas"]["RangeColumns"];
                /** @example {"timestamp":1795183200.000000000,"values":[{"pmid":"60.1.2","name":"mem.util.free","instances":[{"instance":null,"value":23987772}]}]} */
                "application/x-ndjson": string;
                /**
                 * @example time,mem.util.free,kernel.all.load[1 minute]
                 *     2026-11-20T14:00:00Z,23987772,0.51
                 */
                "text/csv": string;
                "application/x-tar": string;
                "application/vnd.apache.arrow.stream": string;
            };
        };
        /** @description The response of one host, or an entry for each of several. */
        MetricFromHosts: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "hosts": [
                 *         {
                 *           "hostspec": "web1",
                 *           "context": 2134478040,
                 *           "metrics": []
                 *         },
                 *         {
                 *           "hostspec": "web2",
                 *           "error": {
                 *             "message": "cannot connect to PMCD: No route to host",
                 *             "success": false,
                 *             "code": "SOURCE_UNREACHABLE",
                 *             "pmErr": -113
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Metrics"] | components["schemas"]["MetricsOfHosts"];
            };
        };
        /** @description The children. */
        ChildrenAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "name": "kernel",
                 *       "leaf": [],
                 *       "nonleaf": [
                 *         "all",
                 *         "percpu",
                 *         "uname"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Children"];
            };
        };
        /** @description The instance domain. */
        IndomAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "indom": "60.2",
                 *       "labels": {
                 *         "hostname": "web1"
                 *       },
                 *       "text-oneline": "load averages for 1, 5, and 15 minutes",
                 *       "instances": [
                 *         {
                 *           "instance": 1,
                 *           "name": "1 minute",
                 *           "labels": {
                 *             "hostname": "web1"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Indom"];
            };
        };
        /** @description The values. */
        Exposition: {
            headers: {
                "X-Pmgate-Warnings": components["headers"]["PartialFailures"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example # PCP5 mem.util.free 60.1.2 u64 PM_INDOM_NULL instant Kbyte
                 *     # HELP mem_util_free free memory
                 *     # TYPE mem_util_free gauge
                 *     mem_util_free{hostname="web1"} 23987772
                 */
                "text/plain": string;
                /**
                 * @example # TYPE mem_util_free_kibibytes gauge
                 *     # UNIT mem_util_free_kibibytes kibibytes
                 *     # HELP mem_util_free_kibibytes free memory
                 *     mem_util_free_kibibytes{hostname="web1"} 23987772
                 *     # EOF
                 */
                "application/openmetrics-text": string;
                /**
                 * @example {
                 *       "resourceMetrics": []
                 *     }
                 */
                "application/json": components["schemas"]["OpenTelemetry"];
            };
        };
        /** @description A ReadResponse of Prometheus, with `Content-Encoding` snappy. */
        RemoteReadAnswer: {
            headers: {
                "X-Pmgate-Warnings": components["headers"]["PartialFailures"];
                [name: string]: unknown;
            };
            content: {
                "application/x-protobuf": string;
            };
        };
        /** @description Yes. */
        HealthAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "ok",
                 *       "success": true
                 *     }
                 */
                "application/json": components["schemas"]["Health"];
            };
        };
        /** @description The description. */
        OpenapiYaml: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/yaml": string;
            };
        };
        /**
         * @description A derived metric of this name exists with a different expression (in a context: with any expression), or the context is
         *     shared.
         */
        DuplicateDefinition: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "message": "Error: pmAddDerivedMetric(\"my.free\", ...): returns -12409\nDuplicate per-context derived metric name",
                 *       "success": false,
                 *       "code": "DUPLICATE_NAME",
                 *       "pmErr": -12409,
                 *       "expected": "a name other than my.free"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The expression parses, but its operands are not compatible. */
        RefusedDefinition: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "message": "Semantic Error: pmAddDerivedMetric(\"my.sum\", ...)\nkernel.all.nprocs + mem.physmem\n^\nDimensions are not the same",
                 *       "success": false,
                 *       "code": "SEMANTIC_ERROR",
                 *       "pmErr": -12409,
                 *       "position": {
                 *         "offset": 0,
                 *         "end": 31,
                 *         "line": 1,
                 *         "column": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description Changing global derived metrics is disabled, this one is defined in a file, or the origin of the page is not allowed. */
        MutationOff: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "message": "changing global derived metrics is disabled (derived.allowMutation)",
                 *       "success": false,
                 *       "code": "FORBIDDEN"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The definitions. */
        DerivedListAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "derived": [
                 *         {
                 *           "name": "my.free",
                 *           "expression": "100 * mem.util.free / mem.physmem",
                 *           "canonical": "100 * mem.util.free / mem.physmem",
                 *           "pmid": "511.0.1",
                 *           "origin": "api",
                 *           "oneline": "free memory in percent"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DerivedList"];
            };
        };
        /** @description The definition, and its binding if a context was given. */
        DerivedDefinitionAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "name": "my.free",
                 *       "expression": "100 * mem.util.free / mem.physmem",
                 *       "canonical": "100 * mem.util.free / mem.physmem",
                 *       "pmid": "511.0.1",
                 *       "origin": "api",
                 *       "binding": {
                 *         "context": 1350228144,
                 *         "bound": true,
                 *         "metadata": {
                 *           "type": "DOUBLE",
                 *           "semantics": "instant",
                 *           "units": "",
                 *           "indom": null
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DerivedDefinition"];
            };
        };
        /** @description Done. */
        RemovedAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "name": "my.free",
                 *       "success": true
                 *     }
                 */
                "application/json": components["schemas"]["Removed"];
            };
        };
        /** @description The report. */
        DerivedCheckAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DerivedCheck"];
            };
        };
        /** @description Storing is disabled, the source does not permit it, or the origin of the page is not allowed. */
        StoringOff: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                Allow: components["headers"]["Allow"];
                "WWW-Authenticate": components["headers"]["Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "message": "failed to store value to metric kernel.all.load: No permission to perform requested operation",
                 *       "success": false,
                 *       "code": "FORBIDDEN",
                 *       "pmErr": -12387
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
    };
    parameters: {
        /**
         * @description The moment in question; from a minute before until two after it is judged. A time of day is the last one that was.
         * @example -10min
         */
        diagnosisAt: components["schemas"]["TimeText"];
        /** @description The start of the window in question; a minute before its end by default. */
        diagnosisStart: components["schemas"]["TimeText"];
        /** @description The end of the window in question. */
        diagnosisFinish: components["schemas"]["TimeText"];
        /**
         * @description The window in question, as START,END. Either time may be empty: the start or end of what is recorded or remembered. By
         *     default the last five minutes.
         * @example -5min,
         */
        changesAfter: components["schemas"]["WindowText"];
        /**
         * @description The window to compare with, as START,END. By default it ends where the other begins, and is four times as long. With
         *     `against`, the window of the other sources; by default the same as `after`.
         */
        changesBefore: components["schemas"]["WindowText"];
        /** @description Other hosts to compare with, or with `archive` other archives, separated by `;`; at most 20. */
        changesAgainst: string;
        /** @description Maximum number of findings; 20 by default. */
        changesLimit: number;
        /** @description A query as in pmseries(1). */
        seriesExpr: components["schemas"]["SeriesExpression"];
        /** @description Identifiers of series; for labels also of instances. */
        seriesIdsInQuery: components["schemas"]["SeriesIds"];
        /** @description A glob of fnmatch(3) over whole names. */
        seriesMatch: components["schemas"]["SeriesGlob"];
        /** @description Names of labels whose values to return. */
        seriesLabelNamesInQuery: components["schemas"]["SeriesLabelNames"];
        /** @description The same as `names`; takes precedence over it. */
        seriesLabelName: components["schemas"]["SeriesLabelNames"];
        /** @description Identifiers of sources. */
        seriesSources: components["schemas"]["SeriesIds"];
        /** @description Number of samples: alone, the newest ones, newest first; with a window, the oldest ones in it. 0: all; below 0: all, newest first. */
        seriesSamples: components["schemas"]["SeriesWindowText"];
        /** @description The same as `samples`. */
        seriesCount: components["schemas"]["SeriesWindowText"];
        /** @description Thins out samples to about one in this time. 0: all. */
        seriesInterval: components["schemas"]["SeriesWindowText"];
        /** @description The same as `interval`. */
        seriesDelta: components["schemas"]["SeriesWindowText"];
        /** @description The first moment: seconds since the epoch, `-5min` before now, `@` and a date and time. */
        seriesStart: components["schemas"]["SeriesWindowText"];
        /** @description The same as `start`. */
        seriesBegin: components["schemas"]["SeriesWindowText"];
        /** @description The last moment, like `start`. */
        seriesFinish: components["schemas"]["SeriesWindowText"];
        /** @description The same as `finish`. */
        seriesEnd: components["schemas"]["SeriesWindowText"];
        /** @description A window from this long ago until now. */
        seriesRange: components["schemas"]["SeriesWindowText"];
        /** @description Has no effect, as in pmproxy. */
        seriesAlign: components["schemas"]["SeriesWindowText"];
        /** @description Has no effect, as in pmproxy. */
        seriesOffset: components["schemas"]["SeriesWindowText"];
        /** @description The time zone of dates in this request; UTC by default. */
        seriesZone: components["schemas"]["SeriesWindowText"];
        /**
         * @description What to search for.
         * @example disk read
         */
        searchWordsInQuery: components["schemas"]["SearchWords"];
        /** @description The kinds of entities to find; all by default. */
        searchType: components["schemas"]["EntityTypes"];
        /** @description The fields to search; all by default. */
        searchField: components["schemas"]["SearchFields"];
        /** @description Members in which matching words are highlighted. */
        searchHighlight: components["schemas"]["SearchTextFields"];
        /** @description How many of the best results to skip. */
        searchOffsetInQuery: components["schemas"]["SearchOffset"];
        /** @description Maximum number of results; 0 means 10. */
        searchLimitInQuery: components["schemas"]["SearchLimit"];
        /** @description The context's number. */
        contextInPath: components["schemas"]["ContextId"];
        /** @description The context's number; takes precedence over the one in the path. */
        contextInQuery: components["schemas"]["ContextId"];
        /**
         * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
         *     configuration allows can be reached.
         */
        hostspecInQuery: components["schemas"]["Hostspec"];
        /**
         * @description The host to use when no context is given, in the form of PCPIntro(1); `localhost` by default. Several hosts are separated
         *     by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are queried concurrently, and the response
         *     has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
         */
        hostspecsInQuery: components["schemas"]["Hostspecs"];
        /** @description The archives to read, by names or folders, separated by commas; all by default. */
        remoteReadArchive: components["schemas"]["ArchiveName"];
        /**
         * @description The hosts whose samples to read, separated by semicolons: from their archives and from remembered samples. All by
         *     default.
         */
        remoteReadHost: components["schemas"]["Hostspecs"];
        /** @description The naming of metrics, as in OpenMetrics (the default) or in pmproxy's text format. */
        remoteReadFormat: "openmetrics" | "text";
        /**
         * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
         *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
         */
        archive: components["schemas"]["ArchiveName"];
        /**
         * @description For archives, and for hosts with recordings of that time: the time at which labels and instances are looked up, in seconds since the
         *     epoch, in ISO 8601, or in PCP's own forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). For an archive, the default is the position of the context; a request without a
         *     context uses `scope=archive`.
         */
        at: components["schemas"]["TimeText"];
        /**
         * @description For archives, and for hosts with recordings or remembered samples of that time: the time of the values, in seconds since the epoch,
         *     in ISO 8601, or in PCP's own forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)).
         */
        checkedAt: components["schemas"]["TimeText"];
        /** @description All instances that ever existed in the archive, with their last labels. */
        scope: components["schemas"]["ArchiveScope"];
        /** @description The mode of fetches. */
        modeInQuery: components["schemas"]["ArchiveMode"];
        /**
         * @description Where the next fetch starts. Seconds since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the
         *     start, `-1hour` from the end; see PCPIntro(1)).
         */
        time: components["schemas"]["TimeText"];
        /**
         * @description The time between two fetches with `interp`, for example `10`, `500msec` or `1min 30sec`; a negative interval moves
         *     backward in time.
         */
        step: components["schemas"]["TimeText"];
        /**
         * @description The start of a range, by default that of the archive; with it, a range on a host reads archives of the host, too. Seconds
         *     since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the start, `-1hour` from the end; see
         *     PCPIntro(1), option `-S`).
         */
        start: components["schemas"]["TimeText"];
        /**
         * @description The end of a range, by default that of the archive; in the same forms as `start`, except that `5min` counts from the start
         *     of the range.
         */
        finish: components["schemas"]["TimeText"];
        /** @description The host, by default `localhost`. */
        timelineHostspec: components["schemas"]["Hostspec"];
        /** @description The start of the time in question, by default `-7days`; in the same forms as for a range. */
        timelineStart: components["schemas"]["TimeText"];
        /** @description The end of the time in question, by default now. */
        timelineFinish: components["schemas"]["TimeText"];
        /**
         * @description The interval between samples, for example `10`, `500msec` or `1min 30sec`; values are interpolated. By default a range has
         *     every recorded sample.
         */
        rangeInterval: components["schemas"]["TimeText"];
        /**
         * @description The offset of the first sample within the range, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the
         *     start, `-10` from the end.
         */
        offset: components["schemas"]["TimeText"];
        /** @description An interval; the start of the range is rounded up to the next multiple of it, see PCPIntro(1), option `-A`. */
        align: components["schemas"]["TimeText"];
        /** @description Split the range into this many parts of equal length, and return one sample for each. */
        points: components["schemas"]["SampleCount"];
        /** @description How `points` aggregates each part; the average by default. `envelope` (`columns` only) is all of average, minimum and maximum. */
        decimationInQuery: components["schemas"]["Decimation"];
        /**
         * @description Nodes of the namespace: every metric at or below them, including derived ones, in the order of the namespace, up to
         *     `limits.names`. Empty for the root.
         */
        fetchedPrefix: components["schemas"]["NameList"];
        /**
         * @description Return only the instances with these names or patterns (see `match`). Metrics without instances are not affected. If
         *     several instance filters (`iname`, `instance`, `labels`) are given, an instance must match all of them.
         */
        selectedNames: components["schemas"]["InstanceNames"];
        /** @description Return only the instances with these numbers; see `iname`. */
        selectedInstances: components["schemas"]["InstanceIds"];
        /** @description How `iname` is matched; exactly by default. */
        selectedMatch: components["schemas"]["Match"];
        /**
         * @description Return only values whose labels match (`agent="linux",device_type=~"sd.*"`), including values of metrics without
         *     instances: conditions with `=`, `!=`, `=~` and `!~` as in PromQL, separated by commas, all of which must hold. They are
         *     applied to the merged labels of context, domain, instance domain, cluster, item and instance; a missing label is the empty
         *     string, and members of compound labels are `label.member`. Regular expressions are anchored.
         */
        labelsInQuery: components["schemas"]["LabelSelector"];
        /**
         * @description Return only this many instances of each metric, those with the largest values, in descending order, after conversion. In
         *     `columns` and `csv`: the series with the largest mean over the range. Metrics without instances and strings are not
         *     affected.
         */
        top: components["schemas"]["TopCount"];
        /**
         * @description With `top`: the sum or the mean of the other values, in the member `rest` of each metric, with their number. Not for `csv`,
         *     `arrow` and `archive`, and not with `changed`.
         */
        restInQuery: components["schemas"]["Rest"];
        /** @description Put the `name` of each instance beside its number. Columns and CSV always have names. */
        withNames: components["schemas"]["Flag"];
        /**
         * @description Return only these members of each metric, and always `name`, `type`, `sem` and `units`: without labels and help texts, the
         *     metadata of all metrics of a host is a fifth as large.
         */
        metricFieldsInQuery: components["schemas"]["MetricFields"];
        /**
         * @description Timestamps as numbers (`epoch`) or as ISO 8601 strings (`iso`), in `zone` or else in UTC. The default is numbers in JSON,
         *     and in CSV strings in `zone` or else in the time zone of the source.
         */
        timeFormInQuery: components["schemas"]["TimeForm"];
        /**
         * @description Explain each value in the member `why`: what its name meant, which record or sample it came from, between which it was
         *     interpolated, what a rate was computed from, and what each node of the expression of a derived metric gave; for missing
         *     values, what is missing. Of a range (`format=rows`, no `points`), the last sample is explained. At most 100 metrics of one
         *     source.
         */
        whyInQuery: components["schemas"]["Flag"];
        /**
         * @description `exact`: 64-bit integers that a double cannot represent, those beyond 2^53, are strings in JSON, for clients whose numbers
         *     are doubles. `plain`: all numbers are numbers, with all their digits.
         */
        numberFormInQuery: components["schemas"]["NumberForm"];
        /**
         * @description The interval between samples, 1 second by default; at least `streams.minIntervalMsec`. For an archive: interpolated values
         *     at this interval; by default every recorded sample.
         */
        streamInterval: components["schemas"]["TimeText"];
        /** @description Send only values that differ from the previous sample. */
        changedOnly: components["schemas"]["Flag"];
        /** @description The `id` of the last sample that the client received; the header `Last-Event-ID` takes precedence. */
        lastEventId: components["schemas"]["EventId"];
        /**
         * @description Where the replay of an archive starts; by default at its start. Of a live host: where the stream begins in the past, before
         *     it continues with live samples; by default now.
         */
        replayStart: components["schemas"]["TimeText"];
        /** @description Where the replay of an archive ends; by default at its end. */
        replayFinish: components["schemas"]["TimeText"];
        /** @description The speed of a replay relative to the recording, or `max`: as fast as the client reads. */
        speedInQuery: components["schemas"]["Speed"];
        /**
         * @description Convert counters to rates per second, and counters of time to utilisation. A fetch returns the rate since the last fetch
         *     of these metrics in the context, so there is none the first time; without a context, since the gateway last fetched the metrics
         *     (for a derived one, all its operands together). The first record of an archive has none: use a range instead.
         */
        rate: components["schemas"]["Flag"];
        /** @description With `rate`, treat a counter that decreased as one that wrapped, instead of leaving the rate out. */
        wrap: components["schemas"]["Flag"];
        /**
         * @description Units to rescale the values to, for example `Mbyte / sec`; see pmParseUnitsStr(3). They must be compatible with every
         *     requested metric. For rates, the units of the counter are accepted as well.
         */
        units: components["schemas"]["UnitsText"];
        /**
         * @description The format of a range: `rows` (a fetch response per sample), `columns` (an array of times and an array of values per
         *     metric and instance), `ndjson` (rows, one per line), `csv`, `arrow` or `archive`. By default the preference in `Accept`, else `rows`.
         *     Both make a range of a fetch without a time window: of everything that is remembered of a host, or of a whole archive.
         *     In CSV, strings that a spreadsheet would run as a formula are prefixed with an apostrophe.
         *
         *     `arrow` is Apache Arrow's stream of record batches, for pandas, Polars and DuckDB: a column `time` (nanoseconds, UTC), and one
         *     per metric and instance with PCP's type, null where there is no value. The metadata of a field has the metric, the instance,
         *     type, semantics, units and labels. It cannot be part of a batch.
         *
         *     `archive` is a PCP archive of version 3 in a tar, for PCP's own tools: `tar x`, then `pmrep -a` and the base name of the
         *     files. Derived metrics and rates become ordinary metrics in it. It cannot be part of a batch, and a range without samples
         *     is an error (`END_OF_ARCHIVE`).
         *
         *     Damaged records of an archive are left out, and count as a gap. A warning (`BAD_ARCHIVE`) reports them: in `warnings`, in the
         *     last line of `ndjson`, and in the trailer `X-Pmgate-Warnings` of `csv`, `arrow` and `archive`.
         */
        format: components["schemas"]["RangeFormat"];
        /**
         * @description The format of the response: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default the
         *     preference in `Accept`, else `text`. With this parameter, scrapers need not negotiate. The underscore forms are always
         *     `text`.
         */
        expositionFormatInQuery: components["schemas"]["ExpositionFormat"];
        /** @description The maximum number. */
        samples: components["schemas"]["SampleCount"];
        /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
        zoneInQuery: components["schemas"]["Zone"];
        /** @description Synonym of `hostspec`, which takes precedence. */
        hostname: components["schemas"]["Hostspec"];
        /** @description Seconds without use after which a context created by this request expires. */
        polltimeoutInQuery: components["schemas"]["PollTimeout"];
        /** @description Seconds without a request after which the archive is closed; 600 by default, at most a day. */
        pushTimeout: components["schemas"]["PollTimeout"];
        /** @description The number of the archive. */
        pushedArchive: number;
        /** @description The number of the volume. Volumes before the last one cannot be continued. */
        pushedVolume: number;
        /** @description Any text; it is echoed in the response, also in errors. */
        clientInQuery: components["schemas"]["Client"];
        /**
         * @description Names of metrics.
         * @example [
         *       "kernel.all.load",
         *       "mem.util.free"
         *     ]
         */
        names: components["schemas"]["NameList"];
        /** @description Names of metrics, all of which must exist. */
        name: components["schemas"]["NameList"];
        /** @description PMIDs of metrics, for example `60.2.0,60.1.2`. */
        pmids: components["schemas"]["PmidList"];
        /** @description PMIDs of metrics, for example `60.2.0`, all of which must exist. */
        pmid: components["schemas"]["PmidList"];
        /** @description Subtrees of the namespace. */
        prefixes: components["schemas"]["NameList"];
        /** @description Synonym of `names`. */
        target: components["schemas"]["NameList"];
        /** @description A node of the namespace; the root by default. */
        prefix: components["schemas"]["Node"];
        /** @description Synonym of `prefix`, which takes precedence. */
        nodeInQuery: components["schemas"]["Node"];
        /**
         * @description A metric; stands for its instance domain.
         * @example kernel.all.load
         */
        metricName: components["schemas"]["Node"];
        /** @description An instance domain, for example `60.2`. */
        indomInQuery: components["schemas"]["IndomText"];
        /** @description Instance names, for example `1 minute,5 minute`, or patterns (see `match`). */
        iname: components["schemas"]["InstanceNames"];
        /** @description Instance identifiers, for example `1,5`. */
        instanceInQuery: components["schemas"]["InstanceIds"];
        /** @description How `iname` or `filter` is matched. */
        matchInQuery: components["schemas"]["Match"];
        /** @description The metric to change. */
        storedName: components["schemas"]["Node"];
        /** @description The metric to change, by its PMID; `name` takes precedence. */
        storedPmid: components["schemas"]["PmidWord"];
        /** @description The new value, parsed according to the type of the metric. Required, here or in the body. */
        storedValueInQuery: components["schemas"]["StoredValue"];
        /**
         * @description Whether to include or exclude instances. Required, in the query or in the body.
         * @example add
         */
        profileChangeInQuery: components["schemas"]["ProfileChange"];
        /** @description Whether to write the time of each value, in milliseconds (OpenMetrics: seconds). */
        timesInQuery: components["schemas"]["Times"];
        /** @description Patterns of metric names to exclude, for example `proc.*,sample.*` (see `match`, here `glob` by default). */
        filterInQuery: components["schemas"]["Filter"];
        /**
         * @description The name of a derived metric.
         * @example my.free
         */
        derivedNameInQuery: components["schemas"]["DerivedName"];
        /** @description The name of a derived metric. */
        derivedNameInPath: components["schemas"]["DerivedName"];
        /** @description Only metrics at or below this node of the namespace. */
        derivedPrefix: components["schemas"]["Node"];
        /** @description Only metrics of this origin. */
        derivedOriginInQuery: components["schemas"]["DerivedOrigin"];
        /**
         * @description An expression, or lines of definitions. See pmRegisterDerived(3).
         * @example 100 * mem.util.free / mem.physmem
         */
        expression: components["schemas"]["ExpressionText"];
    };
    requestBodies: {
        /** @description Bytes as in the archive's files; at most 10 MiB. */
        PushedRecords: {
            content: {
                "application/octet-stream": string;
            };
        };
        /** @description A ReadRequest of Prometheus, with `Content-Encoding` snappy. */
        RemoteReadBody: {
            content: {
                "application/x-protobuf": string;
            };
        };
        /** @description The requests, alone or as `requests` of an object. */
        BatchBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        /** @description The subscriptions, alone or as `requests` of an object. */
        StreamsBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "id": "load",
                 *         "path": "/pmapi/stream?names=kernel.all.load&hostspec=web1"
                 *       },
                 *       {
                 *         "id": "disks",
                 *         "path": "/pmapi/stream?names=disk.dev.read_bytes&hostspec=web2&rate=true&top=8"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        /** @description Name and expression, or the text of a definition file. */
        DerivedLoadBody: {
            content: {
                /**
                 * @example {
                 *       "name": "my.free",
                 *       "expr": "100 * mem.util.free / mem.physmem"
                 *     }
                 */
                "application/json": components["schemas"]["DerivedLoadParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["DerivedLoadParameters"];
                /**
                 * @example # in percent
                 *     my.free = 100 * mem.util.free / mem.physmem
                 *     my.forks = rate(kernel.all.sysfork)
                 *     my.free(oneline) = free memory in percent
                 */
                "text/plain": components["schemas"]["ExpressionText"];
            };
        };
        /** @description The expression. */
        DerivedRegisterBody: {
            content: {
                /**
                 * @example {
                 *       "expr": "100 * mem.util.free / mem.physmem",
                 *       "oneline": "free memory in percent"
                 *     }
                 */
                "application/json": components["schemas"]["DerivedRegisterParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["DerivedRegisterParameters"];
                /** @example 100 * mem.util.free / mem.physmem */
                "text/plain": components["schemas"]["ExpressionText"];
            };
        };
    };
    headers: {
        /** @description The id of the request in the log; the one that the client sent, if any. */
        RequestId: string;
        /** @description Seconds after which to retry. */
        RetryAfter: number;
        /** @description The methods of the path, with 405. */
        Allow: string;
        /** @description The expected scheme, with 401. */
        Authenticate: string;
        /** @description The parts of the request that failed, as a JSON array like `warnings` of other responses; as many as fit 4096 bytes. */
        PartialFailures: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    fetchValues: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example [
                 *       "kernel.all.load",
                 *       "mem.util.free"
                 *     ]
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, all of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, for example `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, for example `60.2.0`, all of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to use when no context is given, in the form of PCPIntro(1); `localhost` by default. Several hosts are separated
                 *     by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are queried concurrently, and the response
                 *     has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecsInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The start of a range, by default that of the archive; with it, a range on a host reads archives of the host, too. Seconds
                 *     since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the start, `-1hour` from the end; see
                 *     PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /**
                 * @description The end of a range, by default that of the archive; in the same forms as `start`, except that `5min` counts from the start
                 *     of the range.
                 */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The interval between samples, for example `10`, `500msec` or `1min 30sec`; values are interpolated. By default a range has
                 *     every recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description The maximum number. */
                samples?: components["parameters"]["samples"];
                /**
                 * @description The offset of the first sample within the range, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the
                 *     start, `-10` from the end.
                 */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range is rounded up to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description Split the range into this many parts of equal length, and return one sample for each. */
                points?: components["parameters"]["points"];
                /** @description How `points` aggregates each part; the average by default. `envelope` (`columns` only) is all of average, minimum and maximum. */
                decimation?: components["parameters"]["decimationInQuery"];
                /**
                 * @description Nodes of the namespace: every metric at or below them, including derived ones, in the order of the namespace, up to
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Return only the instances with these names or patterns (see `match`). Metrics without instances are not affected. If
                 *     several instance filters (`iname`, `instance`, `labels`) are given, an instance must match all of them.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Return only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is matched; exactly by default. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Return only values whose labels match (`agent="linux",device_type=~"sd.*"`), including values of metrics without
                 *     instances: conditions with `=`, `!=`, `=~` and `!~` as in PromQL, separated by commas, all of which must hold. They are
                 *     applied to the merged labels of context, domain, instance domain, cluster, item and instance; a missing label is the empty
                 *     string, and members of compound labels are `label.member`. Regular expressions are anchored.
                 */
                labels?: components["parameters"]["labelsInQuery"];
                /**
                 * @description Return only this many instances of each metric, those with the largest values, in descending order, after conversion. In
                 *     `columns` and `csv`: the series with the largest mean over the range. Metrics without instances and strings are not
                 *     affected.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description With `top`: the sum or the mean of the other values, in the member `rest` of each metric, with their number. Not for `csv`,
                 *     `arrow` and `archive`, and not with `changed`.
                 */
                rest?: components["parameters"]["restInQuery"];
                /** @description Put the `name` of each instance beside its number. Columns and CSV always have names. */
                inames?: components["parameters"]["withNames"];
                /**
                 * @description Convert counters to rates per second, and counters of time to utilisation. A fetch returns the rate since the last fetch
                 *     of these metrics in the context, so there is none the first time; without a context, since the gateway last fetched the metrics
                 *     (for a derived one, all its operands together). The first record of an archive has none: use a range instead.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, treat a counter that decreased as one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, for example `Mbyte / sec`; see pmParseUnitsStr(3). They must be compatible with every
                 *     requested metric. For rates, the units of the counter are accepted as well.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Timestamps as numbers (`epoch`) or as ISO 8601 strings (`iso`), in `zone` or else in UTC. The default is numbers in JSON,
                 *     and in CSV strings in `zone` or else in the time zone of the source.
                 */
                times?: components["parameters"]["timeFormInQuery"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot represent, those beyond 2^53, are strings in JSON, for clients whose numbers
                 *     are doubles. `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberFormInQuery"];
                /**
                 * @description The format of a range: `rows` (a fetch response per sample), `columns` (an array of times and an array of values per
                 *     metric and instance), `ndjson` (rows, one per line), `csv`, `arrow` or `archive`. By default the preference in `Accept`, else `rows`.
                 *     Both make a range of a fetch without a time window: of everything that is remembered of a host, or of a whole archive.
                 *     In CSV, strings that a spreadsheet would run as a formula are prefixed with an apostrophe.
                 *
                 *     `arrow` is Apache Arrow's stream of record batches, for pandas, Polars and DuckDB: a column `time` (nanoseconds, UTC), and one
                 *     per metric and instance with PCP's type, null where there is no value. The metadata of a field has the metric, the instance,
                 *     type, semantics, units and labels. It cannot be part of a batch.
                 *
                 *     `archive` is a PCP archive of version 3 in a tar, for PCP's own tools: `tar x`, then `pmrep -a` and the base name of the
                 *     files. Derived metrics and rates become ordinary metrics in it. It cannot be part of a batch, and a range without samples
                 *     is an error (`END_OF_ARCHIVE`).
                 *
                 *     Damaged records of an archive are left out, and count as a gap. A warning (`BAD_ARCHIVE`) reports them: in `warnings`, in the
                 *     last line of `ndjson`, and in the trailer `X-Pmgate-Warnings` of `csv`, `arrow` and `archive`.
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description Explain each value in the member `why`: what its name meant, which record or sample it came from, between which it was
                 *     interpolated, what a rate was computed from, and what each node of the expression of a derived metric gave; for missing
                 *     values, what is missing. Of a range (`format=rows`, no `points`), the last sample is explained. At most 100 metrics of one
                 *     source.
                 */
                why?: components["parameters"]["whyInQuery"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FetchFromHosts"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    streamValues: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example [
                 *       "kernel.all.load",
                 *       "mem.util.free"
                 *     ]
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, all of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, for example `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, for example `60.2.0`, all of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The interval between samples, 1 second by default; at least `streams.minIntervalMsec`. For an archive: interpolated values
                 *     at this interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from the previous sample. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client received; the header `Last-Event-ID` takes precedence. */
                lastEventId?: components["parameters"]["lastEventId"];
                /**
                 * @description Where the replay of an archive starts; by default at its start. Of a live host: where the stream begins in the past, before
                 *     it continues with live samples; by default now.
                 */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; by default at its end. */
                finish?: components["parameters"]["replayFinish"];
                /** @description The speed of a replay relative to the recording, or `max`: as fast as the client reads. */
                speed?: components["parameters"]["speedInQuery"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /**
                 * @description Nodes of the namespace: every metric at or below them, including derived ones, in the order of the namespace, up to
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Return only the instances with these names or patterns (see `match`). Metrics without instances are not affected. If
                 *     several instance filters (`iname`, `instance`, `labels`) are given, an instance must match all of them.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Return only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is matched; exactly by default. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Return only values whose labels match (`agent="linux",device_type=~"sd.*"`), including values of metrics without
                 *     instances: conditions with `=`, `!=`, `=~` and `!~` as in PromQL, separated by commas, all of which must hold. They are
                 *     applied to the merged labels of context, domain, instance domain, cluster, item and instance; a missing label is the empty
                 *     string, and members of compound labels are `label.member`. Regular expressions are anchored.
                 */
                labels?: components["parameters"]["labelsInQuery"];
                /**
                 * @description Return only this many instances of each metric, those with the largest values, in descending order, after conversion. In
                 *     `columns` and `csv`: the series with the largest mean over the range. Metrics without instances and strings are not
                 *     affected.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description With `top`: the sum or the mean of the other values, in the member `rest` of each metric, with their number. Not for `csv`,
                 *     `arrow` and `archive`, and not with `changed`.
                 */
                rest?: components["parameters"]["restInQuery"];
                /** @description Put the `name` of each instance beside its number. Columns and CSV always have names. */
                inames?: components["parameters"]["withNames"];
                /**
                 * @description Convert counters to rates per second, and counters of time to utilisation. A fetch returns the rate since the last fetch
                 *     of these metrics in the context, so there is none the first time; without a context, since the gateway last fetched the metrics
                 *     (for a derived one, all its operands together). The first record of an archive has none: use a range instead.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, treat a counter that decreased as one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, for example `Mbyte / sec`; see pmParseUnitsStr(3). They must be compatible with every
                 *     requested metric. For rates, the units of the counter are accepted as well.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Timestamps as numbers (`epoch`) or as ISO 8601 strings (`iso`), in `zone` or else in UTC. The default is numbers in JSON,
                 *     and in CSV strings in `zone` or else in the time zone of the source.
                 */
                times?: components["parameters"]["timeFormInQuery"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot represent, those beyond 2^53, are strings in JSON, for clients whose numbers
                 *     are doubles. `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberFormInQuery"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EventStream"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    createContext: {
        parameters: {
            query?: {
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    describeMetrics: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example [
                 *       "kernel.all.load",
                 *       "mem.util.free"
                 *     ]
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, all of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, for example `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, for example `60.2.0`, all of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to use when no context is given, in the form of PCPIntro(1); `localhost` by default. Several hosts are separated
                 *     by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are queried concurrently, and the response
                 *     has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecsInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives, and for hosts with recordings of that time: the time at which labels and instances are looked up, in seconds since the
                 *     epoch, in ISO 8601, or in PCP's own forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). For an archive, the default is the position of the context; a request without a
                 *     context uses `scope=archive`.
                 */
                at?: components["parameters"]["at"];
                /** @description All instances that ever existed in the archive, with their last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /**
                 * @description Return only these members of each metric, and always `name`, `type`, `sem` and `units`: without labels and help texts, the
                 *     metadata of all metrics of a host is a fifth as large.
                 */
                fields?: components["parameters"]["metricFieldsInQuery"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MetricFromHosts"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    listChildren: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root by default. */
                prefix?: components["parameters"]["prefix"];
                /** @description Synonym of `prefix`, which takes precedence. */
                name?: components["parameters"]["nodeInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    listInstances: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, for example `60.2`. */
                indom?: components["parameters"]["indomInQuery"];
                /** @description Instance names, for example `1 minute,5 minute`, or patterns (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, for example `1,5`. */
                instance?: components["parameters"]["instanceInQuery"];
                /** @description How `iname` or `filter` is matched. */
                match?: components["parameters"]["matchInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives, and for hosts with recordings of that time: the time at which labels and instances are looked up, in seconds since the
                 *     epoch, in ISO 8601, or in PCP's own forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). For an archive, the default is the position of the context; a request without a
                 *     context uses `scope=archive`.
                 */
                at?: components["parameters"]["at"];
                /** @description All instances that ever existed in the archive, with their last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["IndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    changeProfile: {
        parameters: {
            query?: {
                /**
                 * @description Whether to include or exclude instances. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChangeInQuery"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, for example `60.2`. */
                indom?: components["parameters"]["indomInQuery"];
                /** @description Instance names, for example `1 minute,5 minute`, or patterns (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, for example `1,5`. */
                instance?: components["parameters"]["instanceInQuery"];
                /** @description How `iname` or `filter` is matched. */
                match?: components["parameters"]["matchInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    scrapeMetrics: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example [
                 *       "kernel.all.load",
                 *       "mem.util.free"
                 *     ]
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, all of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Synonym of `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to write the time of each value, in milliseconds (OpenMetrics: seconds). */
                times?: components["parameters"]["timesInQuery"];
                /** @description Patterns of metric names to exclude, for example `proc.*,sample.*` (see `match`, here `glob` by default). */
                filter?: components["parameters"]["filterInQuery"];
                /** @description How `iname` or `filter` is matched. */
                match?: components["parameters"]["matchInQuery"];
                /**
                 * @description The format of the response: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default the
                 *     preference in `Accept`, else `text`. With this parameter, scrapers need not negotiate. The underscore forms are always
                 *     `text`.
                 */
                format?: components["parameters"]["expositionFormatInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to use when no context is given, in the form of PCPIntro(1); `localhost` by default. Several hosts are separated
                 *     by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are queried concurrently, and the response
                 *     has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecsInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Exposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    listContexts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ContextsAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    duplicateContext: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    reconnectContext: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getContext: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ContextDescriptionAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    deleteContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    deriveMetrics: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedNameInQuery"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    listDerived: {
        parameters: {
            query?: {
                /** @description Only metrics at or below this node of the namespace. */
                prefix?: components["parameters"]["derivedPrefix"];
                /** @description Only metrics of this origin. */
                origin?: components["parameters"]["derivedOriginInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DerivedListAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    loadDerived: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DerivedLoadBody"];
        responses: {
            200: components["responses"]["DerivedListAnswer"];
            201: components["responses"]["DerivedListAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["MutationOff"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    checkExpression: {
        parameters: {
            query?: {
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives, and for hosts with recordings or remembered samples of that time: the time of the values, in seconds since the epoch,
                 *     in ISO 8601, or in PCP's own forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)).
                 */
                at?: components["parameters"]["checkedAt"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DerivedCheckAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    listFunctions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FunctionsAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getDerived: {
        parameters: {
            query?: {
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The name of a derived metric. */
                name: components["parameters"]["derivedNameInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DerivedDefinitionAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    putDerived: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a derived metric. */
                name: components["parameters"]["derivedNameInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DerivedRegisterBody"];
        responses: {
            200: components["responses"]["DerivedDefinitionAnswer"];
            201: components["responses"]["DerivedDefinitionAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["MutationOff"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    deleteDerived: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The name of a derived metric. */
                name: components["parameters"]["derivedNameInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RemovedAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["MutationOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    storeValue: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` takes precedence. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, parsed according to the type of the metric. Required, here or in the body. */
                value?: components["parameters"]["storedValueInQuery"];
                /** @description Instance names, for example `1 minute,5 minute`, or patterns (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, for example `1,5`. */
                instance?: components["parameters"]["instanceInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    setMode: {
        parameters: {
            query?: {
                /** @description The mode of fetches. */
                mode?: components["parameters"]["modeInQuery"];
                /**
                 * @description Where the next fetch starts. Seconds since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the
                 *     start, `-1hour` from the end; see PCPIntro(1)).
                 */
                time?: components["parameters"]["time"];
                /**
                 * @description The time between two fetches with `interp`, for example `10`, `500msec` or `1min 30sec`; a negative interval moves
                 *     backward in time.
                 */
                interval?: components["parameters"]["step"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ModeAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    readRecords: {
        parameters: {
            query?: {
                /** @description The maximum number. */
                samples?: components["parameters"]["samples"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Records"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    runBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["BatchBody"];
        responses: {
            200: components["responses"]["BatchAnswers"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    streamMany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["StreamsBody"];
        responses: {
            200: components["responses"]["EventStream"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    listArchives: {
        parameters: {
            query?: {
                /**
                 * @description Only archives of this host, as their labels name it.
                 * @example web1
                 */
                hostspec?: string;
                /**
                 * @description Only archives that end at or after this time, in seconds since the epoch.
                 * @example 1795132200
                 */
                start?: number;
                /**
                 * @description Only archives that begin at or before this time, in seconds since the epoch.
                 * @example 1795191848
                 */
                finish?: number;
                /**
                 * @description At most this many: those that end last.
                 * @example 10
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ArchivesAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getTimeline: {
        parameters: {
            query?: {
                /** @description The host, by default `localhost`. */
                hostspec?: components["parameters"]["timelineHostspec"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /**
                 * @description Names of metrics.
                 * @example [
                 *       "kernel.all.load",
                 *       "mem.util.free"
                 *     ]
                 */
                names?: components["parameters"]["names"];
                /** @description The start of the time in question, by default `-7days`; in the same forms as for a range. */
                start?: components["parameters"]["timelineStart"];
                /** @description The end of the time in question, by default now. */
                finish?: components["parameters"]["timelineFinish"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TimelineAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    pushPing: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PushDone"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    pushLabel: {
        parameters: {
            query?: {
                /** @description Seconds without a request after which the archive is closed; 600 by default, at most a day. */
                polltimeout?: components["parameters"]["pushTimeout"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PushedRecords"];
        responses: {
            200: components["responses"]["PushBegun"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    pushMeta: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The number of the archive. */
                archive: components["parameters"]["pushedArchive"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PushedRecords"];
        responses: {
            200: components["responses"]["PushDone"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    pushIndex: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The number of the archive. */
                archive: components["parameters"]["pushedArchive"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PushedRecords"];
        responses: {
            200: components["responses"]["PushDone"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    pushVolume: {
        parameters: {
            query?: {
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path: {
                /** @description The number of the volume. Volumes before the last one cannot be continued. */
                volume: components["parameters"]["pushedVolume"];
                /** @description The number of the archive. */
                archive: components["parameters"]["pushedArchive"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PushedRecords"];
        responses: {
            200: components["responses"]["PushDone"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    findChanges: {
        parameters: {
            query?: {
                /**
                 * @description The window in question, as START,END. Either time may be empty: the start or end of what is recorded or remembered. By
                 *     default the last five minutes.
                 * @example -5min,
                 */
                after?: components["parameters"]["changesAfter"];
                /**
                 * @description The window to compare with, as START,END. By default it ends where the other begins, and is four times as long. With
                 *     `against`, the window of the other sources; by default the same as `after`.
                 */
                before?: components["parameters"]["changesBefore"];
                /** @description Other hosts to compare with, or with `archive` other archives, separated by `;`; at most 20. */
                against?: components["parameters"]["changesAgainst"];
                /**
                 * @description Names of metrics.
                 * @example [
                 *       "kernel.all.load",
                 *       "mem.util.free"
                 *     ]
                 */
                names?: components["parameters"]["names"];
                /**
                 * @description Nodes of the namespace: every metric at or below them, including derived ones, in the order of the namespace, up to
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /** @description Maximum number of findings; 20 by default. */
                limit?: components["parameters"]["changesLimit"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ChangesAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    diagnose: {
        parameters: {
            query?: {
                /**
                 * @description The moment in question; from a minute before until two after it is judged. A time of day is the last one that was.
                 * @example -10min
                 */
                at?: components["parameters"]["diagnosisAt"];
                /** @description The start of the window in question; a minute before its end by default. */
                start?: components["parameters"]["diagnosisStart"];
                /** @description The end of the window in question. */
                finish?: components["parameters"]["diagnosisFinish"];
                /** @description The time zone of times without one, see tzset(3); by default that of the archive. */
                zone?: components["parameters"]["zoneInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DiagnosisAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    searchMetrics: {
        parameters: {
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                q: components["parameters"]["searchWordsInQuery"];
                /** @description The kinds of entities to find; all by default. */
                type?: components["parameters"]["searchType"];
                /** @description The fields to search; all by default. */
                field?: components["parameters"]["searchField"];
                /** @description Members in which matching words are highlighted. */
                highlight?: components["parameters"]["searchHighlight"];
                /** @description How many of the best results to skip. */
                offset?: components["parameters"]["searchOffsetInQuery"];
                /** @description Maximum number of results; 0 means 10. */
                limit?: components["parameters"]["searchLimitInQuery"];
                /** @description The context's number; takes precedence over the one in the path. */
                context?: components["parameters"]["contextInQuery"];
                /**
                 * @description The host to open a context on when none is given, in the form of PCPIntro(1); `localhost` by default. Only hosts that the
                 *     configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecInQuery"];
                /**
                 * @description Instead of a host: the archive to open a context on when none is given. Its name is relative to the configured roots: its
                 *     base name or any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Synonym of `hostspec`, which takes precedence. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds without use after which a context created by this request expires. */
                polltimeout?: components["parameters"]["polltimeoutInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SearchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    querySeries: {
        parameters: {
            query?: {
                /** @description A query as in pmseries(1). */
                expr?: components["parameters"]["seriesExpr"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesQueryAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getSeriesValues: {
        parameters: {
            query?: {
                /** @description Identifiers of series; for labels also of instances. */
                series?: components["parameters"]["seriesIdsInQuery"];
                /** @description Number of samples: alone, the newest ones, newest first; with a window, the oldest ones in it. 0: all; below 0: all, newest first. */
                samples?: components["parameters"]["seriesSamples"];
                /** @description The same as `samples`. */
                count?: components["parameters"]["seriesCount"];
                /** @description Thins out samples to about one in this time. 0: all. */
                interval?: components["parameters"]["seriesInterval"];
                /** @description The same as `interval`. */
                delta?: components["parameters"]["seriesDelta"];
                /** @description The first moment: seconds since the epoch, `-5min` before now, `@` and a date and time. */
                start?: components["parameters"]["seriesStart"];
                /** @description The same as `start`. */
                begin?: components["parameters"]["seriesBegin"];
                /** @description The last moment, like `start`. */
                finish?: components["parameters"]["seriesFinish"];
                /** @description The same as `finish`. */
                end?: components["parameters"]["seriesEnd"];
                /** @description A window from this long ago until now. */
                range?: components["parameters"]["seriesRange"];
                /** @description Has no effect, as in pmproxy. */
                align?: components["parameters"]["seriesAlign"];
                /** @description Has no effect, as in pmproxy. */
                offset?: components["parameters"]["seriesOffset"];
                /** @description The time zone of dates in this request; UTC by default. */
                zone?: components["parameters"]["seriesZone"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesValuesAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getSeriesDescriptors: {
        parameters: {
            query?: {
                /** @description Identifiers of series; for labels also of instances. */
                series?: components["parameters"]["seriesIdsInQuery"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesDescsAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getSeriesMetrics: {
        parameters: {
            query?: {
                /** @description Identifiers of series; for labels also of instances. */
                series?: components["parameters"]["seriesIdsInQuery"];
                /** @description A glob of fnmatch(3) over whole names. */
                match?: components["parameters"]["seriesMatch"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesMetricsAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getSeriesInstances: {
        parameters: {
            query?: {
                /** @description Identifiers of series; for labels also of instances. */
                series?: components["parameters"]["seriesIdsInQuery"];
                /** @description A glob of fnmatch(3) over whole names. */
                match?: components["parameters"]["seriesMatch"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesInstancesAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getSeriesLabels: {
        parameters: {
            query?: {
                /** @description Identifiers of series; for labels also of instances. */
                series?: components["parameters"]["seriesIdsInQuery"];
                /** @description Names of labels whose values to return. */
                names?: components["parameters"]["seriesLabelNamesInQuery"];
                /** @description The same as `names`; takes precedence over it. */
                name?: components["parameters"]["seriesLabelName"];
                /** @description A glob of fnmatch(3) over whole names. */
                match?: components["parameters"]["seriesMatch"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesLabelsAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getSeriesSources: {
        parameters: {
            query?: {
                /** @description Identifiers of sources. */
                source?: components["parameters"]["seriesSources"];
                /** @description A glob of fnmatch(3) over whole names. */
                match?: components["parameters"]["seriesMatch"];
                /** @description Any text; it is echoed in the response, also in errors. */
                client?: components["parameters"]["clientInQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SeriesSourcesAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    remoteRead: {
        parameters: {
            query?: {
                /** @description The archives to read, by names or folders, separated by commas; all by default. */
                archive?: components["parameters"]["remoteReadArchive"];
                /**
                 * @description The hosts whose samples to read, separated by semicolons: from their archives and from remembered samples. All by
                 *     default.
                 */
                hostspec?: components["parameters"]["remoteReadHost"];
                /** @description The naming of metrics, as in OpenMetrics (the default) or in pmproxy's text format. */
                format?: components["parameters"]["remoteReadFormat"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["RemoteReadBody"];
        responses: {
            200: components["responses"]["RemoteReadAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getWhoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WhoamiAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    listHosts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HostsAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthAnswer"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OpenapiYaml"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
}
