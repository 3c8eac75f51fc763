import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import type { OpenWork } from "../../story/early-warning/open-work.ts";
import { layoutOf } from "../project/layout.ts";
import { openOpenWorks } from "./file-open-works.ts";

const workOf = (story: string, tip = "1"): OpenWork => ({
  story,
  title: story,
  intent: "",
  tip,
  changes: { paths: ["a"], emptied: [], isEverything: false },
  merges: [],
  at: "2026-01-01T00:00:00.000Z",
});

it("keeps one record for each story, and sees what another process wrote", async () => {
  const project = newProject();
  const [works, others] = [1, 2].map(() => openOpenWorks(layoutOf(project.path)));
  expect(await works?.list()).toEqual([]);
  await works?.write(workOf("one"));
  await works?.write(workOf("two"));
  expect(await others?.list()).toEqual([workOf("one"), workOf("two")]);
  await works?.write(workOf("one", "22"));
  expect((await others?.list())?.[0]?.tip).toBe("22");
  await works?.drop("one");
  await works?.drop("one");
  expect(await others?.list()).toEqual([workOf("two")]);
  expect(existsSync(join(project.path, ".saga/conflicts/.gitignore"))).toBe(true);
});

it("skips a file that Saga did not write", async () => {
  const project = newProject();
  const works = openOpenWorks(layoutOf(project.path));
  await works.write(workOf("one"));
  const folder = join(project.path, ".saga/conflicts");
  writeFileSync(join(folder, "two.json"), "{");
  writeFileSync(join(folder, "three.json"), JSON.stringify(workOf("one")));
  expect(await works.list()).toEqual([workOf("one")]);
});

it("refuses a name that is a path", async () => {
  const works = openOpenWorks(layoutOf(newProject().path));
  await expect(works.drop("../config")).rejects.toThrow("config");
});
