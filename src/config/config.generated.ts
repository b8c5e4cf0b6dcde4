// Generated from config/pmgate.schema.json by `npm run generate`. Do not edit.
/** The configuration as the gateway sees it: complete, validated and frozen. */
export interface Config {
  /** Where the gateway listens. */
  readonly listen: {
    /** The address to listen on. Any address beyond loopback exposes your metrics to the network. */
    readonly host: string;
    /** The TCP port; 0 selects any free port. */
    readonly port: number;
    /** Host names accepted in the Host header, in addition to IP addresses, localhost and names without a dot; for https://metrics.example.com add metrics.example.com. Requests with other names are rejected (421) unless they have credentials: this protects against DNS rebinding. */
    readonly names: readonly string[];
    /** The certificate chain (PEM) for HTTPS; reloaded on SIGHUP. null: HTTP. */
    readonly certificateFile: string | null;
    /** The private key (PEM) of the certificate. */
    readonly keyFile: string | null;
    /** With a certificate: the max-age of Strict-Transport-Security (HSTS), in seconds; 31536000 is a year. 0: the header is not sent. HSTS applies to all ports of the host name, including those that still serve HTTP. */
    readonly strictTransportSec: number;
    /** The path below which a proxy that passes paths on unchanged serves the gateway: with /pmgate, /pmgate/docs is /docs. Requests without it are served, too. A proxy that removes the prefix needs no option. */
    readonly basePath: string;
  };
  /** Authentication and authorization. */
  readonly access: {
    /** A YAML file of users (passwords hashed by `pmgate passwd`), tokens (from `pmgate token`) and roles; reloaded on SIGHUP. null: all clients are anonymous. */
    readonly file: string | null;
    /** From where clients without credentials are accepted: nowhere, loopback or anywhere. Listening beyond loopback requires access.file, or setting this to anywhere. */
    readonly anonymousFrom: 'nowhere' | 'loopback' | 'anywhere';
    /** The roles of clients without credentials: read, derive, store, push, admin, or roles defined in the file. */
    readonly anonymousRoles: readonly string[];
    /** Failed logins allowed per address and minute (repeating the same credentials counts once); beyond that, 429 without checking. Credentials verified recently stay valid. For addresses in clients.exempt, which many clients share, failed passwords are counted per user name. */
    readonly failedLogins: number;
  };
  /** The target of local hostspecs (localhost, 127.0.0.1, ::1). */
  readonly local: {
    /** auto: the pmcd of this machine if it is running, otherwise the embedded collector (requests without a context switch to pmcd when it starts, and back when it has been gone for 5 seconds; contexts created by clients stay where they were opened); pmcd: only pmcd; embedded: only the embedded collector. The hostspec embedded always selects the embedded collector. */
    readonly source: 'auto' | 'pmcd' | 'embedded';
    /** Enables the embedded collector; without it, only the gateway's own metrics are available. */
    readonly collector: boolean;
    /** Enables per-process metrics (proc.*) in the embedded collector, including the command lines of all users. */
    readonly processes: boolean;
    /** The directory below which the embedded collector finds /proc, /sys, /sys/fs/cgroup and /etc: / for this machine, /host for a container that has the root of its host there. */
    readonly root: string;
    /** Fetches within this many milliseconds share one reading of the machine; 0: every fetch reads. */
    readonly snapshotMs: number;
    /** The directory of the MMV files with which applications export metrics (mmv.*) to the embedded collector. auto: mmv in PCP_TMP_DIR of the environment or of /etc/pcp.conf, if either is set; null: no files are read. Each file is as trustworthy as the user who owns it. */
    readonly mmvDirectory: string | null;
  };
  /** The live hosts that clients may reach. Responses do not reveal whether a target is forbidden, unknown, closed or silent. */
  readonly hosts: {
    /** Allowed hosts besides this machine: name, address, glob (*.example.com) or CIDR block (10.0.0.0/8), each with :port, :* or neither for pmcd's own port. A reload closes connections to hosts that are no longer allowed. */
    readonly allow: readonly string[];
    /** Named targets, which keep addresses and credentials out of URLs: {web1: pcp://10.0.0.7}. With archives in addition to those whose label names the host: {web1: {live: pcp://10.0.0.7, archives: [web1/*]}}. */
    readonly named: Readonly<Record<string, string | {
      /** The hostspec. */
      readonly live: string;
      /** Globs of names of archives that belong to this host, whatever their labels say. */
      readonly archives: readonly string[];
    }>>;
    /** Allows unix: and local: targets, which use the gateway's credentials. */
    readonly allowSockets: boolean;
    /** Connections per pmcd, shared by all its contexts: one for fetches, the others for metadata. */
    readonly connections: number;
    /** Maximum number of live hosts; beyond it the least recently used idle host is evicted, and if all are in use, requests are rejected. */
    readonly max: number;
    /** Maximum number of concurrent requests per live host; beyond that, 503. */
    readonly requests: number;
    /** Timeout for connecting to a host, in seconds; rejections take as long. */
    readonly connectTimeoutSec: number;
    /** Timeout for a reply from pmcd, in seconds; after it the connection is closed. */
    readonly replyTimeoutSec: number;
  };
  /** PCP archives and their limits. */
  readonly archives: {
    /** Directories with the archives that clients may open, by relative name, for example /var/log/pcp/pmlogger. Nothing outside is accessible. */
    readonly roots: readonly string[];
    /** Maximum number of archives in use, counting each part of a multi-archive context; beyond that, 503. */
    readonly max: number;
    /** Memory for cached archive data: indexes, columns and blocks together. */
    readonly cacheBytes: number;
    /** Disk space for decompressed copies of archives; one file may use a quarter of it. */
    readonly inflatedBytes: number;
    /** How long an unused archive stays open, in seconds. */
    readonly idleSec: number;
    /** Maximum number of values read by one range: samples x metrics x instances; beyond that, 413. */
    readonly rangeValues: number;
    /** Maximum number of points that a range can be decimated to. */
    readonly rangePoints: number;
    /** Directory for decompressed copies. null: the system's directory for temporary files. */
    readonly tempDirectory: string | null;
  };
  /** Archives that pmlogger and pmlogpush of PCP 7 send, from hosts that cannot be reached. */
  readonly push: {
    /** Lets clients push archives, which are kept in the state directory and opened as `pushed/HOST/NAME`. */
    readonly enabled: boolean;
    /** Addresses and CIDR blocks whose clients may push without credentials. Other clients need a role with the permission `push`. */
    readonly from: readonly string[];
    /** How many days an archive is kept after its last record arrived. */
    readonly keepDays: number;
    /** Disk space for pushed archives; the oldest archive is removed first. */
    readonly keepBytes: number;
    /** Disk space for the archives of one client (a user, a token or an address); its oldest archive is removed first. */
    readonly clientBytes: number;
    /** How many archives of one client are kept. */
    readonly clientArchives: number;
    /** Bytes per second that one client may push; beyond it, responses are delayed. */
    readonly bytesPerSec: number;
  };
  /** Recording of metrics into archives in the state directory. */
  readonly record: {
    /** Records metrics into archives in the state directory, which clients open as `recorded`. */
    readonly enabled: boolean;
    /** The host to record: a hostspec that clients could use, too. null: this machine, by the embedded collector if it is enabled. */
    readonly host: string | null;
    /** Metrics and subtrees to record, including derived metrics from files, by interval in seconds: {10: [kernel.all, disk.dev], 60: [filesys]}. {}: those in config/record/core-metrics.txt every 10 seconds. */
    readonly groups: Readonly<Record<string, readonly string[]>>;
    /** Records the control groups and the busiest processes: config/record/who.txt and who-besides.txt list the metrics. */
    readonly who: boolean;
    /** The interval of control groups and processes, in seconds. */
    readonly whoSec: number;
    /** Bytes per day, before compression, that control groups and processes may take of keepBytes; beyond it, they are sampled less often. */
    readonly whoBytes: number;
    /** Records the command lines of processes, which may contain passwords; otherwise only their names. */
    readonly commandLines: boolean;
    /** How many days are kept. */
    readonly keepDays: number;
    /** Disk space for recordings; the oldest archive is removed first. */
    readonly keepBytes: number;
    /** Size at which a volume is closed and compressed. */
    readonly volumeBytes: number;
  };
  /** What /diagnosis takes for trouble. */
  readonly diagnosis: {
    /** Files of rules besides those in config/diagnosis/rules.yaml, in the same format. A rule with the name of an earlier one replaces it. */
    readonly files: readonly string[];
  };
  /** Derived metrics that every context sees. */
  readonly derived: {
    /** Loads the definitions in config/derived: CPU and disk utilisation and the like. */
    readonly shipped: boolean;
    /** Additional definition files, in the format of pmLoadDerivedConfig(3). */
    readonly files: readonly string[];
    /** The file where definitions registered over REST are saved. null: derived.json in the state directory. */
    readonly stateFile: string | null;
    /** Allows clients to register and remove global derived metrics. */
    readonly allowMutation: boolean;
  };
  /** Changing values of metrics (pmStore). */
  readonly store: {
    /** Enables POST /pmapi/{context}/store for clients with the permission store. Clients without credentials have it with access.anonymousRoles: [read, derive, store]. */
    readonly enabled: boolean;
    /** Enables the GET form of old clients as well; any web page can make a browser send it. */
    readonly allowGet: boolean;
  };
  /** The web page at /console/. */
  readonly console: {
    /** Serves the page, and redirects browsers from / to it. */
    readonly enabled: boolean;
  };
  /** The interface for assistants, by the Model Context Protocol, at /mcp. */
  readonly mcp: {
    /** Serves it. null: only if listen.host is a loopback address. */
    readonly enabled: boolean | null;
  };
  /** State that survives a restart, for example instance numbers. */
  readonly state: {
    /** Directory of the state files. null: $XDG_STATE_HOME/pmgate or ~/.local/state/pmgate, and /var/lib/pmgate for root. */
    readonly directory: string | null;
  };
  /** Lifetime and history of contexts. Unused contexts expire; clients set the time with polltimeout=SECONDS. */
  readonly contexts: {
    /** Default polltimeout: a context unused for this many seconds expires. */
    readonly pollTimeoutSec: number;
    /** Maximum polltimeout that clients may request, in seconds. */
    readonly maxPollTimeoutSec: number;
    /** Memory for recent samples of live hosts, used by range queries; 0 disables the history. */
    readonly historyBytes: number;
    /** How long these samples are kept, in seconds. */
    readonly historySec: number;
    /** Metrics and subtrees that the gateway samples every second, so that they are remembered before the first request. []: none. */
    readonly remember: readonly string[];
    /** Hostspecs from which contexts.remember is sampled. */
    readonly rememberHosts: readonly string[];
  };
  /** Streams of samples (server-sent events). Clients that stream the same metrics share one fetch per interval. */
  readonly streams: {
    /** Maximum number of open streams; beyond that, 503. */
    readonly maxSubscribers: number;
    /** Memory for the replay buffers of streams, used when clients reconnect. */
    readonly historyBytes: number;
    /** How long sent events are kept, and how long sampling continues after the last client has disconnected, in seconds. */
    readonly lingerSec: number;
    /** Minimum interval of a stream, in milliseconds. */
    readonly minIntervalMsec: number;
    /** Approximate time of silence after which a heartbeat comment is sent, in seconds. */
    readonly heartbeatSec: number;
    /** Maximum number of unread bytes per client; a client that exceeds it is disconnected, and may resume. */
    readonly bufferBytes: number;
  };
  /** Web pages that may read responses. */
  readonly cors: {
    /** Allowed origins in addition to those on localhost, for example https://grafana.example.com. */
    readonly origins: readonly string[];
  };
  /** Limits of the whole gateway. */
  readonly limits: {
    /** Maximum number of open contexts; beyond that, 429. */
    readonly contexts: number;
    /** Maximum number of metrics in one request; beyond that, 413. More than 16377 metrics of a live host are fetched in several steps, one right after the other; the response has the time of the first. */
    readonly names: number;
    /** Maximum length of a URL; beyond that, 414. */
    readonly urlBytes: number;
    /** Maximum length of a request body; beyond that, 413. */
    readonly bodyBytes: number;
    /** Maximum number of requests in one batch; beyond that, 413. */
    readonly batch: number;
    /** Maximum total size of the responses of one batch, in bytes; entries beyond it fail with 413. */
    readonly batchBytes: number;
    /** Timeout for receiving the request headers, in seconds (408). It also applies to the TLS handshake, and changing that part requires a restart. */
    readonly headersTimeoutSec: number;
    /** Timeout for receiving a request, including its body, in seconds (408). */
    readonly requestTimeoutSec: number;
    /** How long an idle connection stays open, in seconds; set it higher than in the proxies in front. */
    readonly keepAliveTimeoutSec: number;
    /** Maximum number of client connections; more are refused. */
    readonly connections: number;
    /** Maximum number of concurrent requests, not counting streams; beyond that, 503. Health probes are always answered. */
    readonly requests: number;
    /** Maximum number of concurrent ranges; others wait for a while, then 503. */
    readonly ranges: number;
    /** Maximum number of values in a response other than a range, of metrics in an exposition, and of elements in a list of metadata; beyond that, 413. A string counts once more for every 32 characters, and a list may have 64 characters for each value. */
    readonly values: number;
    /** Maximum delay of the event loop, in milliseconds; beyond that, some requests are rejected with 503. */
    readonly loopDelayMs: number;
    /** Memory for client state: a sixteenth each for global derived metrics, derived metrics of contexts, and instance profiles, and an eighth for open streams (507 when full); a quarter for plans, views and histories of fetches, an eighth for programs of derived metrics, and the rest for metadata of sources (least recently used entries are evicted). */
    readonly memoryBytes: number;
    /** Maximum total size of large responses not yet read by clients, in bytes; beyond that, 503. */
    readonly unsentBytes: number;
    /** How long a client may stop reading a response before it is disconnected, in seconds. */
    readonly writeTimeoutSec: number;
    /** How long shutdown waits for requests in progress, in seconds. */
    readonly drainSec: number;
  };
  /** Limits per client: by name for users and tokens, by address for others (IPv6: by /64 network). 0: no limit. */
  readonly clients: {
    /** Requests per second, with a burst of the same size; entries of a batch count. Beyond that, 429. */
    readonly requestsPerSec: number;
    /** Maximum number of concurrent requests; beyond that, 429. */
    readonly requests: number;
    /** Maximum number of open contexts; beyond that, 429. */
    readonly contexts: number;
    /** Maximum number of open streams; beyond that, 429. */
    readonly streams: number;
    /** Maximum number of connections per address, regardless of the user; more are closed at once. */
    readonly connections: number;
    /** Addresses and CIDR blocks shared by many clients, for example a proxy: anonymous requests and connections from here are not limited. */
    readonly exempt: readonly string[];
  };
  /** Several gateways that share contexts and global derived metrics through Valkey (or Redis 7.0 or later). See the guide's page on fleets. */
  readonly cluster: {
    /** The server: `valkey://HOST:PORT`, or `valkeys://…` for TLS; optionally with a user name and a database number: `valkey://USER@HOST:PORT/DB`. Passwords belong in passwordFile. null without sentinels: no fleet. */
    readonly url: string | null;
    /** HOST:PORT of each Sentinel that watches the servers, instead of url. */
    readonly sentinels: readonly string[];
    /** The name of the servers at the Sentinels. */
    readonly service: string;
    /** A file with the password for the servers. null: none. */
    readonly passwordFile: string | null;
    /** The user name for the servers, unless url has one. null: the default user. */
    readonly user: string | null;
    /** The user name for the Sentinels. null: the default user. */
    readonly sentinelUser: string | null;
    /** A file with the password for the Sentinels. null: none. */
    readonly sentinelPasswordFile: string | null;
    /** TLS for the connections to the Sentinels and to the servers that they name; for a single server, `valkeys://` has the same effect. */
    readonly tls: boolean;
    /** The certificate of the CA of the servers and Sentinels, in PEM. null: those of the system. */
    readonly caFile: string | null;
    /** The name of this gateway in logs and in /readyz. null: host name and port. */
    readonly name: string | null;
    /** The beginning of all keys. Gateways with the same prefix on the same servers form one fleet. */
    readonly prefix: string;
    /** How many replicas of the server must have a change before it is acknowledged. 0, for a server without replicas: changes are lost if it loses its data while no gateway runs. */
    readonly replicas: number;
    /** The address at which this gateway accepts requests of the others; they must be able to reach it. */
    readonly linkHost: string;
    /** The port for these requests; 0: any free port. null: each gateway answers the requests that it receives, and contexts are known to one gateway only. */
    readonly linkPort: number | null;
    /** The certificate of this gateway for the others, in PEM; with linkKeyFile and linkCaFile. It must name linkHost. */
    readonly linkCertificateFile: string | null;
    /** Its private key, in PEM. */
    readonly linkKeyFile: string | null;
    /** The certificate of the CA that signed those of all gateways, in PEM. Anyone with a certificate of this CA can act as any client. */
    readonly linkCaFile: string | null;
    /** A file with a secret of at least 32 characters that all gateways share, instead of certificates; only for gateways on one machine. */
    readonly linkSecretFile: string | null;
    /** What localhost means in a fleet, also for requests that name no host. own: the machine of the gateway that answers. refuse: an error. auto: own if linkHost is a loopback address, so that all gateways are on one machine; otherwise refuse. Anything else: the hostspec that localhost means. */
    readonly local: string;
    /** What /readyz returns while this gateway cannot reach the servers: serve (200), or refuse (503, so that a load balancer stops using it). */
    readonly whenAlone: 'serve' | 'refuse';
  };
  /** Logging to standard error: JSON lines, or a readable form on a terminal. */
  readonly log: {
    /** The minimum level of messages: trace, debug, info, warn, error, fatal or silent. */
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
    /** Logs every request (level info); otherwise only those that fail with an internal error. */
    readonly requests: boolean;
  };
}

/** The SHA-256 of config/pmgate.yaml, which changes nothing. */
export const SHIPPED_FILE = 'afcaa166c1979ca91a0e79d46a111d646af244708e846766ec1d0612c25d2c85';
