// Worker, merge, page, `saga show` and `saga recover` ask the same questions about a story: they must get the same
// answers.

import { describe, expect, it } from "vitest";
import { fetchStoryBase } from "../src/cli/fleet/fetch-story-base.ts";
import { readinessNow } from "../src/cli/output/merge-status.ts";
import { readRange } from "../src/dashboard/views/story-range.ts";
import { readReadiness, readWeakened } from "../src/dashboard/views/story-readiness.ts";
import { findWork, workReadiness } from "../src/deliver/story-work.ts";
import { openForge } from "../src/repo/open-forge.ts";
import { storyStart } from "../src/repo/story-range.ts";
import { readInFlight } from "../src/recover/in-flight.ts";
import { openStore } from "../src/store/file-store.ts";
import type { Work } from "../src/worker/context.ts";
import { findStoryBase } from "../src/worker/story-base.ts";
import { anEpic } from "./support/project.ts";
import { addOrigin, STORY, type TestRepository } from "./support/repository.ts";
import { withWork } from "./support/story-with-work.ts";

const BRANCH = `story/${STORY}`;

/** What each of them takes for the story's target and start. */
async function answers(test: TestRepository) {
  const store = openStore(test.path);
  const settings = await store.settings();
  const context = { store, settings, env: test.env, now: Date.now };
  const repository = await test.open();
  const tip = test.git("rev-parse", BRANCH);
  const { epicId } = await store.viewStory(STORY);

  const stop = new AbortController().signal;
  const work = { context: { ...context, stop }, request: { storyId: STORY } };
  const forge = openForge(repository, { settings, env: test.env, now: Date.now });
  const base = await findStoryBase(work as unknown as Work, { repository, forge, epicId });
  const worker = {
    target: base.target,
    from: await storyStart(repository.git, { base, tip }),
  };
  const brought = await fetchStoryBase({ repository, store, env: test.env }, settings, STORY);
  const member = {
    target: brought.target,
    from: await storyStart(repository.git, { base: brought, tip }),
  };
  const found = await findWork(context, STORY);
  const merge = { target: found.base.target, from: found.range.from };
  const page = (await readRange(context, { id: STORY, branch: undefined, epic: epicId }))?.from;
  await store.updateStory(STORY, (story) => ({ ...story, status: "in_progress" }));
  const { stories } = await readInFlight(store, repository, { env: test.env });
  const { branch } = stories.find(({ storyId }) => storyId === STORY) ?? {};
  const recover = { target: branch?.target, commits: branch?.commits };
  return { worker, member, merge, page, recover };
}

/** The same for all of them. */
function agreed(test: TestRepository, target: string, from: string) {
  const start = test.git("rev-parse", from);
  const commits = Number(test.git("rev-list", "--count", `${start}..${BRANCH}`));
  const both = { target, from: start };
  return { worker: both, member: both, merge: both, page: start, recover: { target, commits } };
}

function commitOn(test: TestRepository, branch: string, name: string): void {
  const before = test.git("symbolic-ref", "--short", "HEAD");
  test.git("switch", "--quiet", branch);
  test.write(name, `${name}\n`);
  test.git("add", name);
  test.git("commit", "--quiet", `--message=${name}`);
  test.git("switch", "--quiet", before);
}

describe("where a story starts and what it goes into is the same for all", () => {
  it("with the base of the project", async () => {
    const test = await withWork();
    const from = test.git("rev-parse", "main");
    commitOn(test, "main", "later");
    expect(await answers(test)).toEqual(agreed(test, "main", from));
  });

  it("with the base of its pull request, whatever is checked out since", async () => {
    const test = await withWork();
    const repository = await test.open();
    const settings = await openStore(test.path).settings();
    const forge = openForge(repository, { settings, env: test.env, now: Date.now });
    await forge.openDraft({ head: BRANCH, base: "main", title: "t", body: "b" });
    test.git("switch", "--quiet", "--create", "elsewhere");
    commitOn(test, "elsewhere", "other");
    expect(await answers(test)).toEqual(agreed(test, "main", "main"));
  });

  it("with a remote that has commits which the local branch lacks", async () => {
    const test = await withWork();
    addOrigin(test);
    commitOn(test, "main", "theirs");
    test.git("push", "--quiet", "origin", "main");
    test.git("update-ref", "refs/heads/main", "main~1");
    test.git("reset", "--quiet", "--hard", "main");
    test.gitIn(`${test.path}/.saga/worktrees/${STORY}`, "merge", "--quiet", "origin/main");
    expect(await answers(test)).toEqual(agreed(test, "main", "origin/main"));
  });

  it.each([false, true])("with the branch of its epic; at a remote: %s", async (isRemote) => {
    const test = await withWork();
    if (isRemote) addOrigin(test);
    const push = isRemote ? '\n[git]\npush = "always"\n[forge]\nkind = "local"\n' : "";
    test.write(".saga/config.toml", `[delivery]\nkind = "epic-branch"\n${push}`);
    test.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY }]));
    test.git("branch", "--quiet", "epic/shop", "main");
    commitOn(test, "epic/shop", "sibling");
    if (isRemote) test.git("push", "--quiet", "origin", "epic/shop");
    test.gitIn(`${test.path}/.saga/worktrees/${STORY}`, "merge", "--quiet", "epic/shop");
    commitOn(test, "main", "later");
    expect(await answers(test)).toEqual(agreed(test, "epic/shop", "epic/shop"));
  });
});

describe("whether a story can be merged is the same for all", () => {
  it.each([
    ["as it was defined", {}],
    ["with a definition that asks for less", { checks: [] }],
  ])("%s", async (_, weaker) => {
    const test = await withWork(["true"]);
    const store = openStore(test.path);
    await store.updateStory(STORY, (story) => ({ ...story, ...weaker }));
    const record = await store.readStory(STORY);
    const context = { store, env: test.env, now: Date.now };
    const merge = await workReadiness(await findWork(context, STORY));
    const isWeakened = "checks" in weaker;
    expect(merge.isReady).toBe(false);
    expect(merge.mergeBlockers.map(({ rule }) => rule)).toEqual(isWeakened ? ["definition"] : []);
    const range = await readRange(context, { id: STORY, branch: undefined, epic: undefined });
    if (range === undefined) throw new Error("It has no branch.");
    const sentences = merge.mergeBlockers.map(({ message }) => message);
    const shown = { ...merge, weakened: sentences };
    expect(await readReadiness(context, record, { range, receipts: [] })).toEqual(shown);
    expect(await readinessNow(context, { record, epic: undefined }, [])).toEqual(shown);
    // The copy in the person's checkout does not decide it.
    test.write(`.saga/stories/${STORY}/story.json`, { ...record.fields });
    expect(await readWeakened(context, record, undefined)).toEqual(sentences);
  });
});
