import { expect, it } from "vitest";
import { detailOf } from "../../../../test/support/page/details.ts";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { ruleChoices } from "./accept-rules.ts";

const detail = detailOf(aCard("a", "A", "failed"));
const secret = { rule: "secret", message: "A key in config.ts." };
const size = { rule: "size", message: "Too large." };

it("has to set aside what the gate refuses now, and may set aside what it refused before", () => {
  const choices = ruleChoices({
    ...detail,
    objections: [secret, { ...secret, message: "Another in main.ts." }],
    lastObjections: [secret, size],
  });
  expect(choices).toEqual([
    { rule: "secret", messages: ["A key in config.ts.", "Another in main.ts."], isNeeded: true },
    { rule: "size", messages: ["Too large."], isNeeded: false },
  ]);
});

it("asks for nothing that an approval says by itself", () => {
  const looked = ["test", "review", "person"].map((rule) => ({ rule, message: "Not yet." }));
  expect(ruleChoices({ ...detail, objections: looked })).toEqual([]);
});
