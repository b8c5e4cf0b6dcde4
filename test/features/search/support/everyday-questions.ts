/**
 * What people type who do not know PCP's names, each with the metrics of which one must be among the first three results. The
 * questions and their answers were written down before anything was looked up; `prefix.*` stands for every metric below a node.
 */
export const EVERYDAY_QUESTIONS: readonly (readonly [question: string, ...metrics: readonly string[]])[] = [
  ['cpu', 'kernel.all.cpu.*', 'kernel.cpu.util.*'],
  ['cpu usage', 'kernel.all.cpu.user', 'kernel.all.cpu.sys', 'kernel.all.cpu.idle', 'kernel.cpu.util.*'],
  ['cpu utilization', 'kernel.all.cpu.user', 'kernel.all.cpu.sys', 'kernel.all.cpu.idle', 'kernel.cpu.util.*'],
  ['cpu load', 'kernel.all.load', 'kernel.all.cpu.*', 'kernel.cpu.util.*'],
  ['idle cpu', 'kernel.all.cpu.idle', 'kernel.cpu.util.idle'],
  ['system cpu time', 'kernel.all.cpu.sys', 'kernel.cpu.util.sys'],
  ['iowait', 'kernel.all.cpu.wait.total', 'kernel.cpu.util.wait'],
  ['steal', 'kernel.all.cpu.steal', 'kernel.cpu.util.steal'],
  ['number of cpus', 'hinv.ncpu'],
  ['how many cores', 'hinv.ncpu'],
  ['cpu speed', 'hinv.cpu.clock'],
  ['cpu frequency', 'hinv.cpu.clock'],
  ['cpu model', 'hinv.cpu.model_name', 'hinv.cpu.model'],
  ['load', 'kernel.all.load'],
  ['load average', 'kernel.all.load'],
  ['context switches', 'kernel.all.pswitch'],
  ['interrupts', 'kernel.all.intr', 'kernel.all.interrupts.total'],
  ['cpu pressure', 'kernel.all.pressure.cpu.*'],
  ['uptime', 'kernel.all.uptime'],
  ['hostname', 'kernel.uname.nodename', 'pmcd.hostname'],
  ['kernel version', 'kernel.uname.release', 'kernel.uname.version'],
  ['operating system', 'kernel.uname.sysname', 'kernel.uname.distro'],
  ['linux distribution', 'kernel.uname.distro'],
  ['timezone', 'pmcd.timezone'],
  ['logged in users', 'kernel.all.nusers', 'kernel.all.nsessions'],
  ['number of processes', 'kernel.all.nprocs', 'proc.nprocs'],
  ['processes', 'kernel.all.nprocs', 'proc.nprocs'],
  ['running processes', 'kernel.all.running', 'kernel.all.runnable', 'proc.runq.runnable'],
  ['process memory', 'proc.memory.rss', 'proc.memory.size', 'proc.psinfo.rss'],
  ['process command line', 'proc.psinfo.psargs'],
  ['threads per process', 'proc.psinfo.threads'],
  ['open files', 'vfs.files.count'],
  ['memory', 'mem.physmem', 'mem.util.used', 'mem.util.free', 'mem.util.available'],
  ['memory usage', 'mem.util.used', 'mem.util.available', 'mem.util.free'],
  ['free memory', 'mem.util.free', 'mem.util.available', 'mem.freemem'],
  ['available memory', 'mem.util.available'],
  ['total memory', 'mem.physmem', 'hinv.physmem'],
  ['ram', 'mem.physmem', 'hinv.physmem', 'mem.util.used', 'mem.util.free', 'mem.util.available'],
  ['cached memory', 'mem.util.cached'],
  ['page faults', 'mem.vmstat.pgfault', 'mem.vmstat.pgmajfault'],
  ['oom kills', 'mem.vmstat.oom_kill'],
  ['swap', 'swap.used', 'swap.free', 'swap.length'],
  ['swap usage', 'swap.used', 'swap.free'],
  ['disk', 'disk.all.*', 'disk.dev.*'],
  ['disk latency', 'disk.dev.await', 'disk.dev.r_await', 'disk.dev.w_await'],
  ['disk reads', 'disk.all.read', 'disk.dev.read'],
  ['disk writes', 'disk.all.write', 'disk.dev.write'],
  ['disk io', 'disk.all.total', 'disk.dev.total', 'disk.all.total_bytes', 'disk.dev.total_bytes'],
  ['disk throughput', 'disk.all.total_bytes', 'disk.dev.total_bytes', 'disk.all.read_bytes', 'disk.dev.read_bytes'],
  ['disk utilization', 'disk.dev.util', 'disk.dev.avactive', 'disk.all.avactive'],
  ['iops', 'disk.all.total', 'disk.dev.total'],
  ['number of disks', 'hinv.ndisk'],
  ['free disk space', 'filesys.free', 'filesys.avail'],
  ['disk space', 'filesys.free', 'filesys.avail', 'filesys.used', 'filesys.capacity', 'filesys.full'],
  ['filesystem usage', 'filesys.used', 'filesys.full'],
  ['inodes', 'filesys.usedfiles', 'filesys.freefiles', 'filesys.maxfiles', 'vfs.inodes.count'],
  ['network', 'network.interface.*', 'network.all.*'],
  ['network traffic', 'network.interface.*', 'network.all.*'],
  ['bandwidth', 'network.interface.*', 'network.all.*'],
  ['network errors', 'network.interface.in.errors', 'network.interface.out.errors', 'network.interface.total.errors'],
  ['dropped packets', 'network.interface.in.drops', 'network.interface.out.drops', 'network.interface.total.drops'],
  ['ip address', 'network.interface.inet_addr'],
  ['mac address', 'network.interface.hw_addr'],
  ['tcp connections', 'network.tcpconn.established', 'network.tcp.currestab'],
  ['retransmits', 'network.tcp.retranssegs'],
  ['who uses the disk', 'proc.io.*'],
  ['who uses the cpu', 'proc.psinfo.utime', 'proc.psinfo.stime'],
  ['docker cpu', 'cgroup.cpu.*', 'cgroup.cpuacct.usage'],
  ['docker memory', 'cgroup.memory.*'],
  ['which process uses most memory', 'proc.psinfo.rss', 'proc.memory.rss'],
];

/** Whether a metric is one of those that answer a question. */
function answers(name: string, metrics: readonly string[]): boolean {
  return metrics.some((metric) => (metric.endsWith('.*') ? name.startsWith(metric.slice(0, -1)) : name === metric));
}

/** What people mean who type one word: the first result. */
const ONE_WORD: typeof EVERYDAY_QUESTIONS = [
  ['cpu', 'kernel.all.cpu.*'],
  ['memory', 'mem.util.used', 'mem.util.free', 'mem.util.available', 'mem.physmem'],
  ['disk', 'disk.all.*', 'disk.dev.*'],
  ['load', 'kernel.all.load'],
  ['network', 'network.interface.total.bytes', 'network.interface.in.bytes', 'network.all.in.bytes'],
];

/** Results of which one must be an answer. */
const FIRST = 3;

/** Ask a gateway every question about one source; answers a line for each that nothing of the first results answers. */
export async function unanswered(port: number, hostspec: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const asked = [
    ...EVERYDAY_QUESTIONS.map((one) => [FIRST, one] as const),
    ...ONE_WORD.map((one) => [1, one] as const),
  ];
  for (const [limit, [question, ...metrics]] of asked) {
    const query = new URLSearchParams({ q: question, hostspec, limit: String(limit), return: 'name' });
    const ask = async (): Promise<{ results: readonly { name: string }[]; warnings?: readonly unknown[] }> =>
      (await (await fetch(`http://127.0.0.1:${port}/search?${query.toString()}`)).json()) as never;
    let answer = await ask();
    // Names alone answer while help texts are being read.
    while (answer.warnings) answer = await ask();
    const found = answer.results.map(({ name }) => name);
    if (!found.some((name) => answers(name, metrics))) lines.push(`${question}: ${found.join(', ')}`);
  }
  return lines;
}
