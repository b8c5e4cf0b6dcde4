import { consoleAddress } from '../../../src/features/mcp/gateway.js';
import { guideResources, readResource } from '../../../src/features/mcp/protocol.js';
import { resultOf } from '../../../src/features/mcp/report.js';
import { named, quoted, sparkline, timeText, valueText } from '../../../src/features/mcp/text.js';

describe('the guide', () => {
  it('is resources, as llms.txt lists them', async () => {
    const pages: Readonly<Record<string, string>> = {
      'llms.txt': '# x\n- [The API](docs/guide/api.md)\n- [Else](y.md)\n',
      'api.md': '# API',
    };
    const gateway = {
      console: undefined,
      unreachable: new Map<string, true>(),
      ask: () => Promise.reject(new Error()),
      readGuide: (name: string) => Promise.resolve(pages[name]),
    };
    const listed = { uri: 'pmgate://guide/api', name: 'api', title: 'The API', mimeType: 'text/markdown' };
    expect(await guideResources(gateway)).toEqual([listed]);
    expect(await readResource(listed.uri, gateway)).toBe('# API');
    expect(await readResource('pmgate://other/api', gateway)).toBeUndefined();
  });
});

describe('the texts of answers', () => {
  it('have four digits, and blocks for a row of values', () => {
    expect([1234.5678, 0.000123456, 1e21, -7].map(valueText)).toEqual(['1235', '0.0001235', '1e+21', '-7']);
    expect(quoted('🙂'.repeat(9), 8)).toBe('"🙂🙂🙂…"');
    expect(valueText(null)).toBe('no value');
    expect(sparkline([0, 1, null, 4, 8])).toBe('▁▂ ▅█');
    expect(sparkline([3, 3])).toBe('▁▁');
    expect([0, 1.5].map(timeText)).toEqual(['1970-01-01T00:00:00Z', '1970-01-01T00:00:01.500Z']);
  });

  it('quote and bound what strangers chose', () => {
    expect(quoted('a\n\u202E"b"')).toBe(String.raw`"a \"b\""`);
    expect(quoted('x'.repeat(100))).toHaveLength(82);
    expect(named('disk.dev.read', 'sda')).toBe('disk.dev.read["sda"]');
    expect(named('disk dev')).toBe('"disk dev"');
  });

  it('say what was cut, and the address for a person', () => {
    const gateway = {
      console: 'http://gw/console/',
      unreachable: new Map<string, true>(),
      ask: () => Promise.reject(new Error()),
      readGuide: () => Promise.resolve(undefined),
    };
    const address = consoleAddress(gateway, 'chart', { on: 'web1', t: undefined, lane: 'disk.dev.read' });
    const items = Array.from({ length: 99 }, (_, i) => ({ line: `line ${i}`.padEnd(50), data: { i } }));
    const { content, structuredContent } = resultOf({
      head: 'head',
      items,
      address,
      narrower: (shown) => ({ tool: 'pcp_find', arguments: { limit: shown } }),
    });
    const shown = (structuredContent as { items: object[] }).items.length;
    expect(content[0]!.text).toContain(
      `\nCut: ${shown} of 99 shown; narrower: pcp_find {"limit":${shown}}\nSee: http://gw/console/chart?on=web1&lane=disk.dev.read`,
    );
    expect(structuredContent).toMatchObject({ total: 99, next: { tool: 'pcp_find' }, address });
  });
});
