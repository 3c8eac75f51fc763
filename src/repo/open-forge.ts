// Opens the forge with the project's pull requests, and decides whether branches are pushed to it.

import type { Context } from "../context.ts";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import { chooseForge } from "../machine/forge/forge-choice.ts";
import { openGithubForge } from "../machine/forge/forge-github.ts";
import { openLocalForge } from "../machine/forge/forge-local.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { findProgram } from "../machine/processes/find-program.ts";
import type { Lane } from "../story/landing/entry.ts";
import type { Settings } from "../story/settings/settings.ts";
import type { Repository } from "./repository.ts";

type ForgeContext = Pick<Context, "settings" | "env" | "now">;

export function openForge(repository: Repository, { settings, env, now }: ForgeContext): Forge {
  const choice = chooseForge({
    kind: settings.forge.kind,
    remoteUrl: repository.remote?.url,
    hasGh: findProgram("gh", env) !== undefined,
    ghHost: env["GH_HOST"],
  });
  if (choice.kind === "impossible") {
    throw new SagaError("bad-setting", choice.reason, { hint: choice.hint });
  }
  if (choice.kind === "github") {
    return openGithubForge({ repository: choice.repository, folder: repository.project, env });
  }
  return openLocalForge(join(repository.commonDir, "saga", "pulls"), now);
}

export function canPush(repository: Repository, { git, fleet }: Settings, forge: Forge): boolean {
  if (repository.remote === undefined) return false;
  // The machines of a fleet meet at the remote.
  if (git.push === "auto") return forge.kind === "github" || fleet.name !== undefined;
  return git.push === "always";
}

/** Where the branches are that work goes into. */
export const targetPlace = (
  repository: Repository,
  settings: Settings,
  forge: Forge,
): Lane["place"] => (canPush(repository, settings, forge) ? "remote" : "here");
