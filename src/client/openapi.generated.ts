// Generated from openapi.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/pmapi/fetch": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
                 *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
                 *     recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
                /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
                points?: components["parameters"]["points"];
                /** @description What `points` keeps of each part, by default the average. */
                decimation?: components["parameters"]["decimation"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /**
                 * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
                 *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
                 *     spreadsheet would take for a formula have an apostrophe in front.
                 */
                format?: components["parameters"]["format"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values of metrics now.
         * @description One of `names`, `name`, `pmids`, `pmid` and `prefix` says what to fetch; where several are given the first of them counts. With
         *     the plural forms, metrics that cannot be had are left out of `values` and listed in `warnings`; with the singular forms
         *     they are errors. The profile of the context limits the instances. See pmFetch(3).
         *
         *     Of the values, `iname`, `instance`, `labels` and `top` choose some, `rate` and `units` convert them, `times` and `numbers` say
         *     how they are written: of single fetches, ranges and streams alike. A single fetch with `rate` or `units` tells `type`, `sem` and
         *     `units` of each metric as it is answered.
         */
        get: operations["fetchValues"];
        put?: never;
        /** Values of metrics now. */
        post: operations["fetchValuesPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/fetch": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
                 *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
                 *     recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
                /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
                points?: components["parameters"]["points"];
                /** @description What `points` keeps of each part, by default the average. */
                decimation?: components["parameters"]["decimation"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /**
                 * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
                 *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
                 *     spreadsheet would take for a formula have an apostrophe in front.
                 */
                format?: components["parameters"]["format"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Values of metrics now. */
        get: operations["fetchValuesInContext"];
        put?: never;
        /** Values of metrics now. */
        post: operations["fetchValuesInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/stream": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
                 *     interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from those of the sample before. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
                lastEventId?: components["parameters"]["lastEventId"];
                /** @description Where the replay of an archive begins; at its start by default. */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; at its end by default. */
                finish?: components["parameters"]["replayFinish"];
                /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
                speed?: components["parameters"]["speed"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Samples as they are taken.
         * @description Server-sent events, for as long as the client listens. A host is sampled every `interval`, at multiples of it by the clock; who
         *     wants the same samples of the same context shares them, so a thousand clients cost the host one fetch per interval. Of an
         *     archive, the samples from `start` to `finish` are replayed at the pace at which they were taken, times `speed`.
         *
         *     - The first event is `metrics`: what the values are. It comes again when metrics come, go or become others, and when another source
         *       takes the place of the one that requests without a context share (`local.source: auto`, or a reload): `context` is another then.
         *     - A message without an event name is a sample: `data` is the answer to a fetch, without `context`; `id` is its time stamp.
         *     - `failure`: one sample could not be taken, or is too large for this interval; `data` is the error. The stream goes on.
         *     - `gap`: the samples between two moments, neither included, cannot be had any more.
         *     - `end`: the stream is over. `reason` is `archive` (there is nothing more), `failed` (it cannot be read on), `destroyed` (the
         *       context) or `shutdown` (of the gateway; come back later).
         *     - Comments (`: heartbeat`) come when there is nothing else for a while.
         *
         *     With `changed=true` a sample has only the values that differ from those of the sample before, and new instances; `gone` lists
         *     instances that are no more. The first sample has all values, and so has every sample with `full`.
         *
         *     A client that lost its stream goes on by sending the last `id` that it got, in the header `Last-Event-ID` as browsers do by
         *     themselves, or as `lastEventId`: it gets what it missed, as far as that is remembered, and no sample twice. One that takes too
         *     little (`streams.bufferBytes`) is cut off, and may do the same.
         */
        get: operations["stream"];
        put?: never;
        /** Samples as they are taken. */
        post: operations["streamPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/stream": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
                 *     interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from those of the sample before. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
                lastEventId?: components["parameters"]["lastEventId"];
                /** @description Where the replay of an archive begins; at its start by default. */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; at its end by default. */
                finish?: components["parameters"]["replayFinish"];
                /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
                speed?: components["parameters"]["speed"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Samples as they are taken. */
        get: operations["streamInContext"];
        put?: never;
        /** Samples as they are taken. */
        post: operations["streamInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/context": {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Make a context, or look at one.
         * @description Without `context` this makes a context on `hostspec` that lives until it has not been used for `polltimeout` seconds.
         *     With `context` it describes that context, and restarts its clock. See pmNewContext(3).
         */
        get: operations["context"];
        put?: never;
        /** Make a context, or look at one. */
        post: operations["contextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/context": {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Make a context, or look at one. */
        get: operations["contextInContext"];
        put?: never;
        /** Make a context, or look at one. */
        post: operations["contextInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/metric": {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metadata of metrics.
         * @description Each element of `prefix`, `names` or `name` (the first that is given counts) is a subtree of the namespace: a metric or
         *     everything below an interior node, which is answered once, however often it is listed. `pmids` and `pmid` select by PMID
         *     instead. Without any of them: every metric. Of several elements those that are unknown are answered in place, with
         *     `success: false`, and listed in `warnings`.
         */
        get: operations["metric"];
        put?: never;
        /** Metadata of metrics. */
        post: operations["metricPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/metric": {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Metadata of metrics. */
        get: operations["metricInContext"];
        put?: never;
        /** Metadata of metrics. */
        post: operations["metricInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/children": {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The direct children of a node of the namespace.
         * @description Last components only; a metric has no children. See pmGetChildrenStatus(3).
         */
        get: operations["children"];
        put?: never;
        /** The direct children of a node of the namespace. */
        post: operations["childrenPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/children": {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** The direct children of a node of the namespace. */
        get: operations["childrenInContext"];
        put?: never;
        /** The direct children of a node of the namespace. */
        post: operations["childrenInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/indom": {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An instance domain and its instances.
         * @description The instance domain is given by a metric (`name`, which wins) or by `indom`; `iname` (which wins) or `instance` choose
         *     among its instances. The profile of the context does not apply. See pmGetInDom(3).
         */
        get: operations["indom"];
        put?: never;
        /** An instance domain and its instances. */
        post: operations["indomPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/indom": {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** An instance domain and its instances. */
        get: operations["indomInContext"];
        put?: never;
        /** An instance domain and its instances. */
        post: operations["indomInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/profile": {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Change which instances a context's fetches see.
         * @description Without `indom` and `name`: all instance domains. Without `iname` and `instance`: the whole instance domain. The first
         *     `add` of listed instances narrows an instance domain to just those, later ones extend it. Without a context this makes
         *     one. See pmAddProfile(3) and pmDelProfile(3).
         */
        get: operations["profile"];
        put?: never;
        /** Change which instances a context's fetches see. */
        post: operations["profilePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/profile": {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Change which instances a context's fetches see. */
        get: operations["profileInContext"];
        put?: never;
        /** Change which instances a context's fetches see. */
        post: operations["profileInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/metrics": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values as exposition text.
         * @description The numeric metrics of the chosen subtrees (`names`, `name`, `prefix`, `target`: the first that is given counts; none:
         *     every metric but those of single processes, `proc` and `hotproc`, which are nearly all of a machine's values). `format`, or
         *     else `Accept`, chooses among OpenMetrics 1.0.0, the text that pmproxy's clients know (the default) and, as JSON,
         *     OpenTelemetry's metrics data.
         */
        get: operations["metrics"];
        put?: never;
        /** Values as exposition text. */
        post: operations["metricsPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/metrics": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Values as exposition text. */
        get: operations["metricsInContext"];
        put?: never;
        /** Values as exposition text. */
        post: operations["metricsInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Values as exposition text. */
        get: operations["scrape"];
        put?: never;
        /** Values as exposition text. */
        post: operations["scrapePost"];
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
        /** Every open context. */
        get: operations["contexts"];
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
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a context like another one.
         * @description Same source, time-out and profile, each its own from then on. See pmDupContext(3).
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
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect to the host again now.
         * @description A lost pmcd is found again by itself, at the first request after a back-off of up to half a minute; this asks for it at
         *     once. Nothing happens while the connection is good, or when there is none: on an archive, or on this machine without a pmcd. See
         *     pmReconnectContext(3).
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
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Look at a context, and restart its clock. */
        get: operations["describeContext"];
        put?: never;
        post?: never;
        /**
         * Let go of a context at once.
         * @description See pmDestroyContext(3). A context that requests without a context share cannot be destroyed.
         */
        delete: operations["destroyContext"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_context": {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Make a context; the answer is its number alone. */
        get: operations["compatContext"];
        put?: never;
        /** Make a context; the answer is its number alone. */
        post: operations["compatContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_context": {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Make a context; the answer is its number alone. */
        get: operations["compatContextInContext"];
        put?: never;
        /** Make a context; the answer is its number alone. */
        post: operations["compatContextInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_fetch": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Values now, in the older form. */
        get: operations["compatFetch"];
        put?: never;
        /** Values now, in the older form. */
        post: operations["compatFetchPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_fetch": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Values now, in the older form. */
        get: operations["compatFetchInContext"];
        put?: never;
        /** Values now, in the older form. */
        post: operations["compatFetchInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_metric": {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metadata of metrics, in the older form. */
        get: operations["compatMetric"];
        put?: never;
        /** Metadata of metrics, in the older form. */
        post: operations["compatMetricPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_metric": {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Metadata of metrics, in the older form. */
        get: operations["compatMetricInContext"];
        put?: never;
        /** Metadata of metrics, in the older form. */
        post: operations["compatMetricInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_children": {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The direct children of a node of the namespace. */
        get: operations["compatChildren"];
        put?: never;
        /** The direct children of a node of the namespace. */
        post: operations["compatChildrenPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_children": {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** The direct children of a node of the namespace. */
        get: operations["compatChildrenInContext"];
        put?: never;
        /** The direct children of a node of the namespace. */
        post: operations["compatChildrenInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_indom": {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An instance domain, in the older form. */
        get: operations["compatIndom"];
        put?: never;
        /** An instance domain, in the older form. */
        post: operations["compatIndomPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_indom": {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** An instance domain, in the older form. */
        get: operations["compatIndomInContext"];
        put?: never;
        /** An instance domain, in the older form. */
        post: operations["compatIndomInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_profile": {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Change which instances a context's fetches see. */
        get: operations["compatProfile"];
        put?: never;
        /** Change which instances a context's fetches see. */
        post: operations["compatProfilePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_profile": {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Change which instances a context's fetches see. */
        get: operations["compatProfileInContext"];
        put?: never;
        /** Change which instances a context's fetches see. */
        post: operations["compatProfileInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_metrics": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values as exposition text, with colons in the names.
         * @description As `metrics`, always as pmproxy's text; the dots of a name become colons.
         */
        get: operations["compatMetrics"];
        put?: never;
        /** Values as exposition text, with colons in the names. */
        post: operations["compatMetricsPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_metrics": {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Values as exposition text, with colons in the names. */
        get: operations["compatMetricsInContext"];
        put?: never;
        /** Values as exposition text, with colons in the names. */
        post: operations["compatMetricsInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/derive": {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Define derived metrics for one context.
         * @description `name` and `expr` define one derived metric. `expr` alone (or a plain text as the body) holds a little definition file:
         *     lines of `name = expression`, comments from `#` on; `;` and `&` end a line, too. All of it is taken, or after any
         *     error nothing. A plain text with `name` in the query is the expression. See pmAddDerived(3); the language is that of
         *     pmRegisterDerived(3). A form without a member `expr` is taken for plain text, for that is what `curl -d` sends.
         */
        get: operations["derive"];
        put?: never;
        /** Define derived metrics for one context. */
        post: operations["derivePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/derive": {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Define derived metrics for one context. */
        get: operations["deriveInContext"];
        put?: never;
        /** Define derived metrics for one context. */
        post: operations["deriveInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_derive": {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Define derived metrics for one context. */
        get: operations["compatDerive"];
        put?: never;
        /** Define derived metrics for one context. */
        post: operations["compatDerivePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_derive": {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Define derived metrics for one context. */
        get: operations["compatDeriveInContext"];
        put?: never;
        /** Define derived metrics for one context. */
        post: operations["compatDeriveInContextPost"];
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
         * @description In the order in which they were registered. With `context`, those that the context sees: its own (origin `context`),
         *     and the global ones that they do not mask. What refers to metrics that are hidden from the client is not there for it.
         */
        get: operations["derivedList"];
        put?: never;
        /**
         * Register global derived metrics.
         * @description `name` and `expr` register one, which `oneline` and `helptext` describe; `expr` alone (or a plain text as the body) holds a definition file, of which all is
         *     taken, or after any error nothing. Every context sees them at once, as far as nothing there masks them; they survive a
         *     restart, with their PMIDs. The same definition again changes nothing. See pmRegisterDerived(3) and pmLoadDerivedConfig(3).
         */
        post: operations["derivedLoad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/derived/check": {
        parameters: {
            query?: {
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an expression would be and give, without registering it.
         * @description The dry run. A good expression: its canonical text, how it is understood (`parenthesised`), its tree with the metadata of
         *     every node, its operands, and the values that it would give now. A bad one: every error with its place, an explanation
         *     and, where there is an obvious one, a repair. The answer is 200 either way; `ok` tells them apart. Without a context the
         *     expression is checked on `hostspec`. delta() and rate() are computed from two samples 250 ms apart; expressions on
         *     archives are not evaluated. A global derived metric named `check` is reached as `/derived/%63heck`.
         */
        get: operations["derivedCheck"];
        put?: never;
        /** What an expression would be and give, without registering it. */
        post: operations["derivedCheckPost"];
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
            path: {
                /** @description The name of a derived metric. */
                name: components["parameters"]["derivedNameInPath"];
            };
            cookie?: never;
        };
        /**
         * One global derived metric.
         * @description With `context`, `hostspec` or `hostname` also what it is there (`binding`): its metadata, what masks it, or why it does
         *     not bind.
         */
        get: operations["derivedRead"];
        /**
         * Register a global derived metric.
         * @description New (201), or there already with the same expression (200); another expression is 409. Help texts that are given replace those
         *     that there were; what a file of the gateway defines is described only there (403). Roles for some hosts or archives may
         *     not change what all clients see, nor roles for some metrics other names than those, nor definitions that they do not see
         *     (403). See pmRegisterDerivedMetric(3).
         */
        put: operations["derivedRegister"];
        post?: never;
        /**
         * Forget a global derived metric.
         * @description Only what was registered over REST; definitions of files are removed there. The PMID is not given out again before all
         *     others were. See pmUnregisterDerived(3).
         */
        delete: operations["derivedUnregister"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/store": {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Change the value of a metric.
         * @description Off unless the configuration says `store.enabled`; this form, which any link can ask for, wants `store.allowGet` as well.
         *     `value` is read as the metric's type: integers exactly, in decimal, octal (`017`) or hexadecimal (`0x1f`). A metric with
         *     instances wants them named, by `iname` or `instance`; all get the same value. The source decides who may store what: see
         *     pmStore(3), and `Authorization` for stores in the name of a user.
         */
        get: operations["store"];
        put?: never;
        /**
         * Change the value of a metric.
         * @description Off unless the configuration says `store.enabled`. A plain text as the body is the value; one line end behind it does not
         *     count. Pages of other origins may not store.
         */
        post: operations["storePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/store": {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Change the value of a metric. */
        get: operations["storeInContext"];
        put?: never;
        /** Change the value of a metric. */
        post: operations["storeInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/_store": {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Change the value of a metric. */
        get: operations["compatStore"];
        put?: never;
        /** Change the value of a metric. */
        post: operations["compatStorePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/_store": {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /** Change the value of a metric. */
        get: operations["compatStoreInContext"];
        put?: never;
        /** Change the value of a metric. */
        post: operations["compatStoreInContextPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/mode": {
        parameters: {
            query?: {
                /** @description How fetches go on. */
                mode?: components["parameters"]["mode"];
                /**
                 * @description Where the next fetch starts. Seconds since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the start,
                 *     `-1hour` from the end; see PCPIntro(1)).
                 */
                time?: components["parameters"]["time"];
                /** @description The time between two fetches with `interp`, such as `10`, `500msec` or `1min 30sec`; `-` goes back in time. */
                interval?: components["parameters"]["step"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say where the next fetch from an archive starts, and how fetches go on.
         * @description What is not given stays as it is. `forward` and `backward` go from record to record, to the next that holds one of the
         *     asked metrics; `interp` gives the values at equidistant moments, interpolated where none was recorded. Derived metrics that
         *     compare samples start over when `time` is given. See pmSetMode(3).
         */
        post: operations["mode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pmapi/{context}/records": {
        parameters: {
            query?: {
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        /**
         * The raw records of an archive, marks included.
         * @description From the position on, in the direction of the mode, to the end of the archive or until `samples` records were written; the
         *     position moves along. Each record has all that it holds, whatever the profile of the context is. One JSON text per line;
         *     when something fails on the way, the last line is an error. See pmFetchArchive(3).
         */
        get: operations["records"];
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
         * Many requests in one.
         * @description Each entry is answered as it would be by itself, with a status of its own, in the order of the entries. Entries that only
         *     read run side by side. An entry that changes something, or moves a context on an archive along, waits for all before it, and
         *     all after it wait for that. Each is checked like any other request, with the rights of the batch: `Authorization` and the
         *     like are headers of the batch.
         *
         *     A path may refer to a member of the answer of an earlier entry: `{$0.context}`, by the place of the entry, counted from 0, or
         *     `{$made.context}`, by its `id`. `{$0.metrics.0.indom}` goes into objects and lists. What it leads to, a text or a number, takes
         *     its place, percent-encoded. An entry that refers to one that failed is answered 424.
         *
         *     Batches, streams and the documentation cannot be entries. `limits.batch` bounds the entries, `limits.batchBytes` all answers
         *     together; an entry without room is answered 413.
         */
        post: operations["batch"];
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
         * What archives there are.
         * @description Searches the configured roots, down to eight levels of folders, so that new files are there at once. Archives that cannot be
         *     opened are listed with the error. `name` is what `archive` takes. Clients see those that their roles are for.
         */
        get: operations["archives"];
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
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                q: components["parameters"]["searchWords"];
                /** @description What to find; all when absent. */
                type?: components["parameters"]["searchType"];
                /** @description What to search; all when absent. */
                field?: components["parameters"]["searchField"];
                /** @description Members of the results to answer; all when absent. */
                return?: components["parameters"]["searchReturn"];
                /** @description Members in which found words are marked. */
                highlight?: components["parameters"]["searchHighlight"];
                /** @description How many of the best results to leave out. */
                offset?: components["parameters"]["searchOffset"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find metrics, instance domains and instances by words.
         * @description Searches names, help texts and labels: of the context or source that is named, or else of this machine and of every host that
         *     a context is open on without credentials. Archives, containers, and what a password opens are searched when they are named.
         *
         *     All words must be found, each as a word or as the beginning of one: `disk read` finds `disk.dev.read_bytes`. When nothing has
         *     them all, words that differ in a letter or two count, and then any of the words (`likeness`). Everyday words stand for PCP's,
         *     too: `number of cpus` finds `hinv.ncpu`, unless the query is a name with dots. Entities named as the query come first, then
         *     those whose names hold it, those that help texts lead to, instances, and those that only labels lead to; among equals, what
         *     tells of the whole machine (`kernel.all`, `mem.util`, `disk.all`, `network.interface` and the like) comes before its parts.
         *
         *     The index is made when a source is first searched, and anew when derived metrics have changed. A live host has to be asked for each
         *     help text, which takes seconds: until then its names are searched, and a warning (UNAVAILABLE) says so. When the source itself has
         *     changed, or after a minute, it serves once more, while another is made behind the answer. It holds the first 1000 instances of
         *     each domain, and 4096 characters of each help text.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search/text": {
        parameters: {
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                query: components["parameters"]["searchQuery"];
                /** @description What to find; all when absent. */
                type?: components["parameters"]["searchType"];
                /** @description What to search; all when absent. */
                field?: components["parameters"]["searchTextField"];
                /** @description Members of the results to answer; all when absent. */
                return?: components["parameters"]["searchReturn"];
                /** @description Members in which found words are marked. */
                highlight?: components["parameters"]["searchHighlight"];
                /** @description How many of the best results to leave out. */
                offset?: components["parameters"]["searchOffset"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same in the shape of pmproxy.
         * @description See pmSearchTextQuery(3). Labels are not searched. With `client`, the answer is `result` beside `client`.
         */
        get: operations["searchText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search/suggest": {
        parameters: {
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                query: components["parameters"]["searchQuery"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Names of metrics and instances that a text may become.
         * @description Names that begin with the text, in alphabetical order, then those that its words lead to. See pmSearchTextSuggest(3). With
         *     `client`, the answer is `result` beside `client`.
         */
        get: operations["searchSuggest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search/indom": {
        parameters: {
            query: {
                /**
                 * @description The instance domain.
                 * @example 60.2
                 */
                query: components["parameters"]["searchIndom"];
                /** @description How many of the best results to leave out. */
                offset?: components["parameters"]["searchOffset"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything about an instance domain.
         * @description The domain itself, the metrics that have values for it, and its instances; of each source that has one of that number. See
         *     pmSearchTextInDom(3). With `client`, the answer is `result` beside `client`.
         */
        get: operations["searchIndom"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search/info": {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How much there is to search.
         * @description Counts of the indexes as they are: a source that nobody searched yet has none. See pmSearchInfo(3). With `client`, the answer is
         *     `result` beside `client`.
         */
        get: operations["searchInfo"];
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
        /** Whether the gateway lives. */
        get: operations["healthz"];
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
         * Whether the gateway can serve now.
         * @description Answers 503 while the gateway starts, drains, or lacks its local source.
         */
        get: operations["readyz"];
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
        /** This description, as YAML. */
        get: operations["openapiYaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as JSON. */
        get: operations["openapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description, to read and to try.
         * @description Works offline; nothing is loaded from elsewhere.
         */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A part of the documentation page. */
        get: operations["docsFile"];
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
        /** @description A list of requests, alone or as a member. */
        BatchRequest: components["schemas"]["BatchEntries"] | {
            requests: components["schemas"]["BatchEntries"];
        };
        BatchEntries: components["schemas"]["BatchEntry"][];
        /** @description One request of a batch. */
        BatchEntry: {
            /** @description Comes back with the answer; later entries can refer to it. */
            id?: string;
            /**
             * @default GET
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "DELETE";
            /** @description Path and query, percent-encoded; may hold references. */
            path: string;
            /** @description Only `Accept` and `Content-Type`. */
            headers?: {
                [key: string]: string;
            };
            /** @description An object is a JSON body; a text is what `Content-Type` says. */
            body?: Record<string, never> | string;
        };
        /** @description The answers of a batch. */
        BatchResponse: {
            responses: components["schemas"]["BatchAnswer"][];
        };
        /** @description What one entry was answered. */
        BatchAnswer: {
            id?: string;
            status: number;
            /** @description By lower-case name. */
            headers: {
                [key: string]: string;
            };
            /** @description JSON as it is, other texts as a string. */
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
        Decimation: "min" | "max" | "average" | "last";
        Flag: boolean;
        UnitsText: string;
        /** @description Conditions on labels, in braces or without. */
        LabelSelector: string;
        TopCount: number;
        /** @enum {string} */
        TimeForm: "epoch" | "iso";
        /** @enum {string} */
        NumberForm: "plain" | "exact";
        /** @description Seconds since the epoch, with nine digits behind the point; with `times=iso` a text in ISO 8601. */
        SampleTime: number | string;
        /** @enum {string} */
        RangeFormat: "rows" | "columns" | "ndjson" | "csv";
        SampleCount: number;
        ModeParameters: {
            mode?: components["schemas"]["ArchiveMode"];
            time?: components["schemas"]["TimeText"];
            interval?: components["schemas"]["TimeText"];
            zone?: components["schemas"]["Zone"];
            client?: components["schemas"]["Client"];
        };
        Zone: string;
        PollTimeout: number;
        Client: string;
        /** @description Names, split at commas when given as one text. */
        NameList: string[] | string;
        /** @description PMIDs as `domain.cluster.item`, as decimal or as `0x` hexadecimal numbers, split at commas when given as one text. */
        PmidList: string[] | string;
        /** @description A PMID as `domain.cluster.item`, as a decimal or as a `0x` hexadecimal number. */
        PmidWord: string;
        StoredValue: string;
        Node: string;
        /** @description An instance domain as `domain.serial`, as a decimal or as a `0x` hexadecimal number. */
        IndomText: string;
        /** @description Instance names, split at commas when given as one text. */
        InstanceNames: string[] | string;
        /** @description Instance identifiers, split at commas when given as one text. */
        InstanceIds: number[] | string;
        /**
         * @description Whole names, glob patterns (`*`, `?`, `[…]`), or POSIX extended regular expressions that may match anywhere.
         * @enum {string}
         */
        Match: "exact" | "glob" | "regex";
        /** @enum {string} */
        ProfileChange: "add" | "del";
        Times: boolean;
        /** @description Patterns, split at commas when given as one text. */
        Filter: string[] | string;
        ContextParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
        };
        FetchParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspecs"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            names?: components["schemas"]["NameList"];
            name?: components["schemas"]["NameList"];
            pmids?: components["schemas"]["PmidList"];
            pmid?: components["schemas"]["PmidList"];
            start?: components["schemas"]["TimeText"];
            finish?: components["schemas"]["TimeText"];
            interval?: components["schemas"]["TimeText"];
            samples?: components["schemas"]["SampleCount"];
            offset?: components["schemas"]["TimeText"];
            align?: components["schemas"]["TimeText"];
            zone?: components["schemas"]["Zone"];
            points?: components["schemas"]["SampleCount"];
            decimation?: components["schemas"]["Decimation"];
            prefix?: components["schemas"]["NameList"];
            iname?: components["schemas"]["InstanceNames"];
            instance?: components["schemas"]["InstanceIds"];
            match?: components["schemas"]["Match"];
            labels?: components["schemas"]["LabelSelector"];
            top?: components["schemas"]["TopCount"];
            rate?: components["schemas"]["Flag"];
            wrap?: components["schemas"]["Flag"];
            units?: components["schemas"]["UnitsText"];
            times?: components["schemas"]["TimeForm"];
            numbers?: components["schemas"]["NumberForm"];
            format?: components["schemas"]["RangeFormat"];
        };
        StreamParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            names?: components["schemas"]["NameList"];
            name?: components["schemas"]["NameList"];
            pmids?: components["schemas"]["PmidList"];
            pmid?: components["schemas"]["PmidList"];
            prefix?: components["schemas"]["NameList"];
            interval?: components["schemas"]["TimeText"];
            changed?: components["schemas"]["Flag"];
            lastEventId?: components["schemas"]["EventId"];
            start?: components["schemas"]["TimeText"];
            finish?: components["schemas"]["TimeText"];
            speed?: components["schemas"]["Speed"];
            zone?: components["schemas"]["Zone"];
            iname?: components["schemas"]["InstanceNames"];
            instance?: components["schemas"]["InstanceIds"];
            match?: components["schemas"]["Match"];
            labels?: components["schemas"]["LabelSelector"];
            top?: components["schemas"]["TopCount"];
            rate?: components["schemas"]["Flag"];
            wrap?: components["schemas"]["Flag"];
            units?: components["schemas"]["UnitsText"];
            times?: components["schemas"]["TimeForm"];
            numbers?: components["schemas"]["NumberForm"];
        };
        EventId: string;
        Speed: string;
        CompatFetchParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspecs"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            names?: components["schemas"]["NameList"];
            name?: components["schemas"]["NameList"];
            pmids?: components["schemas"]["PmidList"];
            pmid?: components["schemas"]["PmidList"];
        };
        MetricParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspecs"];
            archive?: components["schemas"]["ArchiveName"];
            at?: components["schemas"]["TimeText"];
            scope?: components["schemas"]["ArchiveScope"];
            zone?: components["schemas"]["Zone"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            prefix?: components["schemas"]["NameList"];
            names?: components["schemas"]["NameList"];
            name?: components["schemas"]["NameList"];
            pmids?: components["schemas"]["PmidList"];
            pmid?: components["schemas"]["PmidList"];
        };
        ChildrenParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            prefix?: components["schemas"]["Node"];
            name?: components["schemas"]["Node"];
        };
        IndomParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            at?: components["schemas"]["TimeText"];
            scope?: components["schemas"]["ArchiveScope"];
            zone?: components["schemas"]["Zone"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            name?: components["schemas"]["Node"];
            indom?: components["schemas"]["IndomText"];
            iname?: components["schemas"]["InstanceNames"];
            instance?: components["schemas"]["InstanceIds"];
            match?: components["schemas"]["Match"];
        };
        ProfileParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            name?: components["schemas"]["Node"];
            indom?: components["schemas"]["IndomText"];
            iname?: components["schemas"]["InstanceNames"];
            instance?: components["schemas"]["InstanceIds"];
            match?: components["schemas"]["Match"];
            expr?: components["schemas"]["ProfileChange"];
        };
        StoreParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            name?: components["schemas"]["Node"];
            pmid?: components["schemas"]["PmidWord"];
            value?: components["schemas"]["StoredValue"];
            iname?: components["schemas"]["InstanceNames"];
            instance?: components["schemas"]["InstanceIds"];
        };
        MetricsParameters: {
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspecs"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
            names?: components["schemas"]["NameList"];
            name?: components["schemas"]["NameList"];
            prefix?: components["schemas"]["NameList"];
            target?: components["schemas"]["NameList"];
            times?: components["schemas"]["Times"];
            filter?: components["schemas"]["Filter"];
            match?: components["schemas"]["Match"];
            format?: components["schemas"]["ExpositionFormat"];
        };
        /** @enum {string} */
        ExpositionFormat: "text" | "openmetrics" | "opentelemetry";
        /** @description Components joined by dots, each a letter followed by letters, digits and underscores. */
        DerivedName: string;
        ExpressionText: string;
        OnelineText: string;
        HelpText: string;
        /**
         * @description Shipped with the gateway, from a file that its configuration names, registered over REST, or a context's own.
         * @enum {string}
         */
        DerivedOrigin: "shipped" | "file" | "api" | "context";
        DeriveParameters: {
            name?: components["schemas"]["DerivedName"];
            expr?: components["schemas"]["ExpressionText"];
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
        };
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
        DerivedCheckParameters: {
            expr?: components["schemas"]["ExpressionText"];
            context?: components["schemas"]["ContextId"];
            hostspec?: components["schemas"]["Hostspec"];
            archive?: components["schemas"]["ArchiveName"];
            hostname?: components["schemas"]["Hostspec"];
            polltimeout?: components["schemas"]["PollTimeout"];
            client?: components["schemas"]["Client"];
        };
        ErrorDetails: {
            /** @description The context that was asked. */
            context?: number;
            client?: components["schemas"]["Client"];
            /** @description What is wrong, where, and what was expected; the wording is that of pmproxy where its clients read it. */
            message: string;
            /** @constant */
            success: false;
            /** @description The kind of error, stable. */
            code: string;
            /** @description The PM_ERR code behind the error, see pmErrStr(3). */
            pmErr?: number;
            /** @description The parameter at fault. */
            parameter?: string;
            /** @description What would have been accepted. */
            expected?: string;
            /** @description Where in a text the error lies. */
            position?: {
                offset: number;
                end?: number;
                line: number;
                column: number;
            };
            /** @description Seconds after which trying again makes sense. */
            retryAfterSec?: number;
            /** @description What the log knows the request by; with errors of the gateway itself. */
            requestId?: string;
        };
        /** @description Something of the request that could not be answered, while the rest was. */
        Warning: {
            /** @description The name, as requested. */
            name?: string;
            /** @description The PMID, as requested. */
            pmid?: string;
            /** @description The instance identifier, as requested. */
            instance?: number;
            /** @description The host that it is about, where several were asked. */
            hostspec?: string;
            message: string;
            code: string;
            pmErr?: number;
        };
        Warnings: components["schemas"]["Warning"][];
        Hash: string;
        /** @description Labels by name; the values are as the source gave them. */
        Labels: Record<string, never>;
        PmidText: string;
        PmidNumber: number;
        IndomNumber: number;
        /** @enum {string} */
        Type: "32" | "u32" | "64" | "u64" | "float" | "double" | "string" | "aggregate" | "aggregate_static" | "event" | "highres_event" | "unsupported" | "unknown";
        /** @enum {string} */
        Semantics: "counter" | "instant" | "discrete" | "???";
        /** @description 64-bit integers have all their digits; with `numbers=exact` those beyond 2^53 are texts. `null`: a number that JSON has no form for (not a number, infinite), an event, or a type without support. */
        Value: number | string | null;
        /**
         * @description What serves the context. A pmcd, archives, or the collector that is embedded in the gateway.
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
            /** @description Of an archive, its name as requested. */
            archive?: string;
            /** @description Of an archive, the version of its format, 2 or 3. */
            version?: number;
            /** @description The time zone of the source, see tzset(3). */
            timezone?: string;
            /** @description First moment of an archive, in seconds since the epoch. */
            start?: number;
            /** @description Last moment of an archive as of now, in seconds since the epoch. */
            end?: number;
            mode?: components["schemas"]["ArchiveMode"];
            /** @description The moment that the next fetch from an archive starts from, in seconds since the epoch. */
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
            /** @description Seconds of disuse after which the context expires. */
            polltimeout: number;
            /** @description Whether requests without a context use it. */
            shared: boolean;
            /** @description Of an archive, its name as requested. */
            archive?: string;
            /** @description Of an archive, the version of its format, 2 or 3. */
            version?: number;
            /** @description The time zone of the source, see tzset(3). */
            timezone?: string;
            /** @description First moment of an archive, in seconds since the epoch. */
            start?: number;
            /** @description Last moment of an archive as of now, in seconds since the epoch. */
            end?: number;
            mode?: components["schemas"]["ArchiveMode"];
            /** @description The moment that the next fetch from an archive starts from, in seconds since the epoch. */
            position?: number;
        };
        /**
         * @description How fetches from an archive go on. Record by record, forward or backward, or by interpolated values.
         * @enum {string}
         */
        ArchiveMode: "forward" | "backward" | "interp";
        RangeSample: {
            timestamp: components["schemas"]["SampleTime"];
            values: components["schemas"]["FetchValues"];
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description A sample, or the error that ended the answer. */
        RangeLine: components["schemas"]["RangeSample"] | components["schemas"]["ErrorDetails"];
        /** @description A range as rows. Per sample what a fetch at that moment would answer. */
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
        };
        /** @description The data of the events of a stream, by the name of the event. A sample has no name, and is `message` here. */
        StreamEvents: {
            metrics?: components["schemas"]["StreamHead"];
            message?: components["schemas"]["StreamSample"];
            failure?: components["schemas"]["ErrorDetails"];
            gap?: components["schemas"]["StreamGap"];
            end?: components["schemas"]["StreamEnd"];
        };
        /** @description What the values of a stream are. */
        StreamHead: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @description Seconds between samples; absent when they come as they were recorded. */
            interval?: number;
            metrics: components["schemas"]["RangeRows"]["metrics"];
            warnings?: components["schemas"]["Warnings"];
        };
        StreamSample: {
            reconnected?: components["schemas"]["Reconnected"];
            /**
             * @description With `changed=true`: these are all values.
             * @constant
             */
            full?: true;
            /** @description With `changed=true`: instances that had values before and have none now, by metric. */
            gone?: {
                name: string;
                instances: (number | null)[];
            }[];
            timestamp: components["schemas"]["SampleTime"];
            values: components["schemas"]["FetchValues"];
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description The samples between two moments, neither included, cannot be had any more. */
        StreamGap: {
            from: components["schemas"]["SampleTime"];
            to: components["schemas"]["SampleTime"];
        };
        /** @description Why a stream is over. */
        StreamEnd: {
            /** @enum {unknown} */
            reason: "archive" | "destroyed" | "failed" | "shutdown";
            message: string;
        };
        /** @description A range as columns. All arrays of values are as long as that of times. */
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
                series: {
                    /** @description `null` for a metric without instances. */
                    instance: number | null;
                    /** @description The name of the instance. */
                    name?: string;
                    /** @description `null` where there is no value, and in a row of its own where recording was interrupted. */
                    values: components["schemas"]["Value"][];
                }[];
            }[];
            warnings?: components["schemas"]["Warnings"];
        };
        Mode: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            mode: components["schemas"]["ArchiveMode"];
            /** @description The moment that the next fetch starts from, in seconds since the epoch. */
            position: number;
            /** @description Seconds between two fetches with `interp`. */
            interval: number;
        };
        /** @description A record, or a mark where recording was interrupted; or the error that ended the answer. */
        ArchiveRecord: {
            timestamp: number;
            values: components["schemas"]["FetchValues"];
            warnings?: components["schemas"]["Warnings"];
        } | {
            timestamp: number;
            /** @constant */
            mark: true;
        } | components["schemas"]["ErrorDetails"];
        Archives: {
            archives: ({
                /** @description What `archive` takes. */
                name: string;
                /** @description The host that was recorded. */
                hostspec?: string;
                /** @description Its time zone, see tzset(3). */
                timezone?: string;
                /** @description First moment, in seconds since the epoch. */
                start?: number;
                /** @description Last moment as of now, in seconds since the epoch. */
                end?: number;
                /** @description The version of the format, 2 or 3. */
                version?: number;
                /** @description How many metrics it describes. */
                metrics?: number;
                /** @description Bytes of all its files, as they lie on disk. */
                size?: number;
                error?: components["schemas"]["ErrorDetails"];
            } & (unknown | unknown))[];
        };
        /** @description Words, at most twelve; nothing in it has another meaning. Names and help texts are taken apart at dots, underscores, digits and capitals. */
        SearchWords: string;
        /** @default 0 */
        SearchOffset: number;
        /** @default 10 */
        SearchLimit: number;
        /**
         * @description What to find, split at commas when given as one text. `0`, which Grafana's search app sends where nothing is chosen, is
         *     everything.
         */
        EntityTypes: ("metric" | "indom" | "instance" | "0")[] | string;
        /** @description What to search, split at commas when given as one text. */
        SearchFields: ("name" | "oneline" | "helptext" | "labels")[] | string;
        /** @description Texts of an entity, split at commas when given as one text. */
        SearchTextFields: ("name" | "oneline" | "helptext")[] | string;
        /** @description Members of a result, split at commas when given as one text. */
        SearchReturn: ("name" | "type" | "indom" | "oneline" | "helptext")[] | string;
        /** @enum {string} */
        EntityType: "metric" | "indom" | "instance";
        /** @description Where found words stand, from the first character to behind the last; counted in UTF-16 units, in the text without marks. */
        SearchSpans: number[][];
        /** @description One entity. Members that have no text are left out, and those that `return` does not name. Marked texts are HTML. */
        SearchTextResult: {
            /** @description The name of the metric or the instance, or the number of the instance domain. */
            name?: string;
            type?: components["schemas"]["EntityType"];
            /** @description The instance domain that it is, belongs to, or has values for. */
            indom?: string;
            oneline?: string;
            helptext?: string;
        };
        /** @description One entity, as SearchTextResult has it, and what the gateway knows beside. */
        SearchResult: {
            /** @description The name of the metric or the instance, or the number of the instance domain. */
            name?: string;
            type?: components["schemas"]["EntityType"];
            /** @description The instance domain that it is, belongs to, or has values for. */
            indom?: string;
            oneline?: string;
            helptext?: string;
            /** @description The labels that found words stand in. */
            labels?: {
                [key: string]: string;
            };
            source: components["schemas"]["Hash"];
            /** @description What to ask the host by, without credentials. */
            hostspec?: string;
            /** @description What to ask the archive by. */
            archive?: string;
            /** @description How relevant it is, among those of its kind. */
            score: number;
            /** @description What found words stand in. */
            fields: ("name" | "oneline" | "helptext" | "labels")[];
            /** @description Where they stand. */
            highlights: {
                name?: components["schemas"]["SearchSpans"];
                oneline?: components["schemas"]["SearchSpans"];
                helptext?: components["schemas"]["SearchSpans"];
            };
        };
        Search: {
            client?: components["schemas"]["Client"];
            /** @description How many there are altogether. */
            total: number;
            /** @description How long it took, in seconds. */
            elapsed: number;
            offset: number;
            limit: number;
            /**
             * @description What the results hold of the query, all words, all but for a letter or two in them, or any of them.
             * @enum {string}
             */
            likeness: "all" | "similar" | "any";
            results: components["schemas"]["SearchResult"][];
            warnings?: components["schemas"]["Warnings"];
        };
        SearchText: {
            /** @description How many there are altogether. */
            total: number;
            /** @description How long it took, in seconds. */
            elapsed: number;
            offset: number;
            limit: number;
            results: components["schemas"]["SearchTextResult"][];
            warnings?: components["schemas"]["Warnings"];
        };
        SearchSuggestions: string[];
        /** @description Counts of entities (`docs`), different words (`terms`) and words in entities (`records`). The others are about memory that is not there, and 0. */
        SearchInfo: {
            docs: number;
            terms: number;
            records: number;
            records_per_doc_avg: number;
            bytes_per_record_avg: number;
            inverted_sz_mb: number;
            inverted_cap_mb: number;
            inverted_cap_ovh: number;
            skip_index_size_mb: number;
            score_index_size_mb: number;
            offsets_per_term_avg: number;
            offset_bits_per_record_avg: number;
        };
        SearchTextForClient: {
            client: components["schemas"]["Client"];
            result: components["schemas"]["SearchText"];
        };
        SearchSuggestionsForClient: {
            client: components["schemas"]["Client"];
            result: components["schemas"]["SearchSuggestions"];
        };
        SearchInfoForClient: {
            client: components["schemas"]["Client"];
            result: components["schemas"]["SearchInfo"];
        };
        Contexts: {
            contexts: {
                /** @description The context's number. Told to clients on the gateway's own machine only: whoever knows it can use the context. */
                context?: number;
                /** @description What the context was asked for, without credentials. */
                hostspec: string;
                kind: components["schemas"]["ContextKind"];
                /** @description Seconds of disuse after which the context expires. */
                polltimeout: number;
                /** @description Whether requests without a context use it. */
                shared: boolean;
            }[];
        };
        CompatContext: {
            context: components["schemas"]["ContextId"];
        };
        Done: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @constant */
            success: true;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description Metadata in print. */
        CheckedMetadata: {
            /**
             * @description As pmTypeStr(3) has it.
             * @example U64
             */
            type: string;
            semantics: components["schemas"]["Semantics"];
            /**
             * @description As pmUnitsStr(3) has it; empty when dimensionless.
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
            /** @description The same in canonical form; definitions that agree in it are the same. */
            canonical: string;
            pmid: components["schemas"]["PmidText"];
            origin: components["schemas"]["DerivedOrigin"];
            oneline?: string;
            helptext?: string;
        };
        DerivedList: {
            context?: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            derived: components["schemas"]["DerivedEntry"][];
            /** @description Definitions that were registered over REST and are not in force since the last start, because there is no room for them in `limits.memoryBytes` or a file defines their name by now. The state file keeps them until they are removed. For clients that may see all metrics, where no context is named. */
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
        /** @description What a global derived metric is in a context. */
        DerivedBinding: {
            context: components["schemas"]["ContextId"];
            /** @description Whether the name gives values of this definition there. */
            bound: boolean;
            metadata?: components["schemas"]["CheckedMetadata"];
            /**
             * @description What the name means there instead, a metric of the source or a definition of the context's own.
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
        /** @description A place in the expression. `offset` and `end` count UTF-16 units from 0, line and column from 1. */
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
            /** @description Canonical text of the node; `…` for a long one, which its children make up. */
            text: string;
            /** @description Where the node begins in the expression as it was given. */
            start: number;
            /** @description Where it ends, exclusive. */
            end: number;
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description False for an arm that a guard known in advance drops; it is never evaluated. */
            selected: boolean;
            children: components["schemas"]["CheckedNode"][];
        };
        /** @description A metric that the expression names. */
        CheckedOperand: {
            name: string;
            known: boolean;
            pmid?: components["schemas"]["PmidText"];
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description Whether evaluating the expression needs its values. */
            needed: boolean;
        };
        /** @description What would make the expression right, as far as this error goes. */
        CheckRepair: {
            /** @description In words. */
            text: string;
            /** @description What to put where. */
            replace?: {
                start: number;
                end: number;
                text: string;
            }[];
            /** @description The whole expression after that. */
            expression?: string;
        };
        /** @description One thing that is wrong. */
        CheckProblem: {
            /** @enum {string} */
            phase: "syntax" | "semantic";
            /** @description `syntax`, or the rule that is broken; stable. */
            code: string;
            /** @description In the words of PCP. */
            reason: string;
            explanation: string;
            position: components["schemas"]["TextPosition"];
            /** @description The line at fault, and a caret below the place. */
            excerpt: string;
            /** @description The construct at fault as PCP prints it. */
            where?: string;
            operator?: string;
            operands?: string[];
            /** @description After a syntax error, what was there. */
            found?: string;
            /** @description After a syntax error, what could have been there. */
            expected?: string[];
            repair?: components["schemas"]["CheckRepair"];
        };
        /** @description What the expression gives now. */
        CheckSample: {
            /** @description Seconds since the epoch, with nine digits behind the point. */
            timestamp: number;
            instances: {
                /** @description `null` for a singular value. */
                instance: number | null;
                /** @description The instance's name. */
                name?: string;
                value: components["schemas"]["Value"];
            }[];
            /** @description Why there are no values, when there are none for a reason. */
            message?: string;
            pmErr?: number;
        };
        DerivedCheck: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            /** @description Whether the expression could be registered and would give values here. */
            ok: boolean;
            /** @description As it was given. */
            expression: string;
            /** @description In canonical form; missing when it does not parse. */
            canonical?: string;
            /** @description The same with every operation in parentheses, that is, how it is understood. */
            parenthesised?: string;
            tree?: components["schemas"]["CheckedNode"];
            operands: components["schemas"]["CheckedOperand"][];
            metadata?: components["schemas"]["CheckedMetadata"];
            /** @description All errors, in the order in which they are checked; the first 32 of more, with repairs for the first 8. */
            errors: components["schemas"]["CheckProblem"][];
            sample?: components["schemas"]["CheckSample"];
        };
        Fetch: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            timestamp: components["schemas"]["SampleTime"];
            reconnected?: components["schemas"]["Reconnected"];
            values: components["schemas"]["FetchValues"];
            warnings?: components["schemas"]["Warnings"];
        };
        /**
         * @description The host was lost and found again since the last fetch of this context, or a local hostspec leads elsewhere now (`local.source` is `auto`, and pmcd came up or is gone for good). Derived metrics have started over.
         * @constant
         */
        Reconnected: true;
        FetchValues: {
            pmid: components["schemas"]["PmidText"];
            name: string;
            type?: components["schemas"]["Type"];
            sem?: components["schemas"]["Semantics"];
            /** @description With `type` and `sem`, what the values are now that `rate` or `units` have converted them; absent without these. */
            units?: string;
            instances: {
                /** @description `null` for a metric without instances. */
                instance: number | null;
                value: components["schemas"]["Value"];
                records?: components["schemas"]["EventRecords"];
            }[];
        }[];
        /**
         * @description The records of an event value, oldest first; `null` for a value that cannot be unpacked. Each is handed out once per context.
         *     What pmUnpackEventRecords(3) has as the metrics event.flags and event.missed are `flags` and `missed` here. Parameters that are
         *     hidden from the client, and for who sees some metrics only those without a name, are left out.
         */
        EventRecords: {
            /** @description Seconds since the epoch, with nine digits behind the point. */
            timestamp: number;
            flags: ("point" | "start" | "end" | "id" | "parent" | "missed")[];
            /** @description Records that were lost before this one was read. */
            missed?: number;
            parameters: {
                pmid: components["schemas"]["PmidText"];
                /** @description What the metric of that PMID is called here; missing when it has no name here, or none that the asker may see. */
                name?: string;
                value: components["schemas"]["Value"];
            }[];
        }[] | null;
        /** @description The answer to a fetch from several hosts, one entry for each, in the order of the request. */
        FetchOfHosts: {
            client?: components["schemas"]["Client"];
            hosts: ({
                /** @description The host, as requested. */
                hostspec: string;
                context?: components["schemas"]["ContextId"];
                timestamp?: components["schemas"]["SampleTime"];
                reconnected?: components["schemas"]["Reconnected"];
                values?: components["schemas"]["FetchValues"];
                warnings?: components["schemas"]["Warnings"];
                error?: components["schemas"]["ErrorDetails"];
            } & (unknown | unknown))[];
        };
        CompatFetch: {
            timestamp: {
                s: number;
                us: number;
            };
            values: {
                pmid: components["schemas"]["PmidNumber"];
                name: string;
                instances: {
                    /** @description -1 for a metric without instances. */
                    instance: number;
                    value: components["schemas"]["Value"];
                }[];
            }[];
            /**
             * @description The source was lost and found again since the context's last fetch; derived metrics started over.
             * @constant
             */
            reconnected?: true;
            warnings?: components["schemas"]["Warnings"];
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
        };
        Metrics: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            metrics: (components["schemas"]["Metric"] | components["schemas"]["MetricFailure"])[];
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description Metadata from several hosts, one entry for each, in the order of the request. */
        MetricsOfHosts: {
            client?: components["schemas"]["Client"];
            hosts: ({
                /** @description The host, as requested. */
                hostspec: string;
                context?: components["schemas"]["ContextId"];
                metrics?: (components["schemas"]["Metric"] | components["schemas"]["MetricFailure"])[];
                warnings?: components["schemas"]["Warnings"];
                error?: components["schemas"]["ErrorDetails"];
            } & (unknown | unknown))[];
        };
        CompatMetric: {
            name: string;
            series: components["schemas"]["Hash"];
            pmid: components["schemas"]["PmidNumber"];
            indom?: components["schemas"]["IndomNumber"];
            type: components["schemas"]["Type"];
            sem: components["schemas"]["Semantics"];
            /** @description See pmUnitsStr(3); `none` for dimensionless. */
            units: string;
            labels: components["schemas"]["Labels"];
            "text-oneline": string;
            "text-help": string;
        };
        CompatMetrics: {
            context: components["schemas"]["ContextId"];
            client?: components["schemas"]["Client"];
            metrics: (components["schemas"]["CompatMetric"] | components["schemas"]["MetricFailure"])[];
            warnings?: components["schemas"]["Warnings"];
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
        CompatIndom: {
            indom: components["schemas"]["IndomNumber"];
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
             * @description What `localhost` reaches now, the pmcd of this machine or the embedded collector; of readyz only.
             * @enum {string}
             */
            local?: "pmcd" | "embedded";
        };
        /** @description The JSON form of OpenTelemetry's metrics data. */
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
            /** @description Integers from 2^63 on are in `asDouble`. */
            asInt?: string;
            /** @description `"NaN"`, `"Infinity"` and `"-Infinity"` are texts. */
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
        /** @description The answers, in the order of the requests. */
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
                 *       "message": "context 1350228144 is shared by requests without a context: make one of your own with /pmapi/context",
                 *       "success": false,
                 *       "code": "SHARED_CONTEXT"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorDetails"];
            };
        };
        /** @description The request cannot be answered, or the source or the gateway failed; `code` says why, and `message` in words. */
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
        /** @description How fetches go on, and from where. */
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
                /** @description Proxies are to hand events on as they come. */
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
        /** @description There is nothing more in this direction. */
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
        /** @description What was found, best first. */
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
        /** @description What was found, best first. */
        SearchTextAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "total": 1,
                 *       "elapsed": 0.000504,
                 *       "offset": 0,
                 *       "limit": 10,
                 *       "results": [
                 *         {
                 *           "name": "kernel.all.load",
                 *           "type": "metric",
                 *           "indom": "60.2",
                 *           "oneline": "1, 5 and 15 minute load average"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SearchText"] | components["schemas"]["SearchTextForClient"];
            };
        };
        /** @description Names, the likeliest first. */
        SearchSuggest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example [
                 *       "disk.all.avactive",
                 *       "disk.all.aveq",
                 *       "disk.all.blkread",
                 *       "disk.all.blktotal"
                 *     ]
                 */
                "application/json": components["schemas"]["SearchSuggestions"] | components["schemas"]["SearchSuggestionsForClient"];
            };
        };
        /** @description How large the indexes are. */
        SearchInfoAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "docs": 812,
                 *       "terms": 1375,
                 *       "records": 11643,
                 *       "records_per_doc_avg": 14.34,
                 *       "bytes_per_record_avg": 0,
                 *       "inverted_sz_mb": 0,
                 *       "inverted_cap_mb": 0,
                 *       "inverted_cap_ovh": 0,
                 *       "skip_index_size_mb": 0,
                 *       "score_index_size_mb": 0,
                 *       "offsets_per_term_avg": 8.47,
                 *       "offset_bits_per_record_avg": 0
                 *     }
                 */
                "application/json": components["schemas"]["SearchInfo"] | components["schemas"]["SearchInfoForClient"];
            };
        };
        /** @description The open contexts, oldest first. */
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
        /** @description What one host answers, or an entry for each of several. */
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
            };
        };
        /** @description The values. */
        FetchAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "timestamp": 1795191848.048268,
                 *       "values": [
                 *         {
                 *           "pmid": "60.2.0",
                 *           "name": "kernel.all.load",
                 *           "instances": [
                 *             {
                 *               "instance": 1,
                 *               "value": 0.51
                 *             },
                 *             {
                 *               "instance": 5,
                 *               "value": 0.21
                 *             },
                 *             {
                 *               "instance": 15,
                 *               "value": 0.07
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "pmid": "60.1.2",
                 *           "name": "mem.util.free",
                 *           "instances": [
                 *             {
                 *               "instance": null,
                 *               "value": 23987772
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "warnings": [
                 *         {
                 *           "name": "no.such",
                 *           "message": "Unknown metric name",
                 *           "code": "UNKNOWN_METRIC",
                 *           "pmErr": -12357
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Fetch"] | components["schemas"]["RangeRows"] | components["schemas"]["RangeColumns"];
                /** @example {"timestamp":1795183200.000000000,"values":[{"pmid":"60.1.2","name":"mem.util.free","instances":[{"instance":null,"value":23987772}]}]} */
                "application/x-ndjson": string;
                /**
                 * @example time,mem.util.free,kernel.all.load[1 minute]
                 *     2026-11-20T14:00:00Z,23987772,0.51
                 */
                "text/csv": string;
            };
        };
        /** @description What one host answers, or an entry for each of several. */
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
        /** @description The metrics, in the order of the request. */
        MetricAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 2134478040,
                 *       "metrics": [
                 *         {
                 *           "name": "kernel.all.load",
                 *           "series": "8e183fa35f854031788fa180d0132ff054c97029",
                 *           "pmid": "60.2.0",
                 *           "indom": "60.2",
                 *           "type": "float",
                 *           "sem": "instant",
                 *           "units": "none",
                 *           "labels": {
                 *             "agent": "linux",
                 *             "hostname": "web1"
                 *           },
                 *           "text-oneline": "1, 5 and 15 minute load average",
                 *           "text-help": "1, 5 and 15 minute load average"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Metrics"];
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
                "X-Pmgate-Warnings": components["headers"]["Warnings"];
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
        /** @description The context's number. */
        CompatContextAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 1350228144
                 *     }
                 */
                "application/json": components["schemas"]["CompatContext"];
            };
        };
        /** @description The values. */
        CompatFetchAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "timestamp": {
                 *         "s": 1795191848,
                 *         "us": 859523
                 *       },
                 *       "values": [
                 *         {
                 *           "pmid": 251659266,
                 *           "name": "mem.util.free",
                 *           "instances": [
                 *             {
                 *               "instance": -1,
                 *               "value": 23987016
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CompatFetch"];
            };
        };
        /** @description The metrics, in the order of the request. */
        CompatMetricAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "context": 1350228144,
                 *       "metrics": [
                 *         {
                 *           "name": "mem.util.free",
                 *           "series": "7684cafcc92e880b399615d227c4bebf68df359c",
                 *           "pmid": 251659266,
                 *           "type": "u64",
                 *           "sem": "instant",
                 *           "units": "Kbyte",
                 *           "labels": {
                 *             "hostname": "web1"
                 *           },
                 *           "text-oneline": "free memory",
                 *           "text-help": "free memory"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CompatMetrics"];
            };
        };
        /** @description The instance domain. */
        CompatIndomAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "indom": 251658242,
                 *       "labels": {
                 *         "hostname": "web1"
                 *       },
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
                "application/json": components["schemas"]["CompatIndom"];
            };
        };
        /** @description The values. */
        CompatExposition: {
            headers: {
                "X-Pmgate-Warnings": components["headers"]["Warnings"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example # PCP mem.util.free instant Kbyte
                 *     # TYPE mem:util:free gauge
                 *     mem:util:free{hostname="web1"} 23987772
                 */
                "text/plain": string;
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
        /** @description The description. */
        OpenapiJson: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "openapi": "3.1.0",
                 *       "paths": {}
                 *     }
                 */
                "application/json": {
                    openapi: string;
                    paths: Record<string, never>;
                };
            };
        };
        /** @description A derived metric of this name has another expression (or, in a context, any); or the context is shared. */
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
        /** @description The expression parses, but its operands do not fit. */
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
        /** @description Global derived metrics cannot be changed here, this one is defined in a file, or the page that asks may not. */
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
                 *       "message": "global derived metrics cannot be changed here (derived.allowMutation is false)",
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
        /** @description The definition, and what it is in a context when one was named. */
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
        /** @description Storing is off here, the source does not permit this store, or the page that asks may not. */
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
        /** @description The page. */
        DocsPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/html": string;
            };
        };
        /** @description The file. */
        DocsFile: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/css": string;
                "text/javascript": string;
            };
        };
    };
    parameters: {
        /**
         * @description What to search for.
         * @example disk read
         */
        searchWords: components["schemas"]["SearchWords"];
        /**
         * @description What to search for.
         * @example disk read
         */
        searchQuery: components["schemas"]["SearchWords"];
        /**
         * @description The instance domain.
         * @example 60.2
         */
        searchIndom: components["schemas"]["IndomText"];
        /** @description What to find; all when absent. */
        searchType: components["schemas"]["EntityTypes"];
        /** @description What to search; all when absent. */
        searchField: components["schemas"]["SearchFields"];
        /** @description What to search; all when absent. */
        searchTextField: components["schemas"]["SearchTextFields"];
        /** @description Members of the results to answer; all when absent. */
        searchReturn: components["schemas"]["SearchReturn"];
        /** @description Members in which found words are marked. */
        searchHighlight: components["schemas"]["SearchTextFields"];
        /** @description How many of the best results to leave out. */
        searchOffset: components["schemas"]["SearchOffset"];
        /** @description Results to answer at most; 0 is 10. */
        searchLimit: components["schemas"]["SearchLimit"];
        /** @description The context's number. */
        contextInPath: components["schemas"]["ContextId"];
        /** @description The context's number; it wins over the one in the path. */
        context: components["schemas"]["ContextId"];
        /**
         * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
         *     hosts that the configuration allows can be reached.
         */
        hostspec: components["schemas"]["Hostspec"];
        /**
         * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
         *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
         *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
         */
        hostspecs: components["schemas"]["Hostspecs"];
        /**
         * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
         *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
         */
        archive: components["schemas"]["ArchiveName"];
        /**
         * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
         *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
         *     context gets what `scope=archive` gets.
         */
        at: components["schemas"]["TimeText"];
        /** @description Every instance that an archive ever knew, and its last labels. */
        scope: components["schemas"]["ArchiveScope"];
        /** @description How fetches go on. */
        mode: components["schemas"]["ArchiveMode"];
        /**
         * @description Where the next fetch starts. Seconds since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the start,
         *     `-1hour` from the end; see PCPIntro(1)).
         */
        time: components["schemas"]["TimeText"];
        /** @description The time between two fetches with `interp`, such as `10`, `500msec` or `1min 30sec`; `-` goes back in time. */
        step: components["schemas"]["TimeText"];
        /**
         * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
         *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
         */
        start: components["schemas"]["TimeText"];
        /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
        finish: components["schemas"]["TimeText"];
        /**
         * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
         *     recorded sample.
         */
        rangeInterval: components["schemas"]["TimeText"];
        /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
        offset: components["schemas"]["TimeText"];
        /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
        align: components["schemas"]["TimeText"];
        /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
        points: components["schemas"]["SampleCount"];
        /** @description What `points` keeps of each part, by default the average. */
        decimation: components["schemas"]["Decimation"];
        /**
         * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
         *     `limits.names`. Empty for the root.
         */
        fetchedPrefix: components["schemas"]["NameList"];
        /**
         * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
         *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
         */
        selectedNames: components["schemas"]["InstanceNames"];
        /** @description Give only the instances with these numbers; see `iname`. */
        selectedInstances: components["schemas"]["InstanceIds"];
        /** @description How `iname` is compared, exactly unless said otherwise. */
        selectedMatch: components["schemas"]["Match"];
        /**
         * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
         *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
         *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
         *     Regular expressions match whole texts.
         */
        labels: components["schemas"]["LabelSelector"];
        /**
         * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
         *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
         */
        top: components["schemas"]["TopCount"];
        /**
         * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
         *     CSV texts in `zone`, else in the zone of the source.
         */
        timeForm: components["schemas"]["TimeForm"];
        /**
         * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
         *     `plain`: all numbers are numbers, with all their digits.
         */
        numberForm: components["schemas"]["NumberForm"];
        /**
         * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
         *     interval; by default every recorded sample.
         */
        streamInterval: components["schemas"]["TimeText"];
        /** @description Send only values that differ from those of the sample before. */
        changedOnly: components["schemas"]["Flag"];
        /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
        lastEventId: components["schemas"]["EventId"];
        /** @description Where the replay of an archive begins; at its start by default. */
        replayStart: components["schemas"]["TimeText"];
        /** @description Where the replay of an archive ends; at its end by default. */
        replayFinish: components["schemas"]["TimeText"];
        /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
        speed: components["schemas"]["Speed"];
        /**
         * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
         *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
         *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
         */
        rate: components["schemas"]["Flag"];
        /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
        wrap: components["schemas"]["Flag"];
        /**
         * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
         *     rates, the units of the counter will do.
         */
        units: components["schemas"]["UnitsText"];
        /**
         * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
         *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
         *     spreadsheet would take for a formula have an apostrophe in front.
         */
        format: components["schemas"]["RangeFormat"];
        /**
         * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
         *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
         */
        expositionFormat: components["schemas"]["ExpositionFormat"];
        /** @description At most so many. */
        samples: components["schemas"]["SampleCount"];
        /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
        zone: components["schemas"]["Zone"];
        /** @description Another word for `hostspec`, which wins. */
        hostname: components["schemas"]["Hostspec"];
        /** @description Seconds of disuse after which a context that this request makes expires. */
        polltimeout: components["schemas"]["PollTimeout"];
        /** @description Any text; the answer repeats it, and so does an error. */
        client: components["schemas"]["Client"];
        /**
         * @description Names of metrics.
         * @example kernel.all.load,mem.util.free
         */
        names: components["schemas"]["NameList"];
        /** @description Names of metrics, each of which must exist. */
        name: components["schemas"]["NameList"];
        /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
        pmids: components["schemas"]["PmidList"];
        /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
        pmid: components["schemas"]["PmidList"];
        /** @description Subtrees of the namespace. */
        prefixes: components["schemas"]["NameList"];
        /** @description Another word for `names`. */
        target: components["schemas"]["NameList"];
        /** @description A node of the namespace; the root unless said otherwise. */
        prefix: components["schemas"]["Node"];
        /** @description Another word for `prefix`, which wins. */
        node: components["schemas"]["Node"];
        /**
         * @description A metric; stands for its instance domain.
         * @example kernel.all.load
         */
        metricName: components["schemas"]["Node"];
        /** @description An instance domain, such as `60.2`. */
        indom: components["schemas"]["IndomText"];
        /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
        iname: components["schemas"]["InstanceNames"];
        /** @description Instance identifiers, such as `1,5`. */
        instance: components["schemas"]["InstanceIds"];
        /** @description How `iname` or `filter` is compared. */
        match: components["schemas"]["Match"];
        /** @description The metric to change. */
        storedName: components["schemas"]["Node"];
        /** @description The metric to change, by its PMID; `name` wins. */
        storedPmid: components["schemas"]["PmidWord"];
        /** @description The new value, read as the metric's type. Required, here or in the body. */
        storedValue: components["schemas"]["StoredValue"];
        /**
         * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
         * @example add
         */
        profileChange: components["schemas"]["ProfileChange"];
        /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
        times: components["schemas"]["Times"];
        /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
        filter: components["schemas"]["Filter"];
        /**
         * @description The name of a derived metric.
         * @example my.free
         */
        derivedName: components["schemas"]["DerivedName"];
        /** @description What the metric is, in one line, as pmLookupText(3) and /search tell it; empty for none. */
        derivedOneline: components["schemas"]["OnelineText"];
        /** @description What the metric is, at length; empty for none. */
        derivedHelptext: components["schemas"]["HelpText"];
        /** @description The name of a derived metric. */
        derivedNameInPath: components["schemas"]["DerivedName"];
        /** @description Only metrics at or below this node of the namespace. */
        derivedPrefix: components["schemas"]["Node"];
        /** @description Only metrics that come from here. */
        derivedOrigin: components["schemas"]["DerivedOrigin"];
        /**
         * @description An expression, or lines of definitions. See pmRegisterDerived(3).
         * @example 100 * mem.util.free / mem.physmem
         */
        expression: components["schemas"]["ExpressionText"];
    };
    requestBodies: {
        /** @description The requests, alone or as `requests` of an object. */
        BatchBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        /** @description The parameters of the query. */
        ModeBody: {
            content: {
                /**
                 * @example {
                 *       "mode": "interp",
                 *       "time": "@14:00",
                 *       "interval": "1min"
                 *     }
                 */
                "application/json": components["schemas"]["ModeParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["ModeParameters"];
            };
        };
        /** @description The parameters of the query. */
        ContextBody: {
            content: {
                "application/json": components["schemas"]["ContextParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["ContextParameters"];
            };
        };
        /** @description The parameters of the query; for lists that are too long for a URL. */
        FetchBody: {
            content: {
                /**
                 * @example {
                 *       "names": [
                 *         "kernel.all.load",
                 *         "mem.util.free"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FetchParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["FetchParameters"];
            };
        };
        /** @description The parameters of the query; for lists that are too long for a URL. */
        StreamBody: {
            content: {
                /**
                 * @example {
                 *       "names": [
                 *         "kernel.all.load"
                 *       ],
                 *       "interval": "5s"
                 *     }
                 */
                "application/json": components["schemas"]["StreamParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["StreamParameters"];
            };
        };
        /** @description The parameters of the query; for lists that are too long for a URL. */
        CompatFetchBody: {
            content: {
                /**
                 * @example {
                 *       "names": [
                 *         "kernel.all.load"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CompatFetchParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["CompatFetchParameters"];
            };
        };
        /** @description The parameters of the query; for lists that are too long for a URL. */
        MetricBody: {
            content: {
                /**
                 * @example {
                 *       "names": [
                 *         "kernel.all",
                 *         "mem.util.free"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["MetricParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["MetricParameters"];
            };
        };
        /** @description The parameters of the query. */
        ChildrenBody: {
            content: {
                "application/json": components["schemas"]["ChildrenParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["ChildrenParameters"];
            };
        };
        /** @description The parameters of the query; in an array, instance names may hold commas. */
        IndomBody: {
            content: {
                /**
                 * @example {
                 *       "name": "kernel.all.load",
                 *       "iname": [
                 *         "1 minute"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["IndomParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["IndomParameters"];
            };
        };
        /** @description The parameters of the query; in an array, instance names may hold commas. */
        ProfileBody: {
            content: {
                /**
                 * @example {
                 *       "expr": "add",
                 *       "indom": "60.2",
                 *       "instance": [
                 *         1,
                 *         5
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProfileParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["ProfileParameters"];
            };
        };
        /** @description The parameters of the query; for lists that are too long for a URL. */
        MetricsBody: {
            content: {
                /**
                 * @example {
                 *       "names": [
                 *         "kernel.all.load"
                 *       ],
                 *       "times": true
                 *     }
                 */
                "application/json": components["schemas"]["MetricsParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["MetricsParameters"];
            };
        };
        /** @description Name and expression, or the text of definitions. */
        DeriveBody: {
            content: {
                /**
                 * @example {
                 *       "name": "my.free",
                 *       "expr": "100 * mem.util.free / mem.physmem"
                 *     }
                 */
                "application/json": components["schemas"]["DeriveParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["DeriveParameters"];
                /**
                 * @example # in percent
                 *     my.free = 100 * mem.util.free / mem.physmem
                 *     my.forks = rate(kernel.all.sysfork)
                 */
                "text/plain": components["schemas"]["ExpressionText"];
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
        /** @description The expression, and where to check it. */
        DerivedCheckBody: {
            content: {
                /**
                 * @example {
                 *       "expr": "rate(kernel.all.sysfork) + 1",
                 *       "hostspec": "localhost"
                 *     }
                 */
                "application/json": components["schemas"]["DerivedCheckParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["DerivedCheckParameters"];
                /** @example rate(kernel.all.sysfork) + 1 */
                "text/plain": components["schemas"]["ExpressionText"];
            };
        };
        /** @description The parameters of the query, or the value as plain text. */
        StoreBody: {
            content: {
                /**
                 * @example {
                 *       "name": "sample.write_me",
                 *       "value": "42"
                 *     }
                 */
                "application/json": components["schemas"]["StoreParameters"];
                "application/x-www-form-urlencoded": components["schemas"]["StoreParameters"];
                /** @example 42 */
                "text/plain": components["schemas"]["StoredValue"];
            };
        };
    };
    headers: {
        /** @description What the log knows the request by; the request's own id if it sent one. */
        RequestId: string;
        /** @description Seconds after which trying again makes sense. */
        RetryAfter: number;
        /** @description The methods that the path has, with 405. */
        Allow: string;
        /** @description The scheme that is expected, with 401. */
        Authenticate: string;
        /** @description What could not be answered, as a JSON array like `warnings` of other answers; as many as fit 4096 bytes. */
        Warnings: string;
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
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
                 *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
                 *     recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
                /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
                points?: components["parameters"]["points"];
                /** @description What `points` keeps of each part, by default the average. */
                decimation?: components["parameters"]["decimation"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /**
                 * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
                 *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
                 *     spreadsheet would take for a formula have an apostrophe in front.
                 */
                format?: components["parameters"]["format"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    fetchValuesPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
                 *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
                 *     recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
                /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
                points?: components["parameters"]["points"];
                /** @description What `points` keeps of each part, by default the average. */
                decimation?: components["parameters"]["decimation"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /**
                 * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
                 *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
                 *     spreadsheet would take for a formula have an apostrophe in front.
                 */
                format?: components["parameters"]["format"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["FetchBody"];
        responses: {
            200: components["responses"]["FetchFromHosts"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    fetchValuesInContext: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
                 *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
                 *     recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
                /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
                points?: components["parameters"]["points"];
                /** @description What `points` keeps of each part, by default the average. */
                decimation?: components["parameters"]["decimation"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /**
                 * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
                 *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
                 *     spreadsheet would take for a formula have an apostrophe in front.
                 */
                format?: components["parameters"]["format"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["FetchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    fetchValuesInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The beginning of a range, by default that of the archive. Seconds since the epoch, ISO 8601, or one of PCP's own forms
                 *     (`@14:00`, `5min` from the start, `-1hour` from the end; see PCPIntro(1), option `-S`).
                 */
                start?: components["parameters"]["start"];
                /** @description The end of a range, by default that of the archive; in the forms of `start`, where `5min` counts from the range's start. */
                finish?: components["parameters"]["finish"];
                /**
                 * @description The step between samples, such as `10`, `500msec` or `1min 30sec`; values are interpolated. Without it a range has every
                 *     recorded sample.
                 */
                interval?: components["parameters"]["rangeInterval"];
                /** @description At most so many. */
                samples?: components["parameters"]["samples"];
                /** @description Where within the range the first sample is, see PCPIntro(1), option `-O`: `10` or `10sec` is 10 seconds from the start, `-10` from the end. */
                offset?: components["parameters"]["offset"];
                /** @description An interval; the start of the range moves on to the next multiple of it, see PCPIntro(1), option `-A`. */
                align?: components["parameters"]["align"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Cut the range into so many parts of equal length, and answer one sample for each. */
                points?: components["parameters"]["points"];
                /** @description What `points` keeps of each part, by default the average. */
                decimation?: components["parameters"]["decimation"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /**
                 * @description The form of a range: `rows` (a fetch answer per sample), `columns` (an array of times and an array of values per metric and
                 *     instance), `ndjson` (rows, one per line) or `csv`. By default what `Accept` prefers, else `rows`. In CSV, texts that a
                 *     spreadsheet would take for a formula have an apostrophe in front.
                 */
                format?: components["parameters"]["format"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["FetchBody"];
        responses: {
            200: components["responses"]["FetchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    stream: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
                 *     interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from those of the sample before. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
                lastEventId?: components["parameters"]["lastEventId"];
                /** @description Where the replay of an archive begins; at its start by default. */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; at its end by default. */
                finish?: components["parameters"]["replayFinish"];
                /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
                speed?: components["parameters"]["speed"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    streamPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
                 *     interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from those of the sample before. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
                lastEventId?: components["parameters"]["lastEventId"];
                /** @description Where the replay of an archive begins; at its start by default. */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; at its end by default. */
                finish?: components["parameters"]["replayFinish"];
                /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
                speed?: components["parameters"]["speed"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["StreamBody"];
        responses: {
            200: components["responses"]["EventStream"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    streamInContext: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
                 *     interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from those of the sample before. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
                lastEventId?: components["parameters"]["lastEventId"];
                /** @description Where the replay of an archive begins; at its start by default. */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; at its end by default. */
                finish?: components["parameters"]["replayFinish"];
                /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
                speed?: components["parameters"]["speed"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["EventStream"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    streamInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description The time between samples, 1 second by default; not below `streams.minIntervalMsec`. Of an archive: interpolated values at this
                 *     interval; by default every recorded sample.
                 */
                interval?: components["parameters"]["streamInterval"];
                /** @description Send only values that differ from those of the sample before. */
                changed?: components["parameters"]["changedOnly"];
                /** @description The `id` of the last sample that the client got; the header `Last-Event-ID` wins. */
                lastEventId?: components["parameters"]["lastEventId"];
                /** @description Where the replay of an archive begins; at its start by default. */
                start?: components["parameters"]["replayStart"];
                /** @description Where the replay of an archive ends; at its end by default. */
                finish?: components["parameters"]["replayFinish"];
                /** @description How many times as fast as they were taken the samples of an archive come, or `max`, as fast as the client takes them. */
                speed?: components["parameters"]["speed"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /**
                 * @description Nodes of the namespace: every metric at and below them, derived ones too, in the order of the namespace, and at most
                 *     `limits.names`. Empty for the root.
                 */
                prefix?: components["parameters"]["fetchedPrefix"];
                /**
                 * @description Give only the instances with these names, or patterns for them (see `match`). Metrics without instances are not asked about.
                 *     Each instance filter (`iname`, `instance`, `labels`) must let an instance through.
                 */
                iname?: components["parameters"]["selectedNames"];
                /** @description Give only the instances with these numbers; see `iname`. */
                instance?: components["parameters"]["selectedInstances"];
                /** @description How `iname` is compared, exactly unless said otherwise. */
                match?: components["parameters"]["selectedMatch"];
                /**
                 * @description Give only values whose labels fit (`agent="linux",device_type=~"sd.*"`), those of metrics without instances too: conditions with `=`, `!=`, `=~` and `!~` as PromQL
                 *     writes them, separated by commas, all of which hold. They see the merged labels of context, domain, instance domain,
                 *     cluster, item and instance; a label that is not there is the empty text, and members of compound labels are `label.member`.
                 *     Regular expressions match whole texts.
                 */
                labels?: components["parameters"]["labels"];
                /**
                 * @description Give only so many instances of each metric, those with the greatest values, greatest first, after conversion. In `columns` and
                 *     `csv`, the series with the greatest mean over the range. Metrics without instances and texts stay as they are.
                 */
                top?: components["parameters"]["top"];
                /**
                 * @description Give counters as rates per second, and times that were counted as shares of time. A fetch gives those since the last fetch of
                 *     these metrics in the context, hence none the first time; without a context, those since the gateway last saw the metrics (of a
                 *     derived one, all its operands at once). The first record of an archive has none: ask for a range there.
                 */
                rate?: components["parameters"]["rate"];
                /** @description With `rate`, take a counter that went down for one that wrapped, instead of leaving the rate out. */
                wrap?: components["parameters"]["wrap"];
                /**
                 * @description Units to rescale the values to, such as `Mbyte / sec`; see pmParseUnitsStr(3). Every metric of the request must allow it. For
                 *     rates, the units of the counter will do.
                 */
                units?: components["parameters"]["units"];
                /**
                 * @description Time stamps as numbers (`epoch`) or as ISO 8601 texts (`iso`), in `zone`, else in UTC. JSON has numbers unless said otherwise,
                 *     CSV texts in `zone`, else in the zone of the source.
                 */
                times?: components["parameters"]["timeForm"];
                /**
                 * @description `exact`: 64-bit integers that a double cannot hold, those beyond 2^53, are texts in JSON, for readers whose numbers are doubles.
                 *     `plain`: all numbers are numbers, with all their digits.
                 */
                numbers?: components["parameters"]["numberForm"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["StreamBody"];
        responses: {
            200: components["responses"]["EventStream"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    context: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    contextPost: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ContextBody"];
        responses: {
            200: components["responses"]["ContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    contextInContext: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    contextInContextPost: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ContextBody"];
        responses: {
            200: components["responses"]["ContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    metric: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    metricPost: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricBody"];
        responses: {
            200: components["responses"]["MetricFromHosts"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    metricInContext: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["MetricAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    metricInContextPost: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricBody"];
        responses: {
            200: components["responses"]["MetricAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    children: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    childrenPost: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ChildrenBody"];
        responses: {
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    childrenInContext: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    childrenInContextPost: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ChildrenBody"];
        responses: {
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    indom: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    indomPost: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["IndomBody"];
        responses: {
            200: components["responses"]["IndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    indomInContext: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["IndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    indomInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["IndomBody"];
        responses: {
            200: components["responses"]["IndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    profile: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    profilePost: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ProfileBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    profileInContext: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    profileInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ProfileBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    metrics: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    metricsPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricsBody"];
        responses: {
            200: components["responses"]["Exposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    metricsInContext: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["Exposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    metricsInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricsBody"];
        responses: {
            200: components["responses"]["Exposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    scrape: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    scrapePost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricsBody"];
        responses: {
            200: components["responses"]["Exposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    contexts: {
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
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    describeContext: {
        parameters: {
            query?: {
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    destroyContext: {
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
    compatContext: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CompatContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatContextPost: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ContextBody"];
        responses: {
            200: components["responses"]["CompatContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatContextInContext: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["CompatContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatContextInContextPost: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ContextBody"];
        responses: {
            200: components["responses"]["CompatContextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatFetch: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CompatFetchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    compatFetchPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["CompatFetchBody"];
        responses: {
            200: components["responses"]["CompatFetchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    compatFetchInContext: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["CompatFetchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    compatFetchInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["CompatFetchBody"];
        responses: {
            200: components["responses"]["CompatFetchAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["EndOfArchive"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetric: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CompatMetricAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetricPost: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricBody"];
        responses: {
            200: components["responses"]["CompatMetricAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetricInContext: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["CompatMetricAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetricInContextPost: {
        parameters: {
            query?: {
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description PMIDs of metrics, such as `60.2.0,60.1.2`. */
                pmids?: components["parameters"]["pmids"];
                /** @description PMIDs of metrics, such as `60.2.0`, each of which must exist. */
                pmid?: components["parameters"]["pmid"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricBody"];
        responses: {
            200: components["responses"]["CompatMetricAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatChildren: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    compatChildrenPost: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ChildrenBody"];
        responses: {
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatChildrenInContext: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatChildrenInContextPost: {
        parameters: {
            query?: {
                /** @description A node of the namespace; the root unless said otherwise. */
                prefix?: components["parameters"]["prefix"];
                /** @description Another word for `prefix`, which wins. */
                name?: components["parameters"]["node"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ChildrenBody"];
        responses: {
            200: components["responses"]["ChildrenAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatIndom: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CompatIndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatIndomPost: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["IndomBody"];
        responses: {
            200: components["responses"]["CompatIndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatIndomInContext: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["CompatIndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatIndomInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /**
                 * @description For archives: the moment that labels and instances are told for, in seconds since the epoch, in ISO 8601, or in PCP's own
                 *     forms (`@14:00`, `5min`, `-1hour`; see PCPIntro(1)). By default it is the position of the context; a request without a
                 *     context gets what `scope=archive` gets.
                 */
                at?: components["parameters"]["at"];
                /** @description Every instance that an archive ever knew, and its last labels. */
                scope?: components["parameters"]["scope"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["IndomBody"];
        responses: {
            200: components["responses"]["CompatIndomAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatProfile: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    compatProfilePost: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ProfileBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    compatProfileInContext: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    compatProfileInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Whether to let instances through or to keep them out. Required, in the query or in the body.
                 * @example add
                 */
                expr?: components["parameters"]["profileChange"];
                /**
                 * @description A metric; stands for its instance domain.
                 * @example kernel.all.load
                 */
                name?: components["parameters"]["metricName"];
                /** @description An instance domain, such as `60.2`. */
                indom?: components["parameters"]["indom"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ProfileBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SharedContext"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetrics: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CompatExposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetricsPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricsBody"];
        responses: {
            200: components["responses"]["CompatExposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetricsInContext: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            200: components["responses"]["CompatExposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatMetricsInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description Names of metrics.
                 * @example kernel.all.load,mem.util.free
                 */
                names?: components["parameters"]["names"];
                /** @description Names of metrics, each of which must exist. */
                name?: components["parameters"]["name"];
                /** @description Subtrees of the namespace. */
                prefix?: components["parameters"]["prefixes"];
                /** @description Another word for `names`. */
                target?: components["parameters"]["target"];
                /** @description Whether to give each value its time, in milliseconds (OpenMetrics, seconds). */
                times?: components["parameters"]["times"];
                /** @description Patterns for names of metrics to leave out, such as `proc.*,sample.*` (see `match`, here `glob` unless said otherwise). */
                filter?: components["parameters"]["filter"];
                /** @description How `iname` or `filter` is compared. */
                match?: components["parameters"]["match"];
                /**
                 * @description The form of the answer: `text` as pmproxy writes it, with its names, `openmetrics` or `opentelemetry`. By default what `Accept`
                 *     prefers, else `text`. Scrapers that negotiate send this one instead. The underscore forms are always `text`.
                 */
                format?: components["parameters"]["expositionFormat"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to ask when no context is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Several
                 *     hosts are separated by semicolons (commas separate ports): `web1;web2:44321,44322;embedded`. They are asked side by side,
                 *     and the answer has an entry for each, with its own errors. Only hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspecs"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["MetricsBody"];
        responses: {
            200: components["responses"]["CompatExposition"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    derive: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    derivePost: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DeriveBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    deriveInContext: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    deriveInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DeriveBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    compatDerive: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    compatDerivePost: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DeriveBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    compatDeriveInContext: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    compatDeriveInContextPost: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DeriveBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["DuplicateDefinition"];
            422: components["responses"]["RefusedDefinition"];
            default: components["responses"]["Failure"];
        };
    };
    derivedList: {
        parameters: {
            query?: {
                /** @description Only metrics at or below this node of the namespace. */
                prefix?: components["parameters"]["derivedPrefix"];
                /** @description Only metrics that come from here. */
                origin?: components["parameters"]["derivedOrigin"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    derivedLoad: {
        parameters: {
            query?: {
                /**
                 * @description The name of a derived metric.
                 * @example my.free
                 */
                name?: components["parameters"]["derivedName"];
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description What the metric is, in one line, as pmLookupText(3) and /search tell it; empty for none. */
                oneline?: components["parameters"]["derivedOneline"];
                /** @description What the metric is, at length; empty for none. */
                helptext?: components["parameters"]["derivedHelptext"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
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
    derivedCheck: {
        parameters: {
            query?: {
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    derivedCheckPost: {
        parameters: {
            query?: {
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["DerivedCheckBody"];
        responses: {
            200: components["responses"]["DerivedCheckAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    derivedRead: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    derivedRegister: {
        parameters: {
            query?: {
                /**
                 * @description An expression, or lines of definitions. See pmRegisterDerived(3).
                 * @example 100 * mem.util.free / mem.physmem
                 */
                expr?: components["parameters"]["expression"];
                /** @description What the metric is, in one line, as pmLookupText(3) and /search tell it; empty for none. */
                oneline?: components["parameters"]["derivedOneline"];
                /** @description What the metric is, at length; empty for none. */
                helptext?: components["parameters"]["derivedHelptext"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
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
    derivedUnregister: {
        parameters: {
            query?: {
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    store: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    storePost: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["StoreBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    storeInContext: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    storeInContextPost: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["StoreBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatStore: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    compatStorePost: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["StoreBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatStoreInContext: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    compatStoreInContextPost: {
        parameters: {
            query?: {
                /** @description The metric to change. */
                name?: components["parameters"]["storedName"];
                /** @description The metric to change, by its PMID; `name` wins. */
                pmid?: components["parameters"]["storedPmid"];
                /** @description The new value, read as the metric's type. Required, here or in the body. */
                value?: components["parameters"]["storedValue"];
                /** @description Instance names, such as `1 minute,5 minute`, or patterns for them (see `match`). */
                iname?: components["parameters"]["iname"];
                /** @description Instance identifiers, such as `1,5`. */
                instance?: components["parameters"]["instance"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["StoreBody"];
        responses: {
            200: components["responses"]["DoneAnswer"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["StoringOff"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    mode: {
        parameters: {
            query?: {
                /** @description How fetches go on. */
                mode?: components["parameters"]["mode"];
                /**
                 * @description Where the next fetch starts. Seconds since the epoch, ISO 8601, or one of PCP's own forms (`@14:00`, `5min` from the start,
                 *     `-1hour` from the end; see PCPIntro(1)).
                 */
                time?: components["parameters"]["time"];
                /** @description The time between two fetches with `interp`, such as `10`, `500msec` or `1min 30sec`; `-` goes back in time. */
                interval?: components["parameters"]["step"];
                /** @description The time zone of times that name none, see tzset(3); the archive's own unless said otherwise. */
                zone?: components["parameters"]["zone"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path: {
                /** @description The context's number. */
                context: components["parameters"]["contextInPath"];
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ModeBody"];
        responses: {
            200: components["responses"]["ModeAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    records: {
        parameters: {
            query?: {
                /** @description At most so many. */
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
    batch: {
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
    archives: {
        parameters: {
            query?: never;
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
    search: {
        parameters: {
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                q: components["parameters"]["searchWords"];
                /** @description What to find; all when absent. */
                type?: components["parameters"]["searchType"];
                /** @description What to search; all when absent. */
                field?: components["parameters"]["searchField"];
                /** @description Members of the results to answer; all when absent. */
                return?: components["parameters"]["searchReturn"];
                /** @description Members in which found words are marked. */
                highlight?: components["parameters"]["searchHighlight"];
                /** @description How many of the best results to leave out. */
                offset?: components["parameters"]["searchOffset"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
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
    searchText: {
        parameters: {
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                query: components["parameters"]["searchQuery"];
                /** @description What to find; all when absent. */
                type?: components["parameters"]["searchType"];
                /** @description What to search; all when absent. */
                field?: components["parameters"]["searchTextField"];
                /** @description Members of the results to answer; all when absent. */
                return?: components["parameters"]["searchReturn"];
                /** @description Members in which found words are marked. */
                highlight?: components["parameters"]["searchHighlight"];
                /** @description How many of the best results to leave out. */
                offset?: components["parameters"]["searchOffset"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SearchTextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    searchSuggest: {
        parameters: {
            query: {
                /**
                 * @description What to search for.
                 * @example disk read
                 */
                query: components["parameters"]["searchQuery"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SearchSuggest"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    searchIndom: {
        parameters: {
            query: {
                /**
                 * @description The instance domain.
                 * @example 60.2
                 */
                query: components["parameters"]["searchIndom"];
                /** @description How many of the best results to leave out. */
                offset?: components["parameters"]["searchOffset"];
                /** @description Results to answer at most; 0 is 10. */
                limit?: components["parameters"]["searchLimit"];
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SearchTextAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    searchInfo: {
        parameters: {
            query?: {
                /** @description The context's number; it wins over the one in the path. */
                context?: components["parameters"]["context"];
                /**
                 * @description What to open a context on when none is given: a host in the form of PCPIntro(1), `localhost` unless said otherwise. Only
                 *     hosts that the configuration allows can be reached.
                 */
                hostspec?: components["parameters"]["hostspec"];
                /**
                 * @description Instead of a host: an archive to open a context on when none is given. It is named relative to the configured roots, by its
                 *     base name or by any of its files; a folder, or several names separated by commas, are read as one archive.
                 */
                archive?: components["parameters"]["archive"];
                /** @description Another word for `hostspec`, which wins. */
                hostname?: components["parameters"]["hostname"];
                /** @description Seconds of disuse after which a context that this request makes expires. */
                polltimeout?: components["parameters"]["polltimeout"];
                /** @description Any text; the answer repeats it, and so does an error. */
                client?: components["parameters"]["client"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SearchInfoAnswer"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    healthz: {
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
    readyz: {
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
    openapiYaml: {
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
    openapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OpenapiJson"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DocsPage"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    docsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The file's name.
                 * @example swagger-ui.css
                 */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DocsFile"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
}
