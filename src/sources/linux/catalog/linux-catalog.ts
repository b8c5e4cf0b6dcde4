import { Catalog } from './catalog.js';
import { ROWS } from './rows.generated.js';

/** Everything that the embedded collector serves about this machine and itself: metrics.txt and help.txt. */
export const LINUX_CATALOG = new Catalog(ROWS);

export const AGENT_INDOM = LINUX_CATALOG.indom('2.3');
export const PROCESS_INDOM = LINUX_CATALOG.indom('3.9');
export const CPU_INDOM = LINUX_CATALOG.indom('60.0');
export const DISK_INDOM = LINUX_CATALOG.indom('60.1'); // whole disks
export const LOAD_INDOM = LINUX_CATALOG.indom('60.2'); // 1, 5 and 15 minutes
export const INTERFACE_INDOM = LINUX_CATALOG.indom('60.3'); // with their counters
export const INTERRUPT_INDOM = LINUX_CATALOG.indom('60.4'); // rows of /proc/interrupts
export const FILESYSTEM_INDOM = LINUX_CATALOG.indom('60.5');
export const SWAP_DEVICE_INDOM = LINUX_CATALOG.indom('60.6');
export const PARTITION_INDOM = LINUX_CATALOG.indom('60.10');
export const ADDRESS_INDOM = LINUX_CATALOG.indom('60.17'); // interfaces with their addresses, numbered separately
export const NODE_INDOM = LINUX_CATALOG.indom('60.19');
export const DM_INDOM = LINUX_CATALOG.indom('60.24'); // devices of device-mapper
export const MD_INDOM = LINUX_CATALOG.indom('60.25'); // software RAID
export const SOFTIRQ_INDOM = LINUX_CATALOG.indom('60.36'); // rows of /proc/softirqs
export const PRESSURE_INDOM = LINUX_CATALOG.indom('60.37'); // 10 seconds, 1 and 5 minutes
export const PERCPU_INTERRUPT_INDOM = LINUX_CATALOG.indom('60.40'); // cells of /proc/interrupts
export const PERCPU_SOFTIRQ_INDOM = LINUX_CATALOG.indom('60.41'); // cells of /proc/softirqs
