import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Session } from '../session.js';

const INTERNAL_ERROR = -32603;
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** A message of JSON-RPC, as far as the way over HTTP needs it. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** `pmgate mcp`: hands each line of standard input to the gateway's /mcp, and prints what it answers, until the input ends. */
export async function mcpCommand(session: Session): Promise<ExitCode> {
  const { terminal } = session;
  const pending = new Set<Promise<void>>();
  for await (const line of terminal.readLines()) {
    if (line.trim() === '') continue;
    const answering = answer(session, line).then((text) =>
      text === '' ? undefined : terminal.stdout.write(`${text}\n`),
    );
    pending.add(answering);
    const done = (): void => void pending.delete(answering);
    answering.then(done, done);
  }
  await Promise.all(pending);
  return EXIT.OK;
}

/** The answer to a message, on one line; empty for one that has none. */
async function answer({ client, signal }: Session, line: string): Promise<string> {
  let message: Message = {};
  try {
    message = JSON.parse(line) as Message;
    const headers = { 'Content-Type': 'application/json', ...headersOf(message) };
    const response = await client.send('/mcp', { method: 'POST', headers, body: line, signal });
    const text = (await response.text()).trim();
    if (response.ok || text.includes('"jsonrpc"')) return text;
    throw new Error((JSON.parse(text) as { readonly message: string }).message);
  } catch (error) {
    const { id, method } = message;
    if (id === undefined && method !== undefined) return '';
    const reason = { code: INTERNAL_ERROR, message: (error as Error).message };
    return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: reason });
  }
}

/** What the protocol of 2026 repeats in headers. */
function headersOf({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION];
  if (typeof version !== 'string' || method === undefined) return {};
  const name = params?.name ?? params?.uri;
  return { 'MCP-Protocol-Version': version, 'Mcp-Method': method, ...(name === undefined ? {} : { 'Mcp-Name': name }) };
}
