import { expect, it } from "vitest";
import { aCard, aDeadCard, forgeClaim } from "../../../test/support/claims.ts";
import { claudeTask, newList } from "../../../test/support/claude-list.ts";
import { claimantsOf, leaveAgain, listClaims, readClaim } from "./claims.ts";
import { newClaimObserver } from "./claim-observer.ts";

it("a dead claim counts again after the one that took it over was released", async () => {
  const list = newList(claudeTask("1"));
  const observer = newClaimObserver();
  forgeClaim(list, "1", 1, aDeadCard({ owner: "auto-1" }));
  forgeClaim(list, "1", 2);
  expect(await readClaim(list, "1", observer)).toBeUndefined();
  leaveAgain(list, "1", 1, 2);
  const left = { fence: 3, record: { owner: "auto-1" }, life: "dead" };
  expect(await readClaim(list, "1", observer)).toMatchObject(left);
  expect(claimantsOf(list, "1", observer)).toEqual(new Set(["auto-1"]));
});

it("a dead claim does not count again when another has claimed the task", async () => {
  const list = newList(claudeTask("1"));
  forgeClaim(list, "1", 1, aDeadCard());
  forgeClaim(list, "1", 2);
  forgeClaim(list, "1", 3, aCard({ owner: "auto-7" }));
  leaveAgain(list, "1", 1, 2);
  const claims = await listClaims(list, newClaimObserver());
  expect(claims).toMatchObject([{ name: "1", fence: 3, record: { owner: "auto-7" } }]);
});
