import { PRESSURE_INDOM } from '../catalog/linux-catalog.js';
import { pressure } from '../file-samples.js';
import { tableCluster } from '../table.js';

const SPANS = [
  { id: 10, name: '10 second' },
  { id: 60, name: '1 minute' },
  { id: 300, name: '5 minute' },
];

export const pressureCluster = tableCluster(
  'pressure',
  {
    'proc/pressure/cpu': pressure,
    'proc/pressure/memory': pressure,
    'proc/pressure/io': pressure,
    'proc/pressure/irq': pressure,
  },
  { catalog: PRESSURE_INDOM, instances: SPANS },
);
