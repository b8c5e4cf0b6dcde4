import { makeLabel } from '../../../pmapi/index.js';
import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric, CatalogUnits } from './metric.js';

/** Instance domain 60.3: network interfaces. */
export const INTERFACE_INDOM = indom(
  '60.3',
  'cached-saved',
  'Network interfaces',
  [makeLabel('device_type', 'interface'), makeLabel('indom_name', 'per interface')],
  'The lines of /proc/net/dev, the loopback interface among them. An interface that goes away and comes back has its old number.',
);

/** Instance domain 60.17: interfaces again, as holders of addresses, with numbers of their own. */
export const ADDRESS_INDOM = indom(
  '60.17',
  'cached-saved',
  'Network interfaces that can have addresses',
  [makeLabel('device_type', 'interface'), makeLabel('indom_name', 'per interface')],
  'The entries of /sys/class/net. The numbers are not those of the instance domain of the interface counters.',
);

/** Counters of /proc/net/dev: name, item of cluster 60.3, one line, what it means. */
const DEVICE_COUNTERS: readonly (readonly [
  name: string,
  item: number,
  units: CatalogUnits,
  oneline: string,
  help: string,
])[] = [
  ['in.bytes', 0, 'byte', 'Bytes received', 'Link-layer headers are mostly included; that is up to the driver.'],
  [
    'in.packets',
    1,
    'count',
    'Packets received',
    'Good packets as the driver handed them up; some drivers hand up several joined as one.',
  ],
  [
    'in.errors',
    2,
    'count',
    'Packets received with an error',
    'All kinds of receive errors together; in.fifo and in.frame tell some of them apart.',
  ],
  [
    'in.drops',
    3,
    'count',
    'Packets received and dropped',
    'Good packets with no room for them or no protocol that wanted them.',
  ],
  [
    'in.fifo',
    4,
    'count',
    'Receive overruns of the hardware queue',
    'The host did not empty the device\u2019s buffer in time.',
  ],
  ['in.frame', 5, 'count', 'Packets received with a framing error', 'Wrong length, wrong checksum or bad alignment.'],
  ['in.compressed', 6, 'count', 'Compressed packets received', 'For links such as PPP and SLIP that compress.'],
  ['in.mcasts', 7, 'count', 'Multicast packets received', 'Counted by drivers that tell them apart.'],
  ['out.bytes', 8, 'byte', 'Bytes sent', 'Link-layer headers are mostly included; that is up to the driver.'],
  ['out.packets', 9, 'count', 'Packets sent', 'Packets as the driver was given them; hardware may cut one into many.'],
  [
    'out.errors',
    10,
    'count',
    'Packets that could not be sent for an error',
    'All kinds of transmit errors together; out.fifo and out.carrier tell some of them apart.',
  ],
  [
    'out.drops',
    11,
    'count',
    'Packets dropped before they were sent',
    'Queue full, or a packet that the driver could not take.',
  ],
  [
    'out.fifo',
    12,
    'count',
    'Transmit underruns of the hardware queue',
    'The host did not fill the device\u2019s buffer in time.',
  ],
  ['collisions', 13, 'count', 'Collisions on the medium', 'Shared (half-duplex) media only.'],
  [
    'out.carrier',
    14,
    'count',
    'Losses of carrier while sending',
    'The link went away, or window and heartbeat errors.',
  ],
  ['out.compressed', 15, 'count', 'Compressed packets sent', 'For links such as PPP and SLIP that compress.'],
  ['total.bytes', 16, 'byte', 'Bytes received and sent', 'The sum of in.bytes and out.bytes.'],
  ['total.packets', 17, 'count', 'Packets received and sent', 'The sum of in.packets and out.packets.'],
  ['total.errors', 18, 'count', 'Packets received or sent with an error', 'The sum of in.errors and out.errors.'],
  ['total.drops', 19, 'count', 'Packets dropped on receipt or before sending', 'The sum of in.drops and out.drops.'],
  [
    'total.mcasts',
    20,
    'count',
    'Multicast packets received',
    'The same as in.mcasts, since the kernel does not count multicast packets that are sent.',
  ],
];

/** Facts about interfaces, from /sys/class/net and its neighbours. */
const INTERFACE_FACTS: readonly CatalogMetric[] = [
  metric(
    'network.interface.mtu',
    '60.3.21',
    'u32',
    '60.3',
    'instant',
    'byte',
    'Largest packet of each interface',
    '/sys/class/net/IF/mtu: the payload of a link-layer frame.',
  ),
  metric(
    'network.interface.speed',
    '60.3.22',
    'float',
    '60.3',
    'discrete',
    'Mbyte / sec',
    'Link speed of each interface',
    '/sys/class/net/IF/speed, turned from Mbit/s into Mbyte/s. There is no value while the speed is unknown, as on a link that is down and on most virtual interfaces.',
  ),
  metric(
    'network.interface.baudrate',
    '60.3.23',
    'u64',
    '60.3',
    'discrete',
    'byte / sec',
    'Link speed of each interface, in bytes per second',
    '/sys/class/net/IF/speed, turned from Mbit/s into byte/s. There is no value while the speed is unknown.',
  ),
  metric(
    'network.interface.duplex',
    '60.3.24',
    'u32',
    '60.3',
    'discrete',
    'none',
    'Duplex mode of each interface: 1 half, 2 full',
    '/sys/class/net/IF/duplex. There is no value while the mode is unknown.',
  ),
  metric(
    'network.interface.up',
    '60.3.25',
    'u32',
    '60.3',
    'instant',
    'none',
    'Whether each interface is switched on',
    'The IFF_UP flag of /sys/class/net/IF/flags: what an administrator wants, not whether there is a link.',
  ),
  metric(
    'network.interface.running',
    '60.3.26',
    'u32',
    '60.3',
    'instant',
    'none',
    'Whether each interface is switched on and has a link',
    '1 when IFF_UP is set and /sys/class/net/IF/operstate is "up" or "unknown" (for drivers that do not tell), else 0.',
  ),
  metric(
    'network.interface.wireless',
    '60.3.28',
    'u32',
    '60.3',
    'discrete',
    'none',
    'Whether each interface is wireless',
    '1 when /sys/class/net/IF/wireless exists, else 0.',
  ),
  metric(
    'network.interface.type',
    '60.3.29',
    'u32',
    '60.3',
    'discrete',
    'none',
    'Hardware type of each interface',
    '/sys/class/net/IF/type, an ARPHRD number: 1 is Ethernet, 772 the loopback.',
  ),
  metric(
    'network.interface.virtual',
    '60.3.30',
    'u32',
    '60.3',
    'discrete',
    'none',
    'Whether each interface is virtual',
    '1 when the kernel keeps the interface in /sys/devices/virtual/net, having no device behind it, else 0.',
  ),
];

/** Addresses of interfaces, numbered by instance domain 60.17. */
export const ADDRESS_METRICS: readonly CatalogMetric[] = [
  metric(
    'network.interface.inet_addr',
    '60.33.0',
    'string',
    '60.17',
    'discrete',
    'none',
    'IPv4 address of each interface',
    'The first address of the interface, without prefix length. Interfaces without one have no value.',
  ),
  metric(
    'network.interface.ipv6_addr',
    '60.33.1',
    'string',
    '60.17',
    'discrete',
    'none',
    'IPv6 address of each interface, with prefix length',
    'From /proc/net/if_inet6; of several addresses the one that file lists last. Interfaces without one have no value.',
  ),
  metric(
    'network.interface.ipv6_scope',
    '60.33.2',
    'string',
    '60.17',
    'discrete',
    'none',
    'Scope of the IPv6 address: Global, Link, Site, Host or Compat',
    'From the scope column of /proc/net/if_inet6, for the address that ipv6_addr shows.',
  ),
  metric(
    'network.interface.hw_addr',
    '60.33.3',
    'string',
    '60.17',
    'discrete',
    'none',
    'Hardware (MAC) address of each interface',
    '/sys/class/net/IF/address.',
  ),
];

/** A metric that is one column of /proc/net/snmp or /proc/net/netstat; columns are found by name, which kernels add to. */
export interface ProtocolColumn {
  readonly metric: CatalogMetric;
  readonly file: 'snmp' | 'netstat';
  /** The word before the colon: `Tcp`, `TcpExt`. */
  readonly section: string;
  readonly column: string;
}

/** Name, PMID, column, one line, what it means. */
type ProtocolRow = readonly [name: string, pmid: string, column: string, oneline: string, help: string];

function protocol(
  file: ProtocolColumn['file'],
  section: string,
  rows: readonly ProtocolRow[],
): readonly ProtocolColumn[] {
  return rows.map(([name, pmid, column, oneline, help]) => ({
    file,
    section,
    column,
    metric: metric(
      `network.${name}`,
      pmid,
      'u64',
      null,
      'counter',
      'count',
      oneline,
      `${help} The ${column} column of the ${section} lines in /proc/net/${file}; there is no value when this kernel has no such column.`,
    ),
  }));
}

const ip = protocol('snmp', 'Ip', [
  [
    'ip.forwarding',
    '60.14.0',
    'Forwarding',
    'Whether the host forwards IPv4 packets: 1 yes, 2 no',
    'A state, in spite of the counter semantics that PCP gave it.',
  ],
  ['ip.inreceives', '60.14.2', 'InReceives', 'IPv4 packets received', 'Includes those with errors.'],
  [
    'ip.inaddrerrors',
    '60.14.4',
    'InAddrErrors',
    'IPv4 packets dropped for their destination address',
    'Addresses that are invalid here, or not this host\u2019s while it does not forward.',
  ],
  [
    'ip.forwdatagrams',
    '60.14.5',
    'ForwDatagrams',
    'IPv4 packets forwarded',
    'Packets for others that this host passed on.',
  ],
  ['ip.indiscards', '60.14.7', 'InDiscards', 'Good IPv4 packets dropped on receipt', 'For want of buffers, mostly.'],
  [
    'ip.indelivers',
    '60.14.8',
    'InDelivers',
    'IPv4 packets delivered to protocols',
    'Packets for this host that TCP, UDP, ICMP and others took.',
  ],
  [
    'ip.outrequests',
    '60.14.9',
    'OutRequests',
    'IPv4 packets that protocols asked to send',
    'Forwarded packets are not included.',
  ],
  [
    'ip.outnoroutes',
    '60.14.11',
    'OutNoRoutes',
    'IPv4 packets dropped for want of a route',
    'Packets made here and packets to be forwarded.',
  ],
]);

const icmp = protocol('snmp', 'Icmp', [
  ['icmp.inmsgs', '60.14.20', 'InMsgs', 'ICMP messages received', 'Includes those with errors.'],
  [
    'icmp.inerrors',
    '60.14.21',
    'InErrors',
    'ICMP messages received with an error',
    'Bad checksum, bad length and the like.',
  ],
  [
    'icmp.indestunreachs',
    '60.14.22',
    'InDestUnreachs',
    'ICMP "destination unreachable" received',
    'Others could not deliver what this host sent.',
  ],
  ['icmp.outmsgs', '60.14.33', 'OutMsgs', 'ICMP messages sent', 'Includes those that could not be sent for an error.'],
  [
    'icmp.outerrors',
    '60.14.34',
    'OutErrors',
    'ICMP messages not sent for an error in ICMP itself',
    'For want of buffers, mostly.',
  ],
  [
    'icmp.outdestunreachs',
    '60.14.35',
    'OutDestUnreachs',
    'ICMP "destination unreachable" sent',
    'Packets arrived for a port, protocol or host that this host cannot reach.',
  ],
]);

const tcp = protocol('snmp', 'Tcp', [
  ['tcp.activeopens', '60.14.54', 'ActiveOpens', 'TCP connections opened by this host', 'Attempts, successful or not.'],
  [
    'tcp.passiveopens',
    '60.14.55',
    'PassiveOpens',
    'TCP connections opened by others',
    'Connections to listening sockets.',
  ],
  [
    'tcp.attemptfails',
    '60.14.56',
    'AttemptFails',
    'TCP connections that failed to open',
    'Attempts from either side that were refused or gave up.',
  ],
  [
    'tcp.estabresets',
    '60.14.57',
    'EstabResets',
    'TCP connections reset while established',
    'Connections that ended by a reset instead of an orderly close.',
  ],
  ['tcp.insegs', '60.14.59', 'InSegs', 'TCP segments received', 'Includes those with errors.'],
  ['tcp.outsegs', '60.14.60', 'OutSegs', 'TCP segments sent', 'Retransmissions are not included.'],
  [
    'tcp.retranssegs',
    '60.14.61',
    'RetransSegs',
    'TCP segments sent again',
    'Segments with data that had been sent before.',
  ],
  ['tcp.inerrs', '60.14.62', 'InErrs', 'TCP segments received with an error', 'Bad checksum, bad header and the like.'],
  [
    'tcp.outrsts',
    '60.14.63',
    'OutRsts',
    'TCP resets sent',
    'Answers to segments for ports that nobody listens on, and aborted connections.',
  ],
]);

const udp = protocol('snmp', 'Udp', [
  ['udp.indatagrams', '60.14.70', 'InDatagrams', 'UDP datagrams delivered', 'Datagrams that a socket took.'],
  [
    'udp.noports',
    '60.14.71',
    'NoPorts',
    'UDP datagrams for ports that nobody listens on',
    'Each is answered by an ICMP message, rates permitting.',
  ],
  [
    'udp.inerrors',
    '60.14.72',
    'InErrors',
    'UDP datagrams dropped on receipt',
    'Full socket buffers as well as bad checksums.',
  ],
  ['udp.outdatagrams', '60.14.74', 'OutDatagrams', 'UDP datagrams sent', 'Datagrams that were handed to IP.'],
]);

const tcpExtensions = protocol('netstat', 'TcpExt', [
  [
    'tcp.listenoverflows',
    '60.53.36',
    'ListenOverflows',
    'TCP connections refused by a full accept queue',
    'The program that listens does not accept fast enough, or its backlog is small.',
  ],
  [
    'tcp.listendrops',
    '60.53.37',
    'ListenDrops',
    'TCP connection attempts dropped while listening',
    'For whatever reason; those of listenoverflows are included.',
  ],
  [
    'tcp.fastretrans',
    '60.53.61',
    'TCPFastRetrans',
    'TCP fast retransmissions',
    'Segments sent again because acknowledgements showed the loss, before any timer ran out.',
  ],
  [
    'tcp.slowstartretrans',
    '60.53.63',
    'TCPSlowStartRetrans',
    'TCP retransmissions in slow start',
    'Segments sent again while recovering from a timeout.',
  ],
  [
    'tcp.timeouts',
    '60.53.64',
    'TCPTimeouts',
    'TCP retransmission timeouts',
    'Times that no acknowledgement came until the timer ran out.',
  ],
  [
    'tcp.synretrans',
    '60.53.117',
    'TCPSynRetrans',
    'TCP connection requests sent again',
    'SYN and SYN-ACK segments that had to be repeated.',
  ],
]);

/** IP, ICMP, TCP and UDP. @see proc_pid_net(5) */
export const PROTOCOL_COLUMNS: readonly ProtocolColumn[] = [...ip, ...icmp, ...tcp, ...udp, ...tcpExtensions];

/** A metric that is one field of /proc/net/sockstat or /proc/net/sockstat6. */
export interface SockstatField {
  readonly metric: CatalogMetric;
  readonly file: 'sockstat' | 'sockstat6';
  /** The word before the colon: `TCP`, `sockets`. */
  readonly line: string;
  readonly field: string;
}

/** Fields of /proc/net/sockstat and sockstat6: name, PMID, line, field, one line, what it means. */
type SockstatRow = readonly [name: string, pmid: string, line: string, field: string, oneline: string, help: string];

const SOCKSTAT: readonly SockstatRow[] = [
  [
    'tcp.inuse',
    '60.11.0',
    'TCP',
    'inuse',
    'TCP sockets over IPv4 in use',
    'Listening and connected ones; those in TIME-WAIT are counted in tcp.tw.',
  ],
  ['udp.inuse', '60.11.3', 'UDP', 'inuse', 'UDP sockets over IPv4 in use', 'Bound or connected ones.'],
  ['raw.inuse', '60.11.6', 'RAW', 'inuse', 'Raw sockets over IPv4 in use', 'As ping and the like use them.'],
  [
    'udplite.inuse',
    '60.11.8',
    'UDPLITE',
    'inuse',
    'UDP-Lite sockets over IPv4 in use',
    'UDP-Lite is UDP with a partial checksum, and rare.',
  ],
  [
    'total',
    '60.11.9',
    'sockets',
    'used',
    'Sockets that exist',
    'Sockets of all families, local (Unix domain) ones included.',
  ],
  [
    'tcp.orphan',
    '60.11.10',
    'TCP',
    'orphan',
    'TCP sockets that no process holds any more',
    'Closed by their program, with data or the closing handshake outstanding.',
  ],
  ['tcp.tw', '60.11.11', 'TCP', 'tw', 'TCP sockets in TIME-WAIT', 'Closed connections that linger for stray segments.'],
  ['tcp.alloc', '60.11.12', 'TCP', 'alloc', 'TCP sockets allocated', 'In any state, over IPv4 and IPv6.'],
  ['tcp.mem', '60.11.13', 'TCP', 'mem', 'Pages held by TCP buffers', 'Pages of memory, not bytes.'],
  ['udp.mem', '60.11.14', 'UDP', 'mem', 'Pages held by UDP buffers', 'Pages of memory, not bytes.'],
  [
    'frag.inuse',
    '60.11.15',
    'FRAG',
    'inuse',
    'IPv4 packets being put together from fragments',
    'Reassembly queues in use.',
  ],
  [
    'frag.memory',
    '60.11.16',
    'FRAG',
    'memory',
    'Bytes held for putting IPv4 packets together',
    'Memory of the reassembly queues.',
  ],
  ['tcp6.inuse', '60.73.0', 'TCP6', 'inuse', 'TCP sockets over IPv6 in use', 'Listening and connected ones.'],
  ['udp6.inuse', '60.73.1', 'UDP6', 'inuse', 'UDP sockets over IPv6 in use', 'Bound or connected ones.'],
  ['raw6.inuse', '60.73.3', 'RAW6', 'inuse', 'Raw sockets over IPv6 in use', 'As ping and the like use them.'],
  [
    'frag6.inuse',
    '60.73.4',
    'FRAG6',
    'inuse',
    'IPv6 packets being put together from fragments',
    'Reassembly queues in use.',
  ],
];

/** /proc/net/sockstat and sockstat6. */
export const SOCKSTAT_FIELDS: readonly SockstatField[] = SOCKSTAT.map(([name, pmid, line, field, oneline, help]) => ({
  line,
  field,
  file: line.endsWith('6') ? 'sockstat6' : 'sockstat',
  metric: metric(
    `network.sockstat.${name}`,
    pmid,
    'i32',
    null,
    'instant',
    'count',
    oneline,
    `${help} The ${field} field of the ${line} line in /proc/net/${line.endsWith('6') ? 'sockstat6' : 'sockstat'}.`,
  ),
}));

/** /proc/net/softnet_stat. */
export const SOFTNET_METRICS: readonly CatalogMetric[] = [
  metric(
    'network.softnet.dropped',
    '60.57.1',
    'u64',
    null,
    'counter',
    'count',
    'Packets dropped because a CPU\u2019s backlog was full',
    'The second column of /proc/net/softnet_stat, added up over CPUs. The kernel\u2019s counts are 32-bit and wrap.',
  ),
  metric(
    'network.softnet.time_squeeze',
    '60.57.2',
    'u64',
    null,
    'counter',
    'count',
    'Times that receive processing stopped with work left',
    'The third column of /proc/net/softnet_stat, added up over CPUs: the budget of packets or time ran out. The kernel\u2019s counts are 32-bit and wrap.',
  ),
];

const TCPCONN: readonly (readonly [state: string, item: number, oneline: string, help: string])[] = [
  ['established', 1, 'TCP connections that are established', 'Both sides can send.'],
  ['time_wait', 6, 'TCP connections in TIME-WAIT', 'Closed here first, lingering for stray segments.'],
  [
    'close_wait',
    8,
    'TCP connections in CLOSE-WAIT',
    'Closed by the other side and not yet by the program here: many of them hint at a program that forgets.',
  ],
];

/** /proc/net/tcp. */
export const TCPCONN_METRICS: readonly CatalogMetric[] = TCPCONN.map(([state, item, oneline, help]) =>
  metric(
    `network.tcpconn.${state}`,
    `60.19.${item}`,
    'u32',
    null,
    'instant',
    'count',
    oneline,
    `${help} Counted from /proc/net/tcp: IPv4 only. Reading that file makes the kernel walk a large table, so one reading is shared for a second.`,
  ),
);

/** Interfaces, numbered by instance domain 60.3: /proc/net/dev and /sys/class/net. @see proc_pid_net(5) */
export const INTERFACE_METRICS: readonly CatalogMetric[] = [
  ...DEVICE_COUNTERS.map(([name, item, units, oneline, help]) =>
    metric(
      `network.interface.${name}`,
      `60.3.${item}`,
      'u64',
      '60.3',
      'counter',
      units,
      `${oneline}, each interface`,
      `${help} From /proc/net/dev.`,
    ),
  ),
  ...INTERFACE_FACTS,
  metric(
    'hinv.ninterface',
    '60.3.27',
    'u32',
    null,
    'discrete',
    'none',
    'Network interfaces',
    'The number of instances of network.interface metrics, the loopback interface included.',
  ),
];
