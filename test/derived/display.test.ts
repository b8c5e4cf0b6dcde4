import { parseDisplay } from '../../src/derived/load-definitions.js';
import { DefinitionStore, DerivedScope, displayOf } from '../../src/derived/index.js';
import { atOnce } from '../../src/kit/index.js';
import { rows } from '../support/rows.js';

describe('display hints', () => {
  it.each([
    ['unit=% min=0 max=100', { unit: '%', min: 0, max: 100 }],
    ['  max=1.5\tunit=°C ', { max: 1.5, unit: '°C' }],
    ['min=-40', { min: -40 }],
  ])('are read: %j', (text, hints) => {
    expect(parseDisplay(text)).toEqual(hints);
    expect(displayOf(text)).toEqual(hints);
  });

  it.each([
    ['', 'expected unit=TEXT, min=NUMBER or max=NUMBER'],
    ['percent', 'unknown display hint (percent)'],
    ['unit=', 'bad value () for display hint (unit)'],
    ['unit=seventeen-letters', 'bad value (seventeen-letters)'],
    ['unit="', 'bad value (") for display hint (unit)'],
    ['unit=\u202e%', 'bad value'],
    ['min=1e400', 'bad value (1e400) for display hint (min)'],
    ['max=NaN', 'bad value (NaN)'],
    ['min=1 min=2', 'duplicate display hint (min)'],
    ['min=100 max=100', 'display hint min (100) is not below max (100)'],
    ['__proto__=1', 'unknown display hint (__proto__=1)'],
    [`unit=% ${' '.repeat(100)}min=0`, 'in at most 100 characters'],
  ])('are refused: %j', (text, reason) => {
    expect(parseDisplay(text)).toContain(reason);
    expect(displayOf(text)).toBeUndefined();
  });
});

describe('display hints in a definition file', () => {
  const FILE = { file: 'demo.conf', origin: 'file' } as const;
  const hintsOf = (store: DefinitionStore): unknown =>
    store.list().map(({ name, display }) => [name, displayOf(display)]);

  it('stand before or after the definition', () => {
    const store = new DefinitionStore();
    store.load('# pmgate: display my.a unit=% max=100\nmy.a = 1\nmy.b = 2\n#pmgate: display my.b min=0\n', FILE);
    expect(hintsOf(store)).toEqual(rows(['my.a', { unit: '%', max: 100 }], ['my.b', { min: 0 }]));
    store.load('# pmgate: display my.a unit=req\n', FILE);
    expect(displayOf(store.get('my.a')!.display)).toEqual({ unit: 'req' });
  });

  it('survive a restart; what is damaged in the state is dropped', () => {
    const store = new DefinitionStore();
    store.load('my.a = 1\n# pmgate: display my.a unit=%', { file: 'body', origin: 'api' });
    const state = store.toState();
    const again = new DefinitionStore();
    again.restore(JSON.parse(JSON.stringify(state)));
    expect(hintsOf(again)).toEqual([['my.a', { unit: '%' }]]);
    const damaged = new DefinitionStore();
    damaged.restore({ ...state, definitions: state.definitions.map((one) => ({ ...one, display: 'unit=<b> <i>' })) });
    expect(damaged.get('my.a')).not.toHaveProperty('display');
  });

  it('belong to definitions of a context, too', () => {
    const scope = new DerivedScope(new DefinitionStore());
    const { help } = atOnce(scope.parseFileInSteps('my.a = 1; # pmgate: display my.a max=5'));
    expect(help.get('my.a')).toEqual({ display: 'max=5' });
    scope.restore([{ name: 'my.a', expression: '1', display: 'max=5' }]);
    expect(scope.own()[0]!.display).toBe('max=5');
  });

  it.each([
    [
      'my.a = 1\n# pmgate: display my.a percent',
      '[demo.conf:2] Error: pmLoadDerivedConfig: unknown display hint (percent)',
    ],
    ['my.a = 1\n# pmgate: display my.a', '[demo.conf:2] Error: pmLoadDerivedConfig: expected unit=TEXT'],
    [
      'my.a = 1\n#pmgate: display my.a min=0\n#pmgate: display my.a max=0',
      '[demo.conf:3] Error: pmLoadDerivedConfig: duplicate',
    ],
    ['my.a = 1\nmy.a(display) = "unit=%"', '[demo.conf:2] Error: pmLoadDerivedConfig: attribute (display) is unknown'],
  ])('are refused with file and line: %j', (text, message) => {
    expect(() => new DefinitionStore().load(text, FILE)).toThrow(message);
  });

  it('warn of a metric that is not defined', () => {
    const { problems, definitions } = new DefinitionStore().load('# pmgate: display my.b unit=%\nmy.a = 1\n', FILE);
    expect(problems).toMatchObject([
      { severity: 'warning', line: 1, message: 'display hint for my.b, which is not defined' },
    ]);
    expect(definitions).toHaveLength(1);
  });
});
