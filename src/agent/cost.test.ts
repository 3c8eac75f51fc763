import { describe, expect, it } from "vitest";
import type { Run } from "../story/state/run.ts";
import { priceOf } from "../claude/prices.ts";
import { budgetLeft, newCostMeter, type CostAccount } from "./cost.ts";
import type { Bill, Usage } from "./agent.ts";

const MODEL = "claude-opus-5-5";

/** Costs $0.0006 at list price. */
const used = (answerId: string, change: Partial<Usage> = {}): Usage => ({
  answerId,
  model: MODEL,
  inputTokens: 100,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  outputTokens: 10,
  characters: 0,
  ...change,
});

const bill = (costUsd: number): Bill => ({
  costUsd,
  inputTokens: 1,
  outputTokens: 1,
  byModel: { [MODEL]: costUsd },
});

type Booked = Pick<
  Run,
  "costUsd" | "costByModel" | "inputTokens" | "outputTokens" | "costIsEstimate"
>;

function newAccount() {
  let run: Booked = { costUsd: 0, inputTokens: 0, outputTokens: 0 };
  const writes: boolean[] = [];
  const account: CostAccount = {
    run: () => run,
    update(change, { isDurable = true } = {}) {
      writes.push(isDurable);
      run = { ...run, ...change };
    },
  };
  return { meter: newCostMeter(account, { priceOf }), booked: () => run, writes, account };
}

describe("the cost of a run", () => {
  it("grows with each answer, as an estimate, and each answer counts once however many messages it has", () => {
    const { meter, booked, writes } = newAccount();
    const agent = meter.start(undefined);
    agent.used(used("m1"));
    agent.used(used("m1"));
    expect(booked().costUsd).toBeCloseTo(0.0006, 9);
    agent.used(used("m2"));
    expect(booked()).toMatchObject({ costIsEstimate: true, inputTokens: 200, outputTokens: 20 });
    expect(booked().costUsd).toBeCloseTo(0.0012, 9);
    // The disk is not waited for with every answer.
    expect(writes).toEqual([false, false, false]);
  });

  it("is what Claude Code reports, once it does", () => {
    const { meter, booked } = newAccount();
    const agent = meter.start(undefined);
    agent.used(used("m1"));
    agent.billed(bill(0.5));
    expect(booked()).toMatchObject({ costUsd: 0.5, costIsEstimate: false });
    // Woken up by what it had left in the background.
    agent.used(used("m2"));
    expect(booked().costUsd).toBeGreaterThan(0.5);
    agent.billed(bill(0.75));
    expect(booked()).toMatchObject({ costUsd: 0.75, costIsEstimate: false });
    expect(agent.unbilled()).toBeUndefined();
  });

  it("is kept by model, and the parts add up to the whole", () => {
    const { meter, booked } = newAccount();
    const agent = meter.start(undefined);
    agent.used(used("m1"));
    agent.used(used("m2", { model: "claude-haiku-5" }));
    const { costUsd, costByModel = {} } = booked();
    expect(Object.keys(costByModel)).toEqual([MODEL, "claude-haiku-5"]);
    expect(Object.values(costByModel).reduce((sum, one) => sum + one, 0)).toBeCloseTo(costUsd, 9);
    const byModel = { [`${MODEL}[1m]`]: 0.3, "claude-haiku-5": 0.1 };
    agent.billed({ ...bill(0.5), byModel });
    expect(booked().costByModel).toEqual({ [MODEL]: 0.375, "claude-haiku-5": 0.125 });
    meter.start(undefined).billed(bill(1));
    expect(booked().costByModel).toEqual({ [MODEL]: 1.375, "claude-haiku-5": 0.125 });
  });

  it("counts what an answer says where its usage does not yet", () => {
    const { meter, booked } = newAccount();
    const agent = meter.start(undefined);
    agent.used(used("m1", { outputTokens: 1, characters: 400 }));
    agent.used(used("m1", { outputTokens: 1, characters: 400 }));
    expect(booked().outputTokens).toBe(200);
  });

  it("is corrected by how far the last report was from its estimate", () => {
    const { meter, booked } = newAccount();
    const first = meter.start(undefined);
    first.used(used("m1"));
    first.billed(bill(0.0012));
    meter.start(undefined).used(used("m2"));
    expect(booked().costUsd).toBeCloseTo(0.0012 + 0.0012, 9);
  });

  it("ignores a report about something else", () => {
    const { meter, booked } = newAccount();
    const first = meter.start(undefined);
    first.used(used("m1"));
    first.billed(bill(6));
    meter.start(undefined).used(used("m2"));
    expect(booked().costUsd).toBeCloseTo(6 + 5 * 0.0006, 9);
  });

  it("of a resumed conversation counts what was paid before once", () => {
    const { meter, booked } = newAccount();
    const first = meter.start(undefined);
    first.named("c1");
    first.billed(bill(2));
    const second = meter.start("c1");
    second.billed(bill(3));
    expect(booked().costUsd).toBe(3);
    expect(second.spentUsd()).toBe(1);
  });

  it("of an agent that was stopped stays an estimate, until its conversation is billed", () => {
    const { meter, booked } = newAccount();
    const first = meter.start(undefined);
    first.named("c1");
    first.used(used("m1"));
    expect(first.unbilled()).toMatchObject({ inputTokens: 100 });
    meter.start(undefined).billed(bill(1));
    expect(booked()).toMatchObject({ costIsEstimate: true });
    meter.start("c1").billed(bill(0.002));
    expect(booked()).toMatchObject({ costIsEstimate: false });
    expect(booked().costUsd).toBeCloseTo(1.002, 9);
  });

  it("is not taken back by a report that does not know of an agent that was killed", () => {
    const { meter, booked } = newAccount();
    const first = meter.start(undefined);
    first.named("c1");
    first.used(used("m1"));
    meter.start("c1").billed(bill(0.0001));
    expect(booked()).toMatchObject({ costIsEstimate: true });
    expect(booked().costUsd).toBeCloseTo(0.0006, 9);
  });

  it("does not hold what an earlier run has paid for the conversation", () => {
    const { meter, booked } = newAccount();
    meter.paidBefore("c1", bill(2));
    const agent = meter.start("c1");
    agent.billed(bill(2.5));
    expect([booked().costUsd, agent.spentUsd()]).toEqual([0.5, 0.5]);
  });
});

it("what is left of a budget is less what was spent, and never nothing", () => {
  const { meter, account } = newAccount();
  meter.start(undefined).billed(bill(2));
  const left = (maxCostUsd: number | undefined) =>
    budgetLeft({ request: { maxCostUsd }, record: account });
  expect([left(undefined), left(3), left(1)]).toEqual([undefined, 1, 0.0001]);
});
