import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import { ifThere } from "../../machine/files/files.ts";
import { sessionFolderPath } from "../../store/project/session-folder.ts";
import { epicOfSession, storyOfSession } from "../../story/definition/names.ts";
import type { SessionFile } from "./left-over.ts";

export function sessionFiles(env: Environment, nowMs: number): SessionFile[] {
  const folder = sessionFolderPath(env);
  return (ifThere(() => readdirSync(folder)) ?? []).flatMap((name) => {
    const session = /^(?<session>saga-.+)\.(?:out|env)$/.exec(name)?.groups?.["session"];
    const path = join(folder, name);
    const changedMs = ifThere(() => statSync(path).mtimeMs);
    if (session === undefined || changedMs === undefined || !isOfSaga(session)) return [];
    return [{ path, session, isEnvironment: name.endsWith(".env"), ageMs: nowMs - changedMs }];
  });
}

const isOfSaga = (session: string): boolean =>
  storyOfSession(session) !== undefined || epicOfSession(session) !== undefined;
