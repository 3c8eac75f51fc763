// What Claude Code says while it runs, in Saga's words.

import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { RunFacts, RunResult } from "./outcome.ts";

export interface Bill {
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type AgentEvent =
  | { readonly type: "agent.started"; readonly conversation: string; readonly model: string }
  | { readonly type: "agent.said"; readonly text: string }
  | {
      readonly type: "agent.retries";
      readonly attempt: number;
      readonly status: number | undefined;
      readonly waitMs: number;
    }
  | ({ readonly type: "agent.billed" } & Bill);

/** What a tool has answered: its own result, or the text of its error. */
export interface ToolAnswer {
  readonly id: string;
  readonly isError: boolean;
  readonly response: unknown;
}

/** What one answer of the model has used. The same answer may be told in several messages. */
export interface Usage {
  readonly answerId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Heard {
  readonly usage?: Usage | undefined;
  readonly events: readonly AgentEvent[];
  readonly answers?: readonly ToolAnswer[] | undefined;
  readonly conversation?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly bill?: Bill | undefined;
  readonly result?: RunResult | undefined;
  readonly limit?: RunFacts["limit"];
  /** The account's limit is not in the way, or not any more. */
  readonly isFree?: true | undefined;
}

/** Tool calls are not here: the hook that judges them sees them first. */
export function readMessage(message: SDKMessage): Heard {
  switch (message.type) {
    case "system":
      return readSystem(message);
    case "assistant":
      return { events: message.message.content.flatMap(said), usage: usageOf(message.message) };
    case "user":
      return { events: [], answers: answersIn(message) };
    case "rate_limit_event": {
      const { status, resetsAt, rateLimitType, isUsingOverage } = message.rate_limit_info;
      // Past its limit, an account may go on with what it pays for besides.
      if (status !== "rejected" || isUsingOverage) return { events: [], isFree: true };
      const resetsAtMs = resetsAt === undefined ? undefined : resetsAt * 1000;
      const family = /_(?<family>opus|sonnet)$/.exec(rateLimitType ?? "")?.groups?.["family"];
      return { events: [], limit: { resetsAtMs, family } };
    }
    case "result": {
      const bill = billOf(message);
      return {
        events: [{ type: "agent.billed", ...bill }],
        conversation: message.session_id,
        bill,
        result: resultOf(message),
      };
    }
    default:
      return { events: [] };
  }
}

function readSystem(message: Extract<SDKMessage, { type: "system" }>): Heard {
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

function usageOf({ id, usage }: SDKAssistantMessage["message"]): Usage {
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    answerId: id,
    inputTokens: usage.input_tokens + cached,
    outputTokens: usage.output_tokens,
  };
}

function said(block: { type: string; text?: string }): AgentEvent[] {
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
