import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import { cell } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { NumberGrid, Sample, addNumber } from '../sample.js';
import { PairedLinesFile } from '../file-samples.js';

/**
 * Metrics, and the column of the file that each one is, `Section:Column`: columns are found by name, because kernels add to them.
 * @see proc_pid_net(5)
 */
const COLUMNS: Readonly<Record<'snmp' | 'netstat', readonly (readonly [metric: string, column: string])[]>> = {
  snmp: [
    ['network.ip.forwarding', 'Ip:Forwarding'],
    ['network.ip.inreceives', 'Ip:InReceives'],
    ['network.ip.inaddrerrors', 'Ip:InAddrErrors'],
    ['network.ip.forwdatagrams', 'Ip:ForwDatagrams'],
    ['network.ip.indiscards', 'Ip:InDiscards'],
    ['network.ip.indelivers', 'Ip:InDelivers'],
    ['network.ip.outrequests', 'Ip:OutRequests'],
    ['network.ip.outnoroutes', 'Ip:OutNoRoutes'],
    ['network.icmp.inmsgs', 'Icmp:InMsgs'],
    ['network.icmp.inerrors', 'Icmp:InErrors'],
    ['network.icmp.indestunreachs', 'Icmp:InDestUnreachs'],
    ['network.icmp.outmsgs', 'Icmp:OutMsgs'],
    ['network.icmp.outerrors', 'Icmp:OutErrors'],
    ['network.icmp.outdestunreachs', 'Icmp:OutDestUnreachs'],
    ['network.tcp.activeopens', 'Tcp:ActiveOpens'],
    ['network.tcp.passiveopens', 'Tcp:PassiveOpens'],
    ['network.tcp.attemptfails', 'Tcp:AttemptFails'],
    ['network.tcp.estabresets', 'Tcp:EstabResets'],
    ['network.tcp.insegs', 'Tcp:InSegs'],
    ['network.tcp.outsegs', 'Tcp:OutSegs'],
    ['network.tcp.retranssegs', 'Tcp:RetransSegs'],
    ['network.tcp.inerrs', 'Tcp:InErrs'],
    ['network.tcp.outrsts', 'Tcp:OutRsts'],
    ['network.udp.indatagrams', 'Udp:InDatagrams'],
    ['network.udp.noports', 'Udp:NoPorts'],
    ['network.udp.inerrors', 'Udp:InErrors'],
    ['network.udp.outdatagrams', 'Udp:OutDatagrams'],
  ],
  netstat: [
    ['network.tcp.listenoverflows', 'TcpExt:ListenOverflows'],
    ['network.tcp.listendrops', 'TcpExt:ListenDrops'],
    ['network.tcp.fastretrans', 'TcpExt:TCPFastRetrans'],
    ['network.tcp.slowstartretrans', 'TcpExt:TCPSlowStartRetrans'],
    ['network.tcp.timeouts', 'TcpExt:TCPTimeouts'],
    ['network.tcp.synretrans', 'TcpExt:TCPSynRetrans'],
  ],
};

/** network.ip, network.icmp, network.tcp and network.udp, from /proc/net/snmp and /proc/net/netstat. */
export function networkProtocolCluster({ files }: ClusterEnvironment): LocalCluster {
  const table = new Map(
    Object.entries(COLUMNS).flatMap(([file, rows]) => {
      const sample = new PairedLinesFile(
        files,
        `proc/net/${file}`,
        rows.map(([, column]) => column),
      );
      return rows.map(([metric], column) => [metric, cell([sample], sample.fields, column)] as const);
    }),
  );
  return { name: 'network-protocol', metrics: LINUX_CATALOG.bind(table) };
}

/** Metrics, and the field of the file that each one is, `LINE:field`. */
const FIELDS: Readonly<Record<'sockstat' | 'sockstat6', readonly (readonly [metric: string, field: string])[]>> = {
  sockstat: [
    ['network.sockstat.tcp.inuse', 'TCP:inuse'],
    ['network.sockstat.udp.inuse', 'UDP:inuse'],
    ['network.sockstat.raw.inuse', 'RAW:inuse'],
    ['network.sockstat.udplite.inuse', 'UDPLITE:inuse'],
    ['network.sockstat.total', 'sockets:used'],
    ['network.sockstat.tcp.orphan', 'TCP:orphan'],
    ['network.sockstat.tcp.tw', 'TCP:tw'],
    ['network.sockstat.tcp.alloc', 'TCP:alloc'],
    ['network.sockstat.tcp.mem', 'TCP:mem'],
    ['network.sockstat.udp.mem', 'UDP:mem'],
    ['network.sockstat.frag.inuse', 'FRAG:inuse'],
    ['network.sockstat.frag.memory', 'FRAG:memory'],
  ],
  sockstat6: [
    ['network.sockstat.tcp6.inuse', 'TCP6:inuse'],
    ['network.sockstat.udp6.inuse', 'UDP6:inuse'],
    ['network.sockstat.raw6.inuse', 'RAW6:inuse'],
    ['network.sockstat.frag6.inuse', 'FRAG6:inuse'],
  ],
};

/** Lines of a name and pairs of field and number: `TCP: inuse 2 orphan 0 tw 0 alloc 2 mem 116`. */
class Sockstat extends Sample {
  /** One row, with a column for each wanted key. */
  readonly fields: NumberGrid;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #columns: ReadonlyMap<string, number>;

  /** `keys` are `LINE:field`. */
  constructor(files: ProcFiles, path: string, keys: readonly string[]) {
    super();
    this.#files = files;
    this.#file = files.file(path);
    this.fields = new NumberGrid(keys.length);
    this.#columns = new Map(keys.map((key, column) => [key, column]));
  }

  protected override refresh(): void {
    this.fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    while (!scanner.atEnd) {
      const line = scanner.word();
      for (let field = scanner.word(); field !== '' && scanner.integer(); field = scanner.word()) {
        const column = this.#columns.get(line + field);
        if (column !== undefined) this.fields.store(0, column, scanner);
      }
      scanner.nextLine();
    }
  }
}

/** network.sockstat.*, from /proc/net/sockstat and /proc/net/sockstat6. */
export function networkSockstatCluster({ files }: ClusterEnvironment): LocalCluster {
  const table = new Map(
    Object.entries(FIELDS).flatMap(([file, rows]) => {
      const sample = new Sockstat(
        files,
        `proc/net/${file}`,
        rows.map(([, field]) => field),
      );
      return rows.map(([metric], column) => [metric, cell([sample], sample.fields, column)] as const);
    }),
  );
  return { name: 'network-sockstat', metrics: LINUX_CATALOG.bind(table) };
}

const HEX_WORD = /^[0-9a-f]{1,8}$/i;

/** /proc/net/softnet_stat: a line for each CPU, of hexadecimal columns without names. */
class Softnet extends Sample {
  /** Sums over all CPUs; NaN when no line could be read. */
  dropped = NaN;
  timeSqueeze = NaN;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles) {
    super();
    this.#files = files;
    this.#file = files.file('proc/net/softnet_stat');
  }

  protected override refresh(): void {
    this.dropped = NaN;
    this.timeSqueeze = NaN;
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    while (!scanner.atEnd) {
      const [processed, dropped, timeSqueeze] = [scanner.word(), scanner.word(), scanner.word()];
      scanner.nextLine();
      if (![processed, dropped, timeSqueeze].every((word) => HEX_WORD.test(word))) continue;
      this.dropped = (Number.isNaN(this.dropped) ? 0 : this.dropped) + parseInt(dropped, 16);
      this.timeSqueeze = (Number.isNaN(this.timeSqueeze) ? 0 : this.timeSqueeze) + parseInt(timeSqueeze, 16);
    }
  }
}

/** network.softnet.*. */
export function networkSoftnetCluster({ files }: ClusterEnvironment): LocalCluster {
  const softnet = new Softnet(files);
  const single = (valueOf: () => number): MetricBinding => ({
    kind: 'quick',
    samples: [softnet],
    fill(set) {
      const value = valueOf();
      if (!Number.isNaN(value)) addNumber(set, INSTANCE_NULL, value);
    },
  });
  const bindings = new Map([
    ['network.softnet.dropped', single(() => softnet.dropped)],
    ['network.softnet.time_squeeze', single(() => softnet.timeSqueeze)],
  ]);
  return { name: 'network-softnet', metrics: LINUX_CATALOG.bind(bindings) };
}
