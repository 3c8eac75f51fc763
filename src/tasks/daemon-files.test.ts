import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject } from "../../test/support/project.ts";
import { thisProcess } from "../machine/processes/process-id.ts";
import {
  activeTasks,
  filledSetAsides,
  forgetOldDaemons,
  halfWritten,
  instanceFolder,
  isRunning,
  makeInstanceFolder,
  readRequest,
  removeHalfWritten,
  readDaemons,
  setAsideFolder,
  writeDaemon,
  writeRequest,
  writeWorker,
  type DaemonFile,
} from "./daemon-files.ts";

const AT = "2026-01-01T00:00:00.000Z";
const DEAD = { ...thisProcess(), startTime: "0" };

const daemon = (instance: string, more: Partial<DaemonFile> = {}): DaemonFile => ({
  instance,
  list: "chores",
  folder: "/lists/chores",
  process: thisProcess(),
  startedAt: AT,
  state: "running",
  workers: ["auto-1", "auto-2"],
  ...more,
});

it("a request is read as it was written, and an invalid one is ignored", () => {
  const project = newProject();
  const folder = makeInstanceFolder(project.path, "00000001");
  expect(readRequest(folder, "auto-1")).toBeUndefined();
  const order = { number: 1, taskId: "12", otherLabels: ["ui"] };
  writeRequest(folder, "auto-1", order);
  expect(readRequest(folder, "auto-1")).toEqual(order);
  project.write(".saga/auto/00000001/auto-1.order.json", "{");
  expect(readRequest(folder, "auto-1")).toBeUndefined();
});

it("git ignores the files, whatever the project ignores", () => {
  const project = newProject();
  makeInstanceFolder(project.path, "00000001");
  expect(project.read(".saga/auto/.gitignore")).toBe("*\n");
});

it("only living workers have active tasks", () => {
  const project = newProject();
  const folder = makeInstanceFolder(project.path, "00000001");
  writeDaemon(folder, daemon("00000001"));
  const worker = { state: "working", since: AT, task: "1" } as const;
  writeWorker(folder, { ...worker, worker: "auto-1", process: thisProcess() });
  writeWorker(folder, { ...worker, worker: "auto-2", process: DEAD, task: "2" });
  const daemons = readDaemons(project.path);
  expect(daemons.map(isRunning)).toEqual([true]);
  expect(activeTasks(daemons)).toEqual({ "auto-1": "1" });
});

it("an unreadable file does not hide the others", () => {
  const project = newProject();
  for (const instance of ["00000001", "00000002", "00000003"]) {
    writeDaemon(makeInstanceFolder(project.path, instance), daemon(instance));
  }
  const folder = instanceFolder(project.path, "00000001");
  rmSync(join(folder, "daemon.json"));
  mkdirSync(join(folder, "daemon.json"));
  project.write(".saga/auto/00000002/daemon.json", "{ half");
  mkdirSync(join(instanceFolder(project.path, "00000003"), "auto-1.json"));
  expect(readDaemons(project.path).map(({ daemon: { instance } }) => instance)).toEqual([
    "00000003",
  ]);
});

it("the files of a dead daemon are deleted after a week, those of a living one never", () => {
  const project = newProject();
  const weekMs = 7 * 24 * 3600_000;
  for (const [instance, life] of [
    ["00000001", DEAD],
    ["00000002", thisProcess()],
  ] as const) {
    const folder = makeInstanceFolder(project.path, instance);
    writeDaemon(folder, daemon(instance, { process: life }));
    utimesSync(join(folder, "daemon.json"), 1, 1);
  }
  forgetOldDaemons(project.path, weekMs);
  expect(readDaemons(project.path)).toHaveLength(2);
  forgetOldDaemons(project.path, weekMs + 2_000);
  expect(readDaemons(project.path).map(({ daemon: { instance } }) => instance)).toEqual([
    "00000002",
  ]);
});

it("the files of a dead daemon stay as long as its folder holds set-aside files", () => {
  const project = newProject();
  const folder = makeInstanceFolder(project.path, "00000001");
  writeDaemon(folder, daemon("00000001", { process: DEAD }));
  utimesSync(join(folder, "daemon.json"), 1, 1);
  const aside = setAsideFolder(folder);
  mkdirSync(join(aside, "run/nested"), { recursive: true });
  forgetOldDaemons(project.path, Date.now());
  expect(filledSetAsides(project.path)).toEqual([aside]);
  rmSync(aside, { recursive: true });
  forgetOldDaemons(project.path, Date.now());
  expect(existsSync(folder)).toBe(false);
});

it("temporary files of a killed daemon are recognised by their pid, and deleted with an empty folder", () => {
  const project = newProject();
  const folder = makeInstanceFolder(project.path, "00000001");
  const [gone, own] = [2 ** 22 + 1, process.pid].map((pid) => `daemon.json.${pid}.tmp`);
  project.write(`.saga/auto/00000001/${gone}`, "{ ha");
  project.write(`.saga/auto/00000002/${gone}`, "{ ha");
  project.write(`.saga/auto/00000002/${own}`, "{ ha");
  const left = halfWritten(project.path);
  expect(left).toEqual(
    [folder, instanceFolder(project.path, "00000002")].map((at) => join(at, gone ?? "")),
  );
  removeHalfWritten(left);
  expect(halfWritten(project.path)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(join(instanceFolder(project.path, "00000002"), own ?? ""))).toBe(true);
});
