import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aCard, aDeadCard, forgeClaim, newClaimer } from "../../../test/support/claims.ts";
import { newList } from "../../../test/support/claude-list.ts";
import { newClaimObserver } from "./claim-observer.ts";
import { claimsByTask, forgetClaims, forgetDeadClaimers } from "./clear-files.ts";

it("forgets the claims on a task that were listed, and none that came later", async () => {
  const list = newList();
  forgeClaim(list, "1", 1);
  forgeClaim(list, "2", 1, aDeadCard());
  const listed = claimsByTask(list).get("1") ?? [];
  forgeClaim(list, "1", 2, aCard({ owner: "auto-2" }));
  forgetClaims(list, "1", listed);
  expect(claimsByTask(list)).toEqual(
    new Map([
      ["1", [2]],
      ["2", [1]],
    ]),
  );
});

it("removes the files of dead claimers alone", () => {
  const list = newList();
  newClaimer(list, "auto-2");
  const claimers = join(list, ".claims/cards");
  writeFileSync(join(claimers, "old.auto-1"), JSON.stringify(aDeadCard()));
  forgetDeadClaimers(list, newClaimObserver());
  expect(readdirSync(claimers)).toEqual(["here.auto-2"]);
});
