// A project with a story's worktree, and everything that is out of its scope: the main checkout, other stories, a folder
// outside, and links to them.

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { newPluginStage, type PluginStage } from "./plugin-session.ts";
import { aStory } from "./project.ts";

export interface ScopeWorld {
  readonly stage: PluginStage;
  /** The story's own worktree. */
  readonly worktree: string;
  /** In a text or deep in an input: $W the worktree, $O another's, $P the project, $H surroundings it. */
  readonly spelled: <T>(value: T) => T;
  /** Everything but the worktree, what git keeps for it, and Claude's own home. */
  readonly surroundings: () => string[];
}

const NOTEBOOK = {
  cells: [{ cell_type: "code", id: "one", metadata: {}, outputs: [], source: ["1 + 1"] }],
  metadata: { kernelspec: { name: "python3", language: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
};

export async function newScopeWorld(): Promise<ScopeWorld> {
  const stage = await newPluginStage();
  const { path: project, write, git } = stage;
  write("src/main.ts", "export {};\n");
  write("src/deep/below.ts", "export {};\n");
  write("src/.saga-like/a.txt", "a file of the project\n");
  write("docs/.saga/notes.md", "a file of the project\n");
  write("packages/x/.saga/stories/y/story.json", {});
  for (const name of ["trial", "shared"]) write(`${name}.ipynb`, NOTEBOOK);
  write(".saga/archive/old/story.json", aStory("old"));
  write(".saga/epics/big/epic.json", {});
  write(".saga/stories/other/story.json", aStory("other"));
  git("add", "--all");
  git("commit", "--quiet", "--message=More");
  const worktree = stage.addWorktree("login", { id: "login" });
  const other = stage.addWorktree("other", { id: "other" });
  // Its name starts like the story's, and it is where older versions put worktrees.
  stage.addWorktree("login-2", { id: "login-2" });
  stage.addWorktree("big/third", { id: "big--third" });
  const surroundings = dirname(project);
  write("../outside/file.txt", "outside\n");
  write("../outside/trial.ipynb", NOTEBOOK);
  write("../home/notes.txt", "a person's own\n");
  for (const [name, target] of Object.entries(LINKS)) {
    stage.link(`.saga/worktrees/login/${name}`, target.replace("$H", surroundings));
  }
  const places = { $W: worktree, $O: other, $P: project, $H: surroundings };
  return {
    stage,
    worktree,
    spelled: (value) =>
      JSON.parse(
        JSON.stringify(value).replaceAll(/\$[WOPH]\b/g, (name) => places[name as "$W"]),
      ) as typeof value,
    surroundings: () =>
      treeOf(surroundings, new Set([worktree, join(surroundings, "home"), ...gitsOwn(project)])),
  };
}

/** Every `git add` in a worktree writes there. */
const gitsOwn = (project: string): string[] =>
  [".git/worktrees/login", ".git/objects"].map((path) => join(project, path));

const LINKS: Readonly<Record<string, string>> = {
  in: "src",
  "in-file": "src/main.ts",
  "to-be": "src/to-be.txt",
  out: "../../../../outside",
  "out-file": "$H/outside/file.txt",
  nowhere: "$H/outside/missing.txt",
  "nowhere-folder": "../../../src/not-there-yet",
  main: "../../..",
  "src/sibling": "../../other",
  loop: "loop",
  "own-story": ".saga/stories/login",
  "other-story": ".saga/stories/other",
  "git-hooks": "../../../.git/hooks",
};

/** Every file, folder and link below, with its content. */
function treeOf(folder: string, except: ReadonlySet<string>): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (except.has(path)) return [];
    const stats = lstatSync(path);
    if (stats.isDirectory()) return [path, ...treeOf(path, except)];
    if (stats.isSymbolicLink()) return `${path} → ${readlinkSync(path)}`;
    return `${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
  });
}
