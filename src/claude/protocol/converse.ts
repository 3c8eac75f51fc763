// A conversation with a running Claude Code: one JSON document a line, in both directions. We register hooks and tools,
// send the prompt, and answer what it asks of them; everything else is its stream of messages. The agent SDK does the
// same, and its types describe each document; loading it costs a worker a quarter of its own CPU.

import type { Readable, Writable } from "node:stream";
import type {
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  SDKMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { SagaTool } from "../../agent/saga-tool.ts";
import { messageOf } from "../../errors.ts";
import { parseJson } from "../../text/parse-json.ts";
import { answerToolMessage, SERVER, serverManifest, type ToolMessage } from "./tool-server.ts";

export interface Conversation {
  readonly prompt: string;
  readonly hooks: Hooks;
  readonly tools: readonly SagaTool[];
}

type Hooks = Partial<Record<HookEvent, HookCallbackMatcher[]>>;
type HookCallback = HookCallbackMatcher["hooks"][number];

interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

type Frame =
  | { readonly type: "control_request"; readonly request_id: string; readonly request: Question }
  | { readonly type: "control_response"; readonly response: Answer }
  | { readonly type: "control_cancel_request" | "keep_alive" }
  | SDKMessage;

type Question =
  | { readonly subtype: "hook_callback"; readonly callback_id: string; readonly input: HookInput }
  | { readonly subtype: "mcp_message"; readonly message: ToolMessage };

type Answer =
  | { readonly subtype: "success"; readonly request_id: string; readonly response?: Initialized }
  | { readonly subtype: "error"; readonly request_id: string; readonly error: string };

interface Initialized {
  readonly hook_on_failure_supported?: boolean;
  readonly hooks_applied?: boolean;
}

const FIRST_REQUEST = "initialize";
/** Usually it is idle in the moment after its result; then its input is closed, and it exits. */
const IDLE_WITHIN_MS = 60_000;

/** Ends when the program closes its output. */
export async function* converse(
  { stdin, stdout }: Pipes,
  { prompt, hooks, tools }: Conversation,
): AsyncGenerator<SDKMessage> {
  const { matchers, callbacks } = registerHooks(hooks);
  const send = (document: object): void => void stdin.write(`${JSON.stringify(document)}\n`);
  const endInput = (): void => void stdin.end();
  // It has exited: how is known from the process.
  stdin.on("error", () => undefined);
  send({
    type: "control_request",
    request_id: FIRST_REQUEST,
    request: {
      subtype: "initialize",
      hooks: matchers,
      sdkMcpServers: [SERVER],
      sdkMcpServerManifests: { [SERVER]: serverManifest(tools) },
    },
  });
  let isIdle = true;
  let hasResult = false;
  let deadline: NodeJS.Timeout | undefined;
  try {
    for await (const frame of framesIn(stdout)) {
      switch (frame.type) {
        case "keep_alive":
        // The question is answered all the same.
        case "control_cancel_request":
          continue;
        case "control_response":
          if (frame.response.request_id !== FIRST_REQUEST) continue;
          requireHooks(frame.response, hooks);
          send(userMessage(prompt));
          continue;
        case "control_request":
          void answer(frame.request_id, frame.request);
          continue;
        case "result":
          hasResult = true;
          deadline ??= setTimeout(endInput, IDLE_WITHIN_MS);
          break;
        case "system":
          // A version that never says so is idle with its result.
          if (frame.subtype === "session_state_changed") isIdle = frame.state === "idle";
          break;
        default:
      }
      if (hasResult && isIdle) endInput();
      yield frame;
    }
  } finally {
    clearTimeout(deadline);
    endInput();
  }

  async function answer(id: string, question: Question): Promise<void> {
    try {
      const response = await answerTo(question);
      send(responseTo(id, { subtype: "success", response }));
    } catch (error) {
      send(responseTo(id, { subtype: "error", error: messageOf(error) }));
    }
  }

  async function answerTo(question: Question): Promise<object> {
    switch (question.subtype) {
      case "hook_callback": {
        const callback = callbacks.get(question.callback_id);
        if (callback === undefined) throw new Error(`Unknown hook ${question.callback_id}.`);
        return callback(question.input, undefined, { signal: new AbortController().signal });
      }
      case "mcp_message":
        return { mcp_response: await answerToolMessage(tools, question.message) };
      default:
        throw new Error("Unsupported request.");
    }
  }
}

const responseTo = (id: string, response: object): object => ({
  type: "control_response",
  response: { request_id: id, ...response },
});

const userMessage = (text: string): object => ({
  type: "user",
  session_id: "",
  message: { role: "user", content: [{ type: "text", text }] },
  parent_tool_use_id: null,
});

/** Claude Code knows a hook by an id. */
function registerHooks(hooks: Hooks): {
  readonly matchers: object;
  readonly callbacks: ReadonlyMap<string, HookCallback>;
} {
  const callbacks = new Map<string, HookCallback>();
  const register = (callback: HookCallback): string => {
    const id = `hook_${callbacks.size}`;
    callbacks.set(id, callback);
    return id;
  };
  const matchers = Object.entries(hooks).map(([event, list]) => [
    event,
    list.map(({ hooks: own, ...matcher }) => ({ ...matcher, hookCallbackIds: own.map(register) })),
  ]);
  return { matchers: Object.fromEntries(matchers) as object, callbacks };
}

/** The prompt is not sent to an agent whose hooks would not hold it back. */
function requireHooks(answer: Answer, hooks: Hooks): void {
  if (answer.subtype === "error") throw new Error(`Claude Code did not start: ${answer.error}`);
  const mustBlock = Object.values(hooks).some((list) =>
    list.some(({ onFailure }) => onFailure === "block"),
  );
  const { hook_on_failure_supported: canBlock, hooks_applied: areApplied } = answer.response ?? {};
  if (mustBlock && canBlock !== true) {
    throw new Error("This Claude Code does not refuse a call whose hook fails. Update it.");
  }
  if (areApplied === false) throw new Error("Claude Code did not take over Saga's hooks.");
}

async function* framesIn(stream: Readable): AsyncGenerator<Frame> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = chunk.split("\n");
    lines[0] = `${rest}${lines[0]}`;
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const frame = parseJson(line);
      // A wrapper script may print other lines.
      if (typeof frame === "object" && frame !== null) yield frame as Frame;
    }
  }
}
