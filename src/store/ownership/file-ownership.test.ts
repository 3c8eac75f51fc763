import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { openFileLeases } from "../leases/file-leases.ts";
import { leaseReading } from "../leases/read-lease.ts";
import { readOwners, take, type OwnFile } from "./file-ownership.ts";
import { foldersOfNumbers } from "./numbered-files.ts";
import type { LeaseRecord } from "../leases/leases.ts";

const REQUEST = { owner: "ann", ttlMs: 60_000 };

it("uses no fence when the name is not wanted, and takes it even from a living owner that it names", async () => {
  const { path } = newFolder();
  const { lease } = await openFileLeases(path, { now: Date.now }).acquire("x", REQUEST);
  const at = { ...leaseReading(path, Date.now), ...foldersOfNumbers(path) };
  const links: string[] = [];
  const own = {
    record: lease?.record,
    linkTo: (to: string) => links.push(to) > 0,
    isAt: () => true,
  } as unknown as OwnFile<LeaseRecord>;
  expect((await take(at, "x", () => own))?.heldBy).toMatchObject({ owner: "ann" });
  const evenFrom = lease?.fence;
  expect(await take(at, "x", () => own, { evenFrom, mayTake: async () => false })).toBeUndefined();
  expect(links).toEqual([]);
  expect(readOwners(at, "x")).toMatchObject([{ owner: "ann" }]);
});
