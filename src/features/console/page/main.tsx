import { render } from 'preact';
import { App } from './app.js';
import { local } from './data/gateway.js';
import { runClock } from './data/gateway-clock.js';
import { change, followHistory } from './state/page.js';
import { keepPreferences } from './state/preferences.js';

const loadLocal = () => import('./local/open-files.js');
local.keepScreens = () => void import('./screens/others.js').catch(() => undefined);
local.fetch = async (...given) => (await loadLocal()).fetchLocal(...given);
keepPreferences();
followHistory();
runClock();
render(<App />, document.body);

addEventListener('beforeprint', () => {
  const { style, clientWidth } = document.documentElement;
  style.setProperty('--screen', String(Math.max(761, clientWidth)));
});
// What may be dropped is loaded while it is dragged.
addEventListener('dragenter', () => void loadLocal().then(({ listenForDrops }) => listenForDrops()), { once: true });
if (IS_VIEWER) {
  if (location.hash === '') change({ screen: 'archives' }, 'replace');
  void loadLocal().then(({ takeOwn }) => takeOwn());
}
