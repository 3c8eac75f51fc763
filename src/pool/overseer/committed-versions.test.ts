import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { committedVersions } from "./committed-versions.ts";

const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null" };

function newList({ isInGit }: { readonly isInGit: boolean }) {
  const folder = newFolder();
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
      cwd: folder.path,
      env,
    });
  folder.write("tasks/1.json", { id: "1", blockedBy: ["2", "9"] });
  folder.write("tasks/2.json", '{"id":"2"}');
  if (isInGit) {
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message=Tasks");
  }
  return { ...folder, git, list: join(folder.path, "tasks") };
}

describe("the last committed version", () => {
  it("of an invalid file is read from git", async () => {
    const { list, write } = newList({ isInGit: true });
    const file = write("tasks/2.json", "{ broken");
    const problem = { kind: "invalid-json", file, message: "" } as const;
    expect([...(await committedVersions(list, [problem], env))]).toEqual([[file, '{"id":"2"}']]);
  });

  it("of a deleted task that another one waits for is found, even if the deletion was committed", async () => {
    const { list, git } = newList({ isInGit: true });
    const gone = join(list, "2.json");
    rmSync(gone);
    git("commit", "--quiet", "--all", "--message=Gone");
    const file = join(list, "1.json");
    const problem = { kind: "missing-dependency", file, message: "" } as const;
    const found = await committedVersions(list, [problem], env);
    expect([...found.keys()]).toEqual([file, gone]);
    expect(found.get(gone)).toBe('{"id":"2"}');
  });

  it("is empty without version control", async () => {
    const { list } = newList({ isInGit: false });
    const problem = { kind: "cycle", file: join(list, "1.json"), message: "" } as const;
    expect((await committedVersions(list, [problem], env)).size).toBe(0);
  });
});
