import { render } from 'preact';
import { App } from './app.js';
import { runClock } from './data/gateway-clock.js';
import { followHistory } from './state/page.js';
import { keepPreferences } from './state/preferences.js';

keepPreferences();
followHistory();
runClock();
render(<App />, document.body);
