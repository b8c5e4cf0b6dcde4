import type { NamedSample } from '../metric-directory.js';
import type { Session } from '../session.js';
import { csvLine, jsonLine, type CsvCell } from './json-and-csv.js';
import { sampleTable } from './sample-table.js';

export interface SampleSink {
  add(sample: NamedSample): Promise<void>;
  /** Writes the end, also after an error or Ctrl-C, so that JSON is complete; nothing before the first sample. */
  end(hasFailed: boolean): Promise<void>;
}

/** Writes samples in the session's format, each as soon as it arrives. */
export function sampleSink({ terminal: { stdout }, format, colours }: Session): SampleSink {
  switch (format) {
    case 'table': {
      const table = sampleTable(colours, stdout.columns, stdout.rows);
      return { add: (sample) => stdout.write(table.add(sample)), end: () => Promise.resolve() };
    }
    case 'ndjson':
      return { add: (sample) => stdout.write(jsonLine(sample)), end: () => Promise.resolve() };
    case 'json': {
      let before = '[\n';
      return {
        add: async (sample) => {
          const text = before + jsonLine(sample).trimEnd();
          before = ',\n';
          await stdout.write(text);
        },
        end: async (hasFailed) => {
          if (before !== '[\n') await stdout.write('\n]\n');
          else if (!hasFailed) await stdout.write('[]\n');
        },
      };
    }
    case 'csv': {
      let head = csvLine(SAMPLE_HEAD);
      return {
        add: async (sample) => {
          const text = head + sampleRows(sample).map(csvLine).join('');
          head = '';
          if (text !== '') await stdout.write(text);
        },
        end: async (hasFailed) => {
          if (head !== '' && !hasFailed) await stdout.write(head);
        },
      };
    }
  }
}

export const SAMPLE_HEAD = ['time', 'metric', 'instance', 'name', 'value', 'units'];

/** The rows of a sample as CSV: one for each value. */
export function sampleRows({ timestamp, values }: NamedSample): readonly (readonly CsvCell[])[] {
  return values.flatMap(({ name, units, instances }) =>
    instances.map((of) => [timestamp, name, of.instance, of.name, of.value, units]),
  );
}
