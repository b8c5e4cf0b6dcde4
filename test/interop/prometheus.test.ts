/**
 * The scrape_config and the remote_read block of the guide, run by Prometheus itself. Skipped where there is no `prometheus` (PROMETHEUS
 * names another one).
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { freePort } from '../support/free-port.js';
import { remoteRead } from '../support/remote-read.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';
import { rows } from '../support/rows.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const PROMETHEUS = process.env.PROMETHEUS ?? 'prometheus';

function isInstalled(): boolean {
  try {
    execFileSync(PROMETHEUS, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('Not tried: the configuration of Prometheus in the guide, without prometheus');
    return false;
  }
}

interface QueryAnswer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
  readonly warnings?: readonly string[];
}

/** A Prometheus with a configuration of the guide, in a directory of its own. */
class Prometheus {
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url;
    this.#stop = stop;
  }

  /** @param keys top-level keys of the guide's YAML, run against a gateway on a port */
  static async start(keys: string, port: number): Promise<Prometheus> {
    const directory = await mkdtemp(path.join(tmpdir(), 'pmgate-prometheus-'));
    const page = await readFile('src/http/API.md', 'utf8');
    const config = new RegExp(`^\`\`\`yaml\\n(${keys}:.*?)^\`\`\`$`, 'ms').exec(page)![1]!;
    expect(config).toContain('localhost:44322');
    const own = config.replaceAll('localhost:44322', `127.0.0.1:${port}`);
    await writeFile(path.join(directory, 'prometheus.yml'), `global: { scrape_interval: 1s }\n${own}`);
    const address = `127.0.0.1:${await freePort()}`;
    const flags = ['config.file=prometheus.yml', 'storage.tsdb.path=data', `web.listen-address=${address}`];
    const running = spawn(
      PROMETHEUS,
      flags.map((flag) => `--${flag}`),
      { cwd: directory, stdio: 'ignore' },
    );
    return new Prometheus(`http://${address}`, async () => {
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill();
      await ended;
      await rm(directory, { recursive: true });
    });
  }

  /** What is answered, once Prometheus answers at all. */
  async ask(endpoint: string, parameters: Readonly<Record<string, string>>): Promise<QueryAnswer> {
    for (;;) {
      const answer = await fetch(`${this.#url}/api/v1/${endpoint}?${String(new URLSearchParams(parameters))}`).catch(
        () => undefined,
      );
      if (answer?.ok === true) return (await answer.json()) as QueryAnswer;
      await delay(100);
    }
  }

  /** What there is of a metric now, as soon as there is any. */
  async soon(query: string): Promise<QueryAnswer['data']['result']> {
    for (;;) {
      const { data } = await this.ask('query', { query });
      if (data.result.length > 0) return data.result;
      await delay(100);
    }
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

const describeIfInstalled = isInstalled() ? describe : describe.skip;

describeIfInstalled('the scrape_config of the guide', () => {
  let api: Api;
  let prometheus: Prometheus;
  beforeAll(async () => {
    api = await Api.start();
    prometheus = await Prometheus.start('scrape_configs', api.port);
  });
  afterAll(async () => {
    await prometheus.stop();
    await api.stop();
  });

  it('is scraped with the names that pmproxy gives', async () => {
    expect((await prometheus.soon('up'))[0]!.value[1]).toBe('1');
    const [forks] = await prometheus.soon('kernel_all_sysfork');
    expect(forks).toMatchObject({
      metric: { __name__: 'kernel_all_sysfork', job: 'pmgate' },
      value: [expect.anything(), '9369'],
    });
    expect(await prometheus.soon('kernel_all_load')).toHaveLength(3);
  });
});

const DAY = 86_400;
/** Two half hours on two days, a record every ten seconds: a counter per disk, and a gauge. */
const FIRST_DAY = 1_750_000_000;
const RECORDS = 180;
const DISKS = 100 * 2 ** 22;

function writeDay(directory: string, base: string, start: number): void {
  const builder = new ArchiveBuilder({ version: 3, start: [start, 0], hostName: 'web1' });
  const [bytes, load] = [DISKS + 1, DISKS + 2];
  builder
    .metric({ pmid: bytes, names: ['disk.bytes'], type: 3, semantics: 1, indom: DISKS, units: 0x10000000 })
    .metric({ pmid: load, names: ['kernel.load'], type: 5, semantics: 3 })
    .indom([start, 0], DISKS, rows([0, 'sda'], [1, 'sdb']));
  for (let i = 0; i < RECORDS; i++) {
    builder.record(
      [start + 10 * i, 0],
      [
        {
          pmid: bytes,
          values: rows([0, 70_000 * i], [1, 1000 * i * i]),
        },
        { pmid: load, values: [[-1, (i * 37) % 101]] },
      ],
    );
  }
  builder.write(directory, base);
}

describeIfInstalled('the remote_read block of the guide', () => {
  let gateway: RunningGateway;
  let prometheus: Prometheus;
  const root = temporaryDirectory().path;
  beforeAll(async () => {
    await mkdir(path.join(root, 'web1'));
    writeDay(path.join(root, 'web1'), 'first', FIRST_DAY);
    writeDay(path.join(root, 'web1'), 'second', FIRST_DAY + DAY);
    gateway = await startGateway({ PMGATE_ARCHIVES_ROOTS: root, PMGATE_LOCAL_SOURCE: 'embedded' });
    prometheus = await Prometheus.start('remote_read', gateway.port);
  });
  afterAll(async () => {
    await prometheus.stop();
    await gateway.close();
  });

  /** Values of the gateway's own range, by instance: one every ten seconds. */
  async function range(name: string, start: number, finish: number): Promise<ReadonlyMap<string, readonly number[]>> {
    const parameters = { archive: 'web1', name, start: String(start), finish: String(finish), format: 'columns' };
    const answer = await fetch(
      `http://127.0.0.1:${gateway.port}/pmapi/fetch?${String(new URLSearchParams(parameters))}`,
    );
    const { metrics } = (await answer.json()) as {
      metrics: readonly [{ series: readonly { name?: string; values: readonly (number | null)[] }[] }];
    };
    return new Map(
      metrics[0].series.map(({ name: instance = '', values }) => [instance, values.filter((value) => value !== null)]),
    );
  }

  const MID = FIRST_DAY + DAY + 900;
  const byDisk = (result: QueryAnswer['data']['result']): ReadonlyMap<string, number> =>
    new Map(result.map(({ metric, value }) => [metric.instname ?? '', Number(value[1])]));

  it('gives PromQL the counters of an archive: rate, and sum by', async () => {
    const parameters = { time: String(MID) };
    const { data, warnings } = await prometheus.ask('query', { ...parameters, query: 'rate(disk_bytes_total[5m])' });
    expect(warnings).toBeUndefined();
    const rates = byDisk(data.result);
    const own = await range('disk.bytes', MID - 300, MID);
    for (const disk of ['sda', 'sdb']) {
      const values = own.get(disk)!;
      expect(rates.get(disk)).toBeCloseTo((values.at(-1)! - values[0]!) / 300, 3);
    }
    const sum = await prometheus.ask('query', {
      ...parameters,
      query: 'sum by (hostname) (rate(disk_bytes_total[5m]))',
    });
    expect(sum.data.result).toMatchObject([{ metric: { hostname: 'web1' } }]);
    expect(Number(sum.data.result[0]!.value[1])).toBeCloseTo(rates.get('sda')! + rates.get('sdb')!, 3);
  });

  it('gives it the day before, and every sample', async () => {
    const max = await prometheus.ask('query', {
      time: String(MID),
      query: 'max_over_time(kernel_load[595s] offset 1d)',
    });
    const before = (await range('kernel.load', MID - DAY - 595, MID - DAY)).get('')!;
    expect(max.data.result.map(({ value }) => Number(value[1]))).toEqual([Math.max(...before)]);
    const all = await prometheus.ask('query_range', {
      query: '{__name__=~"kernel_.*"}',
      start: String(FIRST_DAY + DAY),
      end: String(FIRST_DAY + DAY + 10 * RECORDS),
      step: '10',
    });
    const own = await range('kernel.load', FIRST_DAY + DAY, FIRST_DAY + DAY + 10 * RECORDS);
    const values = all.data.result[0]!.values!.map(([, value]) => Number(value));
    expect(all.data.result).toHaveLength(1);
    expect(values.slice(0, RECORDS)).toEqual(own.get(''));
  });

  it('has scraped and recorded samples of one metric in one series', async () => {
    const matchers = [['__name__', '=', 'kernel_all_nprocs']] as const;
    const recorded = async () => {
      const { results } = await remoteRead(gateway.port, [
        { startMs: Date.now() - 3_600_000, endMs: Date.now(), matchers },
      ]);
      return results[0]?.[0]?.samples ?? [];
    };
    // A record every ten seconds.
    while ((await recorded()).length === 0) await delay(500);
    const [[timeMs]] = (await recorded()) as [[number, number]];
    let samples: readonly number[] = [];
    while (!samples.some((time) => time > timeMs + 1000)) {
      const { data } = await prometheus.ask('query', { query: 'kernel_all_nprocs[1h]' });
      // None, while Prometheus cannot reach the gateway.
      if (data.result.length === 0) continue;
      expect(data.result).toHaveLength(1);
      samples = data.result[0]!.values!.map(([time]) => Math.round(time * 1000));
      await delay(200);
    }
    expect(samples).toContain(timeMs);
  });

  it('shows why a request was refused', async () => {
    const { warnings } = await prometheus.ask('query', { time: String(MID), query: `{a=~"x{999}|y{999}|z{999}"}` });
    expect(warnings?.join()).toContain('the regular expressions are too large');
  });
});
