import { expect, it } from "vitest";
import type { Script, Turn } from "../../src/rehearsal/model-server.ts";
import { conversation, say } from "../../src/rehearsal/scripted-agent.ts";
import { either, isAt, PARTS, proposes } from "../support/planner.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const ORIGINAL = "How to do form.";

/** Begins with `form` as it was, and says that it is enough for today. */
const begins: Script = (turn) => {
  if (isAt(turn, ORIGINAL, 1)) return say("That is enough for today.");
  const writes = follows({ form: [{ write: "begun.txt", content: "half\n" }] });
  return isAt(turn, ORIGINAL) ? writes(turn) : follows()(turn);
};

/** Looks at a file first. */
const looks =
  (file: string, plan: (turn: Turn) => ReturnType<typeof say>) =>
  (turn: Turn): ReturnType<typeof say> =>
    conversation(turn).calls.length === 0
      ? say({ tool: "Read", input: { file_path: file } })
      : plan(turn);

const split = (stage: Stage, ...words: string[]) =>
  stage.sagaWithEnv(stage.env, "split", STORY, "form", ...words);

async function begunStage(): Promise<Stage> {
  const stage = await newStage({ script: either(looks("begun.txt", proposes(PARTS)), begins) });
  expect((await stage.work("--max-cycles", "1")).exitCode).toBe(2);
  return stage;
}

it("splits the rest of a started task as a planning run proposes", async () => {
  const stage = await begunStage();
  const result = await expectExit(0, split(stage, "--why", "It does two things.", "--json"));
  expect(result.json()).toEqual({
    story: STORY,
    task: "form",
    into: ["fields", "style"],
    finished: true,
  });
  expect(stage.commits()).toEqual(["form"]);
  expect(stage.git("show", `story/${STORY}:begun.txt`)).toBe("half");
  expect(stage.git("-C", stage.worktree, "status", "--porcelain")).toBe("");
  expect((await stage.events("task.split"))[0]).toMatchObject({ reason: "It does two things." });
  // Its worker reached a limit; now there is new work without a worker.
  expect((await stage.store.viewStory(STORY)).state).toBe("ready");
  await expectNothingLeft(stage);

  await expectExit(0, stage.work());
  expect(stage.commits()).toEqual(["form", "fields", "style", "page"]);
});

it("splits it by a person's plan, without a model", async () => {
  const stage = await begunStage();
  const turns = stage.model.turns();
  stage.write("parts.json", { tasks: PARTS });
  const result = await expectExit(0, split(stage, "--plan", "parts.json"));
  expect(result.stdout).toBe(
    `The existing work on form is committed; the rest is now fields, style. Continue: \`saga run ${STORY}\`\n`,
  );
  expect(stage.model.turns()).toBe(turns);
  const head = stage.git("rev-parse", `story/${STORY}`);
  const again = await split(stage, "--plan", "parts.json");
  expect(again.stdout).toBe(result.stdout);
  expect(stage.git("rev-parse", `story/${STORY}`)).toBe(head);
  await expectNothingLeft(stage);
});

it("asks for a proposal in the project itself when a story was never started", async () => {
  const stage = await newStage({ script: either(looks("README.md", proposes(PARTS)), follows()) });
  const result = await expectExit(0, split(stage, "--json"));
  expect(result.json()).toMatchObject({ into: ["form", "style"], finished: false });
  expect(await stage.events("tool.refused")).toEqual([]);
  expect(stage.git("branch", "--list", "story/*")).toBe("");
  expect((await stage.store.viewStory(STORY)).state).toBe("ready");
  await expectNothingLeft(stage);
  await expectExit(0, stage.work());
  expect(stage.commits()).toEqual(["form", "style", "page"]);
});

it("explains why no proposal could be used, and does not change the story", async () => {
  const rubbish = proposes("a", "b", "c");
  const stage = await newStage({ script: either(rubbish, follows()) });
  const result = await expectExit(1, split(stage));
  expect(result.stderr).toContain(
    "The task form of add-login was not split. The list of new tasks is missing",
  );
  expect(result.stderr).toContain(`saga split ${STORY} form --plan`);
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  expect((await stage.store.readJournal(STORY)).entries).toEqual([]);
  await expectNothingLeft(stage);
});
