import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { area } from './support/conformance.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { type SampleSetup, makeSampleSetup } from './support/sample-agent.js';
import { ask as send } from '../support/plain-request.js';
import { PATIENT_HOSTS } from '../support/patience.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

/** Connections to pmcd that the gateway may have, see hosts.connections. */
const CONNECTIONS = 2;

interface FetchJson {
  readonly context: number;
  readonly message?: string;
  readonly code?: string;
  readonly success?: boolean;
  readonly reconnected?: true;
  readonly values: readonly {
    readonly name: string;
    readonly instances: readonly { readonly instance: number | null; readonly value: unknown }[];
  }[];
  readonly warnings?: readonly { readonly name: string; readonly pmErr: number }[];
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly json: FetchJson;
}

function pminfo(port: number, name: string): string {
  const { stdout } = spawnSync('pminfo', ['-h', `127.0.0.1:${port}`, '-f', name], { encoding: 'utf8' });
  return stdout;
}

function pminfoValue(port: number, name: string): string | undefined {
  return /value (.*)/.exec(pminfo(port, name))?.[1];
}

describeWithPcp('a gateway in front of a real pmcd', () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  let sample: SampleSetup;
  let pmcd: RunningPmcd;
  let gateway: RunningGateway;
  let port: number;

  beforeAll(async () => {
    sample = makeSampleSetup();
    pmcd = await startPmcd(sample.setup);
    gateway = await startGateway({
      PMGATE_HOSTS_ALLOW: `127.0.0.1:${pmcd.port}`,
      PMGATE_HOSTS_CONNECTIONS: String(CONNECTIONS),
      PMGATE_STORE_ENABLED: 'true',
      ...PATIENT_HOSTS,
      PMGATE_ACCESS_ANONYMOUS_ROLES: 'read,derive,store',
    });
    ({ port } = gateway);
  });
  afterAll(async () => {
    agent.destroy();
    await gateway.close();
    await pmcd.stop();
    sample.remove();
  });

  async function ask(method: 'GET' | 'POST', target: string, body?: string): Promise<Reply> {
    const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'text/plain' };
    const { status, body: text } = await send(port, target, {
      method,
      headers,
      agent,
      ...(body !== undefined && { body }),
    });
    return { status, text, json: JSON.parse(text) as FetchJson };
  }

  const hostspec = (): string => `hostspec=127.0.0.1:${pmcd.port}`;

  /** A gateway on a busy machine refuses some of a thousand requests at once, for the moment. */
  async function get(target: string): Promise<Reply> {
    for (;;) {
      const reply = await ask('GET', target);
      if (reply.json.code !== 'OVERLOADED') return reply;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function makeContext(): Promise<number> {
    const { json } = await get(`/pmapi/context?${hostspec()}&polltimeout=300`);
    return json.context;
  }

  async function valuesOf(context: number, names: string): Promise<Record<string, unknown[]>> {
    const { json } = await ask('GET', `/pmapi/${context}/fetch?names=${names}`);
    return Object.fromEntries(json.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]));
  }

  it('keeps a thousand contexts and 64 clients on the connections that are configured', async () => {
    const before = Number(pminfoValue(pmcd.port, 'pmcd.numclients'));
    const contexts = await Promise.all(Array.from({ length: 1000 }, makeContext));
    const replies = await Promise.all(
      contexts.map((context) => get(`/pmapi/${context}/fetch?names=sample.long.million,sample.bin`)),
    );
    expect(replies.filter(({ status, json }) => status !== 200 || json.values.length !== 2)).toEqual([]);
    // pminfo's own connection is in both counts.
    expect(Number(pminfoValue(pmcd.port, 'pmcd.numclients')) - before).toBeLessThanOrEqual(CONNECTIONS);
  });

  it.each([
    ['sample.long.write_me', '-2147483648', '-2147483648'],
    ['sample.ulong.write_me', '0xffffffff', '4294967295'],
    ['sample.longlong.write_me', '-9223372036854775808', '-9223372036854775808'],
    ['sample.ulonglong.write_me', '18446744073709551615', '18446744073709551615'],
    ['sample.float.write_me', '1.25', '1.25'],
    ['sample.double.write_me', '0.1', '0.1'],
    ['sample.string.write_me', 'written over REST', '"written over REST"'],
  ])('stores into %s what pminfo then shows', async (name, value, shown) => {
    await area('stores').check(async () => {
      const { json } = await ask('POST', `/pmapi/store?${hostspec()}&name=${name}`, `${value}\n`);
      expect(json).toMatchObject({ success: true });
      expect(pminfoValue(pmcd.port, name)).toBe(shown);
    });
  });

  it('stores into some instances', async () => {
    const query = `${hostspec()}&name=sample.bin&iname=bin-300,bin-700`;
    const { json } = await ask('POST', `/pmapi/store?${query}`, '5');
    // The agent takes it and keeps its values, or refuses it: what matters is who was asked to do what.
    expect(json.success === true || json.message?.startsWith('failed to store value to metric sample.bin: ')).toBe(
      true,
    );
    const unknown = await ask('POST', `/pmapi/store?${hostspec()}&name=sample.bin&iname=bin-1`, '5');
    expect([unknown.status, unknown.json.message]).toEqual([
      404,
      'failed to store value to metric sample.bin: Unknown or illegal instance identifier',
    ]);
  });

  it.each([
    ['sample.long.one', '5', 'No permission to perform requested operation'],
    ['kernel.all.load', '5', 'Unknown or illegal instance identifier'],
    ['kernel.all.load&instance=1', '5', 'No permission to perform requested operation'],
    ['sample.long.write_me', '1.5', 'Unknown or illegal metric type'],
    ['sample.long.write_me', '2147483648', 'Numerical result out of range'],
  ])('passes on why %s = %s cannot be stored', async (name, value, reason) => {
    await area('stores').check(async () => {
      const { json } = await ask('POST', `/pmapi/store?${hostspec()}&name=${name}`, value);
      expect(json.message).toBe(`failed to store value to metric ${name.replace(/&.*/, '')}: ${reason}`);
    });
  });

  it('follows an agent that is killed and started again, and its metrics that come and go', async () => {
    const context = await makeContext();
    const names = 'kernel.all.load,sample.daemon_pid';
    const before = await valuesOf(context, names);
    process.kill(Number(before['sample.daemon_pid']![0]), 'SIGKILL');
    // pmcd notices by the first fetch, and starts a killed agent again by itself; how soon is its own affair.
    const seen: (unknown[] | undefined)[] = [];
    do {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const now = await valuesOf(context, names);
      expect(now['kernel.all.load']).toHaveLength(3);
      seen.push(now['sample.daemon_pid']);
    } while (seen.at(-1)?.length !== 1 || seen.at(-1)![0] === before['sample.daemon_pid']![0]);
    expect(seen.some((pids) => pids?.length !== 1)).toBe(true);
  });

  it('keeps contexts while pmcd is killed and started again, says so once, and starts derived metrics over', async () => {
    const context = await makeContext();
    const own = await makeContext();
    const derive = `/pmapi/${context}/derive?name=live.forks&expr=delta(sample.long.million)`;
    expect((await ask('GET', derive)).status).toBe(200);
    const fetch = `/pmapi/${context}/fetch?names=live.forks,sample.long.million`;
    const instancesOf = ({ json }: Reply): number[] => json.values.map(({ instances }) => instances.length);
    expect(instancesOf(await ask('GET', fetch))).toEqual([0, 1]);
    expect(instancesOf(await ask('GET', fetch))).toEqual([1, 1]);

    await pmcd.stop();
    const lost = await ask('GET', fetch);
    expect([lost.status, lost.json.code]).toEqual([503, 'SOURCE_UNREACHABLE']);
    expect((await ask('GET', `/pmapi/context?${hostspec()}`)).json.message).toMatch(/^cannot connect to PMCD: /);
    pmcd = await startPmcd({ ...sample.setup, port: pmcd.port });
    expect((await ask('POST', `/pmapi/${context}/reconnect`)).json).toMatchObject({ context, success: true });

    const first = await ask('GET', fetch);
    expect([first.json.reconnected, instancesOf(first)]).toEqual([true, [0, 1]]);
    const second = await ask('GET', fetch);
    expect([second.json.reconnected, instancesOf(second)]).toEqual([undefined, [1, 1]]);
    const other = await ask('GET', `/pmapi/${own}/fetch?names=sample.long.million`);
    expect([other.json.reconnected, instancesOf(other)]).toEqual([true, [1]]);
  });

  it('shows metrics that a new configuration of pmcd brings at the next fetch', async () => {
    const context = await makeContext();
    const without = makeSampleSetup();
    await pmcd.stop();
    pmcd = await startPmcd({ port: pmcd.port });
    await ask('POST', `/pmapi/${context}/reconnect`);
    const names = 'kernel.all.load,sample.long.million';
    expect(Object.keys(await valuesOf(context, names))).toEqual(['kernel.all.load']);
    await pmcd.stop();
    pmcd = await startPmcd({ ...without.setup, port: pmcd.port });
    await ask('POST', `/pmapi/${context}/reconnect`);
    expect(await valuesOf(context, names)).toMatchObject({ 'sample.long.million': [1_000_000] });
    without.remove();
  });
});
