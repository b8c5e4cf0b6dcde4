import { signal } from '@preact/signals';
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { askAgain } from './data/catalogue.js';
import { askWhoamiAgain } from './data/check-expression.js';
import { isGatewayBusy, isGatewayGone, isHere } from './data/gateway.js';
import { isSilent } from './data/gateway-clock.js';
import { BROWSER_ZONE, screenName, viewOn } from './data/shown-time.js';
import { askFactsAgain, factsOf } from './data/source-facts.js';
import { Button, Link, Select, Working } from './parts/controls.js';
import { useAnswer } from './parts/use-answer.js';
import { COPIED_MOMENT, copyLink, copyLiveLink } from './parts/copy-button.js';
import { SignIn } from './parts/sign-in.js';
import { SourcePicker } from './parts/source-picker.js';
import { ChartScreen } from './screens/chart.js';
import { NowScreen } from './screens/now.js';
import { credentials, session, signInReason, signOut } from './state/access.js';
import { change, said, show, view, viewAt } from './state/page.js';
import { useKeys } from './state/keys.js';
import { hasKeys, theme, type Theme } from './state/preferences.js';
import { isPaletteOpen, isProving, prove } from './state/overlays.js';
import { ABOUT_SCREENS, encodeView, SCREENS, type Screen } from './state/url-state.js';

const SHOWN_SCREENS = SCREENS.filter((screen) => !(IS_VIEWER && screen === 'hosts'));
/** The other screens, Ctrl+K and proofs, once they are loaded. */
const others = signal<typeof import('./screens/others.js') | undefined>(undefined);

/** Whether the list of screens is open where the page is too narrow to show it always. */
const isMenuOpen = signal(false);

/** The frame, and the screen in it. */
export function App() {
  const { screen, on } = view.value;
  const name = screenName(screen);
  useEffect(() => {
    document.title = `${name} – ${on.join(', ')} – pmgate`;
  }, [name, on]);
  useEffect(() => {
    [said.value, isMenuOpen.value] = ['', false];
  }, [screen]);
  useLayoutEffect(() => {
    document.addEventListener('click', followLinks);
    document.addEventListener('keydown', openPalette);
  }, []);
  useKeys(press);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Frame />
      <Banner />
      {/* What local/open-files.tsx says. */}
      <div id="here" />
      <Unknown />
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">
          {name}: {on.join(', ')}
        </h1>
        <OfFirst />
        <Safe key={`${screen} ${session.value}`}>
          <ScreenPart screen={screen} />
        </Safe>
      </main>
      <Said />
      <Overlays />
      <SignIn
        onSignedIn={() => {
          session.value++;
          askAgain();
          askFactsAgain();
          void askWhoamiAgain();
        }}
      />
    </>
  );
}

/** What screens show of the first of several sources only. */
const OF_FIRST: Partial<Record<Screen, string>> = {
  chart: 'Known time and names',
  derive: 'Value and parts',
  explain: 'Details',
  find: 'Metrics',
  process: 'Process',
};

/** Which source that is, with links that put another one first. */
function OfFirst() {
  const { screen, on } = view.value;
  const what = OF_FIRST[screen];
  return what === undefined || on.length === 1 ? null : (
    <p class="quiet">
      {what} of <strong>{on[0]}</strong> · switch to{' '}
      {on
        .slice(1)
        .flatMap((each) => [
          <Link key={each} text={each} to={{ ...viewOn(each), on: [each, ...on.filter((one) => one !== each)] }} />,
          ' ',
        ])}
    </p>
  );
}

function press(event: KeyboardEvent): boolean {
  if (event.key === 'y') copyLink();
  else if (event.key === 'u') history.back();
  else if (event.key === 'p') prove(event);
  else if (event.key === '/') document.querySelector<HTMLInputElement>('main input')?.focus();
  else return false;
  return true;
}

function openPalette(event: KeyboardEvent): void {
  const isCtrl = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isCtrl || event.key.toLowerCase() !== 'k') return;
  event.preventDefault();
  isPaletteOpen.value = true;
}

/** Loads {@link others} when a part of it is wanted. */
function useOthers(isWanted: boolean) {
  return useAnswer(isWanted && !others.peek() ? '' : undefined, async () => {
    others.value = await import('./screens/others.js');
  });
}

/** A screen, once its script is there. */
function ScreenPart({ screen }: { readonly screen: Screen }) {
  const { trouble } = useOthers(screen !== '' && screen !== 'chart');
  if (trouble.value) throw new Error(trouble.value.message);
  const Shown = screen === '' ? NowScreen : screen === 'chart' ? ChartScreen : others.value?.OTHER_SCREENS[screen];
  return Shown ? <Shown /> : <Working>Loading…</Working>;
}

function Frame() {
  const shown = view.value;
  return (
    <header class="frame">
      <strong>pmgate</strong>
      <Button
        class="menu"
        aria-expanded={isMenuOpen}
        aria-controls="screens"
        onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
      >
        {screenName(shown.screen)} <span aria-hidden="true">▾</span>
      </Button>
      <nav id="screens" aria-label="Screens" class={isMenuOpen.value ? 'open' : ''}>
        {SHOWN_SCREENS.filter((screen) => !ABOUT_SCREENS.has(screen) || shown.screen === screen).map((screen) => (
          <a
            key={screen}
            href={encodeView({ ...shown, screen, words: screen === shown.screen ? shown.words : '' })}
            aria-current={screen === shown.screen ? 'page' : undefined}
          >
            {screenName(screen)}
          </a>
        ))}
        {IS_VIEWER ? null : (
          <span class="elsewhere">
            <a href="../docs/guide" data-leaves="">
              Guide
            </a>
            <a href="../docs" data-leaves="">
              API
            </a>
          </span>
        )}
      </nav>
      <SourcePicker />
      <span class="page-actions">
        <Button
          title="Metrics, hosts, archives, screens, actions and times"
          onClick={() => (isPaletteOpen.value = true)}
        >
          <kbd>Ctrl</kbd>
          <kbd>K</kbd>
          <span class="hidden">Go to…</span>
        </Button>
        <Button text="Copy link" title="Copy the address of what is shown (y)" onClick={copyLink} />
        <Settings />
      </span>
    </header>
  );
}

/** Ctrl+K, and how each number came about. */
function Overlays() {
  useOthers(isPaletteOpen.value || isProving.value);
  const { CommandPalette, Proof } = others.value ?? {};
  return (
    <>
      {CommandPalette ? <CommandPalette /> : null}
      {Proof && isProving.value ? <Proof /> : null}
    </>
  );
}

/** What is the same on every screen: the time zone, colours, keys, and who is signed in. */
function Settings() {
  const box = useRef<HTMLDetailsElement>(null);
  const given = credentials.value;
  const close = (): void => {
    if (box.current) box.current.open = false;
  };
  return (
    <details
      class="settings"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        box.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && box.current?.contains(relatedTarget) === true)) close();
      }}
    >
      <summary class="button">Settings</summary>
      <div class="sheet" tabIndex={-1}>
        <ZonePicker />
        <Select
          isStacked
          label="Colours"
          value={theme.value}
          options={[
            ['auto', 'as the system'],
            ['light', 'light'],
            ['dark', 'dark'],
          ]}
          onChoose={(value) => (theme.value = value as Theme)}
        />
        <label>
          <input type="checkbox" checked={hasKeys} onChange={() => (hasKeys.value = !hasKeys.value)} /> single-letter
          keys, in charts:
        </label>
        <dl class="keymap quiet">
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        {given ? (
          <p>
            {given.kind === 'password' ? `Signed in as ${given.username}.` : 'Signed in with a token.'}{' '}
            <Button text="Sign out" onClick={signOut} />
          </p>
        ) : (
          <p>
            Anonymous. <Button text="Sign in…" onClick={() => (signInReason.value = 'You are anonymous.')} />
          </p>
        )}
      </div>
    </details>
  );
}

const KEYS = [
  ['Ctrl K', 'go to anything'],
  ['a d', 'earlier, later'],
  ['w s', 'zoom in, out'],
  ['l', 'live'],
  ['space', 'play'],
  ['⇧ → ⇧ ←', 'select a time'],
  ['c', 'what changed'],
  ['?', 'why'],
  ['p', 'how each number came about'],
  ['/', 'find a metric'],
  ['y', 'copy the link'],
  ['u', 'back'],
] as const;

/** The last notice, until another screen is shown or it is closed. */
function Said() {
  const text = said.value;
  return (
    <div class="said" hidden={text === ''}>
      <p role="status">{text}</p>
      {text === COPIED_MOMENT ? <Button text="Copy live link instead" onClick={copyLiveLink} /> : null}
      <Button text="✕" aria-label="Close" onClick={() => (said.value = '')} />
    </div>
  );
}

function ZonePicker() {
  const { zone, on } = view.value;
  const own = factsOf(on[0]!).value.zone;
  const options = new Set([BROWSER_ZONE, 'UTC', own ?? 'UTC', zone ?? 'UTC']);
  const unchosen = own === undefined ? `the browser's: ${BROWSER_ZONE}` : `the archive's own: ${own}`;
  return (
    <Select
      isStacked
      label="Time zone"
      value={zone ?? ''}
      options={[['', unchosen], ...[...options].map((each) => [each, each] as const)]}
      onChoose={(value) => change({ zone: value || undefined })}
    />
  );
}

/** What keeps all of the page waiting, shown once. */
function Banner() {
  if (view.value.on.every(isHere)) return null;
  const text = isGatewayGone.value
    ? 'The gateway does not respond. The page keeps what it shows, and continues by itself when the gateway is back.'
    : isGatewayBusy.value
      ? 'The gateway has too much to do (503). The page tries again by itself.'
      : isSilent.value
        ? 'The gateway has stopped sending values. The page keeps what it shows: it is not of this moment.'
        : undefined;
  return text === undefined ? null : (
    <p class="banner" role="alert">
      {text}
    </p>
  );
}

/** Parts of the address that this page does not understand. */
function Unknown() {
  const { unknown } = view.value;
  return unknown.length === 0 ? null : (
    <p class="notice" role="status">
      Not understood in the address: {unknown.map(([key, value]) => `${key}=${value}`.slice(0, 100)).join(', ')}{' '}
      <Button text="Remove" onClick={() => change({ unknown: [] })} />
    </p>
  );
}

/** An internal error of the page: its message, and how to continue. */
class Safe extends Component<{ readonly children: ComponentChildren }, { readonly message?: string }> {
  static override getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ComponentChildren {
    if (this.state.message === undefined) return this.props.children;
    return (
      <p class="trouble" role="alert">
        Internal error in this page: {this.state.message}. <Button text="Reload" onClick={() => location.reload()} />{' '}
        <Button text="Start over" onClick={() => location.assign('./')} />
      </p>
    );
  }
}

/** Follow links to other screens without loading the page again. */
function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element).closest('a');
  if (!link || link.hasAttribute('data-leaves') || link.getAttribute('href')?.startsWith('#') === true) return;
  event.preventDefault();
  isMenuOpen.value = false;
  show(viewAt(new URL(link.href)));
  scrollTo(0, 0);
}
