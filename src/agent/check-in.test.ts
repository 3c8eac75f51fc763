import { describe, expect, it, vi } from "vitest";
import { checkInRules, judge, startCheckIns, type CheckIn, type CheckInRules } from "./check-in.ts";

const RULES: CheckInRules = { everyMs: 180_000, maxSilent: 2, maxToolMs: 1_800_000 };
const isBusy = (): boolean => true;
const QUIET = { toolUses: 0, hasRetried: false, silent: 0, inFlight: undefined };

describe("a check-in", () => {
  it("with tool calls resets an earlier silence", () => {
    expect(judge(RULES, { ...QUIET, toolUses: 3, silent: 1 })).toEqual({ toolUses: 3, silent: 0 });
  });

  it("is silent without tool calls, and the second silent one in a row means stuck", () => {
    expect(judge(RULES, QUIET)).toEqual({ toolUses: 0, silent: 1 });
    expect(judge(RULES, { ...QUIET, silent: 1 })).toMatchObject({
      silent: 2,
      stuck: "The agent used no tool for 6 minutes.",
    });
  });

  it("is not silent while the processes of a call are active, up to the limit for one call", () => {
    const inFlight = { tool: "Bash", ms: 1_799_000 };
    expect(judge(RULES, { ...QUIET, silent: 1, inFlight, isWorking: true })).toEqual({
      toolUses: 0,
      silent: 0,
      inFlight,
    });
    const late = { tool: "Bash", ms: 1_801_000 };
    expect(judge(RULES, { ...QUIET, inFlight: late }).stuck).toBe(
      "A call of Bash did not return within 30 minutes.",
    );
  });

  it("is silent while the processes of a call are inactive, and the second in a row means stuck", () => {
    const inFlight = { tool: "Bash", ms: 200_000 };
    expect(judge(RULES, { ...QUIET, inFlight, isWorking: false }).silent).toBe(1);
    expect(judge(RULES, { ...QUIET, silent: 1, inFlight, isWorking: false })).toMatchObject({
      silent: 2,
      stuck: "A call of Bash used no processor time and wrote nothing for 6 minutes.",
    });
  });

  it("is not silent while the agent waits for the service", () => {
    expect(judge(RULES, { ...QUIET, silent: 1, hasRetried: true }).silent).toBe(0);
  });

  it("gives short times in seconds", () => {
    const quick = { everyMs: 500, maxSilent: 1, maxToolMs: 60_000 };
    expect(judge(quick, QUIET).stuck).toBe("The agent used no tool for 0.5 s.");
    expect(judge(quick, { ...QUIET, inFlight: { tool: "Read", ms: 90_000 } }).stuck).toContain(
      "within 1 minute.",
    );
  });
});

describe("check-ins", () => {
  it("once in a hundred years do not start at once", () => {
    vi.useFakeTimers();
    const watch = { checkInMinutes: 100 * 365 * 24 * 60, silentCheckIns: 2, toolMinutes: 30 };
    const rules = checkInRules({ watch: { ...watch, planMinutes: 1, planCost: 1 } });
    const checkIns: CheckIn[] = [];
    const { end } = startCheckIns(rules, Date.now, (checkIn) => checkIns.push(checkIn), isBusy);
    vi.advanceTimersByTime(1_000);
    end();
    expect(checkIns).toEqual([]);
    vi.useRealTimers();
  });

  it("count calls, report the running one, and end", () => {
    vi.useFakeTimers();
    const checkIns: CheckIn[] = [];
    const watch = startCheckIns(RULES, Date.now, (checkIn) => checkIns.push(checkIn), isBusy);
    watch.called("1", "Read");
    watch.answered("1");
    watch.called("2", "Bash");
    vi.advanceTimersByTime(180_000);
    vi.advanceTimersByTime(180_000);
    watch.answered("2");
    vi.advanceTimersByTime(180_000);
    watch.retried();
    vi.advanceTimersByTime(180_000);
    vi.advanceTimersByTime(360_000);
    expect(
      checkIns.map(({ toolUses, silent, inFlight }) => [toolUses, silent, inFlight?.ms]),
    ).toEqual([
      [2, 0, 180_000],
      [0, 0, 360_000],
      [0, 1, undefined],
      [0, 0, undefined],
      [0, 1, undefined],
      [0, 2, undefined],
    ]);
    watch.end();
    vi.advanceTimersByTime(720_000);
    expect(checkIns).toHaveLength(6);
    vi.useRealTimers();
  });
});
