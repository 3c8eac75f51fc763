// Reads Claude Code's messages while it runs into Saga's types.

import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { AgentEvent, Bill, ToolAnswer, Usage } from "../agent/agent.ts";
import type { RunFacts, RunResult } from "./outcome.ts";

export interface ReadMessage {
  readonly usage?: Usage | undefined;
  readonly events: readonly AgentEvent[];
  readonly answers?: readonly ToolAnswer[] | undefined;
  readonly conversation?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly bill?: Bill | undefined;
  readonly result?: RunResult | undefined;
  readonly limit?: RunFacts["limit"];
  /** The account is not at its limit, or no longer. */
  readonly isFree?: true | undefined;
}

/** Without tool calls: the hook that judges them gets them first. */
export function readMessage(message: SDKMessage): ReadMessage {
  switch (message.type) {
    case "system":
      return readSystem(message);
    case "assistant":
      return {
        events: message.message.content.flatMap(textEvents),
        usage: usageOf(message.message),
      };
    case "user":
      return { events: [], answers: answersIn(message) };
    case "rate_limit_event": {
      const { status, resetsAt, rateLimitType, isUsingOverage } = message.rate_limit_info;
      // An account past its limit may continue with extra usage that it pays for.
      if (status !== "rejected" || isUsingOverage) return { events: [], isFree: true };
      const resetsAtMs = resetsAt === undefined ? undefined : resetsAt * 1000;
      const family = /_(?<family>opus|sonnet)$/.exec(rateLimitType ?? "")?.groups?.["family"];
      return { events: [], limit: { resetsAtMs, family } };
    }
    case "result": {
      const bill = billOf(message);
      const { byModel: _, ...amounts } = bill;
      return {
        events: [{ type: "agent.billed", ...amounts }],
        conversation: message.session_id,
        bill,
        result: resultOf(message),
      };
    }
    default:
      return { events: [] };
  }
}

function readSystem(message: Extract<SDKMessage, { type: "system" }>): ReadMessage {
  if (message.subtype === "init") {
    const { session_id: conversation, model, tools } = message;
    return {
      events: [{ type: "agent.started", conversation, model }],
      conversation,
      model,
      tools,
    };
  }
  if (message.subtype === "api_retry") {
    const { attempt, error_status: status, retry_delay_ms: waitMs } = message;
    return {
      events: [{ type: "agent.retries", attempt, status: status ?? undefined, waitMs }],
    };
  }
  return { events: [] };
}

/** The model name of Claude Code's own messages, for example about an error of the service. */
const SYNTHETIC = "<synthetic>";

function usageOf({ id, model, usage, content }: SDKAssistantMessage["message"]): Usage | undefined {
  if (model === SYNTHETIC) return undefined;
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    answerId: id,
    model,
    inputTokens: usage.input_tokens + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    outputTokens: usage.output_tokens,
    characters: content.reduce((total, block) => total + charactersOf(block), 0),
  };
}

function charactersOf(block: {
  type: string;
  text?: string;
  thinking?: string;
  input?: unknown;
}): number {
  const input = block.type === "tool_use" ? JSON.stringify(block.input ?? {}) : "";
  return (block.text ?? "").length + (block.thinking ?? "").length + input.length;
}

function textEvents(block: { type: string; text?: string }): AgentEvent[] {
  const text = block.type === "text" ? (block.text ?? "").trim() : "";
  return text === "" ? [] : [{ type: "agent.said", text }];
}

function answersIn({ message, tool_use_result: result }: SDKUserMessage): ToolAnswer[] {
  if (typeof message.content === "string") return [];
  return message.content.flatMap((block) => {
    if (block.type !== "tool_result") return [];
    const isError = block.is_error ?? false;
    return [{ id: block.tool_use_id, isError, response: isError ? textIn(block.content) : result }];
  });
}

const textIn = (content: unknown): string => {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
};

function billOf(result: SDKResultMessage): Bill {
  const models = Object.values(result.modelUsage ?? {});
  const sum = (count: (model: (typeof models)[number]) => number): number =>
    models.reduce((total, model) => total + count(model), 0);
  return {
    costUsd: result.total_cost_usd,
    inputTokens: sum(
      (model) => model.inputTokens + model.cacheReadInputTokens + model.cacheCreationInputTokens,
    ),
    outputTokens: sum((model) => model.outputTokens),
    byModel: Object.fromEntries(
      Object.entries(result.modelUsage ?? {}).map(([model, { costUSD }]) => [model, costUSD]),
    ),
  };
}

function resultOf(result: SDKResultMessage): RunResult {
  const more = result as { api_error_status?: number | null; terminal_reason?: string };
  return {
    subtype: result.subtype,
    isError: result.is_error,
    apiStatus: more.api_error_status ?? undefined,
    terminalReason: more.terminal_reason,
    text: result.subtype === "success" ? result.result : result.errors.join(" "),
  };
}
