import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { processesWith } from "../../src/machine/processes/process-tree.ts";
import { newFolder } from "../support/project.ts";
import { builtSaga, plainEnv, runNode } from "../support/programs.ts";

it(
  "shows a fleet that loses a machine: the others finish all stories, nothing is done twice, nothing is left",
  { timeout: 300_000 },
  async () => {
    const { path } = newFolder();
    const env = plainEnv(path, { TMPDIR: path });
    const ended = await runNode([builtSaga, "fleet", "demo", "--json"], { cwd: path, env });
    const result = JSON.parse(ended.stdout) as {
      readonly stories: readonly { readonly id: string; readonly owners: readonly unknown[] }[];
      readonly killed: Readonly<Record<string, unknown>>;
    };
    expect(result).toMatchObject({ problems: [] });
    expect(result.stories).toHaveLength(12);
    const { story, machine, continuedBy, freedSeconds } = result.killed;
    expect(result.stories.find(({ id }) => id === story)?.owners).toMatchObject([
      { machine },
      { machine: continuedBy },
    ]);
    expect(freedSeconds).toBeLessThan(45);
    expect(ended.exitCode).toBe(0);
    expect(readdirSync(path).filter((name) => name.startsWith("saga-"))).toEqual([]);
    expect(processesWith("TMPDIR", path)).toEqual([]);
  },
);

it("ends everything that it started on Ctrl-C", { timeout: 120_000 }, async () => {
  const { path } = newFolder();
  const env = plainEnv(path, { TMPDIR: path });
  const ended = await runNode([builtSaga, "fleet", "demo", "--json"], {
    cwd: path,
    env,
    onStart(child) {
      child.stderr?.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("running on")) child.kill("SIGINT");
      });
    },
  });
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { message: "The demo was stopped." } });
  expect(readdirSync(path).filter((name) => name.startsWith("saga-"))).toEqual([]);
  expect(processesWith("TMPDIR", path)).toEqual([]);
});
