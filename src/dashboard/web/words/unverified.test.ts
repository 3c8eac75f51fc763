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
      "1 receipt cannot be verified on this machine and does not count: another key sealed it, or none did. `saga run a` runs the gate again; `saga accept a` runs it and accepts.",
    );
    expect(textFor(2, "killed")).toBe(
      "2 receipts cannot be verified on this machine and do not count: another key sealed them, or none did. The gate runs again when its tasks are done: `saga run a`.",
    );
  });

  it("need nothing if the story is merged, or its gate has since run here", () => {
    expect(textFor(2, "completed")).toMatch(/or none did\. The story is merged: nothing to do\.$/);
    const since = { receipts: detailOf(aCard("a", "A", "review")).receipts, missing: [] };
    expect(textFor(2, "review", since)).toMatch(/or none did\.$/);
  });
});
