import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { OwnerRecord } from "./ownership.ts";
import { numbersInFolders } from "./number-paths.ts";
import { readLast, readOwned, type ReadableOwners } from "./read-owner.ts";

const owners = (folder: string, isAlive: boolean): ReadableOwners<OwnerRecord> => ({
  ...numbersInFolders(folder),
  parse: (owner) => (owner === "" ? undefined : { ...thisProcess(), owner }),
  isAlive: () => isAlive,
});

it("the owner is the one in the last file, alive or dead; an empty file is free", () => {
  const project = newFolder();
  expect(readLast(owners(project.path, true), "x")).toEqual({ number: 0 });
  project.write("x/1.json", "ann");
  project.write("x/2.json", "bob");
  const owned = { name: "x", fence: 2, record: { owner: "bob" } };
  expect(readOwned(owners(project.path, true), "x")).toMatchObject({ ...owned, life: "alive" });
  expect(readOwned(owners(project.path, false), "x")).toMatchObject({ ...owned, life: "dead" });
  project.write("x/3.json", "");
  expect(readOwned(owners(project.path, true), "x")).toBeUndefined();
});
