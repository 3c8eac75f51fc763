// Two people with one remote: what one of them merges is a valid project for the other, whatever was committed before.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtSaga, runNode, type Ended } from "../support/programs.ts";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const LONG = 240_000;
const EPIC = ".saga/epics/shop/epic.json";
const CHILDREN = [{ id: "shop--cart" }, { id: "shop--till", blockedBy: ["shop--cart"] }];

interface Team extends Stage {
  /** The teammate's clone, up to date. */
  readonly theirs: () => string;
  readonly sagaIn: (folder: string, ...words: string[]) => Promise<Ended>;
}

/** The plan is in the person's checkout alone. */
async function newTeam(config = ""): Promise<Team> {
  const stage = await newStage({ config: `[git]\npush = "always"\n${config}` });
  const bare = join(stage.home, "shop.git");
  const clone = join(stage.home, "theirs");
  stage.git("clone", "--quiet", "--bare", stage.path, bare);
  stage.git("remote", "add", "origin", bare);
  stage.git("push", "--quiet", "--set-upstream", "origin", "main");
  stage.git("clone", "--quiet", bare, clone);
  stage.git("clean", "-fdq", ".saga/stories");
  stage.write(EPIC, anEpic("shop", CHILDREN, { delivery: "story-pr" }));
  for (const { id } of CHILDREN) {
    const task = id.replace("--", "-");
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
    stage.write(`.saga/stories/${id}/${task}.json`, aTask(task));
  }
  return {
    ...stage,
    theirs() {
      stage.git("-C", clone, "pull", "--quiet");
      return clone;
    },
    sagaIn: (folder, ...words) => runNode([builtSaga, ...words], { cwd: folder, env: stage.env }),
  };
}

async function workAndMerge(team: Team, id: string, ...options: string[]): Promise<Ended> {
  await expectExit(0, team.run("run", id, "--foreground"));
  const merged = await expectExit(0, team.run("merge", id, ...options));
  return merged;
}

async function expectValid(team: Team, folder: string, listed: string): Promise<void> {
  const validated = await team.sagaIn(folder, "validate");
  expect(validated.stdout).toMatch(/^Valid: /);
  expect((await team.sagaIn(folder, "list")).stdout).toContain(listed);
}

describe("a plan that was not committed", () => {
  it(
    "arrives story by story, each time as a valid project for a teammate",
    async () => {
      const team = await newTeam();
      const first = await workAndMerge(team, "shop--cart");
      await expectValid(team, team.theirs(), "1/1 story");
      // A pull would stop at the uncommitted copies, so another command is named.
      const command = "saga merge shop--cart --update-checkout";
      expect(first.stdout).toContain(`main here is behind the remote now: \`${command}\``);
      const updated = await expectExit(0, team.run(...command.split(" ").slice(1)));
      expect(updated.stdout).not.toContain("behind");
      expect(team.git("rev-parse", "main")).toBe(team.git("rev-parse", "origin/main"));
      // The rest of the plan is still the person's own, and not committed.
      expect(team.json(EPIC)).toMatchObject({ children: CHILDREN });
      expect(team.git("status", "--short").split("\n")).toEqual([
        `M ${EPIC}`,
        "?? .saga/stories/shop--till/",
      ]);
      await expectValid(team, team.path, "1/2 stories");

      await workAndMerge(team, "shop--till", "--update-checkout");
      await expectValid(team, team.theirs(), "completed, 2/2 stories");
      expect(team.git("status", "--short")).toBe("");
      expect(team.json(EPIC)).toMatchObject({ status: "completed", children: CHILDREN });
    },
    LONG,
  );

  it(
    "arrives on the branch of its epic, and with that on main",
    async () => {
      const team = await newTeam('[delivery]\nkind = "epic-branch"\n');
      team.write(EPIC, anEpic("shop", CHILDREN));
      await expectExit(0, team.run("epic", "run", "shop"));
      await expectExit(0, team.run("merge", "shop", "--update-checkout"));
      await expectValid(team, team.theirs(), "completed, 2/2 stories");
      expect(team.git("status", "--short")).toBe("");
    },
    LONG,
  );
});

it(
  "a plan that was committed and pushed does not block a pull",
  async () => {
    const team = await newTeam();
    team.git("add", "--all");
    team.git("commit", "--quiet", "--message=Plan");
    team.git("push", "--quiet");
    expect((await workAndMerge(team, "shop--cart")).stdout).toContain("`git pull` updates it");
    team.git("pull", "--quiet");
    await expectValid(team, team.path, "1/2 stories");
    await expectValid(team, team.theirs(), "1/2 stories");
  },
  LONG,
);
