import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount, fill, makeReadOnly, mounted } from "../../../test/support/disk.ts";
import { bundle } from "../../../test/support/programs.ts";
import {
  aStory,
  aTask,
  newProject,
  snapshot,
  type Project,
} from "../../../test/support/project.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { copyStoryToWorktree } from "./copy-to-worktree.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "../project/layout.ts";

const WORKTREE = ".saga/worktrees/one";
const COPY = `${WORKTREE}/.saga/stories/one`;

/** A project with the story `one` and an empty worktree for it. */
function withStory(project = newProject()): Project {
  project.write(".saga/stories/one/story.json", aStory("one", { odd: ["kept"] }));
  project.write(".saga/stories/one/first.json", aTask("first"));
  project.write(".saga/stories/one/journal.md", "# Journal\n");
  project.write(`${WORKTREE}/.git`, "gitdir: elsewhere\n");
  return project;
}

const carry = ({ path }: Project): Promise<void> =>
  copyStoryToWorktree(layoutOf(path), "one", join(path, WORKTREE));

const namesIn = ({ path }: Project, folder: string): string[] =>
  readdirSync(join(path, folder)).toSorted();

describe("a story that is copied to its worktree", () => {
  it("is there to the last byte, and is read from there", async () => {
    const project = withStory();
    await carry(project);
    for (const name of ["story.json", "first.json", "journal.md"]) {
      expect(project.read(`${COPY}/${name}`)).toBe(project.read(`.saga/stories/one/${name}`));
    }
    expect(namesIn(project, COPY)).toEqual(["first.json", "journal.md", "story.json"]);
    expect(namesIn(project, `${WORKTREE}/.saga/stories`)).toEqual(["one"]);

    await openStore(project.path).updateStory("one", (fields) => ({ ...fields, title: "New" }));
    expect(project.json(`${COPY}/story.json`)["title"]).toBe("New");
    expect(project.json(".saga/stories/one/story.json")["title"]).toBe("Title of one");
  });

  it("keeps other files of people", async () => {
    const project = withStory();
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00]);
    writeFileSync(join(project.path, ".saga/stories/one/sketch.png"), picture);
    project.write(".saga/stories/one/notes/first.md", "A note.\n");
    await carry(project);
    expect(readFileSync(join(project.path, COPY, "sketch.png"))).toEqual(picture);
    expect(project.read(`${COPY}/notes/first.md`)).toBe("A note.\n");
  });

  it("comes without locks and temporary files", async () => {
    const project = withStory();
    project.write(".saga/stories/one/.story.json.x.tmp", "half");
    await carry(project);
    expect(namesIn(project, COPY)).toEqual(["first.json", "journal.md", "story.json"]);
    expect(namesIn(project, ".saga/stories/one")).toHaveLength(4);
  });

  it("changes nothing when it is in the worktree already", async () => {
    const project = withStory();
    newWorktree(project, "one", aStory("one", { title: "The true one" }));
    const before = snapshot(project.path);
    await carry(project);
    expect(snapshot(project.path)).toBe(before);
  });

  it("changes nothing when there is no story", async () => {
    const project = withStory();
    rmSync(join(project.path, ".saga/stories/one"), { recursive: true });
    await carry(project);
    expect(existsSync(join(project.path, COPY))).toBe(false);
  });

  it("replaces what a killed copy left", async () => {
    const project = withStory();
    project.write(`${WORKTREE}/.saga/stories/.one.carried.tmp/story.json`, "hal");
    await carry(project);
    expect(project.json(`${COPY}/story.json`)).toEqual(aStory("one", { odd: ["kept"] }));
    expect(namesIn(project, `${WORKTREE}/.saga/stories`)).toEqual(["one"]);
  });

  it("does not replace something else, and names it", async () => {
    const project = withStory();
    project.write(`${COPY}/precious.txt`, "mine");
    await expect(carry(project)).rejects.toMatchObject({
      code: "not-writable",
      message: expect.stringContaining(join(project.path, COPY)) as string,
    });
    expect(namesIn(project, COPY)).toEqual(["precious.txt"]);
    expect(namesIn(project, `${WORKTREE}/.saga/stories`)).toEqual(["one"]);
  });

  it("does not follow a link that leads out of .saga", async () => {
    const project = withStory();
    const secret = project.write("secret.txt", "secret");
    project.link(".saga/stories/one/second.json", secret);
    await expect(carry(project)).rejects.toMatchObject({ code: "unsafe-path" });
    expect(existsSync(join(project.path, COPY))).toBe(false);
  });
});

describe("a worktree with links that lead elsewhere", () => {
  it("gets nothing, and nothing appears outside", async () => {
    const project = withStory();
    const outside = join(project.path, "outside");
    mkdirSync(outside);
    project.link(`${WORKTREE}/.saga/stories`, outside);
    await expect(carry(project)).rejects.toMatchObject({ code: "unsafe-path" });
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe.runIf(canMount)("a worktree on a disk that takes no more", () => {
  const onDisk = (disk: string): { project: Project; to: string } => {
    const project = withStory();
    project.write(".saga/stories/one/long.md", "x".repeat(100_000));
    return { project, to: join(disk, "worktree") };
  };

  it("gets no half of the story when it is full", async () => {
    const disk = mounted(256);
    const { project, to } = onDisk(disk);
    mkdirSync(join(to, ".saga/stories"), { recursive: true });
    fill(disk, 32);
    await expect(copyStoryToWorktree(layoutOf(project.path), "one", to)).rejects.toMatchObject({
      code: "disk-full",
    });
    expect(readdirSync(join(to, ".saga/stories"))).toEqual([]);
  });

  it("is reported when it is read-only", async () => {
    const disk = mounted(256);
    const { project, to } = onDisk(disk);
    makeReadOnly(disk);
    await expect(copyStoryToWorktree(layoutOf(project.path), "one", to)).rejects.toMatchObject({
      code: "not-writable",
    });
  });
});

describe("an update at the same moment", () => {
  it.each([1, 5, 20, 60])("is never lost: copied after %i updates of 150", async (after) => {
    const project = withStory();
    const program = await bundle("test/support/processes/writer.ts");
    const writer = spawn(process.execPath, [program, project.path, "one", "150"]);
    onTestFinished(() => void writer.kill("SIGKILL"));
    const ended = once(writer, "exit");
    let done = 0;
    const reached = new Promise<void>((resolve) => {
      writer.stdout.on("data", (chunk: Buffer) => {
        done += chunk.length;
        if (done >= after) resolve();
      });
    });
    await reached;
    await carry(project);
    const carried = Number(project.json(`${COPY}/story.json`)["count"]);
    expect(await ended).toEqual([0, null]);

    const left = Number(project.json(".saga/stories/one/story.json")["count"]);
    expect(project.json(`${COPY}/story.json`)["count"]).toBe(150);
    // None was written to the old copy.
    expect(left).toBeLessThanOrEqual(carried);
  });
});
