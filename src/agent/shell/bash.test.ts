import { spawnSync } from "node:child_process";
import { cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { numbers } from "../../../test/support/seeded.ts";
import { newFolder } from "../../../test/support/project.ts";
import type { Scope } from "../scope/scope.ts";
import { judgeCommand } from "./guard.ts";

describe("what bash changes", () => {
  it("outside the worktree, the guard has refused, in any combination of plain commands", () => {
    const { scope, top, project, refresh } = newWorld();
    const random = numbers(20_240_608);
    const missed: string[] = [];
    const counts = { harmless: 0, breach: 0, careful: 0 };
    const before = contentBelow(project);
    for (let round = 0; round < 300; round++) {
      const command = aCommand(random, scope);
      const { isAllowed } = judgeCommand(scope, {
        tool: "Bash",
        input: { command },
        cwd: scope.worktree,
      });
      spawnSync("bash", ["-c", command], {
        cwd: scope.worktree,
        env: { PATH: process.env["PATH"], HOME: join(top, "home"), A: "a" },
        stdio: "ignore",
      });
      const changed = changesBetween(before, contentBelow(project));
      const isBreach = changed.some((path) => !isOwnFile(scope, path));
      if (isBreach && isAllowed) missed.push(command);
      counts[isBreach ? "breach" : isAllowed ? "harmless" : "careful"]++;
      if (changed.length > 0) refresh();
    }
    expect(missed).toEqual([]);
    // Enough of both, and few refusals without need.
    expect(Math.min(counts.harmless, counts.breach)).toBeGreaterThan(60);
    expect(counts.careful).toBeLessThan(60);
  });
});

describe("any text", () => {
  it("gets a verdict, made of any shell syntax", () => {
    const { scope } = newWorld();
    const random = numbers(7);
    for (let round = 0; round < 3000; round++) {
      const parts = Array.from({ length: Math.floor(random() * 40) }, () => pick(random, TOKENS));
      expect(judge(scope, parts.join(pick(random, ["", " "])))).toBeTypeOf("boolean");
    }
  });

  it("gets a verdict, made of any characters", () => {
    const { scope } = newWorld();
    const random = numbers(11);
    for (let round = 0; round < 500; round++) {
      const codes = Array.from({ length: 200 }, () =>
        Math.floor(random() * (round % 2 ? 128 : 65_536)),
      );
      expect(judge(scope, String.fromCharCode(...codes))).toBeTypeOf("boolean");
    }
  });

  it.each(
    [
      ["(", "$((", '"$(', "`", "${", "a=(", "<<a\n", "((a) b) ", "((((a) ) ) )", "\\", "{", "{,"],
      ["a ", ";a", "rm a ", "rm a;", "1", "[", "*", "{a,b}", "~", "'", '"', "sudo ", "find -exec "],
      [
        "cd a;",
        "git -C a ",
        "-a",
        "f() { ",
        "case a in ",
        "[[ ",
        "a\n",
        "# \n",
        "$(a) ",
        "../",
        "{ ) ",
        "{ ( ) ",
      ],
    ].flat(),
  )("gets a verdict soon, with 300,000 characters of %j", (part) => {
    const { scope } = newWorld();
    const start = performance.now();
    expect(judge(scope, part.repeat(LONG / part.length))).toBeTypeOf("boolean");
    expect(judge(scope, `rm -- ${part.repeat(LONG / part.length)}`)).toBeTypeOf("boolean");
    // Far more than it takes, for a busy machine.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("gets a verdict at once, with a long here-document", () => {
    const { scope } = newWorld();
    const text = `cat > a <<'EOF'\n${"it's $(rm -rf ../..) text\n".repeat(40_000)}EOF\nrm ../x`;
    judge(scope, "ls");
    const before = process.cpuUsage();
    expect(judge(scope, text)).toBe(false);
    // Of the processor's time: a busy machine says nothing about us.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
  });
});

/** Reading that takes quadratic time would not end. */
const LONG = 300_000;

const judge = (scope: Scope, command: string): boolean =>
  judgeCommand(scope, { tool: "Bash", input: { command }, cwd: scope.worktree }).isAllowed;

const TOKENS =
  "rm -rf ../x ../.. / ~ $HOME ${X:-a} $(ls `a` ) ( { } ; ;; & && || | \n > >> 2>&1 < << <<< <<EOF EOF ' \" \\ # case in esac if then fi for do done while [[ ]] (( )) $(( f() function ! * ? [a] {a,b} {1..3} a=1 a=( git -C cd sudo xargs find -exec {} -delete sh -c eval tar x sed -i <( >( $' $\" `".split(
    " ",
  );

const PATHS =
  "a.ts src/a.ts new src/new ../login/new ../other/a.ts ../other/new ../../../src/a.ts ../new link/a.ts main/src/a.ts .git .saga/stories/login/x .saga/stories/other/x".split(
    " ",
  );
const FOLDERS = "src src/deep .. ../other ../login ../../../src link main . src/..".split(" ");
/** `W` is written, `R` is read, `F` is a folder. */
const SIMPLE = [
  "echo x > W",
  "echo x >> W",
  "echo x 2>/dev/null >| W",
  "echo x &> W",
  "> W",
  "cat <<E > W\nrm -rf ../other\nE\n",
  "cat R | tee W",
  "cp R W",
  "cp -t F R",
  "cp --target-directory=F R R",
  "mv a.ts -t F",
  "mv W new2",
  "mv a.ts W",
  "rm -f W",
  "rm -rf src/deep W",
  "touch W",
  "mkdir -p W",
  "truncate -s 3 W",
  "sed -i s/old/new/ W",
  "sed -n p R",
  "ln -sf R W",
  "install -m 644 R W",
  "chmod 700 W",
  "echo new | xargs rm -f W",
  "find R -name '*.ts' -delete",
  "find W -type f -exec rm {} +",
  "grep old R > new3",
  "echo \"> W\" 'rm W' # rm W\n",
  "rm -f $(echo R > W)",
  "x=W; cat R",
];
/** `C` is a command. */
const WRAPPERS = [
  "C",
  "cd F && C",
  "(cd F; C)",
  "cd F; C; cd src",
  "(cd F); C",
  "x=$(cd F; C)",
  "pushd F >/dev/null; C",
  "{ C; }",
  "if true; then C; fi",
  "for i in 1; do C; done",
  "case a in a|b) C;; esac",
  "f() { C; }; f",
  "true && C",
  "cat <(C)",
  "A=1 env B=2 nice -n 1 bash -c 'C'",
  'echo "$(C)"',
  "while C; do break; done",
  "[[ b > a ]] && C",
];

function aCommand(random: () => number, scope: Scope): string {
  const path = (): string => {
    const text = pick(random, PATHS);
    const full = random() < 0.15 ? `${scope.worktree}/${text}` : text;
    return pick(random, [
      full,
      full,
      `"${full}"`,
      full.replace(/^(?=[^/])/, "./"),
      full.replace("a", "\\a"),
    ]);
  };
  const folder = (): string => pick(random, FOLDERS);
  let command = pick(random, SIMPLE).replaceAll("W", path).replaceAll("R", path);
  command = command.replaceAll("F", folder);
  for (let left = Math.floor(random() * 3); left > 0; left--) {
    const wrapper = pick(random, WRAPPERS).replaceAll("F", folder);
    // A quote would end the quotes around it; a comment or a here-document ends with its line.
    if (wrapper.includes("'") && /['\\"]/.test(command)) continue;
    command = wrapper.replaceAll("C", () => (command.endsWith("\n") ? `${command}\n` : command));
  }
  return command;
}

/** Every file below a folder, with its mode and content. */
function contentBelow(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // Not `recursive`: Node 22 follows links with it.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const kind = `${lstatSync(path).mode}`;
    if (entry.isSymbolicLink()) found.set(path, readlinkSync(path));
    else found.set(path, entry.isFile() ? kind + readFileSync(path, "utf8") : kind);
    if (entry.isDirectory()) for (const inner of contentBelow(path)) found.set(...inner);
  }
  return found;
}

function changesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

function isOwnFile({ worktree, storyId }: Scope, path: string): boolean {
  if (!path.startsWith(`${worktree}/`)) return false;
  const names = path.slice(worktree.length + 1).split("/");
  if (names[0] === ".git") return false;
  return names[0] !== ".saga" || (names[1] === "stories" && names[2] === storyId);
}

const pick = <T>(random: () => number, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

interface World {
  readonly scope: Scope;
  readonly top: string;
  readonly project: string;
  /** Restores the project. */
  readonly refresh: () => void;
}

function newWorld(): World {
  const { path: top, write, link } = newFolder();
  // So deep that no combination of the paths above leaves the test's own folder.
  const deep = "d/".repeat(30);
  for (const folder of [
    "project",
    `project/.saga/worktrees/login`,
    `project/.saga/worktrees/other`,
  ]) {
    for (const file of ["a.ts", "src/a.ts", "src/deep/a.ts", ".saga/stories/other/x"]) {
      write(`pristine/${folder}/${file}`, `old ${file}\n`);
    }
    write(`pristine/${folder}/.git`, "gitdir: x");
  }
  write("pristine/project/.saga/worktrees/login/.saga/stories/login/x", "old\n");
  link("pristine/project/.saga/worktrees/login/link", "src");
  link("pristine/project/.saga/worktrees/login/main", "../../..");
  write("home/a", "");
  const project = join(top, deep, "project");
  const refresh = (): void => {
    rmSync(project, { recursive: true, force: true });
    cpSync(join(top, "pristine/project"), project, { recursive: true, verbatimSymlinks: true });
  };
  refresh();
  const worktree = join(project, ".saga/worktrees/login");
  return {
    scope: { project, worktree, storyId: "login", readable: [] },
    top,
    project,
    refresh,
  };
}
