// Follows a project as the dashboard does, and waits for what it shows: for the event, not for a time.

import { mkdirSync, writeFileSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import {
  startDashboard,
  type Dashboard,
  type DashboardOptions,
} from "../../src/dashboard/dashboard.ts";
import {
  followProject,
  type FollowedProject,
  type FollowOptions,
} from "../../src/dashboard/project/follow-project.ts";
import { cookieName } from "../../src/dashboard/server/guard.ts";
import type { LiveEntities } from "../../src/dashboard/project/entities.ts";
import type { FromPage, StoryCard, ToPage } from "../../src/dashboard/protocol/messages.ts";
import type { Environment } from "../../src/machine/processes/environment.ts";
import { openStore } from "../../src/store/file-store.ts";
import { builtSaga } from "./programs.ts";
import { aStory, aTask, newProject, type Project } from "./project.ts";

export interface Followed extends FollowedProject {
  readonly story: (id: string) => StoryCard | undefined;
  /** Waits until the condition is true. Checks it with each message. */
  readonly until: (isSo: () => boolean) => Promise<void>;
  readonly errors: readonly string[];
}

/** Hides the tmux sessions of this machine. */
export const quietEnv = (project: Project): Environment => ({
  PATH: process.env["PATH"],
  HOME: project.path,
  TMUX_TMPDIR: `${project.path}/..`,
  XDG_STATE_HOME: `${project.path}/../state`,
});

export async function follow(
  project: Project,
  more: Partial<FollowOptions> = {},
): Promise<Followed> {
  const errors: string[] = [];
  const followed = await followProject({
    store: openStore(project.path),
    env: quietEnv(project),
    now: Date.now,
    onError: (message) => void errors.push(message),
    ...more,
  });
  onTestFinished(() => followed.close());
  const { entities } = followed;
  return {
    ...followed,
    errors,
    story: (id) => entities.get("stories", id),
    until: (isSo) => untilShown(entities, isSo),
  };
}

function untilShown(entities: LiveEntities, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isSo()) return resolve();
    const leave = entities.join(() => {
      if (!isSo()) return;
      leave();
      resolve();
    });
  });
}

export interface Running {
  readonly dashboard: Dashboard;
  readonly port: number;
  readonly key: string;
  readonly own: Record<string, string>;
  readonly ask: (path: string, options?: AskOptions) => Promise<HttpAnswer>;
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A whole dashboard in this process, with a page of two files. */
export async function startTestDashboard(
  project: Project,
  more: Partial<DashboardOptions> = {},
): Promise<Running> {
  const pageFolder = `${project.path}/../page`;
  mkdirSync(`${pageFolder}/assets`, { recursive: true });
  writeFileSync(`${pageFolder}/index.html`, "<!doctype html><title>Saga</title>");
  writeFileSync(`${pageFolder}/assets/index-1a2b.js`, "export {};");
  const dashboard = await startDashboard({
    store: openStore(project.path),
    env: quietEnv(project),
    program: [process.execPath, builtSaga],
    pageFolder,
    version: "1.2.3",
    port: undefined,
    now: Date.now,
    stop: new AbortController().signal,
    onError: (message) => void process.stderr.write(`${message}\n`),
    ...more,
  });
  onTestFinished(() => dashboard.close());
  const { port, key } = dashboard.address;
  const own = { Cookie: `${cookieName(port)}=${key}`, Origin: `http://127.0.0.1:${port}` };
  return { dashboard, port, key, own, ask: (path, options) => askFor(port, path, options) };
}

/** With node:http, because fetch cannot set the Host header. */
function askFor(
  port: number,
  path: string,
  { method = "GET", headers = {}, body }: AskOptions = {},
) {
  return new Promise<HttpAnswer>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => (text += chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      );
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export interface Client {
  readonly messages: ToPage[];
  readonly send: (message: FromPage) => void;
  /** The first message that matches, received or to come. */
  readonly first: <T extends ToPage>(isIt: (message: ToPage) => message is T) => Promise<T>;
  readonly until: (isSo: () => boolean) => Promise<void>;
  readonly close: () => void;
  /** The close code from the server. */
  readonly closed: Promise<number>;
}

/** Connects like a page. Rejects with the status if the server refuses. */
export function connect(port: number, headers: Record<string, string>): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/live`, { headers });
    const messages: ToPage[] = [];
    const listeners = new Set<() => void>();
    const closed = new Promise<number>((done) => socket.on("close", done));
    const until = (isSo: () => boolean): Promise<void> =>
      new Promise((done) => {
        const check = (): void => {
          if (!isSo()) return;
          listeners.delete(check);
          done();
        };
        listeners.add(check);
        check();
      });
    socket.on("message", (data: Buffer) => {
      messages.push(JSON.parse(data.toString("utf8")) as ToPage);
      for (const listener of listeners) listener();
    });
    socket.on("unexpected-response", (_, answer) => reject(new Error(String(answer.statusCode))));
    socket.on("error", reject);
    socket.on("open", () =>
      resolve({
        messages,
        until,
        closed,
        send: (message) => socket.send(JSON.stringify(message)),
        first: async (isIt) => {
          await until(() => messages.some(isIt));
          const found = messages.find(isIt);
          if (!found) throw new Error("The message is gone.");
          return found;
        },
        close: () => socket.terminate(),
      }),
    );
  });
}

type Snapshot = Extract<ToPage, { type: "snapshot" }>;
export const isSnapshot = (message: ToPage): message is Snapshot => message.type === "snapshot";

export function withStory(id = "add-login", tasks = ["form", "tests"]): Project {
  const project = newProject();
  addStory(project, id, tasks);
  return project;
}

export function addStory(project: Project, id: string, tasks: readonly string[] = ["form"]): void {
  for (const task of tasks) project.write(`.saga/stories/${id}/${task}.json`, aTask(task));
  project.write(`.saga/stories/${id}/story.json`, aStory(id));
}
