import { describe, expect, it } from "vitest";
import { newRedactor } from "../machine/files/redact.ts";
import { judgeRun, type RunFacts, type RunResult } from "./outcome.ts";
import { TASK_TOOLS } from "../agent/tool-names.ts";

const good: RunResult = {
  subtype: "success",
  isError: false,
  apiStatus: undefined,
  terminalReason: "completed",
  text: "Done.",
};
const facts = (more: Partial<RunFacts> = {}): RunFacts => ({
  result: good,
  exitCode: 0,
  signal: undefined,
  tools: ["Bash", ...TASK_TOOLS],
  limit: undefined,
  wasStopped: false,
  stderr: "",
  ...more,
});
const failing = (more: Partial<RunResult>): Partial<RunFacts> => ({
  exitCode: 1,
  result: { ...good, isError: true, terminalReason: "api_error", ...more },
});

/** As they were measured: exit code, subtype, error flag, status of the service, last reason. */
const ENDS: readonly (readonly [what: string, kind: string, facts: Partial<RunFacts>])[] = [
  ["a success", "ended", {}],
  ["a success after a limit that passed", "ended", { limit: { resetsAtMs: 5 } }],
  ["a success that does not say why it ended", "ended", { result: without("terminalReason") }],
  [
    "as many turns as it may have",
    "crashed",
    failing({ subtype: "error_max_turns", terminalReason: "max_turns", text: "" }),
  ],
  [
    "as much money as it may spend",
    "over-budget",
    failing({ subtype: "error_max_budget_usd", terminalReason: "budget_exhausted", text: "" }),
  ],
  ["400", "crashed", failing({ apiStatus: 400 })],
  [
    "a prompt that is too long",
    "crashed",
    failing({ apiStatus: 400, terminalReason: "prompt_too_long" }),
  ],
  ["401", "refused", failing({ apiStatus: 401, text: "Invalid API key" })],
  ["403", "refused", failing({ apiStatus: 403 })],
  ["404", "refused", failing({ apiStatus: 404, text: "model: nonsense" })],
  ["413", "crashed", failing({ apiStatus: 413, terminalReason: "image_error" })],
  ["429", "limit", failing({ apiStatus: 429 })],
  ["500", "limit", failing({ apiStatus: 500 })],
  ["503", "limit", failing({ apiStatus: 503 })],
  ["529", "limit", failing({ apiStatus: 529 })],
  ["a service that cannot be reached", "limit", failing({ text: "Connection refused" })],
  ["no login", "refused", failing({ text: "Not logged in · Please run /login" })],
  [
    "an account's limit",
    "limit",
    {
      ...failing({ apiStatus: 429, text: "You've hit your 5-hour limit" }),
      limit: { resetsAtMs: 5 },
    },
  ],
  ["words it does not understand", "crashed", { result: undefined, exitCode: 1 }],
  ["SIGTERM", "crashed", { result: undefined, exitCode: 143 }],
  ["SIGHUP", "crashed", { result: undefined, exitCode: 129 }],
  [
    "SIGINT, which it calls no error",
    "crashed",
    {
      exitCode: 0,
      result: {
        ...good,
        subtype: "error_during_execution",
        terminalReason: "aborted_tools",
        text: "",
      },
    },
  ],
  ["SIGKILL", "crashed", { result: undefined, exitCode: undefined, signal: "SIGKILL" }],
  ["a bad end after a good result", "crashed", { exitCode: 1 }],
  ["a good end without a result", "crashed", { result: undefined }],
  ["another last reason than completed", "crashed", { result: { ...good, terminalReason: "odd" } }],
  ["a stop by the worker", "stopped", { wasStopped: true, result: undefined, exitCode: 143 }],
  ["a stop by the worker after the end", "stopped", { wasStopped: true }],
  ["no Task tools", "refused", { tools: ["Bash", "TaskList"], result: undefined, exitCode: 143 }],
  ["an end before it named its tools", "ended", { tools: undefined }],
];

function without(field: keyof RunResult): RunResult {
  return { ...good, [field]: undefined };
}

describe("a run", () => {
  it.each(ENDS)("with %s has %s", (_, kind, more) => {
    expect(judgeRun(facts(more)).kind).toBe(kind);
  });

  it("that met the account's limit says until when, in the service's words", () => {
    const met = failing({ apiStatus: 429, text: "You've hit your 5-hour limit" });
    expect(judgeRun(facts({ ...met, limit: { resetsAtMs: 5_000 } }))).toEqual({
      kind: "limit",
      reason: "You've hit your 5-hour limit",
      resetsAtMs: 5_000,
    });
  });

  it("that met an overloaded service does not know until when", () => {
    expect(judgeRun(facts(failing({ apiStatus: 529 })))).toEqual({
      kind: "limit",
      reason: "The API is overloaded (529).",
      resetsAtMs: undefined,
    });
  });

  it.each([
    ["a login", failing({ apiStatus: 401, text: "Invalid API key" }), "log in"],
    ["another model", failing({ apiStatus: 404, text: "model: nonsense" }), "--model"],
    ["the Task tools", { tools: ["Bash"] }, "saga doctor"],
    [
      "another user than root",
      {
        result: undefined,
        exitCode: 1,
        stderr: "--dangerously-skip-permissions cannot be used with root/sudo privileges",
      },
      "another user",
    ],
  ] as const)("that needs %s says how to come by it", (_, more, hint) => {
    expect(judgeRun(facts(more))).toMatchObject({
      kind: "refused",
      reason: expect.stringMatching(/^[^\n]+$/) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("names all the tools it lacks", () => {
    expect(judgeRun(facts({ tools: ["TaskList"] }))).toMatchObject({
      reason: "This Claude Code does not offer TaskGet, TaskUpdate, TaskCreate.",
    });
  });

  it("is asked for the tools that it needs for what it does, and no others", () => {
    const tools = ["Read", "mcp__saga__propose_split"];
    const required = ["mcp__saga__propose_split"];
    expect(judgeRun(facts({ tools, required })).kind).toBe("ended");
    expect(judgeRun(facts({ tools: ["Read"], required })).kind).toBe("refused");
  });

  it.each([
    [{ exitCode: 1, stderr: "first\n  last  \n\n" }, "Claude Code ended with 1: last"],
    [{ exitCode: undefined, signal: "SIGKILL" }, "Claude Code was ended by SIGKILL."],
    [{ exitCode: undefined }, "Claude Code ended with no exit code."],
  ] as const)("that broke off says how, and its last words: %j", (more, reason) => {
    expect(judgeRun(facts({ result: undefined, ...more }))).toEqual({ kind: "crashed", reason });
  });

  it("that gave up says why on one line, however much it had to say", () => {
    const text = `It\nwent\twrong. ${"x".repeat(10_000)}`;
    const outcome = judgeRun(facts(failing({ apiStatus: 400, text })));
    const reason = outcome.kind === "crashed" ? outcome.reason : "";
    expect(reason).toMatch(/^Claude Code gave up: It went wrong\. x+…$/);
    expect(reason.length).toBeLessThan(400);
  });

  it("that gave up without a word says at least how", () => {
    const turns = failing({ subtype: "error_max_turns", terminalReason: "max_turns", text: "" });
    expect(judgeRun(facts(turns))).toEqual({
      kind: "crashed",
      reason: "Claude Code gave up: error_max_turns, max_turns",
    });
  });
});

it("marks where text was cut, so that a cut secret is redacted", () => {
  const secret = "hunter-two-hunter-two";
  const outcome = judgeRun(
    facts(failing({ apiStatus: 400, text: `${"a ".repeat(143)}${secret}!` })),
  );
  const reason = "reason" in outcome ? outcome.reason : "";
  expect(reason).toContain("hunter-two-h");
  expect(newRedactor([secret])(reason)).not.toContain("hunter");
});
