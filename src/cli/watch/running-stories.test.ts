import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../../store/file-store.ts";
import { newRunningReader, runningTable } from "./running-stories.ts";

const paint = (_: unknown, text: string): string => text;

it("shows tasks, last action, cost, time and an estimate, and reads a log only once", async () => {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  const status = { form: "completed", page: "in_progress", test: "pending" };
  for (const [id, one] of Object.entries(status)) {
    project.write(`.saga/stories/add-login/${id}.json`, aTask(id, { status: one }));
  }
  const store = openStore(project.path);
  const log = await store.startRun("add-login", {
    worker: thisProcess(),
    costUsd: 0.42,
    costIsEstimate: true,
  });
  const at = new Date().toISOString();
  const call = (about: string) => ({ at, type: "tool.called", id: about, tool: "Edit", about });
  log.append(call("src/old.ts"));
  const view = await store.viewStory("add-login");
  const offsets: number[] = [];
  const read = newRunningReader({
    ...store,
    readEvents: (story, run, from = 0) => {
      offsets.push(from);
      return store.readEvents(story, run, from);
    },
  });
  expect(await read(view)).toMatchObject({ lastAction: "Edit src/old.ts", lastToolUse: at });
  expect(await read(view)).toMatchObject({ lastAction: "Edit src/old.ts", lastToolUse: at });
  log.append(call("src/new.ts"));
  const running = await read(view);
  expect(offsets[0]).toBe(0);
  expect(offsets[1]).toBeGreaterThan(0);
  log.close();
  const nowMs = Date.parse(log.run.startedAt) + 180_000;
  const usual = { ms: 150_000, stories: 3 };
  expect(runningTable([running], { nowMs, usual }, paint)).toEqual([
    "    Story      Tasks  Now   Last action      Cost    Time",
    "  † add-login  1/3    page  Edit src/new.ts  ~$0.42  3 min  ~5 min left",
  ]);
});

it("a story without a living worker has no action", async () => {
  const project = newProject();
  project.write(".saga/stories/a/story.json", aStory("a"));
  const store = openStore(project.path);
  const running = await newRunningReader(store)(await store.viewStory("a"));
  expect(running).toMatchObject({ run: undefined, lastAction: undefined });
  expect(runningTable([running], { nowMs: 0, usual: undefined }, paint)[1]).toBe(
    "  ○ a      0/0    -    -            -     -",
  );
});

it("shows what another machine of the fleet does, and which", async () => {
  const project = newProject();
  project.write(".saga/stories/a/story.json", aStory("a"));
  project.write(".saga/stories/a/form.json", aTask("form", { status: "in_progress" }));
  const store = openStore(project.path);
  const log = await store.startRun("a", { worker: { ...thisProcess(), place: "machine bob" } });
  log.update({ machine: "bob", costUsd: 0.5 });
  log.append({
    at: new Date().toISOString(),
    type: "tool.called",
    id: "1",
    tool: "Edit",
    about: "x",
  });
  const running = await newRunningReader(store)(await store.viewStory("a"));
  const nowMs = Date.parse(log.run.startedAt) + 60_000;
  expect(runningTable([running], { nowMs, usual: undefined }, paint)[1]).toMatch(
    /a +0\/1 +form on bob +Edit x +\$0\.50 +1 min/,
  );
  log.update({ endedAt: new Date().toISOString() });
  log.close();
  const ended = await newRunningReader(store)(await store.viewStory("a"));
  expect(ended.run).toBeUndefined();
});
