import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { instantText } from '../chart/axis-times.js';
import { now } from '../data/gateway-clock.js';
import { isLive, shownWindow, shownZone } from '../data/shown-time.js';
import { withReadings, type Proven, type Shown } from '../data/readings.js';
import { Button } from './controls.js';
import { view } from '../state/page.js';
import { isProving, pressedMs } from '../state/overlays.js';
import { copy, CopyButton } from './copy-button.js';

const NOTE =
  'Below each number: the last readings that the gateway has of its metrics. Where others read them, too, they may be closer together than the samples on this page.';
/** Shorter presses keep the derivations, for those who cannot hold a key, and to copy them. */
const TAP_MS = 400;

/** While the key is held: each number of the screen with what it was computed from, and the readings behind it. */
export function Proof() {
  const { screen } = view.value;
  const proven = useSignal<readonly Proven[]>([]);
  const at = useSignal(0);
  // Another screen has other numbers.
  useEffect(() => () => void (isProving.value = false), [screen]);
  useEffect(() => {
    const controller = new AbortController();
    const { cursor } = view.peek();
    at.value = cursor ?? (isLive.peek() ? now.peek() : shownWindow.peek().end);
    const all = numbersOf(document);
    proven.value = all.map((each) => ({ ...each, readings: [] }));
    const key = (event: KeyboardEvent): void => {
      const isCopy = event.type === 'keydown' && event.key === 'c' && !event.ctrlKey && !event.metaKey;
      if (isCopy) void copy('Copy as text', textOf(proven.peek(), at.peek()));
      if (event.key === 'Escape') isProving.value = false;
      if (isCopy || event.key === 'Escape') event.preventDefault();
      if (event.type === 'keyup' && event.key === 'p' && event.timeStamp - pressedMs.peek() > TAP_MS)
        isProving.value = false;
    };
    // Before the keys of the screen.
    const events = ['keydown', 'keyup'] as const;
    for (const type of events) document.addEventListener(type, key, true);
    document.documentElement.dataset.proving = '';
    void withReadings(all, at.peek(), shownZone.peek(), controller.signal).then((found) => {
      if (!controller.signal.aborted) proven.value = found;
    });
    return () => {
      controller.abort();
      for (const type of events) document.removeEventListener(type, key, true);
      delete document.documentElement.dataset.proving;
    };
  }, []);
  return (
    <aside class="proof" aria-label="How each number came about" tabIndex={-1}>
      <p>
        <strong>At {instantText(at.value, shownZone.value)}</strong>{' '}
        <CopyButton label="Copy as text" text={() => textOf(proven.peek(), at.peek())} /> (c){' '}
        <Button text="Close" onClick={() => (isProving.value = false)} />
      </p>
      <p class="quiet">{NOTE}</p>
      <ul class="plain">
        {proven.value.map(({ label, text, of, readings }, i) => (
          <li key={i}>
            {label}: <strong>{text}</strong> <span class="quiet">= {of}</span>
            {readings.map((line) => (
              <code key={line}>{line}</code>
            ))}
          </li>
        ))}
      </ul>
      {proven.value.length === 0 ? <p class="quiet">No number of this screen says how it came about.</p> : null}
    </aside>
  );
}

/** What elements say of their numbers. */
function numbersOf(root: ParentNode): readonly Shown[] {
  const [first = ''] = view.peek().on;
  return [...root.querySelectorAll<HTMLElement>('[data-proof]')].flatMap((element) => {
    const { proof: of = '' } = element.dataset;
    const text = element.textContent.trim();
    const row = element.closest('li, tr, .row');
    const name = row && row !== element ? (row.querySelector('a, button, span:not(:empty)')?.textContent ?? '') : '';
    const section = element.closest('section')?.getAttribute('aria-label') ?? '';
    const source = element.closest<HTMLElement>('[data-source]')?.dataset.source ?? first;
    const label = [section, name.trim()].filter((each) => each !== '' && each !== text).join(' · ');
    return of === '' || text === '' || text === '–' ? [] : [{ label, text, of, source }];
  });
}

function textOf(proven: readonly Proven[], at: number): string {
  const lines = proven.flatMap(({ label, text, of, source, readings }) => [
    `${label}: ${text} = ${of} (${source})`,
    ...readings.map((line) => `    ${line}`),
  ]);
  return [`${location.href} at ${instantText(at, shownZone.peek())}`, ...lines, NOTE, ''].join('\n');
}
