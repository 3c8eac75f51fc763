import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aCard, aDeadCard, forgeClaim, newClaimer } from "../../../test/support/claims.ts";
import { claudeTask, newList } from "../../../test/support/claude-list.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { updateTask } from "../../claude/tasks/list.ts";
import { newClaimObserver } from "../../store/claims/claim-observer.ts";
import { claimTask } from "./claim.ts";
import { clearClaims } from "./clear-claims.ts";
import { deadClaims } from "./dead-claims.ts";

const inProgress = (id: string): ClaudeCodeTask =>
  claudeTask(id, { status: "in_progress", owner: "auto-1" });

describe("clearing claims", () => {
  it("deletes the claims on completed and deleted tasks, and files of dead claimers, and nothing else", async () => {
    const list = newList(
      claudeTask("1", { status: "completed" }),
      inProgress("2"),
      claudeTask("3", { status: "completed" }),
      claudeTask("4"),
    );
    forgeClaim(list, "1", 1, aDeadCard());
    forgeClaim(list, "1", 2);
    forgeClaim(list, "2", 1, aDeadCard());
    forgeClaim(list, "3", 1, aCard());
    forgeClaim(list, "4", 1, aDeadCard());
    forgeClaim(list, "gone", 1, aDeadCard());
    newClaimer(list, "auto-2");
    writeFileSync(join(list, ".claims/cards/old.auto-1"), JSON.stringify(aDeadCard()));
    await clearClaims(list, newClaimObserver());
    expect(readdirSync(join(list, ".claims")).toSorted()).toEqual(["2.1", "3.1", "4.1", "cards"]);
    expect(readdirSync(join(list, ".claims/cards"))).toEqual(["here.auto-2"]);
  });

  it("deletes stale temporary files", async () => {
    const list = newList(claudeTask("1"));
    for (const name of [".1.99.abc.new", ".2.99.def.new"]) writeFileSync(join(list, name), "{");
    const then = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(join(list, ".1.99.abc.new"), then, then);
    await clearClaims(list, newClaimObserver());
    expect(existsSync(join(list, ".1.99.abc.new"))).toBe(false);
    expect(existsSync(join(list, ".2.99.def.new"))).toBe(true);
    newClaimer(list);
    const cards = ["here.auto-1.abc.new", "here.auto-1.def.new"];
    for (const name of cards) writeFileSync(join(list, ".claims/cards", name), "");
    utimesSync(join(list, ".claims/cards/here.auto-1.abc.new"), then, then);
    await clearClaims(list, newClaimObserver());
    expect(readdirSync(join(list, ".claims/cards"))).toEqual([
      "here.auto-1",
      "here.auto-1.def.new",
    ]);
  });

  it("of a missing list does nothing", async () => {
    const list = newList(claudeTask("1"));
    rmSync(list, { recursive: true });
    await clearClaims(list, newClaimObserver());
    expect(await deadClaims(list, newClaimObserver())).toEqual([]);
    expect(existsSync(list)).toBe(false);
  });

  it("lets numbers start again when a completed task is reopened", async () => {
    const list = newList(claudeTask("1"));
    const first = await claimTask(list, newClaimer(list), "1");
    if (first.kind === "claimed") await first.claim.complete();
    await clearClaims(list, newClaimObserver());
    await updateTask(list, "1", (task) => ({ ...task, status: "pending" }));
    expect(await claimTask(list, newClaimer(list, "auto-2"), "1")).toMatchObject({
      kind: "claimed",
      claim: { fence: 1 },
    });
  });
});
