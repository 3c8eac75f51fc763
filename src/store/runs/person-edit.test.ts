import { expect, it } from "vitest";
import type { Run } from "../../story/state/run.ts";
import { lastEditIn } from "./person-edit.ts";
import { sealOf } from "./receipt-seal.ts";
import { aStory } from "../../../test/support/project.ts";
import { definitionText } from "../../story/receipts/definition-text.ts";
import { storySchema } from "../../story/definition/story.ts";

const KEY = Buffer.alloc(32, 1);

/** A run that records an edit, sealed for `storyId`. */
function edit(id: string, checks: readonly string[], more: Partial<Run> = {}): Run {
  const definition = definitionText({
    story: storySchema.parse(aStory("one", { checks })),
    tasks: [],
  });
  const seal = sealOf(KEY, { edit: definition, from: "c1" }, { storyId: "one", runId: id });
  const startedAt = `2026-01-0${id}T00:00:00.000Z`;
  return { id, startedAt, edit: { definition, from: "c1", seal }, ...more } as Run;
}

const checksOf = (runs: readonly Run[], storyId = "one") =>
  lastEditIn(runs, storyId, KEY)?.definition.story.checks;

it("a person's last edit counts", () => {
  expect(checksOf([edit("2", ["new"]), edit("1", ["old"])])).toEqual(["new"]);
  expect(lastEditIn([edit("1", [])], "one", KEY)).toMatchObject({ from: "c1" });
});

it("an edit before a discard does not count", () => {
  const discarded = { discardedAt: "2026-01-03T00:00:00.000Z" };
  expect(checksOf([edit("2", ["new"], discarded)])).toBeUndefined();
});

it("an edit that only looks like a person's is passed over: an agent could lower what it is judged by", () => {
  const genuine = edit("1", ["npm test"]);
  const forged = edit("2", []);
  const { edit: own } = forged;
  const changed = own && { ...own, definition: own.definition.replace("[]", '["true"]') };
  expect(checksOf([{ ...forged, edit: changed }, genuine])).toEqual(["npm test"]);
  expect(checksOf([{ ...forged, id: "3" }, genuine])).toEqual(["npm test"]);
  expect(checksOf([genuine], "two")).toBeUndefined();
  expect(checksOf([])).toBeUndefined();
});
