import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { PATHLESS_TOOLS, type Scope } from "./scope.ts";
import { judgeToolCall } from "../tool-call.ts";

// In the tables: $W the story's worktree, $P the project around it, $H the folder around that.

describe("a path is found", () => {
  it.each([
    ["in Edit", "Edit", { file_path: "$P/a", old_string: "x", new_string: "y" }],
    ["in MultiEdit", "MultiEdit", { file_path: "$P/a", edits: [] }],
    ["in NotebookEdit", "NotebookEdit", { notebook_path: "$P/a.ipynb", new_source: "x" }],
    ["under the alias of its key", "Write", { path: "$P/a", content: "x" }],
    ["in the second of two keys", "Write", { file_path: "$W/a", path: "$P/a" }],
    ["in an unknown tool", "Paint", { canvasFile: "$P/a" }],
    ["under a key in camel case", "Paint", { outputPath: "$P/a" }],
    ["under a key in capitals", "Paint", { TARGET_DIR: "$P/a" }],
    ["under a folder's name", "Paint", { output_folder: "$P/a" }],
    ["under a directory's name", "Paint", { workingDirectory: "$P" }],
    ["under cwd", "Paint", { prompt: "x", cwd: "$P" }],
    ["under root", "Paint", { root: ".." }],
    ["in a list", "Paint", { paths: ["$W/a", "$P/a"] }],
    ["in a list where one path was expected", "Write", { file_path: ["$P/a"] }],
    ["in a list of files with more to say", "Paint", { files: [{ path: "$P/a", text: "x" }] }],
    ["deeper in the input", "Paint", { steps: [{ move: { toFile: "../x" } }] }],
    ["as the key of its content", "Paint", { files: { "../x": "content" } }],
    ["as an address", "Paint", { uri: "file://$P/a" }],
    ["in the tool that moves the agent to another worktree", "EnterWorktree", { path: "$H/x" }],
    ["in the tool that starts another agent", "Agent", { prompt: "x", cwd: "$P" }],
    ["in a tool for workflows", "Workflow", { scriptPath: "/tmp/x.js" }],
  ])("%s, and refused where it leads out", (_, tool, input) => {
    expect(verdict(tool, input)).toMatch(/^\w+ may not change /);
  });

  it.each([
    ["the content of a file", "Write", { file_path: "a", content: "$P/a\0" }],
    ["the source of a notebook's cell", "NotebookEdit", { notebook_path: "a", new_source: "$P/a" }],
    ["an empty text", "Write", { file_path: "" }],
    ["a number", "Write", { file_path: 7 }],
    ["nothing", "Write", { file_path: null }],
    ["no input at all", "Write", undefined],
    ["a bare text", "Paint", "$P/a"],
    ["an address on the web", "Paint", { url: "https://x.test/../../../../a" }],
    ["a file that came along as text", "Paint", { file: "/a+b/c=".repeat(9000) }],
    ["a path in full under a key for text", "Paint", { text: "$P/a", new_string: "$P/a" }],
    ["a text that begins like a path", "Paint", { x: "$P/a\nis where it is" }],
    ["a sentence that begins with a path", "Paint", { x: "$P/src/a.ts is where it is" }],
    ["a text too long for a path", "Paint", { x: `$P/${"a".repeat(5000)}` }],
    ["a place in full outside the project", "Paint", { target: "$H/a", to: "/usr/x" }],
    ["a place in full that leads nowhere clear", "Paint", { to: "~root/x", at: "/proc/self/cwd" }],
    ["Claude's own tools, beyond their paths", "Edit", { file_path: "a", x: "$P/a" }],
    ["a prompt for another agent", "Agent", { prompt: "$P/a", isolation: "" }],
    ["a prompt", "Paint", { prompt: "Look at $P/a", description: "x" }],
  ])("nowhere in %s", (_, tool, input) => {
    expect(verdict(tool, input)).toBe("allowed");
  });

  it("in input of any depth and size", () => {
    let deep: unknown = { file_path: "../x" };
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, ""]));
    const scope = newWorld();
    const judge = (input: unknown): boolean =>
      judgeToolCall(scope, { tool: "Paint", input, cwd: scope.worktree }).isAllowed;
    expect(judge(deep)).toBe(false);
    expect(judge({ ...wide, file_path: "../x" })).toBe(false);
  });
});

describe("a tool of another server", () => {
  it.each([
    ["may use a file of the worktree", { path: "$W/src/a.ts" }, "allowed"],
    ["may use what is outside the project", { path: "$H/outside/shot.png" }, "allowed"],
    ["may have paths that are none on this disk", { path: "/api/users" }, "allowed"],
    ["may have no path", { query: "$P/a" }, "allowed"],
    ["may not use the main checkout", { path: "$P/a.ts" }, 'Use "$W/a.ts" instead'],
    ["may not move files there", { source: "a.ts", destination: "$P/a.ts" }, "main checkout"],
    ["may not take files from there", { source: "$P/a.ts", destination: "a.ts" }, "main checkout"],
    ["may name its target as it likes", { to: "$W/src/a.ts", new_name: "b.ts" }, "allowed"],
    ["may not name a target there, whatever the key", { target: "$P/a.ts" }, 'Use "$W/a.ts"'],
    [
      "may not name one in a list",
      { x: [{ to: "$P/.saga/worktrees/other/a" }] },
      "another story's",
    ],
    ["may not name one as an address", { output: "file://$P/a.ts" }, "main checkout"],
    ["may not name one behind a link", { location: "$W/main/a.ts" }, "main checkout"],
    ["may not use .git", { filename: ".git/config" }, "belongs to git"],
    ["may not use another story", { file: ".saga/stories/other/x" }, "only change its own folder"],
    ["may not open the main checkout as an address", { url: "file://$P/a.ts" }, "main checkout"],
    ["may not use what no one can place", { path: "/proc/self/cwd/x" }, "each process"],
  ])("%s", (_, input, answer) => {
    expect(verdict("mcp__files__do", input)).toContain(answer);
  });

  it("is not Saga's own, which is always allowed", () => {
    expect(verdict("mcp__saga__journal", { path: "$P/a" })).toBe("allowed");
    expect(verdict("mcp__sagas__journal", { path: "$P/a" })).toContain("main checkout");
  });
});

describe("a search", () => {
  it.each([
    ["of everything here", "Glob", { pattern: "**/*" }],
    ["in a folder", "Grep", { pattern: "../..", path: "src" }],
    ["with a pattern for files", "Grep", { pattern: "x", glob: "*.{ts,tsx}" }],
    ["with several patterns in one text", "Grep", { pattern: "x", glob: "*.ts,*.js src/**" }],
    ["that leaves other stories out", "Grep", { pattern: "x", glob: "!.saga/stories/**" }],
    ["with alternatives that stay inside", "Glob", { pattern: "{src,docs}/**/*.{ts,md}" }],
    ["with a range", "Glob", { pattern: "src/a{1..3}.ts" }],
    ["with folders that look like wildcards", "Glob", { pattern: "src/[id]/(group)/a.ts" }],
    ["from a folder up and down again", "Glob", { pattern: "../src/*.ts", path: "src" }],
    ["in the own story", "Glob", { pattern: ".saga/stories/login/*" }],
    ["in a library outside", "Grep", { pattern: "x", path: "/usr/include" }],
    ["in a library outside by pattern", "Glob", { pattern: "/usr/include/**/*.h" }],
    ["anchored at the top of the search", "Grep", { pattern: "x", glob: "/src/*.ts" }],
    ["with an empty folder, which means here", "Grep", { pattern: "x", path: "" }],
    ["without a pattern", "Glob", {}],
  ])("%s is allowed", (_, tool, input) => {
    expect(verdict(tool, input)).toBe("allowed");
  });

  it.each([
    ["of the main checkout", "Grep", { pattern: "x", path: "$P" }, 'Use "$W" instead'],
    ["of a folder that holds the project", "Grep", { pattern: "x", path: "$H" }, "go through"],
    ["of the whole disk", "Glob", { pattern: "/**/a.ts" }, "go through"],
    ["of what dots reach", "Glob", { pattern: "../**" }, "another story's worktree"],
    ["of another worktree", "Glob", { pattern: "../other/**/*.ts" }, 'Use "$W" instead'],
    ["of the main checkout by pattern", "Glob", { pattern: "$P/src/*.ts" }, 'Use "$W/src" instead'],
    ["of one file by pattern", "Glob", { pattern: "../../../a.ts" }, 'Use "$W/a.ts" instead'],
    ["from a folder by dots", "Glob", { pattern: "../../*", path: "src" }, "another story's"],
    ["from a link by dots", "Glob", { pattern: "../*", path: "main/src" }, "main checkout"],
    [
      "from a link, then by dots in the pattern",
      "Glob",
      { pattern: "main/src/*" },
      "main checkout",
    ],
    [
      "with one alternative that climbs",
      "Glob",
      { pattern: "{../other,src}/*" },
      "another story's",
    ],
    ["with the climb in the braces", "Glob", { pattern: "{..,src}/other/*" }, "another story's"],
    ["with braces in braces", "Glob", { pattern: "{src,{a,../other}}/*" }, "another story's"],
    ["with braces round one", "Glob", { pattern: "{../other}/*" }, "another story's"],
    ["with escaped dots", "Glob", { pattern: "\\.\\./other/*" }, "another story's"],
    ["that climbs behind a wildcard", "Glob", { pattern: "*/../../other/*" }, "it is unclear"],
    ["that climbs in a list behind one", "Glob", { pattern: "s*/@(..|a)/x" }, "it is unclear"],
    [
      "with more braces than can be listed",
      "Glob",
      { pattern: "{a,b}".repeat(60) },
      "it is unclear",
    ],
    ["with a pattern longer than any", "Glob", { pattern: "a".repeat(5000) }, "it is unclear"],
    ["of the home folder's project", "Glob", { pattern: "~nobody/x/*" }, "home folder"],
    ["by the filter of Grep", "Grep", { pattern: "x", glob: "*.ts ../other/*" }, "another story's"],
    ["by a list in that filter", "Grep", { pattern: "x", glob: "*.ts,../other/*" }, "another"],
    ["of other stories", "Glob", { pattern: ".saga/stories/*/story.json" }, "not part of"],
    ["of the archive", "Grep", { pattern: "x", path: ".saga/archive" }, "not part of"],
    ["of a listing outside", "LS", { path: "$P/src" }, 'Use "$W/src" instead'],
    ["in a place with a NUL", "Grep", { pattern: "x", path: "a\0b" }, "NUL"],
  ])("%s is refused", (_, tool, input, reason) => {
    expect(verdict(tool, input)).toContain(reason);
  });

  it("without a folder is relative to the agent's folder", () => {
    const scope = newWorld();
    const other = join(dirname(scope.worktree), "other");
    expect(verdict("Grep", { pattern: "x" }, { ...scope, cwd: other })).toContain(
      "another story's",
    );
    expect(verdict("Glob", { pattern: "*" }, { ...scope, cwd: "src" })).toBe("allowed");
    expect(verdict("Glob", { pattern: "*" }, { ...scope, cwd: "" })).toBe("allowed");
  });
});

it.each(["Agent", "Task"])("%s may not ask for a worktree of its own", (tool) => {
  expect(verdict(tool, { prompt: "x", isolation: "worktree" })).toContain("without isolation");
  expect(verdict(tool, { prompt: "x" })).toBe("allowed");
});

describe("a tool that takes no path", () => {
  it.each([...PATHLESS_TOOLS])("is allowed without a look at its input: %s", (tool) => {
    expect(verdict(tool, { file_path: "$P/a", subject: "$P/a" })).toBe("allowed");
  });
});

describe("a shell", () => {
  it.each(["Bash", "Monitor"])("is judged by its command, and by nothing else: %s", (tool) => {
    expect(verdict(tool, { command: "rm -rf $P/src" })).toContain('Use "$W/src" instead');
    expect(verdict(tool, { command: "rm -rf src", description: "rm $P", path: "$P" })).toBe(
      "allowed",
    );
    expect(verdict(tool, {})).toBe("allowed");
  });
});

interface ScopeWithCwd extends Scope {
  readonly cwd: string;
}

/** The reason of a refusal, with the folders' names made short again, or `allowed`. */
function verdict(tool: string, input: unknown, given?: ScopeWithCwd): string {
  const scope = given ?? newWorld();
  const folders = { $W: scope.worktree, $P: scope.project, $H: dirname(scope.project) };
  const short = Object.entries(folders);
  const text = JSON.stringify({ input });
  const filled = short.reduce((sum, [name, folder]) => sum.replaceAll(name, folder), text);
  const call = { tool, ...(JSON.parse(filled) as { input: unknown }) };
  const answer = judgeToolCall(scope, { ...call, cwd: given?.cwd ?? scope.worktree });
  if (answer.isAllowed) return "allowed";
  return short.reduce((sum, [name, folder]) => sum.replaceAll(folder, name), answer.reason);
}

function newWorld(): Scope {
  const { path: project, write, link } = newFolder("project");
  for (const story of ["login", "other"]) {
    write(`.saga/worktrees/${story}/.git`, "gitdir: x");
    write(`.saga/worktrees/${story}/src/a.ts`, "");
  }
  write("src/a.ts", "");
  link(".saga/worktrees/login/main", "../../..");
  const worktree = join(project, ".saga/worktrees/login");
  return { project, worktree, storyId: "login", readable: [] };
}
