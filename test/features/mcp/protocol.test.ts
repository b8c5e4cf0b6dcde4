/** Official client libraries of both generations, over HTTP and over standard input and output, list and call everything. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { InProcessGateway } from '../../../src/cli/in-process-gateway.js';
import { bundledProgram } from '../../support/bundled-program.js';
import { patient } from './support/assistant.js';
import { serveOffline } from './support/served.js';
import { archiveOf, WINDOW } from './support/strange-archives.js';

const HOST = 'web';
const NAME = 'app.group0.metric0';
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['pcp_hosts', {}],
  ['pcp_diagnose', { host: HOST, ...WINDOW }],
  ['pcp_changes', { host: HOST, start: '1970-01-24T03:41:20Z', finish: WINDOW.finish }],
  ['pcp_find', { host: HOST, words: 'metric0' }],
  ['pcp_query', { host: HOST, ...WINDOW, names: [NAME] }],
  ['pcp_why', { host: HOST, names: [NAME], at: WINDOW.finish }],
  ['pcp_check_expression', { host: HOST, expr: `${NAME} * 2`, at: WINDOW.finish }],
];

/** What the clients of both generations have in common, as far as it is used here. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(given: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(given: { name: string; arguments: Record<string, string> }): Promise<{ messages: object[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(given: { uri: string }): Promise<{ contents: object[] }>;
  close(): Promise<void>;
}

let directory: string;
let gateway: InProcessGateway;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'pmgate-mcp-'));
  archiveOf(HOST, 3, 2, ['instance']).write(directory, HOST);
  gateway = await serveOffline(directory);
});
afterAll(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
});

const INFO = { name: 'test', version: '1' };
const MCP = new URL('http://localhost/mcp');

async function modern(transport: 'http' | 'stdio', mode: 'auto' | 'legacy'): Promise<AnyClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  const fetch = patient(gateway.fetch);
  const command = { command: process.execPath, args: [bundledProgram(), 'mcp', directory] };
  await client.connect(
    transport === 'http' ? new StreamableHTTPClientTransport(MCP, { fetch }) : new StdioClientTransport(command),
  );
  return client;
}

async function old(transport: 'http' | 'stdio'): Promise<AnyClient> {
  const client = new OldClient(INFO);
  const fetch = patient(gateway.fetch);
  const command = { command: process.execPath, args: [bundledProgram(), 'mcp', directory] };
  await client.connect(transport === 'http' ? new OldHttp(MCP, { fetch }) : new OldStdio(command));
  return client;
}

const CLIENTS: readonly (readonly [string, () => Promise<AnyClient>])[] = [
  ['of 2026 over HTTP', () => modern('http', 'auto')],
  ['of 2026 over stdio', () => modern('stdio', 'auto')],
  ['of 2026 as one of 2025, over HTTP', () => modern('http', 'legacy')],
  ['of 2026 as one of 2025, over stdio', () => modern('stdio', 'legacy')],
  ['of 2025 over HTTP', () => old('http')],
  ['of 2025 over stdio', () => old('stdio')],
];

describe('every tool, prompt and resource', () => {
  it.each(CLIENTS)('answers a client %s', async (_, connect) => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...new Set(CALLS.map(([name]) => name))]);
    for (const [name, given] of CALLS) {
      const answer = await client.callTool({ name, arguments: given });
      const items = expect.any(Array) as unknown[];
      expect([name, answer]).toEqual([
        name,
        expect.objectContaining({ structuredContent: expect.objectContaining({ items }) as object }),
      ]);
      expect([name, answer]).toEqual([name, expect.not.objectContaining({ isError: true })]);
    }
    const { prompts } = await client.listPrompts();
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { host: HOST, time: WINDOW.finish } });
      expect(JSON.stringify(messages)).toContain(HOST);
    }
    expect(prompts).toHaveLength(1);
    // There are none before the guide is built.
    const { resources } = await client.listResources();
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
    await client.close();
  });
});
