import { join } from "node:path";
import { expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { newFolder } from "../../../test/support/project.ts";
import { openGit } from "../../machine/programs/git.ts";
import { runTaskAgent } from "./run-agent.ts";
import type { PreparedTaskWork } from "./context.ts";

it("leaves no timer running when an agent has no place to work in", async () => {
  const gone = join(newFolder().path, "gone");
  const { env } = process;
  const worker = {
    settings: { ...defaults, claude: { ...defaults.claude, sandbox: true } },
    repository: { git: openGit(gone, env), commonDir: gone, project: gone },
    env,
    now: Date.now,
    stop: new AbortController().signal,
  };
  const work = { worker, gitDir: gone, worktree: gone } as unknown as PreparedTaskWork;
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const turn = { prompt: "", resume: undefined, deadlineMs: Date.now() + 3600_000 };
  const whyNotFinished = async (): Promise<undefined> => undefined;
  await expect(runTaskAgent(work, { ...turn, whyNotFinished })).rejects.toThrow("gone");
  expect(timers()).toBe(before);
});
