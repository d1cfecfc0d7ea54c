/** The official client of the Model Context Protocol, and what it gets. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface McpOptions {
  readonly url: string;
  /** Null: it sends none. */
  readonly key: string | null;
  /** `legacy`: the revisions that begin with `initialize`; otherwise 2026-07-28. */
  readonly era?: 'legacy' | 'modern';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ToolAnswer {
  readonly isError: boolean;
  /** The text of the answer, read as JSON. */
  readonly body: Record<string, unknown>;
  /** The answer for programs; a failure has none. */
  readonly structured: unknown;
  /** Of the whole HTTP answer, without what it has for programs. */
  readonly bytes: number;
  readonly headers: Headers;
}

/** A client that is connected. */
export class Agent implements AsyncDisposable {
  readonly client: Client;
  #last: { readonly bytes: number; readonly headers: Headers } = { bytes: 0, headers: new Headers() };

  private constructor(era: 'legacy' | 'modern') {
    const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
    this.client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  }

  static async connect({ url, key, era = 'modern', headers = {} }: McpOptions): Promise<Agent> {
    const agent = new Agent(era);
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...headers } },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const bytes = (await response.clone().arrayBuffer()).byteLength;
        if (init?.method === 'POST') agent.#last = { bytes, headers: response.headers };
        return response;
      },
    });
    await agent.client.connect(transport);
    return agent;
  }

  /** Names of the tools, and the bytes of the answer that lists them. */
  async list(): Promise<{ readonly names: string[]; readonly bytes: number }> {
    const { tools } = await this.client.listTools();
    return { names: tools.map(({ name }) => name), bytes: this.#last.bytes };
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { content, structuredContent, isError = false } = await this.client.callTool({ name, arguments: args });
    const [first, ...more] = content;
    if (first?.type !== 'text' || more.length > 0) throw new Error('not one text');
    const { bytes, headers } = this.#last;
    return {
      ...{ isError, headers, structured: structuredContent },
      body: JSON.parse(first.text) as Record<string, unknown>,
      bytes: bytes - Buffer.byteLength(JSON.stringify(structuredContent ?? '')),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
