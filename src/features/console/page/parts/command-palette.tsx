import { useLayoutEffect, useRef } from 'preact/hooks';
import { catalogueOf, openArchives, wantArchives } from '../data/catalogue.js';
import { rankCommands, type Command } from '../data/commands.js';
import { isDrawable } from '../data/find-metrics.js';
import { client } from '../data/gateway.js';
import { now } from '../data/gateway-clock.js';
import { screenName, shownWindow, shownZone } from '../data/shown-time.js';
import { signInReason } from '../state/access.js';
import { change, view } from '../state/page.js';
import { isPaletteOpen } from '../state/overlays.js';
import { theme } from '../state/preferences.js';
import { parseTimeChoice } from '../state/parse-time-choice.js';
import { ABOUT_SCREENS, laneOf, SCREENS, type Screen } from '../state/url-state.js';
import { copyLink } from './copy-button.js';
import { useAnswer } from './use-answer.js';
import { SuggestingInput } from './suggesting-input.js';

/** Ctrl+K: one box for metrics, hosts, archives, screens, actions and times. */
export function CommandPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const shows = isPaletteOpen.value;
  // Without an answer, the others can be gone to.
  const { answer } = useAnswer(shows ? '' : undefined, (signal) => client.hosts({ signal }));
  const commands = (): readonly Command[] => allCommands((answer.value ?? []).map(({ hostspec }) => hostspec));
  const found = (text: string): readonly Command[] => [...timeCommands(text), ...rankCommands(commands(), text)];
  useLayoutEffect(() => {
    if (shows) void wantArchives();
    if (!shows) dialog.current?.close();
    else if (dialog.current?.open === false) dialog.current.showModal();
  }, [shows]);
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Go to"
      // The event of closing comes later, when it may have been opened again.
      onClose={() => (isPaletteOpen.value = dialog.current?.open === true)}
      onCancel={(event) => {
        event.preventDefault();
        isPaletteOpen.value = false;
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) isPaletteOpen.value = false;
      }}
    >
      {shows ? (
        <SuggestingInput
          label="Go to"
          placeholder="a metric, host, archive, screen, action, or time"
          opensAtOnce
          suggest={(text) => found(text).map(({ name, ...rest }) => ({ value: name, note: rest['text-oneline'] }))}
          onChoose={(text) => {
            const command = commands().find(({ name }) => name === text) ?? found(text)[0];
            if (!command) return false;
            isPaletteOpen.value = false;
            command.run();
            return true;
          }}
        />
      ) : null}
    </dialog>
  );
}

/** What looks like a time: not each word is one, though parsers would take it. */
const TIME = /^(?:[-@]|last\s|today|yesterday|\d{4}-\d|\d\d?:\d)/i;
/** These screens have no time: it is that of the first one then. */
const TIMELESS: readonly Screen[] = ['hosts', 'find', 'archives', 'changes'];

function timeCommands(text: string): readonly Command[] {
  if (!TIME.test(text.trim())) return [];
  try {
    const time = parseTimeChoice(text, shownWindow.peek(), now.peek(), shownZone.peek());
    const screen = TIMELESS.includes(view.peek().screen) ? '' : view.peek().screen;
    return [{ name: text.trim(), kind: 'time', 'text-oneline': 'time', run: () => change({ screen, time }) }];
  } catch {
    return [];
  }
}

function allCommands(hosts: readonly string[]): readonly Command[] {
  const [source = ''] = view.value.on;
  const { catalogue } = catalogueOf(source).value;
  const use = (on: string): (() => void) => {
    return () => change({ on: [on], time: { kind: 'default' } });
  };
  const of = (kind: Command['kind'], name: string, run: () => void, more = ''): Command => {
    return { name, kind, run, 'text-oneline': more === '' ? kind : `${kind} · ${more}` };
  };
  const screens = SCREENS.filter((screen) => !ABOUT_SCREENS.has(screen));
  return [
    ...screens.map((screen) => of('screen', screenName(screen), () => change({ screen, words: '' }))),
    ...ACTIONS.map(([name, run]) => of('action', name, run)),
    ...[...new Set([...hosts, 'localhost', 'embedded'])].map((name) => of('host', name, use(name))),
    ...openArchives.value.map(({ name, hostspec }) => of('archive', name, use(name), hostspec)),
    ...(catalogue?.metrics ?? []).map((metric) =>
      of('metric', metric.name, () => showMetric(metric.name, isDrawable(metric)), metric['text-oneline']),
    ),
  ];
}

/** A metric is one more lane of the chart, or the first; what cannot be drawn is explained. */
function showMetric(name: string, isDrawn: boolean): void {
  const { screen, lanes } = view.peek();
  if (!isDrawn) change({ screen: 'explain', words: name });
  else change({ screen: 'chart', words: '', lanes: [...(screen === 'chart' ? lanes : []), laneOf(name)] });
}

const ACTIONS: readonly (readonly [string, () => void])[] = [
  ['Live: follow new samples', () => change({ time: { kind: 'default' } })],
  ['Last 24 hours', () => change({ time: { kind: 'live', spanSec: 86_400 } })],
  ['Last 7 days', () => change({ time: { kind: 'live', spanSec: 604_800 } })],
  ['Copy link', copyLink],
  ['Light colours', () => (theme.value = 'light')],
  ['Dark colours', () => (theme.value = 'dark')],
  ['Colours as the system', () => (theme.value = 'auto')],
  ['Sign in…', () => (signInReason.value = 'You may sign in as another user.')],
];
