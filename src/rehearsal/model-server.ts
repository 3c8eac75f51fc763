// A local server with a scripted model. It implements enough of the Messages API for the real Claude Code; a script
// decides each reply.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import { frames, type Block, type TokenUsage } from "./stream.ts";

/** One request of Claude Code: the conversation so far, ending with the results of tools. */
export interface Turn {
  /** The first part of the path: identifies the caller. */
  readonly address: string;
  readonly model: string;
  readonly tools: readonly string[];
  readonly messages: readonly Message[];
}

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Content[];
}

export type Content =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly toolUseId: string;
      readonly text: string;
      readonly isError: boolean;
    };

export type Reply =
  | {
      readonly kind: "say";
      readonly blocks: readonly Block[];
      readonly usage?: Partial<TokenUsage> | undefined;
    }
  /** An error of the API, for example 429 or 529, with its headers. */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never answers. */
  | { readonly kind: "hang" };

export type Script = (turn: Turn) => Reply | Promise<Reply>;

export interface Model {
  /** For `ANTHROPIC_BASE_URL`. The script finds the address in its turns. */
  readonly url: (address?: string) => string;
  /** The number of turns so far. */
  readonly turns: () => number;
  readonly close: () => Promise<void>;
}

export async function startModel(script: Script): Promise<Model> {
  let turns = 0;
  const server = createServer((request, response) => {
    void answer(request, response, async (turn) => {
      turns++;
      return script(turn);
    }).catch((error: unknown) => {
      // An error in a script must not look like a silent model.
      refuse(response, 500, `The script failed: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: (address = "") => `http://127.0.0.1:${port}${address === "" ? "" : `/${address}`}`,
    turns: () => turns,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ENDPOINT = /^\/(?:(?<address>[^/?]+)\/)?v1\/messages(?<rest>\/count_tokens)?(?:\?|$)/;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
): Promise<void> {
  const body = await readBody(request);
  const endpoint = ENDPOINT.exec(request.url ?? "")?.groups;
  if (request.method !== "POST" || !endpoint) return refuse(response, 404, "Not found.");
  if (endpoint["rest"] !== undefined) return send(response, { input_tokens: 10 });
  const question = questionSchema.parse(JSON.parse(body));
  const turn: Turn = {
    address: endpoint["address"] ?? "",
    model: question.model,
    tools: question.tools.map(({ name }) => name),
    messages: question.messages,
  };
  // Requests without tools, such as for titles, are not turns of the work.
  const reply: Reply =
    turn.tools.length === 0
      ? { kind: "say", blocks: [{ type: "text", text: '{"title":"Rehearsal"}' }] }
      : await script(turn);
  switch (reply.kind) {
    case "hang":
      return undefined;
    case "refuse":
      return refuse(response, reply.status, reply.message, reply.headers);
    case "say":
      return say(response, question, reply);
  }
}

function say(
  response: ServerResponse,
  question: Question,
  { blocks, usage }: Extract<Reply, { kind: "say" }>,
): void {
  const { message, events } = frames(question.model, blocks, usage);
  if (!question.stream) return send(response, message);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
  return undefined;
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  const error = { type: ERROR_TYPES[status] ?? "api_error", message };
  response.end(JSON.stringify({ type: "error", error }));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

const textSchema = z.object({ type: z.literal("text"), text: z.string() });

const contentSchema = z.union([
  textSchema,
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  z
    .object({
      type: z.literal("tool_result"),
      tool_use_id: z.string(),
      content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).default(""),
      is_error: z.boolean().nullish(),
    })
    .transform((result) => ({
      type: "tool_result" as const,
      toolUseId: result.tool_use_id,
      text: textOf(result.content),
      isError: result.is_error ?? false,
    })),
  // Thinking, images and content of newer versions, which scripts do not use.
  z.looseObject({ type: z.string() }).transform(() => ({ type: "text" as const, text: "" })),
]);

const questionSchema = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(
    z.object({
      role: z
        .enum(["user", "assistant", "system"])
        .transform((role) => (role === "assistant" ? role : "user")),
      content: z.union([
        z.string().transform((text) => [{ type: "text" as const, text }]),
        z.array(contentSchema),
      ]),
    }),
  ),
});
type Question = z.output<typeof questionSchema>;

const textOf = (content: string | readonly unknown[]): string =>
  typeof content === "string"
    ? content
    : content.map((part) => textSchema.safeParse(part).data?.text ?? "").join("\n");
