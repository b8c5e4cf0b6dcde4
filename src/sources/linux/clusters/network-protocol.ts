import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster } from '../cluster.js';
import { PairedLinesFile } from './paired-lines-file.js';
import { cell } from './singular.js';

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
