import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, type Project } from "../../../test/support/project.ts";
import { clearStubs, stubPlaces } from "./stub-files.ts";

const stub = (at: Project, ...names: string[]): void => {
  for (const name of names) chmodSync(at.write(name, ""), 0o444);
};

describe("what the sandbox leaves in a worktree", () => {
  it("are removed: empty read-only files at the top and in .claude", () => {
    const worktree = newFolder("worktree");
    const git = newFolder("git");
    stub(worktree, ".bashrc", ".new-in-a-later-version", ".claude/agents");
    stub(git, "config.lock");
    const removed = clearStubs(worktree.path, git.path);
    expect(removed).toHaveLength(4);
    expect(removed.filter((path) => existsSync(path))).toEqual([]);
  });

  it("does not include files with content, writable, without a dot, deeper or linked to: they stay", () => {
    const worktree = newFolder("worktree");
    const git = newFolder("git");
    const elsewhere = newFolder("elsewhere");
    chmodSync(worktree.write(".mcp.json", "{}\n"), 0o444);
    worktree.write(".vscode/settings.json", "");
    worktree.write(".gitmodules", "");
    stub(worktree, "empty", ".idea/empty", ".claude/skills/empty");
    git.write("config.lock", "");
    stub(elsewhere, "agents");
    worktree.link(".linked", join(elsewhere.path, "agents"));
    expect(clearStubs(worktree.path, git.path)).toEqual([]);
  });

  it("is not looked for behind a link", () => {
    const worktree = newFolder("worktree");
    const elsewhere = newFolder("elsewhere");
    stub(elsewhere, "agents");
    worktree.link(".claude", elsewhere.path);
    expect(clearStubs(worktree.path, worktree.path)).toEqual([]);
    expect(stubPlaces(worktree.path).filter((path) => path.startsWith(".claude"))).toEqual([]);
  });

  it("is not looked for in a folder that was closed", () => {
    const worktree = newFolder("worktree");
    stub(worktree, ".claude/agents");
    chmodSync(join(worktree.path, ".claude"), 0);
    expect(clearStubs(worktree.path, worktree.path)).toEqual([]);
    expect(stubPlaces(worktree.path)).not.toContain(".claude/agents");
    chmodSync(join(worktree.path, ".claude"), 0o755);
  });

  it("is not committed, nor what may appear in the next moment; a file of the agent's is", () => {
    const worktree = newFolder("worktree");
    stub(worktree, ".bashrc", ".new-in-a-later-version");
    worktree.write(".mcp.json", "{}\n");
    worktree.write(".claude/settings.json", "{}\n");
    const places = stubPlaces(worktree.path);
    expect(places).toEqual(
      expect.arrayContaining([".bashrc", ".new-in-a-later-version", ".zshrc", ".claude/agents"]),
    );
    expect(places).not.toContain(".mcp.json");
    expect(places).not.toContain(".claude/settings.json");
    expect(new Set(places).size).toBe(places.length);
  });
});
