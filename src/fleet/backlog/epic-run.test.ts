import { expect, it } from "vitest";
import type { JobView } from "../engine/job-view.ts";
import { endOf, isNewRun, missedMerges, newEndWatch, newestJobs } from "./epic-run.ts";

it.each([
  [["done", "done"], "done"],
  [[], "done"],
  [["done", "queued"], undefined],
  [["parked", "active"], undefined],
  [["done", "parked", "waiting"], "parked"],
  [["waiting"], "parked"],
] as const)("%j: %s", (states, end) => {
  expect(endOf(states)).toBe(end);
});

it("does not take the moment between two jobs for the end", () => {
  const look = newEndWatch();
  const between = ["done", "waiting"] as const;
  expect([look(between), look(between)]).toEqual([undefined, undefined]);
  expect(look(["done", "active"])).toBe(undefined);
  expect([look(between), look(between), look(between)]).toEqual([undefined, undefined, "parked"]);
  expect(look(["done", "parked"])).toBe("parked");
  expect(look(["done", "done"])).toBe("done");
});

it.each([
  [[], true],
  [[{ state: "done" }], true],
  [[{ state: "parked", parked: "person" }, { state: "waiting" }], true],
  [[{ state: "queued" }, { state: "done" }], false],
  [[{ state: "active" }, { state: "parked", parked: "person" }], false],
  [[{ state: "active" }, { state: "parked", parked: "budget" }], true],
] as const)("queueing an epic with %j begins a run of it: %s", (jobs, isNew) => {
  expect(isNewRun(jobs.map((job) => ({ parked: undefined, ...job })))).toBe(isNew);
});

it("counts the newest of a story's jobs, and none of other stories", () => {
  const job = (story: string, state: JobView["state"]) => ({ story, state }) as JobView;
  const jobs = [job("cart", "done"), job("mail", "queued"), job("cart", "queued")];
  expect(newestJobs(jobs, new Set(["cart", "price"]))).toEqual([job("cart", "queued")]);
});

it("finds merged stories that others wait for, each once", () => {
  const children = [
    { id: "cart", blockedBy: [] },
    { id: "price", blockedBy: [] },
    { id: "order", blockedBy: ["cart", "price"] },
    { id: "mail", blockedBy: ["cart"] },
    { id: "blog", blockedBy: ["price"] },
  ];
  const jobs = [
    { story: "cart", state: "parked" },
    { story: "order", state: "waiting" },
    { story: "mail", state: "waiting" },
    { story: "blog", state: "queued" },
  ] as const;
  expect(missedMerges({ children }, jobs, (id) => id === "cart")).toEqual(["cart"]);
  expect(missedMerges({ children }, [], () => true)).toEqual([]);
});
