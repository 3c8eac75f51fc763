import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/file-store.ts";
import { isTorture, killPlaces } from "../support/kill-places.ts";
import { aStory, aTask, anEpic, newFolder, snapshot, type Project } from "../support/project.ts";
import { builtSaga, killAtHook, plainEnv, runNode, type Ended } from "../support/programs.ts";
import { seeded } from "../support/seeded.ts";

const chance = seeded();
const ROUNDS = isTorture ? 100 : 6;

const PLAN = {
  epics: [anEpic("shop", [])],
  stories: [
    { ...aStory("shop--cart"), tasks: [aTask("add"), aTask("remove", { blockedBy: ["add"] })] },
    { ...aStory("shop--pay"), blockedBy: ["shop--cart"], tasks: [aTask("charge")] },
  ],
};

/** The same story with other words, an epic with another title, and one more task. */
const CHANGED = {
  epics: [
    anEpic("base", [{ id: "base--first" }, { id: "base--done" }, { id: "base--gone" }], {
      title: "New",
    }),
  ],
  stories: [{ ...aStory("base--first", { title: "New" }), tasks: [aTask("begin"), aTask("end")] }],
};

/** Every command that writes, on a project where it has something to do. */
const COMMANDS: readonly {
  readonly words: string[];
  readonly input?: string;
  readonly isFresh?: boolean;
  /** Each of its stories is moved for itself. */
  readonly isStepwise?: boolean;
}[] = [
  { words: ["init"], isFresh: true },
  { words: ["new", "epic", "blog", "-d", "Write."] },
  { words: ["new", "story", "extra", "--epic", "base", "-d", "More."] },
  { words: ["new", "task", "base--first", "polish", "-d", "Shine."] },
  { words: ["stage"], input: JSON.stringify(PLAN) },
  { words: ["stage", "--update"], input: JSON.stringify(CHANGED) },
  { words: ["edit", "base--first", "--set", "title=New", "--set", "checks=npm test"] },
  { words: ["edit", "base--first", "begin", "--set", "guidance=Slowly."] },
  { words: ["edit", "base", "--set", "title=New"] },
  { words: ["archive", "base--done"] },
  { words: ["archive", "base--done", "base--gone"], isStepwise: true },
  { words: ["config", "unset", "size.max_lines"] },
  { words: ["config", "set", "size.max_files", "7"] },
];

describe("a writing command killed at any of its changes to the disk", () => {
  it.each(COMMANDS)(
    "leaves only complete files, did all or nothing, and succeeds when repeated: saga $words",
    async ({ words, input = "", isFresh = false, isStepwise = false }) => {
      const before = isFresh ? newFolder() : baseProject();
      const after = copyOf(before);
      const changes = await countChanges(after, words, input);
      expect(changes).toBeGreaterThanOrEqual(5);
      const states = [stateOf(before), stateOf(after)];

      for (const killAt of killPlaces(changes, 3)) {
        const project = copyOf(before);
        const { signal } = await runKilled(project, words, input, killAt);
        expect(signal).toBe("SIGKILL");
        await expectWhole(project);
        const reached = isStepwise ? states[0] : stateOf(project);
        expect(states, `killed at change ${killAt}`).toContain(reached);
        expect((await project.sagaWithInput(input, ...words)).exitCode).toBe(0);
        expect(stateOf(project), `repeated after change ${killAt}`).toBe(states[1]);
        expect(leftovers(project), `left after change ${killAt}`).toEqual([]);
      }
    },
  );

  it("keeps every earlier journal entry, and the new one completely or not at all", async () => {
    const before = baseProject();
    await before.saga("journal", "base--first", "--decision", "One", "--body", "Because.");
    const words = ["journal", "base--first", "--blocker", "Which?", "--body", "This or that."];
    const changes = await countChanges(copyOf(before), words, "");
    for (const killAt of killPlaces(changes, 4)) {
      const project = copyOf(before);
      const { signal } = await runKilled(project, words, "", killAt);
      expect(signal).toBe("SIGKILL");
      const { entries } = await openStore(project.path).readJournal("base--first");
      const whole = [
        { kind: "decision", title: "One", body: "Because." },
        { kind: "blocker", blocker: "b1", body: "This or that." },
      ];
      expect(entries).toMatchObject(whole.slice(0, entries.length));
      expect(entries.length).toBeGreaterThan(0);
    }
  });
});

it("leaves only complete files when a staging command is killed at random moments", async () => {
  const before = baseProject();
  const after = copyOf(before);
  const started = performance.now();
  await runKilled(after, ["stage"], JSON.stringify(PLAN), 0);
  // How long it takes depends on what else the machine does: the shortest so far counts.
  let usualMs = performance.now() - started;
  const states = [stateOf(before), stateOf(after)];
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const project = copyOf(before);
    const from = performance.now();
    const ended = await runNode([builtSaga, "stage"], {
      cwd: project.path,
      input: JSON.stringify(PLAN),
      onStart: (child) =>
        void setTimeout(() => child.kill("SIGKILL"), usualMs * (0.3 + chance.below(70) / 100)),
    });
    if (ended.signal === "SIGKILL") killed++;
    else usualMs = Math.min(usualMs, performance.now() - from);
    await expectWhole(project);
    expect(states).toContain(stateOf(project));
  }
  expect(killed).toBeGreaterThan(ROUNDS / 5);
});

const leftovers = (project: Project): string[] =>
  readdirSync(join(project.path, ".saga"), { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tmp(?:\/|$)/.test(name) || name.startsWith("transaction"),
  );

function baseProject(): Project {
  const project = newFolder("a project");
  project.write(".saga/config.toml", "# mine\n[size]\nmax_lines = 100\n");
  project.write(
    ".saga/epics/base/epic.json",
    anEpic("base", [{ id: "base--first" }, { id: "base--done" }, { id: "base--gone" }]),
  );
  project.write(".saga/stories/base--first/story.json", aStory("base--first", { mine: 1 }));
  project.write(".saga/stories/base--first/begin.json", aTask("begin"));
  project.write(
    ".saga/stories/base--done/story.json",
    aStory("base--done", { status: "completed" }),
  );
  project.write(
    ".saga/stories/base--gone/story.json",
    aStory("base--gone", { status: "completed" }),
  );
  return project;
}

function copyOf(project: Project): Project {
  const copy = newFolder("a project");
  cpSync(project.path, copy.path, { recursive: true });
  return copy;
}

async function countChanges(
  project: Project,
  words: readonly string[],
  input: string,
): Promise<number> {
  const file = join(project.path, "..", "changes");
  const whole = await runKilled(project, words, input, 0, { COUNT_EFFECTS: file });
  expect(whole.exitCode, whole.stderr).toBe(0);
  return Number(readFileSync(file, "utf8"));
}

const runKilled = (
  project: Project,
  words: readonly string[],
  input: string,
  killAt: number,
  more: Record<string, string> = {},
): Promise<Ended> =>
  runNode(["--require", killAtHook, builtSaga, ...words], {
    cwd: project.path,
    input,
    env: plainEnv(project.path, { KILL_AT: String(killAt), ...more }),
  });

async function expectWhole(project: Project): Promise<void> {
  if (!existsSync(join(project.path, ".saga"))) return;
  const { problems } = await openStore(project.path).validate();
  expect(problems).toEqual([]);
}

/** The files that count: temporary ones of a killed writer are cleared away by the next. */
const stateOf = (project: Project): string =>
  snapshot(project.path)
    .replaceAll(project.path, "")
    .split("\n")
    .filter((line) => !/\.tmp(?:\/|$)/.test(line))
    .join("\n");
