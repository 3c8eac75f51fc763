import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import { readMessage } from "./messages.ts";

/** As it comes over the line: more fields than these, and none that count. */
const parsed = (message: object) => readMessage(message as unknown as SDKMessage);

const usage = {
  inputTokens: 100,
  outputTokens: 10,
  cacheReadInputTokens: 5,
  cacheCreationInputTokens: 2,
  costUSD: 0.5,
};
const result = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "Done.",
  session_id: "c1",
  total_cost_usd: 0.75,
  modelUsage: { opus: usage, haiku: { ...usage, outputTokens: 1 } },
  terminal_reason: "completed",
  api_error_status: null,
};

describe("the beginning", () => {
  it("names the conversation, the model and the tools", () => {
    const init = { type: "system", subtype: "init", session_id: "c1", model: "opus", tools: ["A"] };
    expect(parsed(init)).toEqual({
      events: [{ type: "agent.started", conversation: "c1", model: "opus" }],
      conversation: "c1",
      model: "opus",
      tools: ["A"],
    });
  });
});

describe("what the agent says", () => {
  it("is its text, without blank lines around it; tool calls and thoughts are not", () => {
    const content = [
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "\nFirst I look.\n\nThen I leap.\n" },
      { type: "tool_use", id: "t", name: "Bash", input: {} },
      { type: "text", text: " \n " },
    ];
    const spent = { input_tokens: 7, cache_read_input_tokens: 30, output_tokens: 5 };
    const message = { id: "m1", model: "claude-opus-5-5", content, usage: spent };
    expect(parsed({ type: "assistant", message })).toEqual({
      events: [{ type: "agent.said", text: "First I look.\n\nThen I leap." }],
      usage: {
        answerId: "m1",
        model: "claude-opus-5-5",
        inputTokens: 37,
        cacheReadTokens: 30,
        cacheWriteTokens: 0,
        cacheWriteHourTokens: 0,
        outputTokens: 5,
        characters: "Hm.".length + "\nFirst I look.\n\nThen I leap.\n".length + "{}".length + 3,
      },
    });
  });

  it("has no usage if Claude Code wrote it itself", () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { id: "m1", model: "<synthetic>", content: [], usage };
    expect(parsed({ type: "assistant", message }).usage).toBeUndefined();
  });
});

describe("a retry", () => {
  it.each([
    [529, 529],
    [null, undefined],
  ])("is reported with the status of the API: %j", (error_status, status) => {
    const retry = {
      type: "system",
      subtype: "api_retry",
      attempt: 2,
      retry_delay_ms: 500,
      error_status,
    };
    expect(parsed(retry).events).toEqual([
      { type: "agent.retries", attempt: 2, status, waitMs: 500 },
    ]);
  });
});

describe("an account's limit", () => {
  const limit = (info: object) => parsed({ type: "rate_limit_event", rate_limit_info: info }).limit;

  it("counts when a request was turned away, with the time it is over", () => {
    expect(limit({ status: "rejected", resetsAt: 1_794_000_000 })).toEqual({
      resetsAtMs: 1_794_000_000_000,
    });
  });

  it("counts without a time as well", () => {
    expect(limit({ status: "rejected" })).toEqual({ resetsAtMs: undefined });
  });

  it.each(["allowed", "allowed_warning"])("that is only near does not count: %s", (status) => {
    expect(limit({ status, resetsAt: 1_794_000_000 })).toBeUndefined();
  });

  it.each([{ status: "allowed" }, { status: "rejected", isUsingOverage: true }])(
    "is not in the way any more: %j",
    (rate_limit_info) => {
      expect(parsed({ type: "rate_limit_event", rate_limit_info })).toEqual({
        events: [],
        isFree: true,
      });
    },
  );
});

describe("the result", () => {
  it("is the bill over all models, and how it ended", () => {
    const bill = { costUsd: 0.75, inputTokens: 214, outputTokens: 11 };
    expect(parsed(result)).toEqual({
      events: [{ type: "agent.billed", ...bill }],
      conversation: "c1",
      bill: { ...bill, byModel: { opus: 0.5, haiku: 0.5 } },
      result: {
        subtype: "success",
        isError: false,
        apiStatus: undefined,
        terminalReason: "completed",
        text: "Done.",
      },
    });
  });

  it("of a failed service is called a success, and carries its status", () => {
    const failed = {
      ...result,
      is_error: true,
      api_error_status: 529,
      terminal_reason: "api_error",
      result: "API Error: Overloaded",
    };
    expect(parsed(failed).result).toEqual({
      subtype: "success",
      isError: true,
      apiStatus: 529,
      terminalReason: "api_error",
      text: "API Error: Overloaded",
    });
  });

  it("of other failures has its errors as text", () => {
    const { result: _, api_error_status: __, ...rest } = result;
    const failed = {
      ...rest,
      subtype: "error_max_turns",
      is_error: true,
      errors: ["One.", "Two."],
    };
    expect(parsed(failed).result).toMatchObject({
      subtype: "error_max_turns",
      apiStatus: undefined,
      text: "One. Two.",
    });
  });

  it("without a bill for its models costs what it says", () => {
    expect(parsed({ ...result, modelUsage: undefined }).bill).toEqual({
      costUsd: 0.75,
      inputTokens: 0,
      outputTokens: 0,
      byModel: {},
    });
  });
});

describe("a message to the model", () => {
  const result = (more: object) => ({ type: "tool_result", tool_use_id: "t1", ...more });

  it("holds what a tool has answered", () => {
    const message = {
      type: "user",
      message: { content: [result({ content: "fine" })] },
      tool_use_result: { stdout: "fine" },
    };
    const answers = [{ id: "t1", isError: false, response: { stdout: "fine" } }];
    expect(parsed(message)).toEqual({ events: [], answers });
  });

  it("holds the words of its error", () => {
    const content = [{ type: "text", text: "Exit code 1" }];
    const message = { type: "user", message: { content: [result({ is_error: true, content })] } };
    const answers = [{ id: "t1", isError: true, response: "Exit code 1" }];
    expect(parsed(message)).toEqual({ events: [], answers });
  });

  it("may be mere text", () => {
    const message = { type: "user", message: { content: "x" } };
    expect(parsed(message)).toEqual({ events: [], answers: [] });
  });
});

describe("anything else", () => {
  it.each([
    { type: "system", subtype: "compact_boundary" },
    { type: "stream_event", event: {} },
    { type: "of a newer version" },
  ])("says nothing: %j", (message) => {
    expect(parsed(message)).toEqual({ events: [] });
  });
});
