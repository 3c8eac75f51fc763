import { once } from "node:events";
import { PassThrough } from "node:stream";
import {
  createSdkMcpServer,
  query,
  type HookCallbackMatcher,
} from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sagaTool } from "../../agent/saga-tool.ts";
import { converse, type Conversation } from "./converse.ts";

type Document = Record<string, unknown>;

/** What a program reads and writes on its side of the pipes. */
function newProgram() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const read: Document[] = [];
  let rest = "";
  stdin.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    read.push(...lines.map((line) => JSON.parse(line) as Document));
    stdin.emit("read");
  });
  const write = (document: object): void => void stdout.write(`${JSON.stringify(document)}\n`);
  const reads = async (count: number): Promise<Document[]> => {
    while (read.length < count) await once(stdin, "read");
    return read;
  };
  return { stdin, stdout, write, reads, inputEnds: once(stdin, "end") };
}

const hooks = {
  PreToolUse: [{ hooks: [async () => ({ reason: "seen" })], timeout: 5, onFailure: "block" }],
  PostToolUse: [{ matcher: "TaskUpdate", hooks: [() => Promise.reject(new Error("broken"))] }],
} satisfies Record<string, HookCallbackMatcher[]>;
const tools = [
  sagaTool("echo", "Says it again.", { word: z.string() }, ({ word }) => ({ text: word })),
];

/** A conversation whose messages are collected; the prompt is not sent yet. */
function begin(more: Partial<Conversation> = {}) {
  const program = newProgram();
  const messages: unknown[] = [];
  const conversation = converse(program, { prompt: "Go.", hooks, tools, ...more });
  const ended = (async () => {
    for await (const message of conversation) messages.push(message);
    return messages;
  })();
  ended.catch(() => undefined);
  return { ...program, ended };
}

const started = { hook_on_failure_supported: true, hooks_applied: true };
const accept = (response: object = started): object => ({
  type: "control_response",
  response: { subtype: "success", request_id: "initialize", response },
});
const ask = (request: object): object => ({ type: "control_request", request_id: "r1", request });
const state = (now: string): object => ({
  type: "system",
  subtype: "session_state_changed",
  state: now,
});
const result = { type: "result", subtype: "success" };

describe("a conversation with Claude Code", () => {
  it("begins with the hooks and tools, as that of the agent SDK", async () => {
    const program = newProgram();
    const server = createSdkMcpServer({ name: "saga", tools: [] });
    const messages = query({
      prompt: "Go.",
      options: {
        hooks,
        mcpServers: { saga: server },
        spawnClaudeCodeProcess: () =>
          Object.assign(new PassThrough(), program, {
            exitCode: null,
            killed: false,
            kill: () => true,
          }),
      },
    });
    const [theirs] = await program.reads(1);
    const { reads } = begin();
    const [ours] = await reads(1);
    const request = (document: Document | undefined): Document => document?.["request"] as Document;
    expect(request(ours)).toMatchObject({
      subtype: request(theirs)["subtype"],
      hooks: request(theirs)["hooks"],
      sdkMcpServers: request(theirs)["sdkMcpServers"],
    });
    expect(ours?.["type"]).toBe(theirs?.["type"]);
    messages.close();
  });

  it("sends the prompt when the hooks are in place, and ends the input when the agent is idle", async () => {
    const { reads, write, stdout, inputEnds, ended } = begin();
    write(accept());
    const [, prompt] = await reads(2);
    expect(prompt).toMatchObject({ type: "user", message: { content: [{ text: "Go." }] } });
    write(state("running"));
    write(result);
    write(state("idle"));
    await inputEnds;
    stdout.end();
    expect(await ended).toEqual([state("running"), result, state("idle")]);
  });

  it("ends the input with the result of a version that does not say when it is idle", async () => {
    const { reads, write, stdout, inputEnds, ended } = begin();
    write(accept());
    await reads(2);
    write(result);
    await inputEnds;
    stdout.end();
    expect(await ended).toEqual([result]);
  });

  it("answers hooks and tools, with their errors", async () => {
    const { reads, write } = begin();
    write(accept());
    await reads(2);
    const echo = {
      method: "tools/call",
      id: 7,
      params: { name: "echo", arguments: { word: "hi" } },
    };
    const questions = [
      { subtype: "hook_callback", callback_id: "hook_0", input: {} },
      { subtype: "hook_callback", callback_id: "hook_1", input: {} },
      { subtype: "hook_callback", callback_id: "hook_9", input: {} },
      { subtype: "mcp_message", server_name: "saga", message: echo },
      { subtype: "can_use_tool" },
    ];
    const answers: unknown[] = [];
    for (const [at, question] of questions.entries()) {
      write(ask(question));
      answers.push((await reads(3 + at))[2 + at]?.["response"]);
    }
    expect(answers).toMatchObject([
      { request_id: "r1", subtype: "success", response: { reason: "seen" } },
      { subtype: "error", error: "broken" },
      { subtype: "error", error: "Unknown hook hook_9." },
      {
        subtype: "success",
        response: { mcp_response: { id: 7, result: { content: [{ text: "hi" }] } } },
      },
      { subtype: "error", error: "Unsupported request." },
    ]);
  });

  it("reads lines in pieces, and skips what is not a document", async () => {
    const { stdout, write, ended } = begin();
    write(accept());
    stdout.write('Welcome!\n{"type":"keep_alive"}\n{"type":"assist');
    stdout.end('ant","n":"é"}\n7\n');
    expect(await ended).toEqual([{ type: "assistant", n: "é" }]);
  });

  it.each([
    ["does not refuse a call whose hook fails", accept({})],
    ["did not take over", accept({ ...started, hooks_applied: false })],
    [
      "no room",
      {
        type: "control_response",
        response: { subtype: "error", request_id: "initialize", error: "no room" },
      },
    ],
  ])("sends no prompt to a program whose hooks would not hold: %s", async (reason, answer) => {
    const { write, reads, inputEnds, ended } = begin();
    write(answer);
    await expect(ended).rejects.toThrow(reason);
    await inputEnds;
    expect(await reads(1)).toHaveLength(1);
  });

  it("needs no such hooks where none has to block", async () => {
    const { write, reads } = begin({ hooks: {} });
    write(accept({}));
    expect((await reads(2))[1]).toMatchObject({ type: "user" });
  });
});
