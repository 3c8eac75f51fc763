import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listed, stateOf, oneGoodStory } from "../../../../test/support/listed.ts";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  snapshot,
  type Project,
} from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";
import { workedOn } from "../../../../test/support/worked-on.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";
import { openStore } from "../../../store/file-store.ts";
import { epicLease } from "../../../store/leases/lease-names.ts";

function outsideStory(): string {
  const outside = newFolder("outside");
  outside.write("story.json", aStory("bad"));
  return outside.path;
}

describe("one bad story never hides the good ones: saga list copes with", () => {
  const bad: readonly (readonly [string, (project: Project) => void])[] = [
    ["broken JSON", (at) => at.write(".saga/stories/bad/story.json", '{ "id": "bad", ')],
    ["an empty file", (at) => at.write(".saga/stories/bad/story.json", "")],
    ["a binary file", (at) => at.write(".saga/stories/bad/story.json", "\u0000\u0001\ufffd")],
    ["a file that is not an object", (at) => at.write(".saga/stories/bad/story.json", "[]")],
    ["a wrong type", (at) => at.write(".saga/stories/bad/story.json", aStory("bad", { title: 5 }))],
    ["a missing story.json", (at) => at.write(".saga/stories/bad/t.json", aTask("t"))],
    [
      "an id that is not the folder's",
      (at) => at.write(".saga/stories/bad/story.json", aStory("b")),
    ],
    [
      "a folder name that is not an id",
      (at) => at.write(".saga/stories/Bad bad/story.json", aStory("x")),
    ],
    [
      "a broken task",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.write(".saga/stories/bad/t.json", "{");
      },
    ],
    [
      "a task whose id is not its file's",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.write(".saga/stories/bad/t.json", aTask("u"));
      },
    ],
    [
      "a folder in the place of story.json",
      (at) => mkdirSync(join(at.path, ".saga/stories/bad/story.json"), { recursive: true }),
    ],
    [
      "a folder in the place of a task",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        mkdirSync(join(at.path, ".saga/stories/bad/t.json"));
      },
    ],
    [
      "a folder in the place of the journal",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        mkdirSync(join(at.path, ".saga/stories/bad/journal.md"));
      },
    ],
    ["a story that is a link out of .saga", (at) => at.link(".saga/stories/bad", outsideStory())],
    [
      "a story.json that is a link out of .saga",
      (at) => at.link(".saga/stories/bad/story.json", join(outsideStory(), "story.json")),
    ],
    [
      "a journal that is a link out of .saga",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.link(".saga/stories/bad/journal.md", join(outsideStory(), "story.json"));
      },
    ],
    ["a link that leads nowhere", (at) => at.link(".saga/stories/bad", "/no/such/folder")],
    ["a link that leads to itself", (at) => at.link(".saga/stories/bad", "bad")],
    [
      "a task that is a link that leads to itself",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.link(".saga/stories/bad/t.json", "t.json");
      },
    ],
  ];

  it.each(bad)("%s", async (_, spoil) => {
    const project = oneGoodStory();
    spoil(project);
    const before = snapshot(project.path);
    const { exitCode, stdout, stderr } = await project.saga("list");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("  ○ good  ready          0/1  Title of good\n");
    expect(stdout).toMatch(/Not shown: .*saga validate/);
    const { stories, problems } = await listed(project);
    expect(stories.map(({ id }) => id)).toEqual(["good"]);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every(({ file }) => file.includes("/.saga/stories/"))).toBe(true);
    expect(snapshot(project.path)).toBe(before);
  });

  it("a broken epic, whose stories are shown without it", async () => {
    const project = oneGoodStory();
    project.write(".saga/epics/bad/epic.json", "{");
    const { exitCode, stdout } = await project.saga("list");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("good");
    expect(stdout).toContain("Not shown: 1 invalid file");
  });

  it("a run whose record is broken", async () => {
    const project = oneGoodStory();
    project.write(".saga/runs/good/20261115T214800123Z-1a2b/run.json", "{");
    expect(await stateOf(project, "good")).toBe("ready");
  });

  it("a lease that makes no sense", async () => {
    const project = oneGoodStory();
    project.write(".saga/leases/story.good/1.json", "nonsense");
    expect(await stateOf(project, "good")).toBe("ready");
  });

  describe.each([
    ["a run's record that cannot be read", ".saga/runs/bad/20261115T214800123Z-1a2b/run.json"],
    ["a lease that cannot be read", ".saga/leases/story.bad/1.json"],
  ])("%s", (_, record) => {
    function unreadable(): Project {
      const project = oneGoodStory();
      project.write(".saga/stories/bad/story.json", aStory("bad"));
      mkdirSync(join(project.path, record), { recursive: true });
      return project;
    }
    const place = record.split("/").slice(0, 3).join("/");

    it("by leaving its story out, as saga validate explains", async () => {
      const project = unreadable();
      const { stories, problems } = await listed(project);
      expect(stories.map(({ id }) => id)).toEqual(["good"]);
      expect(problems).toMatchObject([{ message: "This is a folder.", severity: "error" }]);
      expect(problems[0]?.file).toContain(place);
      const { exitCode, stdout } = await project.saga("list");
      expect(exitCode).toBe(0);
      expect(stdout).toContain("Not shown: 1 invalid file");
      const validation = await project.saga("validate");
      expect(validation.exitCode).toBe(1);
      expect(validation.stdout).toContain(place);
    });

    it("and so does saga status", async () => {
      const project = unreadable();
      project.write(".saga/stories/good/story.json", aStory("good", { status: "in_progress" }));
      const { exitCode, stdout } = await project.saga("status");
      expect({ exitCode, isListed: stdout.includes("good") }).toEqual({
        exitCode: 0,
        isListed: true,
      });
      expect(stdout).toContain(place.replace(".saga/", ""));
    });

    it("and saga show of another story of its epic", async () => {
      const project = unreadable();
      project.write(".saga/epics/both/epic.json", anEpic("both", [{ id: "bad" }, { id: "good" }]));
      const { exitCode, stdout, stderr } = await project.saga("show", "good");
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toContain("Title of good");
    });
  });

  it("a lease of an epic that cannot be read, and saga status shows all others that are at work", async () => {
    const project = oneGoodStory();
    mkdirSync(join(project.path, ".saga/leases/epic.bad/1.json"), { recursive: true });
    await workedOn(project, "gone");
    const { leases } = openStore(project.path);
    const { lease } = await leases.acquire(epicLease("shop"), { owner: "a run", ttlMs: 60_000 });
    onTestFinished(() => lease?.release());
    const { exitCode, stdout } = await project.saga("status", "--json");
    expect(exitCode, stdout).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      unreadable: ["gone"],
      epics: [{ epic: "shop" }],
      problems: [{ message: "This is a folder." }],
    });
    const validation = await project.saga("validate");
    expect(validation.stdout).toContain("leases/epic.bad");
  });

  it("settings that are wrong", async () => {
    const project = oneGoodStory();
    project.write(".saga/config.toml", "[");
    expect(await stateOf(project, "good")).toBe("ready");
  });

  it("more than one, and names every story that it leaves out", async () => {
    const project = oneGoodStory();
    project.write(".saga/stories/first-bad/story.json", "{");
    project.write(".saga/stories/second-bad/story.json", "{");
    const { stdout } = await project.saga("list");
    expect(stdout).toContain("Not shown: 2 invalid files");
    expect(stdout).toContain("first-bad");
    expect(stdout).toContain("second-bad");
  });

  it("nothing but bad ones, without an empty line first", async () => {
    const project = newProject();
    project.write(".saga/stories/bad/story.json", "{");
    const { exitCode, stdout } = await project.saga("list");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Not shown/);
  });
});

describe("saga list does not follow a folder of .saga out of it", () => {
  it.each(["stories", "epics", "archive"])("%s", async (name) => {
    const project = newProject();
    const outside = newFolder("outside");
    outside.write("secret/story.json", aStory("secret"));
    outside.write("secret/epic.json", anEpic("secret", []));
    project.link(`.saga/${name}`, outside.path);
    const { stdout } = await project.saga("list");
    expect(stdout).not.toContain("secret");
    const { problems } = await listed(project);
    expect(problems).toMatchObject([{ file: join(project.path, ".saga", name) }]);
  });

  it("worktrees", async () => {
    const project = newProject();
    const outside = newFolder("outside");
    newWorktree(outside, "secret", aStory("secret"));
    project.link(".saga/worktrees/secret", join(outside.path, ".saga/worktrees/secret"));
    expect((await project.saga("list")).stdout).not.toContain("secret");
  });
});

describe("saga list refuses with one sentence when there is a file instead of", () => {
  it.each(["stories", "epics", "archive", "worktrees", "runs", "leases"])("%s", async (name) => {
    const project = newProject();
    project.write(`.saga/${name}`, "in the way\n");
    const { text } = await refused(project, "list");
    expect(text).toContain(join(project.path, ".saga", name));
  });

  it(".saga itself", async () => {
    const folder = newFolder();
    folder.write(".saga", "in the way\n");
    const { text } = await refused(folder, "list");
    expect(text).toContain(join(folder.path, ".saga"));
  });
});

// Root may read anything.
describe.skipIf(process.getuid?.() === 0)("saga list copes with what it may not read:", () => {
  it.each([".saga/stories/bad", ".saga/stories/bad/story.json", ".saga/stories/bad/journal.md"])(
    "%s",
    async (file) => {
      const project = oneGoodStory();
      project.write(".saga/stories/bad/story.json", aStory("bad"));
      project.write(".saga/stories/bad/journal.md", "# Journal\n");
      chmodSync(join(project.path, file), 0o000);
      onTestFinished(() => chmodSync(join(project.path, file), 0o755));
      const { stories, problems } = await listed(project);
      expect(stories.map(({ id }) => id)).toEqual(["good"]);
      expect(problems).toMatchObject([{ file: join(project.path, file) }]);
    },
  );

  it("the stories folder itself, which it names", async () => {
    const project = oneGoodStory();
    const folder = join(project.path, ".saga/stories");
    chmodSync(folder, 0o000);
    onTestFinished(() => chmodSync(folder, 0o755));
    const { exitCode, stdout, stderr } = await project.saga("list");
    expect(stdout + stderr).toContain(".saga/stories");
    expect(exitCode).toBe(1);
  });
});
