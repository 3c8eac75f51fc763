import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { leaseOf } from "../../../test/support/lease-state.ts";
import { aStory, aTask } from "../../../test/support/project.ts";
import { placeIn, prepare, STORY } from "../../../test/support/repository.ts";
import { takeFence } from "../../repo/sharing/lease-ref.ts";
import { openStore } from "../../store/file-store.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Run } from "../../story/state/run.ts";
import { openLook } from "./read-other-machines.ts";

const AT = "2026-11-18T10:00:00.000Z";
const FOLDER = `.saga/stories/${STORY}`;

const heldBy = (machine: string): LeaseState => leaseOf(storyLease(STORY), machine);

/** Bob's machine, with an engine that the test sets. */
function lookOf({ path, repository }: Clone) {
  const engine = { leases: [] as LeaseState[], runs: [] as Run[], nowMs: 0 };
  const store = openStore(path);
  const look = openLook({
    fleet: { machine: "bob", leases: { list: async () => engine.leases } },
    queue: openStore(path).queue,
    exchange: { receive: async () => engine.runs },
    repository,
    store,
    now: () => engine.nowMs,
  });
  const stateHere = async (): Promise<string> => (await store.viewStory(STORY)).state;
  return { ...look, engine, stateHere };
}

/** Ann's machine owns the story, has completed it, and pushed it. */
async function pushedByAnn(ann: Clone) {
  await prepare(ann);
  ann.write(
    `.saga/worktrees/${STORY}/${FOLDER}/story.json`,
    aStory(STORY, { status: "completed" }),
  );
  ann.write(`.saga/worktrees/${STORY}/${FOLDER}/form.json`, aTask("form", { status: "completed" }));
  ann.gitIn(placeIn(ann), "add", "--all", "--force");
  ann.gitIn(placeIn(ann), "commit", "--quiet", "--message=done");
  const fence = await takeFence(
    ann.repository,
    { storyId: STORY, fence: 4, machine: "ann", isMine: async () => true },
    () => undefined,
  );
  await fence.push([`refs/heads/story/${STORY}:refs/heads/story/${STORY}`]);
}

it("shows a story as the machine that has it does: running, in review, merged", async () => {
  const { ann, bob } = await newClones();
  const { look, engine, stateHere } = lookOf(bob);
  engine.leases = [heldBy("ann")];
  await look();
  expect(await stateHere()).toBe("running");
  engine.leases = [];
  await pushedByAnn(ann);
  await look();
  expect(await stateHere()).toBe("review");

  ann.git("merge", "--quiet", "--no-ff", `story/${STORY}`);
  ann.git("push", "--quiet", "origin", "main");
  await look();
  expect(await stateHere()).toBe("completed");
  // Nothing in the checkout was touched.
  expect(bob.git("status", "--porcelain")).toBe("");
  expect(bob.git("rev-parse", "main")).not.toBe(ann.git("rev-parse", "main"));
});

it("counts the files here again when the story comes back to this machine", async () => {
  const { ann, bob } = await newClones();
  const { look, stateHere } = lookOf(bob);
  await pushedByAnn(ann);
  await look();
  await takeFence(
    bob.repository,
    { storyId: STORY, fence: 5, machine: "bob", isMine: async () => true },
    () => undefined,
  );
  await look();
  expect(existsSync(join(bob.path, ".saga/elsewhere/stories", STORY))).toBe(false);
  expect(await stateHere()).toBe("ready");
});

it("asks the remote only after the engine showed a change, and from time to time", async () => {
  const { ann, bob } = await newClones();
  const { lookIfChanged, engine, stateHere } = lookOf(bob);
  await lookIfChanged();
  await pushedByAnn(ann);
  await lookIfChanged();
  expect(await stateHere()).toBe("ready");
  engine.runs = [{ endedAt: AT } as Run];
  await lookIfChanged();
  expect(await stateHere()).toBe("review");
  engine.runs = [];
  bob.git("remote", "set-url", "origin", "/no/such/place");
  await lookIfChanged();
  engine.nowMs = 60_000;
  await expect(lookIfChanged()).rejects.toThrow("could not be read");
  // A failed look is repeated.
  await expect(lookIfChanged()).rejects.toThrow("could not be read");
});

it("leaves a merged story alone that a person reopened here, though others have pushed since", async () => {
  const { ann, bob } = await newClones();
  const { look, stateHere } = lookOf(bob);
  await pushedByAnn(ann);
  ann.git("merge", "--quiet", "--no-ff", `story/${STORY}`);
  ann.git("push", "--quiet", "origin", "main");
  bob.git("pull", "--quiet", "--ff-only");
  bob.write(`${FOLDER}/story.json`, aStory(STORY));
  bob.write(`${FOLDER}/form.json`, aTask("form"));
  ann.write("later.txt", "later");
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=later");
  ann.git("push", "--quiet", "origin", "main", `:story/${STORY}`);
  await look();
  expect(await stateHere()).toBe("ready");
});
