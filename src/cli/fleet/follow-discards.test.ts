import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { placeIn, prepare, STORY } from "../../../test/support/repository.ts";
import { discardAtRemote } from "../../repo/sharing/leftovers.ts";
import { openStore } from "../../store/file-store.ts";
import { followDiscardOf } from "./follow-discards.ts";

it("waits until no process here works on the story, and says what cannot be followed", async () => {
  const { ann, bob } = await newClones();
  await prepare(bob);
  const owner = { storyId: STORY, fence: 2, machine: "ann", isMine: async () => true };
  const discard = { fence: 2, at: "2026-11-18T10:00:00.000Z" };
  await discardAtRemote({ repository: ann.repository, owner, discard, saved: undefined });
  const sent: string[] = [];
  const problems: string[] = [];
  const exchange = {
    send: async (story: string) => void sent.push(story),
    receive: async () => [],
  };
  const follow = (): Promise<void> =>
    followDiscardOf(
      {
        store: openStore(bob.path),
        repository: bob.repository,
        env: bob.env,
        fleet: { openExchange: () => exchange },
        onProblem: (sentence) => void problems.push(sentence),
      },
      STORY,
    );
  const { localLeases } = openStore(bob.path);
  const { lease } = await localLeases.acquire(`story.${STORY}`, {
    owner: "a worker",
    ttlMs: 60_000,
  });
  await follow();
  await lease?.release();
  expect([existsSync(placeIn(bob)), sent, problems]).toEqual([true, [], []]);

  bob.git("worktree", "lock", placeIn(bob));
  await follow();
  expect(problems).toEqual([
    expect.stringMatching(
      /^add-login was discarded on ann, but not here: The worktree .* is locked/,
    ),
  ]);
  bob.git("worktree", "unlock", placeIn(bob));
  await follow();
  await follow();
  expect([existsSync(placeIn(bob)), sent, problems.length]).toEqual([false, [STORY], 1]);
});
