import { Catalog } from './catalog.js';
import { ROWS } from './rows.generated.js';

/** Everything that the embedded collector serves about this machine and itself: metrics.txt and help.txt. */
export const LINUX_CATALOG = new Catalog(ROWS);

/** Agents of the collector. */
export const AGENT_INDOM = LINUX_CATALOG.indom('2.3');
/** Processes. */
export const PROCESS_INDOM = LINUX_CATALOG.indom('3.9');
/** CPUs. */
export const CPU_INDOM = LINUX_CATALOG.indom('60.0');
/** Whole disks. */
export const DISK_INDOM = LINUX_CATALOG.indom('60.1');
/** The three load averages. */
export const LOAD_INDOM = LINUX_CATALOG.indom('60.2');
/** Network interfaces, with their counters. */
export const INTERFACE_INDOM = LINUX_CATALOG.indom('60.3');
/** Rows of /proc/interrupts. */
export const INTERRUPT_INDOM = LINUX_CATALOG.indom('60.4');
/** Mounted file systems. */
export const FILESYSTEM_INDOM = LINUX_CATALOG.indom('60.5');
/** Active swap devices and files. */
export const SWAP_DEVICE_INDOM = LINUX_CATALOG.indom('60.6');
/** Partitions. */
export const PARTITION_INDOM = LINUX_CATALOG.indom('60.10');
/** Network interfaces, with their addresses, numbered separately. */
export const ADDRESS_INDOM = LINUX_CATALOG.indom('60.17');
/** NUMA nodes. */
export const NODE_INDOM = LINUX_CATALOG.indom('60.19');
/** Device-mapper devices. */
export const DM_INDOM = LINUX_CATALOG.indom('60.24');
/** Software RAID devices. */
export const MD_INDOM = LINUX_CATALOG.indom('60.25');
/** Rows of /proc/softirqs. */
export const SOFTIRQ_INDOM = LINUX_CATALOG.indom('60.36');
/** The time spans of pressure averages. */
export const PRESSURE_INDOM = LINUX_CATALOG.indom('60.37');
/** Cells of /proc/interrupts. */
export const PERCPU_INTERRUPT_INDOM = LINUX_CATALOG.indom('60.40');
/** Cells of /proc/softirqs. */
export const PERCPU_SOFTIRQ_INDOM = LINUX_CATALOG.indom('60.41');
