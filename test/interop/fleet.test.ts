import { spawnSync } from 'node:child_process';
import { ValkeyEngine } from '../../src/fleet/valkey-engine.js';
import { Part, SERVER } from '../fleet/real/real-fleet.js';
import { describeEngine } from '../fleet/support/engine-contract.js';
import { freePort } from '../support/free-port.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

const describeFleet = SERVER === undefined ? describe.skip : describe;

type Server = Part & { readonly port: number };
const directory = temporaryDirectory();

/** A server on a port of its own, which keeps nothing on the disk. */
async function startServer(...parameters: readonly string[]): Promise<Server> {
  const port = await freePort();
  const usual = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory.fresh()];
  const part = new Part([SERVER!, ...usual, '--repl-diskless-sync-delay', '0', ...parameters]);
  return Object.assign(part, { port });
}

let primary: Server;
let replica: Server;

/** What must not appear in logs, errors or metrics. */
const SECRETS = {
  server: 'password-of-the-server',
  link: 'a secret for tests, of 32 characters',
  host: 'password-of-a-host',
};

describeFleet('a fleet', () => {
  beforeAll(async () => {
    const protection = ['--requirepass', SECRETS.server, '--masterauth', SECRETS.server];
    primary = await startServer(...protection);
    replica = await startServer(...protection, '--replicaof', '127.0.0.1', String(primary.port));
  });
  afterAll(async () => {
    await primary.end();
    await replica.end();
  });

  /** Calls something until it succeeds. */
  async function succeeds<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if ((error as Error).name !== 'EngineError') throw error;
        await new Promise(setImmediate);
      }
    }
  }

  let prefixes = 0;
  describeEngine('Valkey', async () => {
    const prefix = `test-${prefixes++}`;
    return {
      connect: async () => {
        const url = `valkey://127.0.0.1:${primary.port}`;
        const engine = new ValkeyEngine({
          url,
          sentinels: [],
          service: '',
          password: SECRETS.server,
          prefix,
          replicas: 1,
          // However busy the machine is.
          commandMs: 60_000,
          replicationMs: 5_000,
          onReachable: () => undefined,
        });
        // Each of its connections, and the replica.
        await succeeds(() => engine.getContext(1));
        await succeeds(() => engine.endContext(1, { home: '', takeovers: 0 }, 'test'));
        await succeeds(() => engine.renew({ name: 'test', value: '', ttlMs: 60_000 }, ''));
        await succeeds(() => engine.release('test'));
        return engine;
      },
      until: (work) => work,
      setReplication: async (isOn) => replica.signal(isOn ? 'SIGCONT' : 'SIGSTOP'),
    };
  });

  describe('of two gateways', () => {
    const gateways: RunningGateway[] = [];
    const logs: RunningGateway['lines'][] = [];
    afterAll(() => Promise.all(gateways.map(({ close }) => close())));

    async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
      const secretFile = directory.write('secret', SECRETS.link);
      const passwordFile = directory.write('password', SECRETS.server);
      const settings = {
        PMGATE_CLUSTER_URL: `redis://127.0.0.1:${primary.port}`,
        PMGATE_CLUSTER_PASSWORD_FILE: passwordFile,
        PMGATE_CLUSTER_NAME: `gateway-${gateways.length}`,
        PMGATE_CLUSTER_LINK_PORT: '0',
        PMGATE_CLUSTER_LINK_SECRET_FILE: secretFile,
        PMGATE_LOG_LEVEL: 'trace',
        ...environment,
      };
      const running = await startGateway(settings);
      gateways.push(running);
      logs.push(running.lines);
    }

    /** The version of the definitions that the last answer of `askMember` had: the next request names it, as FLEET.md tells clients to. */
    let definitions = '';

    async function ask(place: number, target: string, method = 'GET'): Promise<Response> {
      const headers = definitions === '' ? {} : { 'Pmgate-Definitions': definitions };
      return fetch(`${gateways[place]!.url}${target}`, { method, headers });
    }

    async function cluster(place: number): Promise<Record<string, unknown>> {
      return ((await (await ask(place, '/readyz')).json()) as { cluster: Record<string, unknown> }).cluster;
    }

    /** Once it is no longer alone, as it may be for a moment on a busy machine. */
    async function clusterOfMember(place: number): Promise<Record<string, unknown>> {
      for (;;) {
        const found = await cluster(place);
        if (found.state !== 'alone') return found;
      }
    }

    /** Asks again while the gateway is alone: on a busy machine it may be for a moment, and says so. */
    async function askMember(place: number, target: string, method = 'GET'): Promise<Response> {
      for (;;) {
        const answer = await ask(place, target, method);
        definitions = answer.headers.get('Pmgate-Definitions') ?? definitions;
        if (answer.status !== 503 && answer.headers.get('pmgate-cluster') === null) return answer;
      }
    }

    it('have the same global derived metrics', async () => {
      await start();
      await start();
      while ((await cluster(0)).members !== 2 || (await cluster(1)).members !== 2);
      const definition = (await (await askMember(0, '/derived/my.metric?expr=1', 'PUT')).json()) as object;
      expect(await (await askMember(1, '/derived/my.metric')).json()).toEqual(definition);
      expect((await askMember(1, '/derived/my.metric?expr=2', 'PUT')).status).toBe(409);
      // A change whose outcome was unknown may have been made.
      expect([200, 404]).toContain((await askMember(1, '/derived/my.metric', 'DELETE')).status);
      expect((await askMember(0, '/derived/my.metric')).status).toBe(404);
      expect((await clusterOfMember(1)).differs).toEqual([]);
    });

    it('hand requests to the one that has the context', async () => {
      const { context } = (await (await askMember(0, '/pmapi/context?polltimeout=3600')).json()) as { context: number };
      await askMember(1, `/pmapi/${context}/derive?name=my.handed&expr=kernel.all.load*2`);
      const fetched = `/pmapi/${context}/fetch?name=my.handed`;
      expect(await (await askMember(0, fetched)).json()).toMatchObject({ values: [{ name: 'my.handed' }] });
      const stream = (await askMember(1, `/pmapi/${context}/stream?name=my.handed`)).body!.getReader();
      let text = '';
      while (!text.includes('event: metrics')) text += Buffer.from((await stream.read()).value).toString();
      await stream.cancel();
      // Destroyed there: it was at one gateway all the time. If the outcome was unknown, it may be gone when asked again.
      expect([200, 404]).toContain((await askMember(1, `/pmapi/${context}`, 'DELETE')).status);
      expect((await askMember(0, fetched)).status).toBe(404);
    });

    it('take over the contexts of one that has gone', async () => {
      await start();
      while ((await cluster(0)).members !== 3);
      const { context } = (await (await askMember(2, '/pmapi/context?polltimeout=3600')).json()) as { context: number };
      await askMember(2, `/pmapi/${context}/derive?name=my.own&expr=kernel.all.load*2`);
      const fetched = `/pmapi/${context}/fetch?name=my.own`;
      const pmidOf = async (answer: Response): Promise<unknown> =>
        ((await answer.json()) as { values: { pmid: string }[] }).values[0]!.pmid;
      const pmid = await pmidOf(await askMember(2, fetched));
      await gateways.pop()!.close();
      expect(await pmidOf(await askMember(0, fetched))).toBe(pmid);
      expect((await askMember(0, `/pmapi/${context}`, 'DELETE')).status).toBe(200);
      expect(await (await askMember(1, fetched)).json()).toMatchObject({
        code: 'UNKNOWN_CONTEXT',
        message: `destroyed context identifier: ${context}`,
      });
    });

    it('keep secrets out of logs, errors, metrics, and records of contexts', async () => {
      const login = `username=bob&password=${SECRETS.host}`;
      const answers = [
        await ask(0, `/pmapi/context?hostspec=localhost?${encodeURIComponent(login)}`),
        await ask(1, '/pmapi/fetch?names=pmcd.version&hostspec=web1', 'GET'),
        await ask(0, '/metrics?hostspec=embedded'),
        await ask(1, '/readyz'),
        await ask(1, '/pmapi/1234567/fetch?names=mem.util.free'),
      ];
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      const cli = SERVER!.replace('-server', '-cli');
      const dump = ['-p', String(primary.port), '-a', SECRETS.server, '--no-auth-warning', '--scan', '--pattern', '*'];
      const keys = spawnSync(cli, dump, { encoding: 'utf8' }).stdout.trim().split('\n');
      expect(keys.length).toBeGreaterThan(1);
      const stored = keys.map((key) => spawnSync(cli, [...dump.slice(0, 5), 'dump', key], { encoding: 'utf8' }).stdout);
      const logged = logs.map((lines) => JSON.stringify(lines));
      expect(Math.min(...logs.map((lines) => lines.length))).toBeGreaterThan(0);
      const everything = [...logged, ...texts, ...keys, ...stored].join('\n');
      for (const secret of Object.values(SECRETS)) expect(everything).not.toContain(secret);
    });

    it('go on alone without the servers, and say so', async () => {
      await start({ PMGATE_CLUSTER_WHEN_ALONE: 'refuse' });
      const [serving, refusing] = [0, gateways.length - 1];
      while ((await ask(refusing, '/readyz')).status !== 200);
      await primary.end();
      while ((await ask(refusing, '/readyz')).status !== 503);
      expect(await (await ask(refusing, '/readyz')).text()).toContain('cannot reach the others of its fleet');
      // That is for load balancers: it answers everything else.
      expect((await ask(refusing, '/derived?prefix=my')).status).toBe(200);
      while ((await cluster(serving)).state !== 'alone');
      expect((await ask(serving, '/readyz')).status).toBe(200);
      const answer = await ask(serving, '/derived?prefix=my');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('pmgate-cluster')).toBe('alone');
      expect(await (await ask(serving, '/derived/my.metric?expr=1', 'PUT')).json()).toMatchObject({
        code: 'UNAVAILABLE',
      });
    });
  });
});
