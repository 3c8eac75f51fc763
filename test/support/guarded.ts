// A repository whose git settings are guarded, as while an agent runs.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { whileGuarded } from "../../src/machine/programs/config-guard.ts";
import { openGit, type Git } from "../../src/machine/programs/git.ts";
import { bundle, runNode } from "./programs.ts";
import { newRepository, type TestRepository } from "./repository.ts";

export interface GuardedPlace {
  readonly test: TestRepository;
  readonly git: Git;
  readonly removals: string[];
  /** Programs that must not run write this file. */
  readonly ran: string;
}

/** As between the start and the end of a worker. */
export async function guarded(
  act: (place: GuardedPlace) => Promise<void>,
  before: (test: TestRepository) => void = () => undefined,
): Promise<void> {
  const test = newRepository();
  before(test);
  const removals: string[] = [];
  const place = { test, git: gitOf(test), removals, ran: join(test.path, "../ran") };
  const warn = (sentence: string): void => void removals.push(sentence);
  await whileGuarded(at(test), { mark: ["SAGA_MARK", "none"], warn }, () => act(place));
}

export const at = ({ path, env }: TestRepository) => ({ folder: path, env });
export const gitOf = ({ path, env }: TestRepository): Git => openGit(path, env);
export const runs = (file: string): string => `touch ${file} && cat`;
export const script = (file: string): string => `#!/bin/sh\ntouch ${file}\ncat >/dev/null\n`;
const guards = ({ env }: TestRepository): string =>
  join(env["HOME"] ?? "", ".local/state/saga/git-config");

/** Whether the guard is up. */
export const isUp = (test: TestRepository): boolean =>
  readdirSync(guards(test)).some((name) => existsSync(join(guards(test), name, "trusted")));

/** In a process of its own. */
export async function killedAfter({ path, env }: TestRepository, plant: string): Promise<void> {
  const program = await bundle("test/support/processes/killed-holder.ts");
  const ended = await runNode([program, plant], { cwd: path, env });
  expect(ended.signal, ended.stderr).toBe("SIGKILL");
}
