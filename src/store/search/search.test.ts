import { expect, it } from "vitest";
import { aStory, aTask, anEpic, newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { searchProject } from "./search.ts";

async function newSearched() {
  const project = newProject();
  project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "auth--login" }]));
  project.write(
    ".saga/stories/auth--login/story.json",
    aStory("auth--login", { title: "Log in", description: "Hash with argon2.", epic: "auth" }),
  );
  project.write(
    ".saga/stories/auth--login/form.json",
    aTask("form", { subject: "Form", description: "Argon2 takes a second." }),
  );
  const store = openStore(project.path);
  const at = "2026-11-15T21:48:00.000Z";
  const decision = { kind: "decision", at, title: "Use argon2", body: "bcrypt is old." } as const;
  await store.appendJournal("auth--login", decision);
  return { project, store, at };
}

it("finds words in stories, tasks, journals and logs, and says where", async () => {
  const { store, at } = await newSearched();
  for (const text of ["older argon2 line", 'quoted "argon2" line']) {
    const log = await store.startRun("auth--login", {});
    log.append({ at, type: "agent.said", text });
    log.append({ at, type: "agent.said", text: "nothing here" });
    log.close();
  }
  const { hits, isCut } = await searchProject(store, "ARGON2");
  expect(isCut).toBe(false);
  expect(hits.map(({ kind, story, task, text }) => [kind, story, task, text])).toEqual([
    ["story", "auth--login", undefined, "Hash with argon2."],
    ["task", "auth--login", "form", "Argon2 takes a second."],
    ["journal", "auth--login", undefined, "Use argon2"],
    ["log", "auth--login", undefined, 'agent says quoted "argon2" line'],
    ["log", "auth--login", undefined, "agent says older argon2 line"],
  ]);
  const [newest] = await store.listRuns("auth--login");
  expect(hits.at(3)).toMatchObject({ run: newest?.id, at });
});

it("wants all words, takes a phrase, and finds epics and archived stories", async () => {
  const { project, store } = await newSearched();
  const kinds = async (text: string) =>
    (await searchProject(store, text)).hits.map(({ kind }) => kind);
  expect(await kinds("argon2 bcrypt")).toEqual(["journal"]);
  expect(await kinds('"bcrypt old"')).toEqual([]);
  expect(await kinds("title of auth")).toEqual(["epic"]);
  expect(await kinds("")).toEqual([]);
  project.write(
    ".saga/archive/old/story.json",
    aStory("old", { title: "Old needle", status: "completed" }),
  );
  expect(await kinds("needle")).toEqual(["story"]);
});

it("is bounded, and says when there is more", async () => {
  const { store, at } = await newSearched();
  const log = await store.startRun("auth--login", {});
  for (let n = 0; n < 30; n++) log.append({ at, type: "agent.said", text: `argon2 ${n}` });
  log.close();
  const { hits, isCut } = await searchProject(store, "argon2", { maxHits: 10 });
  expect([hits.length, isCut]).toEqual([10, true]);
  const logs = await searchProject(store, "argon2", { kinds: ["log"] });
  expect([logs.hits.length, logs.isCut]).toEqual([30, false]);
  expect(logs.hits[0]?.text).toBe("agent says argon2 29");
});

it("a broken story or log hides no other", async () => {
  const { project, store } = await newSearched();
  project.write(".saga/stories/broken/story.json", "{");
  project.write(".saga/runs/auth--login/20261115T214800123Z-1a2b/events.jsonl", '{"argon2\n');
  expect((await searchProject(store, "argon2")).hits).toHaveLength(3);
});
