import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newScopeWorld } from "../support/scope-world.ts";
import {
  type Case,
  OK,
  MAIN,
  OUTSIDE,
  OWN_ONLY,
  NOT_PART,
  GITS,
  THROUGH_ALL,
  UNBOUNDED,
  call,
  read,
  write,
  edit,
  cell,
  glob,
  grep,
  bash,
} from "../support/scope-cases.ts";

const READS: Case[] = [
  [OK, read("README.md")],
  [OK, read("$W/src/main.ts")],
  [OK, read(".saga/config.toml")],
  [OK, read(".saga/stories/login/form.json")],
  [OK, read("docs/.saga/notes.md")],
  [OK, read("packages/x/.saga/stories/y/story.json")],
  [OK, read("src/.saga-like/a.txt")],
  [OK, read("in-file")],
  [OK, read("out-file")],
  [OK, read("$H/outside/file.txt")],
  [OK, read("$H/outside/trial.ipynb")],
  [OK, read("~/notes.txt")],
  [OK, read("trial.ipynb")],
  [OK, read("../login/src/./deep//below.ts")],
  ['Use "$W/README.md" instead.', read("$P/README.md")],
  ['Use "$W/README.md" instead.', read("../../../README.md")],
  ['Use "$W/src/main.ts" instead.', read("$O/src/main.ts")],
  ['Use "$W/src/main.ts" instead.', read("../big/third/src/main.ts")],
  [MAIN, read("$P//src/..//README.md")],
  [MAIN, read("main/README.md")],
  [MAIN, read("src/sibling/README.md")],
  [MAIN, read("$H/project/README.md")],
  ["Use git commands in the worktree.", read("$P/.git/config")],
  [MAIN, read("$P/.saga/stories/add-login/story.json")],
  [NOT_PART, read(".saga/stories/other/story.json")],
  [NOT_PART, read("other-story/story.json")],
  ['Its folder is "$W/.saga/stories/login".', read(".saga/archive/old/story.json")],
];

const WRITES: Case[] = [
  [OK, write("src/new.ts")],
  [OK, write("$W/src/made/new/folder.ts")],
  [OK, write("$W//src//.//doubled.ts")],
  [OK, write("$W/../login/src/surroundings.ts")],
  [OK, write("src/deep/../climbed.ts")],
  [OK, write("in/through-a-link.ts")],
  [OK, write("in/deep/../behind-a-link.ts")],
  [OK, write("own-story/by-a-link.md")],
  [OK, write(".saga/stories/login/notes.md")],
  [OK, write("src/.saga-like/new.txt")],
  [OK, write("docs/.saga/new.md")],
  [OK, write("packages/x/.saga/stories/y/new.json")],
  [OK, write(".saga-too/new.md")],
  [OK, write(".github/workflow.yml")],
  [OK, write("src/a name é 計画.ts")],
  [OK, write("big.txt", "x".repeat(200_000))],
  [MAIN, write("$P/big.txt", "x".repeat(200_000))],
  ['Use "$W/src/new.ts" instead.', write("$P/src/new.ts")],
  [MAIN, write("../../../src/new.ts")],
  [MAIN, write("src/../../../../src/new.ts")],
  [MAIN, write("$P//src///new.ts")],
  [MAIN, write("$W/./../.././../new.ts")],
  ['Use "$W/src/new.ts" instead.', write("$O/src/new.ts")],
  [MAIN, write("../login-2/new.ts")],
  [MAIN, write("$W-2/new.ts")],
  [MAIN, write("../big/third/new.ts")],
  [MAIN, write("../not-there-yet/new.ts")],
  [MAIN, write(" ../new.ts")],
  [MAIN, write("main/src/new.ts")],
  [MAIN, write("src/sibling/new.ts")],
  [MAIN, write("nowhere-folder/new.ts")],
  [MAIN, write("git-hooks/pre-commit")],
  [MAIN, write("$P/.git/hooks/pre-commit")],
  [MAIN, write("$P/.saga/stories/login/new.json")],
  [MAIN, write("$P/.saga/archive/login/story.json")],
  [OUTSIDE, write("$H/new.txt")],
  ['Work on files in "$W".', write("out/new.txt")],
  [OUTSIDE, write("out/new/folder.txt")],
  [OUTSIDE, write("out-file")],
  [OUTSIDE, write("nowhere")],
  [OUTSIDE, write("~/new.txt")],
  ["leads somewhere else in each process", write("/proc/self/cwd/new.txt")],
  [OWN_ONLY, write(".saga/stories/other/new.json")],
  ['Its folder is "$W/.saga/stories/login".', write("other-story/new.json")],
  [OWN_ONLY, write(".saga/stories/login-2/new.json")],
  [OWN_ONLY, write(".saga/stories/login/../other/new.json")],
  [OWN_ONLY, write(".saga/archive/login/new.json")],
  [OWN_ONLY, write(".saga/epics/big/new.json")],
  [OWN_ONLY, write(".saga/new.toml")],
  [OWN_ONLY, write(".saga/worktrees/login/new.ts")],
  [GITS, write("src/.git/hooks/pre-commit")],
];

const EDITS: Case[] = [
  [OK, edit("README.md", "project")],
  [OK, edit("src/edited.ts")],
  [OK, cell("trial.ipynb")],
  [MAIN, edit("$P/edited.ts")],
  [MAIN, edit("../other/edited.ts")],
  [OUTSIDE, edit("$H/outside/file.txt", "outside")],
  [OUTSIDE, edit("out/edited.ts")],
  [OUTSIDE, edit("nowhere")],
  [OWN_ONLY, edit(".saga/config.toml")],
  [OWN_ONLY, edit(".saga/stories/other/edited.json")],
  [OUTSIDE, cell("$H/outside/trial.ipynb")],
];

const SEARCHES: Case[] = [
  [OK, glob("**/*.ts")],
  [OK, glob("*.ts", "src")],
  [OK, glob("$W/src/**")],
  [OK, glob("*.txt", "$H/outside")],
  [OK, grep()],
  [OK, grep("src", "*.{ts,js}")],
  [OK, grep("in")],
  [OK, grep(".saga/stories/login")],
  [MAIN, glob("../../../src/*.ts")],
  [MAIN, glob("$O/**")],
  [MAIN, glob("{src,../other}/*.ts")],
  [MAIN, glob("*.ts", "main/src")],
  [UNBOUNDED, glob("src/*/../../../*/*.ts")],
  [THROUGH_ALL, glob("/**/*.md")],
  [THROUGH_ALL, grep("$H")],
  ['Search in "$W"', grep("../../../..")],
  [MAIN, grep("$P")],
  [MAIN, grep("$P/.saga/worktrees")],
  [MAIN, grep("src/sibling")],
  [MAIN, grep("src", "../../../../src/*.ts")],
  [NOT_PART, grep(".saga/stories")],
  [NOT_PART, glob("*", ".saga/archive")],
];

const SHELL: Case[] = [
  [OK, bash("echo hi > src/shell.txt")],
  [OK, bash("node --version > /dev/null 2>&1")],
  [OK, bash("cat ../../../README.md && ls ../other > src/seen.txt")],
  [OK, bash("cat > src/here.txt <<'END'\necho x > ../../../README.md\nEND")],
  [OK, bash("grep -r export . > /dev/null")],
  [OK, bash("mkdir -p src/made/by/shell && touch src/made/by/shell/a && rm -r src/made/by")],
  [OK, bash("echo new > to-be")],
  [OK, bash("echo note >> .saga/stories/login/notes.md")],
  [OK, bash("sed -i s/hi/ho/ src/shell.txt && git add src && git status --short")],
  [MAIN, bash("echo x > ../other/a")],
  [MAIN, bash("rm -rf ../../..")],
  [MAIN, bash("cp README.md ../../../src/")],
  [MAIN, bash("mv README.md $P/src")],
  [MAIN, bash("sed -i s/a/b/ ../../../.git/config")],
  [GITS, bash("sed -i s/a/b/ .git/config")],
  [MAIN, bash("cat README.md | tee ../../stories/other/story.json")],
  [MAIN, bash("cd ../other && echo x >> README.md")],
  [MAIN, bash("(cd src/deep; touch ../../../x)")],
  [MAIN, bash("echo x > main/src/x")],
  [MAIN, bash("sh -c 'echo x > $P/src/x'")],
  [OWN_ONLY, bash("echo '{}' > .saga/stories/other/story.json")],
  [OWN_ONLY, bash("rm -rf .saga/stories")],
];

/** One after the other: where a shell has gone, paths count from there. */
const MOVED: Case[] = [
  [MAIN, call("EnterWorktree", { path: "$O" })],
  ["one worktree for each story", call("EnterWorktree", { name: "new" })],
  [OK, bash("cd src/deep && pwd")],
  [OK, write("moved.ts")],
  [OK, read("../main.ts")],
  [OK, glob("*.ts")],
  [MAIN, write("../../../moved.ts")],
  [MAIN, glob("../../../../*.ts")],
  [MAIN, bash("echo x > ../../../moved.ts")],
  [OK, bash("cd ../../../../.. && pwd")],
  [OK, write("back.ts")],
];

/** Saga's own hook reserves the session's ports there. */
const RESERVED_PORTS = /\/\.git\/saga(\/ports(\/\d+\.json \w+)?)?$/;

it("limits a session in a story's worktree to its story, for every tool and path", async () => {
  const { stage, worktree, spelled, surroundings } = await newScopeWorld();
  // What git shares between worktrees is made when the first of them is looked at.
  stage.git("-C", worktree, "status");
  const around = (): string[] => surroundings().filter((line) => !RESERVED_PORTS.test(line));
  const before = around();
  // What is read first may be edited afterwards.
  const groups = [READS, WRITES, EDITS, SEARCHES, SHELL].flatMap((cases) => inParts(cases, 8));
  const turns = [...groups, ...MOVED.map((one) => [one])];
  const cases = turns.flat();
  const session = await stage.session({
    cwd: worktree,
    turns: turns.map((part) => part.map(([, step]) => spelled(step))),
  });

  expect(session.exitCode).toBe(0);
  expect(session.answers).toHaveLength(cases.length);
  const wrong = cases.flatMap(([says, step], at) => {
    const answer = session.answers[at];
    const isRight =
      says === undefined
        ? !answer?.isError
        : answer?.text.includes("may not") && answer.text.includes(spelled(says));
    return isRight ? [] : [{ step: JSON.stringify(step).slice(0, 200), says, answer }];
  });
  expect(wrong).toEqual([]);
  expect(around()).toEqual(before);
  const allowed = cases.filter(([says]) => says === OK).length;
  expect(Math.min(allowed, cases.length - allowed)).toBeGreaterThan(45);
  expect(readFileSync(join(worktree, "src/to-be.txt"), "utf8")).toBe("new\n");
  expect(existsSync(join(worktree, "src/deep/moved.ts"))).toBe(true);
  expect(existsSync(join(worktree, "back.ts"))).toBe(true);
  expect(session.hooks.filter(({ stderr }) => stderr !== "")).toEqual([]);
});

const inParts = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
