import { execFileSync } from "node:child_process";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anEpic, aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { epicsSnapshotSchema } from "../../story/state/epics-snapshot.ts";
import { openStore } from "../file-store.ts";
import { IGNORED } from "../project/layout.ts";

function shop(): Project {
  const project = newProject();
  const children = ["shop--done", "shop--cart", "shop--pay"].map((id) => ({ id }));
  project.write(
    ".saga/epics/shop/epic.json",
    anEpic("shop", children, {
      delivery: "epic-branch",
      pr: "https://github.com/a/b/pull/12",
      persistent: true,
    }),
  );
  project.write(".saga/epics/blog/epic.json", anEpic("blog", [], { pr: "local/3" }));
  project.write(
    ".saga/archive/shop--done/story.json",
    aStory("shop--done", { status: "completed" }),
  );
  project.write(".saga/stories/shop--cart/story.json", aStory("shop--cart"));
  newWorktree(project, "shop--cart", aStory("shop--cart", { status: "in_progress" }));
  const pay = { writeFiles: ["src/pay/**"], needsReview: true };
  project.write(".saga/stories/shop--pay/story.json", aStory("shop--pay", pay));
  project.write(".saga/stories/shop--pay/t.json", aTask("t"));
  project.write(".saga/stories/merged/story.json", aStory("merged", { status: "completed" }));
  return project;
}

it("says for every story whether it is completed, started or pending", async () => {
  const project = shop();
  const written = await openStore(project.path).writeEpicsSnapshot();
  expect(project.json(".saga/epics.json")).toEqual(written);
  expect(epicsSnapshotSchema.parse(written)).toEqual({
    epics: [
      { id: "blog", title: "Title of blog", pr: "local/3", prNumber: 3 },
      {
        id: "shop",
        title: "Title of shop",
        pr: "https://github.com/a/b/pull/12",
        prNumber: 12,
        persistent: true,
      },
    ],
    stories: [
      storyEntry("merged", "closed"),
      { ...storyEntry("shop--cart", "running"), epicId: "shop" },
      { ...storyEntry("shop--done", "closed"), epicId: "shop" },
      {
        ...storyEntry("shop--pay", "filling"),
        epicId: "shop",
        writeFiles: ["src/pay/**"],
        needsReview: true,
      },
    ],
  });
});

const storyEntry = (id: string, state: string) => ({
  id,
  title: `Title of ${id}`,
  state,
  writeFiles: [],
  needsTesting: false,
  needsReview: false,
});

it("names a branch only while git has it, packed or not", async () => {
  const project = shop();
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: project.path, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git(
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b.c",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "1",
  );
  for (const branch of ["story/shop--cart", "epic/shop"]) git("branch", branch);
  const named = async (): Promise<unknown[]> => {
    const { epics, stories } = await openStore(project.path).writeEpicsSnapshot();
    return [...epics, ...stories].flatMap(({ branch }) => branch ?? []);
  };
  expect(await named()).toEqual(["epic/shop", "story/shop--cart"]);
  git("pack-refs", "--all");
  expect(await named()).toEqual(["epic/shop", "story/shop--cart"]);
  git("branch", "--quiet", "-D", "story/shop--cart");
  expect(await named()).toEqual(["epic/shop"]);
});

it("does not count the command that writes it as a worker", async () => {
  const project = shop();
  const store = openStore(project.path);
  const states = async (): Promise<unknown[]> =>
    (await store.writeEpicsSnapshot()).stories.map(({ id, state }) => `${id} ${state}`);
  const before = await states();
  for (const id of ["merged", "shop--pay"]) {
    const { lease } = await store.leases.acquire(`story.${id}`, { owner: "x", ttlMs: 1000 });
    expect(await states()).toEqual(before);
    await lease?.release();
  }
});

it("does not count a question asked before any work as begun", async () => {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one"));
  const store = openStore(project.path);
  const at = new Date().toISOString();
  const question = { kind: "blocker", at, title: "Which?", body: "", blocker: undefined } as const;
  await store.appendJournal("one", question);
  expect((await store.writeEpicsSnapshot()).stories).toMatchObject([{ state: "filling" }]);
});

it("leaves out only what is broken", async () => {
  const project = shop();
  project.write(".saga/stories/shop--pay/story.json", "{ broken");
  project.write(".saga/archive/shop--done/story.json", "{ broken");
  const { stories } = await openStore(project.path).writeEpicsSnapshot();
  expect(stories.map(({ id }) => id)).toEqual(["merged", "shop--cart"]);
});

it("is not written again when nothing changed", async () => {
  const project = shop();
  const store = openStore(project.path);
  await store.writeEpicsSnapshot();
  const file = join(project.path, ".saga/epics.json");
  const { ino } = statSync(file);
  await store.writeEpicsSnapshot();
  expect(statSync(file).ino).toBe(ino);
});

it.runIf(process.getuid?.() !== 0)("is an error where it cannot be written", async () => {
  const project = shop();
  chmodSync(join(project.path, ".saga"), 0o555);
  await expect(openStore(project.path).writeEpicsSnapshot()).rejects.toThrow("permission denied");
  chmodSync(join(project.path, ".saga"), 0o755);
});

it("is ignored by git, but a task of the same name is not", () => {
  const project = shop();
  execFileSync("git", ["init", "--quiet"], { cwd: project.path });
  project.write(".saga/.gitignore", `${IGNORED.join("\n")}\n`);
  project.write(".saga/epics.json", "{}");
  project.write(".saga/stories/one/epics.json", aTask("epics"));
  const untracked = execFileSync("git", ["ls-files", "--others", "--exclude-standard"], {
    cwd: project.path,
    encoding: "utf8",
  });
  expect(untracked).not.toContain(".saga/epics.json");
  expect(untracked).toContain(".saga/stories/one/epics.json");
});
