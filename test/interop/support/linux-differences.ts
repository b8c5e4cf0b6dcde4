/** Where the embedded collector differs from PCP 6.0.3's agents on purpose: what, on what, and why. */
export interface DeliberateDifference {
  readonly metric: RegExp;
  readonly aspect: 'type' | 'value' | 'instances' | 'labels';
  readonly reason: string;
}

const linuxDifferences: readonly DeliberateDifference[] = [
  {
    metric: /^disk\.(?:dm|md)\.(?:read|write|total)_bytes$/,
    aspect: 'type',
    reason: 'u32 in PCP 6.0.3, u64 since; pmgate follows 7.2.1',
  },
  {
    metric: /^network\.interface\.(?:speed|baudrate)$/,
    aspect: 'value',
    reason: 'an unknown link speed (-1 in sysfs) has no value; PCP turns it into 4294967295 Mbit/s',
  },
  {
    metric: /^network\.interface\.type$/,
    aspect: 'value',
    reason:
      'PCP reads 0 for some interfaces when speed or duplex are fetched with it; pmgate gives the ARPHRD number always',
  },
  {
    metric: /^proc\.runq\./,
    aspect: 'value',
    reason: 'PCP counts kernel threads as swapped out; pmgate counts them as kernel threads',
  },
  {
    metric: /^proc\.psinfo\.(?:priority|rt_priority|policy|delayacct_blkio_time|guest_time|cguest_time)$/,
    aspect: 'value',
    reason: 'PCP is off by one field of /proc/<pid>/stat; pmgate gives the right one',
  },
  {
    metric: /^proc\.id\.gid$/,
    aspect: 'value',
    reason: 'PCP shows the real user id under this name; pmgate gives the real group id',
  },
  {
    metric: /^pmcd\./,
    aspect: 'value',
    reason: 'these speak of the collector itself, which here is the gateway and not pmcd',
  },
  {
    metric: /^pmcd\.agent\./,
    aspect: 'instances',
    reason: 'the gateway has its own agents: those whose metrics it serves',
  },
];

/** The reason for a difference, or undefined when there should be none. */
export function reasonFor(metric: string, aspect: DeliberateDifference['aspect']): string | undefined {
  return linuxDifferences.find((difference) => difference.aspect === aspect && difference.metric.test(metric))?.reason;
}
