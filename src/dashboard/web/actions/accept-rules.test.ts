import { expect, it } from "vitest";
import { detailOf } from "../../../../test/support/page/details.ts";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { ruleChoices } from "./accept-rules.ts";

const detail = detailOf(aCard("a", "A", "failed"));
const secret = { rule: "secret", message: "A key in config.ts." };
const size = { rule: "size", message: "Too large." };

it("must override findings in the current code, and may override older ones", () => {
  const choices = ruleChoices({
    ...detail,
    mergeBlockers: [secret, { ...secret, message: "Another in main.ts." }],
    lastMergeBlockers: [secret, size],
  });
  expect(choices).toEqual([
    { rule: "secret", messages: ["A key in config.ts.", "Another in main.ts."], isNeeded: true },
    { rule: "size", messages: ["Too large."], isNeeded: false },
  ]);
});

it("does not ask for rules that the approval itself satisfies", () => {
  const looked = ["test", "review", "person"].map((rule) => ({ rule, message: "Not yet." }));
  expect(ruleChoices({ ...detail, mergeBlockers: looked })).toEqual([]);
});
