import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The answer of a tool, as assistants get it. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: { readonly tool: string; readonly arguments: Record<string, unknown> } | undefined;
  readonly address: string | undefined;
  /** Of the whole answer: bytes / 4. */
  readonly tokens: number;
}

/** An assistant that calls tools, over the SDK's own client. */
export class Assistant {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** @param version the protocol to speak */
  static async connect(
    url: string,
    options: { readonly fetch?: typeof fetch; readonly token?: string; readonly version?: 'auto' | 'legacy' } = {},
  ): Promise<Assistant> {
    const { token, version = 'auto' } = options;
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: version } });
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers },
      fetch: patient(options.fetch ?? fetch),
    });
    await client.connect(transport);
    return new Assistant(client);
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<Told> {
    const result = await this.client.callTool({ name, arguments: given });
    const { items = [], next, address } = (result.structuredContent ?? {}) as Partial<Told>;
    const [content] = result.content as readonly { readonly text: string }[];
    return {
      isError: result.isError === true,
      text: content!.text,
      items,
      next,
      address,
      tokens: Buffer.byteLength(JSON.stringify({ content: result.content, structured: result.structuredContent })) / 4,
    };
  }
}

/** Asks again while the gateway is overloaded: tests keep the event loop busy, which looks like that. */
export function patient(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    for (;;) {
      const answer = await fetch(...request);
      if (answer.status !== 503) return answer;
    }
  };
}
