import { describe, expect, it } from "vitest";
import {
  adviceHint,
  checkoutAdvice,
  declinedAdvice,
  epicRunAdvice,
  type BlockingCheckout,
} from "./checkout-advice.ts";

const checkout = (more: Partial<BlockingCheckout> = {}): BlockingCheckout => ({
  id: "search",
  into: "main",
  folder: "/p",
  why: "It has uncommitted changes.",
  isUpdatable: false,
  files: [],
  isVerified: false,
  ...more,
});

describe("a merge that a checkout of its target blocks", () => {
  it("needs only a permission when the checkout can be updated", () => {
    const advice = checkoutAdvice(checkout({ isUpdatable: true, isVerified: true }));
    expect(advice.message).toBe(
      "search passed its checks but was not merged: main is checked out in /p.",
    );
    expect(adviceHint(advice)).toBe(
      "Merge and update that checkout: `saga merge search --update-checkout`. To always update it: `saga config set delivery.update_checkout true`",
    );
  });

  it("needs a commit or stash of changed files", () => {
    expect(checkoutAdvice(checkout({ files: ["a"] }))).toMatchObject({
      message: "search was not merged: main is checked out in /p. It has uncommitted changes.",
      toDo: "Commit or stash the changes in /p, then run:",
      always: undefined,
    });
  });

  it("gives its reason for any other obstacle", () => {
    const advice = checkoutAdvice(checkout({ why: "A rebase is in progress." }));
    expect(advice.message).toContain("A rebase is in progress.");
    expect(adviceHint(advice)).toBe(
      "When that is resolved, run: `saga merge search --update-checkout`",
    );
  });
});

describe("a run of an epic that merges", () => {
  it.each([
    [{ isUpdatable: true }, true, "and its checkout in /p is updated."],
    [{ isUpdatable: true }, false, "`saga epic run search --merge --update-checkout`"],
    [{ files: ["a"] }, true, "Commit or stash the changes there"],
    [{}, true, "Resolve that to have them merged."],
  ])("describes a checkout that is %j (update: %s)", (more, isUpdated, text) => {
    expect(epicRunAdvice(checkout(more), isUpdated)).toContain(text);
  });
});

it("names what a declined command can still do", () => {
  expect(declinedAdvice("epic-branch-run", "shop").hint).toBe(
    "To run its stories without merging them: `saga epic run shop --no-update-checkout`",
  );
});
