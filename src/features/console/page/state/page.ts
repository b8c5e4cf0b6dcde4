import { signal, type ReadonlySignal } from '@preact/signals';
import { decodeView, encodeView, SCREENS, type Lane, type View } from './url-state.js';

/** What the page shows, as its address says. */
export const view = signal(readAddress());
/** The last notice, shown briefly: `Link copied.` */
export const said = signal('');

function readAddress(): View {
  return viewAt(IS_VIEWER ? new URL(location.hash.slice(1), 'file:///') : location);
}

/** The view of an address of this page. */
export function viewAt({ pathname, search }: Pick<URL, 'pathname' | 'search'>): View {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return decodeView(SCREENS.find((each) => each === last) ?? '', search);
}

/** How the address changes: `push` adds a step to the browser's history; `replace` does not; `move` adds one for all until nothing moves. */
export type Step = 'push' | 'replace' | 'move';

/** Change the view. */
export function show(next: View, how: Step = 'push'): void {
  view.value = next;
  isStep ||= how !== 'replace';
  // A frame has no time for it.
  if (how === 'move') clearTimeout(later);
  // Browsers take a hundred addresses in ten seconds, and ignore or refuse the others: dragging makes more.
  if (how !== 'move' && written < 50) writeAddress();
  else if (how === 'move' || later === undefined) later = setTimeout(writeAddress, 250);
}

/** Addresses written in the last ten seconds. */
let written = 0;
let later: ReturnType<typeof setTimeout> | undefined;
/** Whether the next address is a step of the browser's history. */
let isStep = false;

function writeAddress(): void {
  clearTimeout(later);
  later = undefined;
  written++;
  setTimeout(() => written--, 10_000);
  history[isStep ? 'pushState' : 'replaceState'](null, '', encodeView(view.peek()));
  isStep = false;
}

/** Change parts of the view. */
export function change(parts: Partial<View>, how?: Step): void {
  show({ ...view.peek(), ...parts }, how);
}

/** Whether the lanes that are shown are those of the address, and not the screen's own. */
export function hasOwnLanes({ screen, lanes }: View): boolean {
  return screen === 'chart' || (screen === '' && lanes.length > 0);
}

/** Show a lane in place of the one at `index`; one of a screen's own lanes opens as a chart. */
export function putLane(index: number, lane: Lane): void {
  const shown = view.peek();
  if (hasOwnLanes(shown)) change({ lanes: shown.lanes.map((each, i) => (i === index ? lane : each)) });
  else change({ screen: 'chart', words: '', lanes: [lane] });
}

/** Follow the browser's back and forward. */
export function followHistory(): void {
  addEventListener('popstate', () => {
    isStep = false;
    view.value = readAddress();
  });
}

/** Make the effect or computed value around this call depend on a signal. */
export function follow(source: ReadonlySignal<unknown>): unknown {
  return source.value;
}
