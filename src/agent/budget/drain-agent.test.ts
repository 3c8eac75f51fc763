import { expect, it } from "vitest";
import type { ToolCall, Usage } from "../agent.ts";
import type { AgentMeter } from "../cost.ts";
import { drainAgent } from "./drain-agent.ts";

const call: ToolCall = { id: "t1", tool: "Read", input: {}, cwd: "/work" };
const usage = {} as Usage;

function newRun(maxCostUsd?: number) {
  const spent = { usd: 0 };
  const happened: string[] = [];
  const budget = new AbortController();
  const drained = drainAgent({
    budget: { signal: budget.signal, reason: () => "The budget of this day is spent." },
    maxCostUsd,
    hooks: {
      sagaTools: [],
      judge: () => ({ isAllowed: true }),
      tasks: "No tasks.",
      noteForAgent: () => "A note.",
    },
    meter: {
      named: () => undefined,
      used: () => undefined,
      billed: () => undefined,
      spentUsd: () => spent.usd,
      unbilled: () => undefined,
    } satisfies AgentMeter,
    control: { finish: (sentence) => void happened.push(sentence) },
    end: () => void happened.push("ended"),
  });
  const use = (usd: number): void => {
    spent.usd = usd;
    drained.meter.used(usage);
  };
  return { drained, happened, budget, use };
}

it("an agent at its own limit learns it with its next call, and is ended when it spends a tenth more", () => {
  const { drained, happened, use } = newRun(5);
  use(4.9);
  expect([drained.state(), drained.hooks.noteForAgent?.()]).toEqual([undefined, "A note."]);
  use(5);
  expect(drained.state()).toEqual({ reason: "Cost limit reached.", isShared: false });
  expect(drained.hooks.noteForAgent?.()).toMatch(/^Cost limit reached\. Start[^]*\n\nA note\.$/);
  expect(happened).toEqual([]);
  use(5.5);
  expect(happened).toEqual(["ended"]);
  drained.close();
});

it("an agent whose shared budget is spent has ten more calls", () => {
  const { drained, happened, budget } = newRun();
  budget.abort();
  expect(drained.state()).toMatchObject({ isShared: true });
  for (let at = 1; at < 10; at++) drained.hooks.onCall?.(call, { isAllowed: true });
  drained.hooks.onCall?.(call, { isAllowed: false, reason: "No." });
  expect(happened).toEqual([]);
  drained.hooks.onCall?.(call, { isAllowed: true });
  expect(happened).toEqual([expect.stringContaining("End your turn now")]);
  drained.close();
});
