import fc from '../../../support/properties.js';
import { ByteScanner } from '../../../../src/sources/linux/proc-files.js';
import {
  parseCmdline,
  parseIo,
  parseOomScore,
  parseSchedstat,
  parseStat,
  parseStatm,
  parseStatus,
  parseUserNames,
  PROCESS_COLUMNS,
  processColumn,
} from '../../../../src/sources/linux/clusters/process-parsers.js';
import { runQueueState } from '../../../../src/sources/linux/clusters/process-reader.js';
import { TtyNames } from '../../../../src/sources/linux/clusters/processes.js';
import { NumberGrid } from '../../../../src/sources/linux/sample.js';
import { rows } from '../../../support/rows.js';

function scanner(content: string | Uint8Array): ByteScanner {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const made = new ByteScanner();
  made.start(bytes, bytes.length);
  return made;
}

function newGrid(): NumberGrid {
  const grid = new NumberGrid(PROCESS_COLUMNS.length);
  grid.addRow();
  return grid;
}

const at = (grid: NumberGrid, column: string): number => grid.number(0, processColumn(column));

describe('parseStat', () => {
  /** Field n of the line is n itself. */
  const tail = Array.from({ length: 49 }, (_, i) => i + 4).join(' ');

  it('takes every field from its place, whatever the command is called', () => {
    const command = fc.string({ unit: fc.constantFrom('a', ' ', '(', ')', '\\n', ':', '7', 'ä') });
    fc.assert(
      fc.property(command, (cmd) => {
        const grid = newGrid();
        expect(parseStat(scanner(`42 (${cmd}) S ${tail}\n`), grid, 0)).toEqual({ cmd, sname: 'S' });
        const fields = [4, 7, 10, 12, 14, 15, 16, 17, 18, 19, 22, 23, 24, 39, 40, 41, 43];
        expect(fields.map((field) => at(grid, `stat:${field}`))).toEqual(fields);
      }),
    );
  });

  it('leaves out the fields that a short line lacks', () => {
    const grid = newGrid();
    expect(parseStat(scanner('42 (a) S 4 5 6 7'), grid, 0)).toEqual({ cmd: 'a', sname: 'S' });
    expect(at(grid, 'stat:7')).toBe(7);
    expect(at(grid, 'stat:10')).toBeNaN();
  });

  it.each(['', '42', '42 (a', '42 a) S', '42 (a)', '42 (a) SS 1', ')('])('refuses %j', (line) => {
    expect(parseStat(scanner(line), newGrid(), 0)).toBeUndefined();
  });
});

describe('parseStatus', () => {
  it('is not deceived by the name of the process or by longer keys', () => {
    const grid = newGrid();
    parseStatus(scanner('Name:\tVmSize: 7 kB\nVmSizeX:\t8 kB\n VmSize:\t9 kB\nUid:\t5\t6\t7\t8\n'), grid, 0);
    expect(at(grid, 'status:VmSize')).toBe(0);
    expect([at(grid, 'status:Uid'), at(grid, 'status:Uid.2')]).toEqual([5, 6]);
  });
});

describe('parseCmdline', () => {
  it.each([
    ['', ''],
    ['\0\0', ''],
    ['a\0', 'a'],
    ['a\0b c\0\0d\0\0', 'a b c  d'],
    ['no end', 'no end'],
  ])('reads %j as %j', (bytes, text) => expect(parseCmdline(scanner(bytes), 4096)).toBe(text));

  it('shows the beginning of a long one', () => {
    expect(parseCmdline(scanner('x'.repeat(5000)), 4096)).toBe('x'.repeat(4096));
  });

  it('shows no part of a character', () => {
    expect(parseCmdline(scanner('xx€€'), 7)).toBe('xx€');
    expect(parseCmdline(scanner('xx€€'), 8)).toBe('xx€€');
  });
});

describe('the parsers of process files', () => {
  it('never throw, and store nothing but numbers', () => {
    const words = fc.constantFrom(
      '1',
      ' ',
      '(',
      ')',
      '\n',
      'Uid:',
      'VmRSS:',
      'rchar:',
      '-',
      '99999999999999999999',
      '\0',
      'S',
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(words).map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
    );
    fc.assert(
      fc.property(content, (bytes) => {
        const grid = newGrid();
        for (const parse of [parseStat, parseStatus, parseIo, parseStatm, parseSchedstat, parseOomScore]) {
          parse(scanner(bytes), grid, 0);
        }
        expect(parseCmdline(scanner(bytes), 100)).not.toContain('\0');
        for (const column of PROCESS_COLUMNS) expect(at(grid, column)).not.toBe(Infinity);
      }),
    );
  });
});

describe('runQueueState', () => {
  it.each([
    ['R', 10, 1, 'runnable'],
    ['S', 10, 1, 'sleeping'],
    ['D', 10, 1, 'blocked'],
    ['P', 10, 1, 'blocked'],
    ['T', 10, 1, 'stopped'],
    ['t', 10, 1, 'stopped'],
    ['I', 10, 1, 'unknown'],
    ['S', 10, 0, 'swapped'],
    ['I', 0, 0, 'kernel'],
    ['R', 0, 0, 'kernel'],
    ['Z', 0, 0, 'defunct'],
    ['S', NaN, NaN, 'sleeping'],
  ] as const)('counts state %s with %d and %d of memory as %s', (sname, vsize, rss, state) => {
    expect(runQueueState(sname, vsize, rss)).toBe(state);
  });
});

describe('TtyNames', () => {
  const names = new TtyNames(
    [
      '/dev/tty             /dev/tty        5       0 system:/dev/tty',
      '/dev/console         /dev/console    5       1 system:console',
      'serial               /dev/ttyS       4 64-95 serial',
      'usbserial            /dev/ttyUSB   188       0 serial',
      'pty_slave            /dev/pts      136 0-1048575 pty:slave',
      'unknown              /dev/tty        4 1-63 console',
      'a line that is not understood',
    ].join('\n'),
  );
  const device = (major: number, minor: number): number => (minor & 0xff) | (major << 8) | ((minor & 0xfff00) << 12);

  it.each([
    [0, 0, '?'],
    [136, 0, 'pts/0'],
    [136, 300, 'pts/300'],
    [4, 1, 'tty1'],
    [4, 63, 'tty63'],
    [4, 64, 'ttyS0'],
    [4, 95, 'ttyS31'],
    [4, 96, '?'],
    [5, 1, 'console'],
    [188, 0, 'ttyUSB0'],
    [99, 1, '?'],
  ])('calls device %d:%d %s', (major, minor, name) => expect(names.nameOf(device(major, minor))).toBe(name));

  it('takes device numbers that the kernel prints as negative', () => {
    expect(() => names.nameOf(-1)).not.toThrow();
  });
});

describe('parseUserNames', () => {
  it('takes the first name of a number, and leaves out what is no entry', () => {
    const text = 'root:x:0:0::/:\n\n:x:5:\nbob:x:-1:\nann:x:7:7\nanna:x:7:7\nnone\n+::::::\n';
    expect([...parseUserNames(text)]).toEqual(rows([0, 'root'], [7, 'ann']));
  });
});
