import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import type { Lane } from "../story/landing/entry.ts";
import type { LaneContext, LandingWork } from "./landing.ts";
import { newProgress } from "./progress.ts";

const LANE: Lane = { branch: "main", place: "here" };

function opened() {
  const store = openStore(newProject().path);
  const works = ["a", "b"].map((name) => ({ entry: { name } }) as LandingWork);
  const context = { store, now: () => 0 } as unknown as LaneContext;
  return { progress: newProgress(context, LANE, works), now: () => store.queue.now(LANE) };
}

it("shows the step, the candidate that is verified, and that a check failed", async () => {
  const { progress, now } = opened();
  progress.step("read");
  expect(await now()).toMatchObject({ entries: ["a", "b"], step: "compose" });
  progress.composed("c1", ["a"]);
  progress.onCheck("npm test", 1);
  expect(await now()).toMatchObject({ step: "verify", command: "npm test", tip: "c1" });
  progress.onRed();
  expect(await now()).toMatchObject({ command: "npm test", inTip: ["a"], isRed: true });
  progress.step("advance");
  expect(await now()).toMatchObject({ step: "land", tip: "c1" });
});

it("forgets the candidate when the target is read again", async () => {
  const { progress, now } = opened();
  progress.composed("c1", ["a"]);
  progress.onRed();
  progress.step("read");
  expect(await now()).not.toHaveProperty("tip");
  expect(await now()).not.toHaveProperty("isRed");
});

it("keeps the output of the check that runs, and of no other", async () => {
  const { progress, now } = opened();
  progress.onCheck("one", 1);
  progress.onOutput(Buffer.from("first\n"));
  progress.onCheck("two", 1);
  progress.onOutput(Buffer.from("second\n"));
  expect(readFileSync((await now())?.output ?? "", "utf8")).toBe("second\n");
});
