import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../../test/support/postgres.ts";

const postgres = usePostgres();

interface Listed {
  readonly folder: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly state: string;
    readonly owner?: string;
  }[];
}

async function newPool() {
  const project = await newFleetProject(await postgres());
  const { ann, saga, envOf } = project;
  const run = (...words: string[]) => saga(ann, ...words);
  ann.git("add", "--all");
  for (const title of ["One", "Two", "Three"]) {
    expect((await run("task", "add", title)).exitCode).toBe(0);
  }
  const tasks = async (): Promise<string[]> => {
    const { stdout } = await run("task", "list", "--json");
    return (JSON.parse(stdout) as Listed).tasks
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ state, owner }) => `${state} ${owner ?? ""}`.trim());
  };
  return { ...project, run, tasks, env: envOf(ann) };
}

it("shares each task as a story that every machine can take, and completes it when it is merged", async () => {
  const { ann, bob, run, tasks, saga } = await newPool();
  const started = await run("auto", "--fleet", "--detach", "--json");
  expect(started.stderr).toBe("");
  const { epic, queued } = JSON.parse(started.stdout) as { epic: string; queued: string[] };
  expect(queued).toEqual([1, 2, 3].map((id) => `${epic}--task-${id}`));
  expect(await tasks()).toEqual(["working fleet", "working fleet", "working fleet"]);
  bob.git("pull", "--quiet", "--ff-only");
  const shown = await saga(bob, "show", `${epic}--task-1`, "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ state: "ready", title: "One" });
  // Repeating it shares nothing again.
  const base = ann.git("rev-parse", "origin/main");
  expect((await run("auto", "--fleet", "--detach")).exitCode).toBe(0);
  expect(ann.git("rev-parse", "origin/main")).toBe(base);

  // Another machine merges it.
  const file = `.saga/stories/${epic}--task-1/story.json`;
  bob.write(file, { ...(bob.json(file) as object), status: "completed" });
  bob.git("rm", "--quiet", `.saga/stories/${epic}--task-1/task-1.json`);
  bob.git("commit", "--quiet", "--all", "--message=Done");
  bob.git("push", "--quiet", "origin", "main");
  await run("auto", "--fleet", "--detach");
  expect(await tasks()).toEqual(["completed", "working fleet", "working fleet"]);

  // The list is made again: its first task is not the one that was merged.
  const { folder } = JSON.parse((await run("task", "list", "--json")).stdout) as Listed;
  rmSync(folder, { recursive: true });
  await run("task", "add", "One");
  const again = await run("auto", "--fleet", "--detach");
  expect(again.stderr).toContain(`the story ${epic}--task-1 exists already, for other work.`);
  expect(await tasks()).toEqual(["ready"]);
});

it("refuses what makes no sense, and changes nothing", async () => {
  const { ann, run, tasks } = await newPool();
  const before = [await tasks(), ann.git("ls-remote", "origin")];
  const refused = async (...words: string[]): Promise<string> => {
    const { exitCode, stderr } = await run("auto", "--fleet", "--detach", ...words);
    expect(exitCode).not.toBe(0);
    expect([await tasks(), ann.git("ls-remote", "origin")]).toEqual(before);
    return stderr;
  };
  expect(await refused("--workers", "2")).toContain("--fleet cannot be used with --workers.");
  expect(await refused("--update-checkout")).toContain("cannot be used with --update-checkout.");
  await run("config", "set", "auto.target", "other");
  expect(await refused()).toContain("auto.target is other, but a fleet merges into main.");
  await run("config", "set", "auto.target", "main");
  await run("config", "set", "fleet.name", "shop");
  await run("task", "edit", "2", "--description", "Use AKIAIOSFODNN7EXAMPL2 for it.");
  expect(await refused()).toContain("A task contains a secret, so nothing was shared");
});
