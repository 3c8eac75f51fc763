import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aDeadCard, forgeClaim, newClaimer } from "../../../test/support/claims.ts";
import { claudeTask, newList } from "../../../test/support/claude-list.ts";
import { canMount, mounted, useUpNames } from "../../../test/support/disk.ts";
import { startOwner } from "../../../test/support/owner-process.ts";
import {
  describeOwnership,
  TTL_MS,
  type Contender,
  type OwnershipWorld,
} from "../../../test/support/ownership-contract.ts";
import { bundle } from "../../../test/support/programs.ts";
import { newFolder } from "../../../test/support/project.ts";
import { thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import { newClaimObserver } from "./claim-observer.ts";
import { openClaimer } from "./claimer.ts";

describeOwnership("the claims of a list", async (): Promise<OwnershipWorld> => {
  const disk = canMount ? mounted(256, ",nr_inodes=5000") : newFolder().path;
  const list = join(disk, "list");
  mkdirSync(list);
  const claims = join(list, ".claims");
  const program = await bundle("test/support/processes/owner.ts");
  let nowMs = 0;
  let opened = 0;
  const open = (owner: string, self?: ProcessId): Contender => {
    const instance = `here-${++opened}`;
    const observer = newClaimObserver(() => nowMs);
    const claimer = openClaimer(list, { owner, instance, ttlMs: TTL_MS, observer, self });
    onTestFinished(() => claimer.close());
    return claimer;
  };
  return {
    open: (owner) => open(owner),
    openHidden: (owner) => open(owner, { ...thisProcess(), place: "another machine" }),
    start: (owner, { killAt } = {}) => startOwner([program, "claims", list], owner, killAt),
    advance: (ms) => {
      nowMs += ms;
    },
    failures: {
      "a disk without space for a name": canMount
        ? () => {
            const fillers = useUpNames(disk);
            return () => fillers.forEach((file) => rmSync(file));
          }
        : undefined,
      "a file in place of the folder": () => {
        renameSync(claims, `${claims}.away`);
        writeFileSync(claims, "");
        return () => {
          rmSync(claims);
          renameSync(`${claims}.away`, claims);
        };
      },
    },
  };
});

it("a claim that others deleted half-way starts again, and all agree on the last number", async () => {
  const list = newList(claudeTask("1"));
  // Of the numbers 1 to 3, a process that was killed has deleted two.
  forgeClaim(list, "1", 3, aDeadCard());
  const claimer = newClaimer(list);
  const { lease } = await claimer.acquire("1");
  expect(lease).toMatchObject({ fence: 1, tookOverFrom: undefined });
  expect(await newClaimer(list, "auto-2").read("1")).toMatchObject({
    fence: 1,
    record: { owner: "auto-1" },
    life: "alive",
  });
  await lease?.release();
  expect((await claimer.acquire("1")).lease?.fence).toBe(4);
});

it("a claim that was released is an empty file", async () => {
  const list = newList(claudeTask("1"));
  const claimer = newClaimer(list);
  await (await claimer.acquire("1")).lease?.release();
  expect(readdirSync(join(list, ".claims")).toSorted()).toEqual(["1.1", "cards"]);
  expect(readdirSync(join(list, ".claims/cards"))).toEqual(["here.auto-1"]);
});
