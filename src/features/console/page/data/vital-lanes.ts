import { laneOf, type Lane } from '../state/url-state.js';

/** Series of disks and network interfaces on the first screen; most of a machine's are idle. */
const FEW = 4;

/** The interface of what a machine sends to itself: no traffic of the network. */
export const LOOPBACK = 'lo';

/** What processors spend their time on, except idling. */
export const PROCESSOR_TIMES: readonly string[] = ['user', 'nice', 'sys', 'intr', 'steal', 'wait'].map(
  (kind) => `kernel.cpu.util.${kind}`,
);

/** The lanes of the first screen, as far as the source has their metrics; an empty chart can begin with one of them. */
export const VITAL_LANES: readonly { readonly title: string; readonly lane: Lane }[] = [
  { title: 'Processors', lane: { ...laneOf(...PROCESSOR_TIMES), form: 'stack' } },
  { title: 'Load', lane: laneOf('kernel.all.load') },
  { title: 'Memory', lane: laneOf('mem.util.available', 'mem.util.cached', 'mem.util.free') },
  { title: 'Disks', lane: { ...laneOf('disk.dev.read_bytes', 'disk.dev.write_bytes'), top: FEW } },
  {
    title: 'Network',
    lane: {
      ...laneOf('network.interface.in.bytes', 'network.interface.out.bytes'),
      top: FEW,
      instances: `!${LOOPBACK}`,
    },
  },
];
