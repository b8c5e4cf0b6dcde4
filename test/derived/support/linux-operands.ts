import { Given } from './given.js';

const DISK_METRICS = ['read', 'write', 'total', 'discard', 'flush'].flatMap((operation) => [
  `${operation} U64 counter INDOM "count"`,
  `${operation}_rawactive U32 counter INDOM "millisec"`,
  `${operation}_bytes U64 counter INDOM "Kbyte"`,
]);
const DISK_INDOMS = { dev: '60.1', dm: '60.24', md: '60.25', wwid: '60.46' };
const BCC = ['tcp.recv', 'tcp.send', 'udp.recv', 'udp.send'];
/** What the metrics of the linux, proc and bcc collectors are that the shipped definitions and PCP's own take. */
export const linuxOperands = new Given([
  {
    word: 'metrics',
    rest: '',
    lines: [
      ...['user', 'nice', 'sys', 'idle', 'intr', 'wait.total', 'steal'].map(
        (name) => `kernel.all.cpu.${name} U64 counter - "millisec"`,
      ),
      'hinv.ncpu U32 discrete - ""',
      ...Object.entries(DISK_INDOMS).flatMap(([family, indom]) =>
        [...DISK_METRICS, 'avactive U32 counter INDOM "millisec"'].map(
          (metric) => `disk.${family}.${metric.replace('INDOM', indom)}`,
        ),
      ),
      'kernel.all.uptime DOUBLE instant - "sec"',
      'proc.psinfo.start_time U64 discrete 3.9 "millisec"',
      'proc.psinfo.utime U64 counter 3.9 "millisec"',
      'proc.psinfo.stime U64 counter 3.9 "millisec"',
      'proc.memory.vmrss U32 instant 3.9 "Kbyte"',
      'proc.memory.vmswap U32 instant 3.9 "Kbyte"',
      ...['read_bytes', 'write_bytes', 'cancelled_write_bytes'].map((name) => `proc.io.${name} U64 counter 3.9 "byte"`),
      ...BCC.map((name) => `bcc.proc.net.${name}.bytes U64 counter 149.17 "byte"`),
    ],
  },
]);
