/** Times as people type them. */
import { parseTimeChoice } from '../../../src/features/console/page/state/parse-time-choice.js';
import { makeTimeZone } from '../../../src/pmapi/index.js';

const NOW = Date.UTC(2026, 10, 26, 13) / 1000;
const parsed = (text: string): unknown =>
  parseTimeChoice(text, { start: NOW - 300, end: NOW }, NOW, makeTimeZone('Europe/Vienna'));
const fixed = (start: string, end: string): object => ({
  kind: 'fixed',
  start: Date.parse(start) / 1000,
  end: Date.parse(end) / 1000,
});

describe('a time that was typed', () => {
  it.each([
    ['-3h', { kind: 'live', spanSec: 10_800 }],
    ['last 7 days', { kind: 'live', spanSec: 604_800 }],
    ['24 h', { kind: 'live', spanSec: 86_400 }],
    ['10min', { kind: 'live', spanSec: 600 }],
    ['9:30am', fixed('2026-11-26T08:27:30Z', '2026-11-26T08:32:30Z')],
    ['live', { kind: 'default' }],
    // A day, by the calendar of the zone.
    ['2026-11-21', fixed('2026-11-20T23:00:00Z', '2026-11-21T23:00:00Z')],
    ['Yesterday', fixed('2026-11-24T23:00:00Z', '2026-11-25T23:00:00Z')],
    // A moment, with as much around it as is shown, and nothing of the future.
    ['yesterday 14:00', fixed('2026-11-25T12:57:30Z', '2026-11-25T13:02:30Z')],
    ['@Nov 21 14:00', fixed('2026-11-21T12:57:30Z', '2026-11-21T13:02:30Z')],
    ['14:00', fixed('2026-11-26T12:55:00Z', '2026-11-26T13:00:00Z')],
    // From one moment to another.
    ['13:00/13:30', fixed('2026-11-26T12:00:00Z', '2026-11-26T12:30:00Z')],
    ['yesterday 14:00 / yesterday 15:00', fixed('2026-11-25T13:00:00Z', '2026-11-25T14:00:00Z')],
  ])('%s', (text, choice) => expect(parsed(text)).toEqual(choice));

  it.each([
    ['soon', /unexpected value/],
    ['a/b/c', /Expected -3h/],
    ['14:00/13:00', /end after it begins/],
    ['tomorrow 9am', /still to come/],
    ['-0s', /between one second and ten years/],
  ])('%s is refused', (text, message) => expect(() => parsed(text)).toThrow(message));
});
