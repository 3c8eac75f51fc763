// Saga's tools for Claude Code: an MCP server without a connection of its own. Its messages travel inside the
// conversation with the program.

import * as z from "zod";
import type { SagaTool } from "../../agent/saga-tool.ts";
import { messageOf } from "../../errors.ts";

export const SERVER = "saga";

/** JSON-RPC. Without an id it is a notification. */
export interface ToolMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown };
}

/** What the server would say first: Claude Code then need not ask. */
export const serverManifest = (tools: readonly SagaTool[]): object => ({
  initializeResult: INITIALIZED,
  toolsListResult: listTools(tools),
});

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: SERVER, version: "1.0.0" },
} as const;

const listTools = (tools: readonly SagaTool[]): object => ({
  tools: tools.map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { target: "draft-7", io: "input" }),
  })),
});

export async function answerToolMessage(
  tools: readonly SagaTool[],
  { id = 0, method, params }: ToolMessage,
): Promise<object> {
  const result = (value: object): object => ({ jsonrpc: "2.0", id, result: value });
  switch (method) {
    case "initialize":
      return result(INITIALIZED);
    case "tools/list":
      return result(listTools(tools));
    case "tools/call": {
      const tool = tools.find(({ name }) => name === params?.name);
      if (tool) return result(await call(tool, params?.arguments));
      return { jsonrpc: "2.0", id, error: { code: -32_602, message: "Unknown tool." } };
    }
    case "ping":
    // A notification: the answer is not read.
    case "notifications/initialized":
    case "notifications/cancelled":
      return result({});
    default:
      return { jsonrpc: "2.0", id, error: { code: -32_601, message: "Unknown method." } };
  }
}

/** An error is an answer that the agent reads. */
async function call(tool: SagaTool, given: unknown): Promise<object> {
  try {
    const { text, isError = false } = await tool.run(given);
    return { content: [{ type: "text", text }], isError };
  } catch (error) {
    return { content: [{ type: "text", text: messageOf(error) }], isError: true };
  }
}
