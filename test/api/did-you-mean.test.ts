import { Api } from '../support/api.js';

/** A misspelt name in a request, and what is said of it. */
const MISSPELT: readonly (readonly [url: string, message: string])[] = [
  [
    '/pmapi/fetch?name=kernel.all.laod',
    'bad parameters passed: kernel.all.laod - Unknown metric name; did you mean kernel.all.load?',
  ],
  ['/pmapi/metric?names=kernel.all.laod', 'traversal failed - Unknown metric name; did you mean kernel.all.load?'],
  ['/pmapi/metric?prefix=kernel.al', 'traversal failed - Unknown metric name; did you mean kernel.all?'],
  ['/pmapi/children?prefix=kernel.al', 'child traversal failed - Unknown metric name; did you mean kernel.all?'],
  ['/pmapi/indom?name=kernel.all.laod', 'failed to lookup metric; did you mean kernel.all.load?'],
  ['/metrics?names=mem.utl', "'mem.utl' - Unknown metric name; did you mean mem.util?"],
];

describe('a misspelt name', () => {
  const api = Api.serving();

  it.each(MISSPELT)('gets a suggestion with its error: %s', async (url, message) => {
    const { status, json } = await api.get(url);
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: 'UNKNOWN_METRIC', message: expect.stringContaining(message), pmErr: -12357 });
  });

  it.each([
    ['/pmapi/fetch?names=mem.util.free,kernel.all.laod', 'kernel.all.load'],
    ['/pmapi/fetch?prefix=mem.util,kernel.al', 'kernel.all'],
    ['/pmapi/metric?names=mem.util.free,kernel.all.laod', 'kernel.all.load'],
  ])('gets a suggestion with its warning: %s', async (url, meant) => {
    const { status, json } = await api.get(url);
    const told = { message: `Unknown metric name; did you mean ${meant}?`, code: 'UNKNOWN_METRIC' };
    expect([status, json.warnings]).toEqual([200, [expect.objectContaining(told)]]);
  });

  it('may have been meant as a derived metric, and near no name gets none', async () => {
    const context = await api.context();
    await api.get(`/pmapi/${context}/derive?name=my.forks&expr=rate(kernel.all.sysfork)`);
    const { json } = await api.get(`/pmapi/${context}/fetch?names=mem.util.free,my.fork,quite.another`);
    expect(json.warnings).toMatchObject([
      { message: 'Unknown metric name; did you mean my.forks?' },
      { message: 'Unknown metric name' },
    ]);
  });
});
