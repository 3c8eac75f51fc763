import { expect, it } from "vitest";
import { fleetWorkText } from "./fleet-work.ts";

it.each([
  [{ machine: "ann" }, "running on ann"],
  [{ machine: "ann", isSilent: true }, "ann is silent; another machine may take it"],
  [{ queue: "waiting" }, "waits for other stories"],
  [{ queue: "queued" }, "queued"],
  [{ queue: "queued", attempts: 2 }, "queued again"],
  [{ queue: "active" }, "claimed"],
  [{ queue: "parked" }, "needs a person"],
  [{ queue: "parked", parked: "discarded" }, "discarded"],
  [{ queue: "parked", parked: "stopped" }, "its epic's run was stopped"],
  [{ queue: "parked", parked: "budget" }, "its epic's budget is spent"],
  [{ queue: "done" }, "done"],
] as const)("%j: %s", (more, text) => {
  expect(fleetWorkText({ isSilent: false, ...more })).toBe(text);
});
