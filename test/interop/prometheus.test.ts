/** The scrape_config of the guide, run by Prometheus itself. Skipped where there is no `prometheus` (PROMETHEUS names another one). */
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { freePort } from '../support/free-port.js';

const PROMETHEUS = process.env.PROMETHEUS ?? 'prometheus';

function isInstalled(): boolean {
  try {
    execFileSync(PROMETHEUS, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('Not tried: the scrape_config of the guide, without prometheus');
    return false;
  }
}

interface QueryAnswer {
  readonly data: { readonly result: readonly { readonly metric: object; readonly value: readonly [number, string] }[] };
}

(isInstalled() ? describe : describe.skip)('the scrape_config of the guide', () => {
  let api: Api;
  let directory: string;
  let prometheus: ChildProcess;
  let url: string;
  beforeAll(async () => {
    api = await Api.start();
    directory = await mkdtemp(path.join(tmpdir(), 'pmgate-prometheus-'));
    const page = await readFile('src/http/API.md', 'utf8');
    const config = /^```yaml\n(scrape_configs:.*?)^```$/ms.exec(page)![1]!;
    expect(config).toContain("'localhost:44322'");
    const own = config.replace("'localhost:44322'", `'127.0.0.1:${api.port}'`);
    await writeFile(path.join(directory, 'prometheus.yml'), `global: { scrape_interval: 1s }\n${own}`);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const options = {
      'config.file': 'prometheus.yml',
      'storage.tsdb.path': 'data',
      'web.listen-address': `127.0.0.1:${port}`,
    };
    const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    prometheus = spawn(PROMETHEUS, flags, { cwd: directory, stdio: 'ignore' });
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => prometheus.once('exit', resolve));
    prometheus.kill();
    await ended;
    await api.stop();
    await rm(directory, { recursive: true });
  });

  /** What Prometheus has of a metric, as soon as it has any. */
  async function scraped(query: string): Promise<QueryAnswer['data']['result']> {
    for (;;) {
      const answer = await fetch(`${url}/api/v1/query?query=${query}`).catch(() => undefined);
      const { data } = answer?.ok ? ((await answer.json()) as QueryAnswer) : { data: { result: [] } };
      if (data.result.length > 0) return data.result;
      await delay(100);
    }
  }

  it('is scraped with the names that pmproxy gives', async () => {
    expect((await scraped('up'))[0]!.value[1]).toBe('1');
    const [forks] = await scraped('kernel_all_sysfork');
    expect(forks).toMatchObject({
      metric: { __name__: 'kernel_all_sysfork', job: 'pmgate' },
      value: [expect.anything(), '9369'],
    });
    expect(await scraped('kernel_all_load')).toHaveLength(3);
  });
});
