import { describe, expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { conversation } from "../../src/rehearsal/scripted-agent.ts";
import { aTask } from "../support/project.ts";
import {
  either,
  HANG,
  isAt,
  newFiles,
  PARTS,
  proposes,
  ORIGINAL,
  stalls,
  trailers,
  WATCH,
} from "../support/planner.ts";
import { expectNothingLeft, follows, newStage, STORY, TWO_TASKS } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

/** A third of the processor's time, for eleven seconds. */
const BUSY =
  "const end = Date.now() + 11000; const work = () => { const until = Date.now() + 50; while (Date.now() < until); if (Date.now() < end) setTimeout(work, 100); }; work();";

describe("an agent that goes silent", () => {
  it("fails its story when the same split is proposed repeatedly", async () => {
    const hangs: Script = (turn) =>
      isAt(turn, ORIGINAL) || isAt(turn, "How to do fields, a part.") ? HANG : follows()(turn);
    const stage = await newStage({ config: WATCH, script: either(proposes(PARTS), hangs) });
    const ended = await expectExit(1, stage.work("--json"));
    // One for the task as it was, and two in which nothing was new.
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "failed", cycles: 3 });
    expect(await stage.events("task.split")).toHaveLength(1);
    await expectNothingLeft(stage);
  });

  it("is not one whose test runs without output for more than two check-ins", async () => {
    const stage = await newStage({
      config: "[watch]\ncheck_in_minutes = 0.06\n",
      tasks: [aTask("form")],
      steps: { form: [{ run: `node -e '${BUSY}'; touch tested` }] },
    });
    await expectExit(0, stage.work());
    expect(await stage.events("task.split")).toEqual([]);
    // On a slow machine a check-in may find any other call in flight, too.
    const atTheTest = (await stage.events("check-in")).filter(
      ({ inFlight }) => (inFlight as { tool?: string } | undefined)?.tool === "Bash",
    );
    expect(atTheTest.length).toBeGreaterThanOrEqual(2);
    expect(atTheTest.at(-1)).toMatchObject({ silent: 0 });
  });

  it("is one whose call hangs with inactive processes, long before the call's time limit", async () => {
    const hanging = follows({ form: [{ run: "node -e 'setTimeout(() => {}, 600000)'" }] });
    const stage = await newStage({
      config: WATCH,
      script: either(proposes(PARTS), (turn) =>
        isAt(turn, ORIGINAL) ? hanging(turn) : follows()(turn),
      ),
    });
    await expectExit(0, stage.work());
    expect((await stage.events("task.split"))[0]).toMatchObject({
      reason: "A call of Bash used no processor time and wrote nothing for 7.2 s.",
    });
    await expectNothingLeft(stage);
    expect(stage.processes()).toEqual([]);
  });

  it("is stopped with all its processes when a call exceeds its time limit", async () => {
    const endless = follows({ form: [{ run: "node -e 'for (;;);'" }] });
    const stage = await newStage({
      config: `${WATCH}tool_minutes = 0.05\n`,
      script: either(proposes(PARTS), (turn) =>
        isAt(turn, ORIGINAL) ? endless(turn) : follows()(turn),
      ),
    });
    await expectExit(0, stage.work());
    expect((await stage.events("task.split"))[0]).toMatchObject({
      reason: "A call of Bash did not return within 3 s.",
    });
    await expectNothingLeft(stage);
    expect(stage.processes()).toEqual([]);
  });

  it("has its work committed as the finished part, and saved at every check-in", async () => {
    const writes = follows({ form: [{ write: "begun.txt", content: "half\n" }] });
    const stage = await newStage({
      config: WATCH,
      script: either(proposes(PARTS), (turn) => {
        if (isAt(turn, ORIGINAL, 1)) return HANG;
        return isAt(turn, ORIGINAL) ? writes(turn) : follows()(turn);
      }),
    });
    await expectExit(0, stage.work());
    expect(stage.commits()).toEqual(["form", "fields", "style", "page"]);
    expect(trailers(stage, "Saga-Task-Part")).toEqual(["form"]);
    expect(stage.git("show", `story/${STORY}:begun.txt`)).toBe("half");
    const { taskFields } = await stage.store.readStory(STORY);
    expect(taskFields.get("form")).toMatchObject({
      status: "completed",
      description: `${ORIGINAL}\n\nThe rest was split off into fields, style.`,
    });
    expect(taskFields.get("page")).toMatchObject({ blockedBy: ["form", "style"] });
    expect((await stage.events("kept")).map(({ why }) => why)).toContain("at a check-in");
    await expectNothingLeft(stage);
  });
});

describe("a task that grows", () => {
  it("and is completed before a check-in counts, with a note to agent and person", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
    const turns: string[] = [];
    // The first file is measured at once; the next measurement is five seconds later, after the completion.
    const obey = follows({
      form: [
        { write: "short.txt", content: "line\n" },
        { run: "node -e 'setTimeout(() => {}, 1000)'" },
        { write: "long.txt", content: `${lines}\n` },
      ],
    });
    const stage = await newStage({
      script: (turn) => {
        turns.push(JSON.stringify(turn.messages));
        return obey(turn);
      },
    });
    await expectExit(0, stage.work());
    const grown = (await stage.events("task.grows")).find((event) => event["isCompleted"]);
    expect(grown).toMatchObject({ task: "form", files: 2, lines: 301 });
    const { entries } = await stage.store.readJournal(STORY);
    expect(entries.map(({ kind, title }) => [kind, title])).toContainEqual([
      "diversion",
      "form is larger than a task should be",
    ]);
    expect(turns.at(-1)).toContain("the task form has changed 2 files and 301 lines");
    expect(stage.git("show", `story/${STORY}:.saga/stories/${STORY}/journal.md`)).toContain(
      "larger than a task should be",
    );
  });

  it("is not stopped if the settings say so", async () => {
    const stage = await newStage({
      config: "[size]\nwatch = false\n",
      tasks: [aTask("form")],
      steps: { form: [...newFiles(7), { run: "node -e 'setTimeout(() => {}, 6000)'" }] },
    });
    await expectExit(0, stage.work());
    expect(await stage.events("task.grows")).toEqual([]);
  });
});

describe("a planning run", () => {
  it("can only read", async () => {
    const calls = [
      { tool: "Write", input: { file_path: "planned.txt", content: "x" } },
      { tool: "Bash", input: { command: "touch planned.txt", description: "x" } },
      { tool: "Read", input: { file_path: "README.md" } },
    ];
    const planning = proposes(PARTS);
    const answers: string[] = [];
    const stage = await newStage({
      config: WATCH,
      script: either((turn) => {
        answers.splice(0, answers.length, ...conversation(turn).calls.map(({ answer }) => answer));
        const next = calls.shift();
        return next
          ? { kind: "say", blocks: [{ type: "tool_use", name: next.tool, input: next.input }] }
          : planning(turn);
      }, stalls),
    });
    await expectExit(0, stage.work());
    expect(answers[0]).toContain("No such tool available: Write");
    expect(answers[1]).toContain("No such tool available: Bash");
    expect(stage.git("ls-tree", "-r", "--name-only", `story/${STORY}`)).not.toContain(
      "planned.txt",
    );
    expect(answers[2]).toContain("# A project");
  });

  it("that exceeds its time limit becomes a question", async () => {
    const stage = await newStage({
      config: `${WATCH}plan_minutes = 0.05\n`,
      script: either(() => HANG, stalls),
      tasks: TWO_TASKS,
    });
    await expectExit(3, stage.work("--json"));
    const { open } = await stage.store.readJournal(STORY);
    expect(open[0]?.body).toContain("The planning run took too long.");
    await expectNothingLeft(stage);
  });
});
