import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { cleanElsewhere } from "./other-machines.ts";

it("removes the copies of a fleet's stories after the project has left it", async () => {
  const project = newProject();
  const store = openStore(project.path);
  expect(await cleanElsewhere(store, false)).toEqual([]);
  project.write(".saga/elsewhere/leases.json", "[]");
  project.write(".saga/config.toml", '[fleet]\nname = "shop"\n');
  expect(await cleanElsewhere(store, false)).toEqual([]);
  project.write(".saga/config.toml", "");
  const folder = join(project.path, ".saga/elsewhere");
  expect(await cleanElsewhere(store, true)).toEqual([folder]);
  expect(existsSync(folder)).toBe(true);
  expect(await cleanElsewhere(store, false)).toEqual([folder]);
  expect(existsSync(folder)).toBe(false);
});
