import { describe, expect, it } from "vitest";
import { childrenAfterMerge, type ListedChildren } from "./epic-children.ts";

const list = (ids: readonly string[]): ListedChildren["own"] => ids.map((id) => ({ id }));
const after = (given: Partial<ListedChildren>) =>
  childrenAfterMerge({
    target: undefined,
    own: list(["cart", "till", "mail"]),
    delivered: ["cart"],
    isThere: (id) => id === "cart",
    ...given,
  });

describe("the stories that an epic lists after a merge", () => {
  it("are those in the target, if the target did not have the epic", () => {
    expect(after({})).toEqual(list(["cart"]));
    expect(after({ isThere: (id) => id !== "till" })).toEqual(list(["cart", "mail"]));
  });

  it("are as before when the merged story is listed already", () => {
    expect(after({ target: list(["mail", "cart"]) })).toBeUndefined();
  });

  it("get the merged story at the end, and no other one that the target has removed", () => {
    const given = { target: list(["mail"]), delivered: ["cart"], isThere: () => true };
    expect(after(given)).toEqual(list(["mail", "cart"]));
  });

  it("stay as they are when the merged story's files are not in the target", () => {
    expect(after({ isThere: () => false })).toBeUndefined();
  });

  it("keep the order that the person gave them, as far as both stories are listed", () => {
    const own = [
      { id: "cart", blockedBy: ["mail"] },
      { id: "till", blockedBy: ["cart", "mail"], note: "mine" },
    ];
    expect(after({ own })).toEqual([{ id: "cart", blockedBy: [] }]);
    const target = [{ id: "till", blockedBy: [], note: "theirs" }];
    expect(after({ own, target })).toEqual([
      { id: "till", blockedBy: ["cart"], note: "theirs" },
      { id: "cart", blockedBy: [] },
    ]);
  });
});
