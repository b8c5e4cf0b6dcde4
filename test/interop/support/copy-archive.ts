import { FetchResult, INDOM_NULL, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import type { LabelTarget, MetricDescriptor, Timestamp } from '../../../src/pmapi/index.js';
import type { ArchiveSource } from '../../../src/sources/archive/index.js';
import type { ArchiveWriter } from '../../../src/sources/archive/writing/index.js';

/** Write the records and the metadata of an archive again; answers how many records. Labels are those of its end. */
export async function copyArchive(source: ArchiveSource, writer: ArchiveWriter, mostRecords: number): Promise<number> {
  const descriptors = await describeAll(source, writer);
  const indoms = [...new Set(descriptors.map(({ indom }) => indom))].filter((indom) => indom !== INDOM_NULL);
  const end = await source.end();
  const into = new FetchResult();
  for (let count = 0; count < mostRecords; count++) {
    const record = await source.nextRecord(into).catch((error: unknown) => {
      if (error instanceof PmError && error.pmErr === PM_ERR.EOL) return undefined;
      throw error;
    });
    if (!record) return count;
    const { timestamp } = record;
    if (count === 0) await copyLabels(source, writer, descriptors, indoms, end);
    for (const indom of indoms) {
      const found = await source.instances(indom, timestamp).catch(() => undefined);
      if (found) writer.instances(indom, found.instances);
    }
    if (record.isMark) await writer.mark(timestamp);
    else await writer.append({ timestamp, sets: into.sets });
  }
  return mostRecords;
}

async function describeAll(source: ArchiveSource, writer: ArchiveWriter): Promise<MetricDescriptor[]> {
  const names = await source.traverse('');
  const pmids = [...new Set(await source.lookupNames(names))];
  const found = await source.describe(pmids);
  const descriptors: MetricDescriptor[] = [];
  for (const [i, descriptor] of found.entries()) {
    if (typeof descriptor === 'number') continue;
    descriptors.push(descriptor);
    writer.describe(descriptor, await source.namesOf(pmids[i]!));
    for (const level of ['oneline', 'help'] as const) {
      const target = { kind: 'metric', pmid: descriptor.pmid } as const;
      const text = await source.helpText(target, level);
      if (text !== undefined) writer.help(target, level, text);
    }
  }
  return descriptors;
}

async function copyLabels(
  source: ArchiveSource,
  writer: ArchiveWriter,
  descriptors: readonly MetricDescriptor[],
  indoms: readonly number[],
  end: Timestamp,
): Promise<void> {
  const targets: LabelTarget[] = [
    { kind: 'context' },
    ...descriptors.flatMap(({ pmid }): LabelTarget[] => [
      { kind: 'domain', domain: pmid >>> 22 },
      { kind: 'cluster', pmid },
      { kind: 'item', pmid },
    ]),
    ...indoms.flatMap((indom): LabelTarget[] => [
      { kind: 'indom', indom },
      { kind: 'instances', indom },
    ]),
  ];
  for (const target of targets) writer.labels(target, await source.labels(target, end));
  for (const indom of indoms) {
    for (const level of ['oneline', 'help'] as const) {
      const text = await source.helpText({ kind: 'indom', indom }, level);
      if (text !== undefined) writer.help({ kind: 'indom', indom }, level, text);
    }
  }
}
