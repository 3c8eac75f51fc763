import { expect, it } from "vitest";
import { epicSchema } from "../../story/definition/epic.ts";
import { epicRefusal } from "./work.ts";

const STATES: Readonly<Record<string, string>> = { a: "completed", b: "review" };

function refusal(ids: readonly string[], more: object = {}): string | undefined {
  const children = ids.map((id) => ({ id, blockedBy: [] }));
  const epic = epicSchema.parse({ id: "e", title: "E", description: "x", children, ...more });
  return epicRefusal(epic, (id) => STATES[id] ?? "missing")?.message;
}

it("an epic is merged when all of its stories are in its branch", () => {
  expect(refusal(["a"])).toBeUndefined();
  expect(refusal(["a", "b", "c"])).toBe(
    "Cannot merge the epic e: not all of its stories are merged into epic/e: b (review), c (missing).",
  );
});

it("a persistent epic is merged with the stories that it has, but not without any", () => {
  expect(refusal(["a", "b"], { persistent: true })).toBeUndefined();
  expect(refusal([], { persistent: true })).toBe("Cannot merge the epic e: it has no stories.");
});
