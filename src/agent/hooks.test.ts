import { describe, expect, it } from "vitest";
import { STOPPING } from "../story/prompts/stopping.ts";
import { observedHooks } from "./hooks.ts";
import type { JobHooks } from "./job.ts";

const read = { id: "1", tool: "Read", input: { file_path: "/w/a" }, cwd: "/w" };
const answer = { id: "1", tool: "Read", isError: false, response: "text" };

/** The hooks of a run, and what it has noted. */
function aRun(job: Partial<JobHooks> = {}, run: { signal?: AbortSignal; last?: string } = {}) {
  const noted: string[] = [];
  const hooks = observedHooks(
    { judge: () => ({ isAllowed: true }), tasks: "No tasks here.", sagaTools: [], ...job },
    {
      folder: "/w",
      record: { note: ({ type }) => void noted.push(type) },
      now: () => 0,
      checkIns: {
        called: (id) => void noted.push(`called ${id}`),
        answered: (id) => void noted.push(`answered ${id}`),
      },
      signal: run.signal ?? new AbortController().signal,
      finalSentence: () => run.last,
    },
  );
  return { hooks, noted };
}

describe("a tool call", () => {
  it("is recorded with its answer", async () => {
    const { hooks, noted } = aRun();
    expect(await hooks.beforeTool(read)).toEqual({ isAllowed: true });
    hooks.onAnswer(answer);
    expect(noted).toEqual(["called 1", "tool.called", "answered 1", "tool.answered"]);
  });

  it("that is refused is no longer waited for, and an answer to it is not recorded", async () => {
    const { hooks, noted } = aRun({ judge: () => ({ isAllowed: false, reason: "No." }) });
    expect(await hooks.beforeTool(read)).toEqual({ isAllowed: false, reason: "No." });
    hooks.onAnswer(answer);
    expect(noted).toEqual(["called 1", "answered 1", "tool.refused"]);
  });

  it("is refused once the run is ending, without asking its employer", async () => {
    const judge = () => {
      throw new Error("Not asked.");
    };
    const stopped = aRun({ judge }, { signal: AbortSignal.abort() });
    expect(await stopped.hooks.beforeTool(read)).toEqual({ isAllowed: false, reason: STOPPING });
    const over = aRun({ judge }, { last: "Your answer is recorded." });
    expect(await over.hooks.beforeTool(read)).toMatchObject({ reason: "Your answer is recorded." });
  });
});

describe("completions", () => {
  it("are refused in a run without tasks", async () => {
    const { hooks } = aRun();
    expect(await hooks.beforeCompletion("a")).toEqual({
      isAllowed: false,
      reason: "No tasks here.",
    });
  });

  it("are judged one after the other, also after one that failed", async () => {
    const order: string[] = [];
    const mayComplete = async (id: string) => {
      order.push(`${id} begins`);
      await Promise.resolve();
      order.push(`${id} ends`);
      if (id === "a") throw new Error("Disk full.");
      return { isAllowed: true } as const;
    };
    const { hooks } = aRun({ tasks: { mayComplete, onChange: async () => undefined } });
    const both = [hooks.beforeCompletion("a"), hooks.beforeCompletion("b")];
    await expect(both[0]).rejects.toThrow("Disk full.");
    expect(await both[1]).toEqual({ isAllowed: true });
    await hooks.settled();
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });
});
