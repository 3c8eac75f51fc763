import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { STORY } from "../../../test/support/repository.ts";
import type { EpicBudgets } from "../../fleet/engine/epic-budgets.ts";
import { openStore } from "../../store/file-store.ts";
import type { Leases } from "../../store/leases/leases.ts";
import type { CommandContext } from "../program/command.ts";
import { memberActions } from "./member-actions.ts";

it("reads a story as the remote has it, and starts Saga itself for the work", async () => {
  const { ann, bob } = await newClones();
  const store = openStore(bob.path);
  const written: string[] = [];
  const started =
    "require('fs').appendFileSync('started', process.argv.slice(1).join(' ') + '\\n')";
  const io = {
    env: bob.env,
    program: [process.execPath, "-e", started, "--"],
    writeError: (text: string) => void written.push(text),
  };
  const budget = { epic: "shop", stories: [STORY], budgetUsd: 5, spentUsd: 3.5 };
  const epicBudgets = { ofClaimed: async () => budget } as unknown as EpicBudgets;
  const actions = memberActions({
    context: { io } as unknown as CommandContext,
    store,
    settings: await store.settings(),
    repository: bob.repository,
    elsewhere: { look: async () => undefined },
    fleet: { epicBudgets, leases: { list: async () => [] } as unknown as Leases },
  });
  expect(await actions.readState(STORY)).toBe("ready");
  expect(await actions.readState("no-such-story")).toBeUndefined();
  ann.git("rm", "--quiet", "-r", `.saga/stories/${STORY}`);
  ann.git("commit", "--quiet", "--message=gone");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  expect(await actions.readState(STORY)).toBeUndefined();
  expect(await actions.askBudget(STORY)).toEqual({ kind: "start", leftUsd: 1.5 });
  await actions.work(STORY, undefined);
  await actions.work(STORY, 1.5);
  await actions.merge(STORY);
  expect(bob.read("started")).toBe(
    `worker ${STORY} -C${bob.path} --json\nworker ${STORY} --epic-budget=1.5 -C${bob.path} --json\nmerge ${STORY} -C${bob.path} --json\n`,
  );
  expect(written).toEqual([]);
});
