import { openRegistry } from '../support/derived-api.js';
import { Api } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** An expression that takes some 200 KB with its program. */
const LARGE = `kernel.all.load${'+1'.repeat(999)}`;
const ROOM_FOR_FIVE = 1_100_000;

const temporary = temporaryDirectory();
let directory: string;
let api: Api;
let complaints: string[];
beforeEach(async () => {
  directory = temporary.fresh();
});
afterEach(async () => {
  await api.stop();
});

/** A gateway on the state of the one before, with so much room for definitions. */
async function start(memoryBytes: number): Promise<void> {
  complaints = [];
  const derived = await openRegistry(directory, {
    memoryBytes,
    complain: (message, { metric }) => void complaints.push(`${message}: ${String(metric)}`),
  });
  api = await Api.start(memoryGateway({ definitions: derived.store }), { derived });
}

async function restart(memoryBytes: number): Promise<void> {
  await api.stop();
  await start(memoryBytes);
}

const put = (name: string, expr: string): ReturnType<Api['request']> =>
  api.request('PUT', `/derived/${name}`, { body: { expr } });

interface Listed {
  readonly derived: readonly { readonly name: string }[];
  readonly withheld?: readonly { readonly name: string; readonly code: string; readonly message: string }[];
}

async function list(query = ''): Promise<{ inForce: string[]; withheld: string[] | undefined }> {
  const { derived, withheld } = (await api.get(`/derived${query}`)).json as unknown as Listed;
  return { inForce: derived.map(({ name }) => name), withheld: withheld?.map(({ name }) => name) };
}

/** A gateway with room for five, and four more on disk: `big.d0` to `big.d8`. */
async function startFull(): Promise<void> {
  await start(10_000_000);
  for (let i = 0; i < 9; i++) expect((await put(`big.d${i}`, LARGE)).status).toBe(201);
  await restart(ROOM_FOR_FIVE);
}

const IN_FORCE = ['big.d0', 'big.d1', 'big.d2', 'big.d3', 'big.d4'];
const WITHHELD = ['big.d5', 'big.d6', 'big.d7', 'big.d8'];

describe('definitions that fill the memory', () => {
  it('are refused with 507, and what was accepted serves after a restart, too', async () => {
    await start(ROOM_FOR_FIVE);
    const statuses = [];
    for (let i = 0; i < 7; i++) statuses.push((await put(`big.d${i}`, LARGE)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 507, 507]);
    expect((await put('big.d9', LARGE)).json).toMatchObject({
      code: 'MEMORY_FULL',
      message: expect.stringContaining('limits.memoryBytes') as string,
    });
    for (let i = 0; i < 2; i++) {
      expect(await list()).toEqual({ inForce: IN_FORCE, withheld: undefined });
      expect((await api.get('/metrics')).status).toBe(200);
      const { leaf } = (await api.get('/pmapi/children?prefix=big')).json as unknown as { leaf: string[] };
      expect(leaf.sort()).toEqual(['d0', 'd1', 'd2', 'd3', 'd4']);
      await restart(ROOM_FOR_FIVE);
      expect(complaints).toEqual([]);
    }
  });
});

describe('definitions of the state for which there is no room', () => {
  it('are listed as withheld, with the reason, and told in the log', async () => {
    await startFull();
    expect(await list()).toEqual({ inForce: IN_FORCE, withheld: WITHHELD });
    const { withheld } = (await api.get('/derived')).json as unknown as Listed;
    expect(withheld![0]).toEqual({
      name: 'big.d5',
      code: 'MEMORY_FULL',
      message: expect.stringContaining('limits.memoryBytes') as string,
    });
    expect(complaints).toEqual(WITHHELD.map((name) => `skipped a saved derived metric: ${name}`));
    expect(await list('?origin=shipped')).toEqual({ inForce: [], withheld: undefined });
    expect((await api.get('/derived/big.d5')).json).toMatchObject({ code: 'UNKNOWN_DERIVED' });
  });

  it('can be removed, once, and do not come back', async () => {
    await startFull();
    expect((await api.request('DELETE', '/derived/big.d6')).json).toEqual({ name: 'big.d6', success: true });
    expect((await api.request('DELETE', '/derived/big.d6')).json).toMatchObject({ code: 'UNKNOWN_DERIVED' });
    expect((await list()).withheld).toEqual(['big.d5', 'big.d7', 'big.d8']);
    await restart(10_000_000);
    expect(await list()).toEqual({ inForce: [...IN_FORCE, 'big.d5', 'big.d7', 'big.d8'], withheld: undefined });
  });
});
