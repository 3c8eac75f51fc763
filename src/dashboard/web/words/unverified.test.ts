import { describe, expect, it } from "vitest";
import { detailOf } from "../../../../test/support/page/details.ts";
import { aCard } from "../../../../test/support/page/fixture.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { unverifiedText } from "./unverified.ts";

describe("receipts that this machine cannot verify", () => {
  const textFor = (unverified: number, state: StoryCard["state"], more: object = {}) =>
    unverifiedText(
      { receipts: [], missing: ["its diff was not checked"], unverified, ...more },
      { id: "a", state },
    );

  it("are counted, with the command that runs the gate again", () => {
    expect(textFor(1, "review")).toBe(
      "1 check result cannot be verified on this machine and does not count: it was not signed with this machine's key. Run the gate again: `saga run a`. Or run it and approve the story: `saga accept a`.",
    );
    expect(textFor(2, "killed")).toBe(
      "2 check results cannot be verified on this machine and do not count: they were not signed with this machine's key. The gate runs again when its tasks are done: `saga run a`.",
    );
  });

  it("need nothing if the story is merged, or its gate has since run here", () => {
    expect(textFor(2, "completed")).toMatch(
      /this machine's key\. The story is merged: nothing to do\.$/,
    );
    const since = { receipts: detailOf(aCard("a", "A", "review")).receipts, missing: [] };
    expect(textFor(2, "review", since)).toMatch(/this machine's key\.$/);
  });
});
