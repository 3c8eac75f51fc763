import { expect, it } from "vitest";
import { anEpic } from "../../test/support/project.ts";
import { readyStories } from "../../test/support/ready-stories.ts";
import { addOrigin } from "../../test/support/repository.ts";
import { commandToUpdate, type BehindFacts } from "./behind-remote.ts";

const EPICS = ["shop", "office"] as const;
const STORIES = EPICS.map((epic) => ({
  id: `${epic}--one`,
  files: { [`${epic}.txt`]: "x\n" },
}));
const fileOf = (epic: string): string => `.saga/epics/${epic}/epic.json`;

it.each(["not committed", "committed without the stories"])(
  "a checkout that is behind gets the stories of two epics that are %s, and keeps their edits",
  async (how) => {
    const { test } = await readyStories(STORIES);
    test.write(".saga/config.toml", '[git]\npush = "always"\n');
    test.git("add", ".saga/config.toml");
    for (const epic of EPICS) test.write(fileOf(epic), anEpic(epic, [{ id: `${epic}--two` }]));
    if (how !== "not committed") test.git("add", ".saga/epics");
    test.git("commit", "--quiet", "--message=Plan");
    addOrigin(test);
    const children = (epic: string) => [{ id: `${epic}--one` }, { id: `${epic}--two` }];
    for (const epic of EPICS) {
      test.write(fileOf(epic), anEpic(epic, children(epic), { description: "Edited." }));
    }
    const first = await test.saga("merge", "shop--one");
    expect(first.stdout).toContain("`saga merge shop--one --update-checkout` updates it.");
    const second = await test.saga("merge", "office--one", "--update-checkout");
    expect([first.exitCode, second.exitCode], first.stderr + second.stderr).toEqual([0, 0]);
    expect(test.git("rev-parse", "main"), second.stdout).toBe(test.git("rev-parse", "origin/main"));
    for (const epic of EPICS) {
      expect(test.git("show", `main:${fileOf(epic)}`)).toContain(`${epic}--one`);
      const edited = { description: "Edited.", children: children(epic) };
      expect(test.json(fileOf(epic))).toMatchObject(edited);
    }
  },
);

const command = (checkout: BehindFacts["checkout"]): string =>
  commandToUpdate({ id: "a", into: "main", remote: "up", project: "/p", checkout });

it("a branch that is behind its remote is updated by the command that fits its checkout", () => {
  expect(command(undefined)).toBe("git fetch up main:main");
  expect(command({ folder: "/p", hasOwnCopies: false })).toBe("git pull");
  expect(command({ folder: "/q", hasOwnCopies: false })).toBe("git -C /q pull");
  expect(command({ folder: "/p", hasOwnCopies: true })).toBe("saga merge a --update-checkout");
});
