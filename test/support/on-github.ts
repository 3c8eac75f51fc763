// A project "on GitHub" with the real git and the real gh; nothing leaves this machine.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seePushes } from "./github-pushes.ts";
import { startGithubServer, type GithubServer } from "./github-server.ts";
import { newStage, type Stage, type StageOptions } from "./stage.ts";

interface OnGithub {
  readonly github: GithubServer;
  /** The repository there. */
  readonly bare: string;
  /** For git and gh. */
  readonly env: Record<string, string>;
}

export async function onGithub(
  options: StageOptions = {},
): Promise<OnGithub & { readonly stage: Stage }> {
  const stage = await newStage(options);
  return { stage, ...(await connectToGithub(stage, stage.home)) };
}

/** `ssh` is a script that serves a bare repository in the folder, `gh` talks to a socket. */
export async function connectToGithub(
  { git }: { readonly git: (...args: string[]) => string },
  folder: string,
): Promise<OnGithub> {
  const github = await startGithubServer();
  const bare = join(folder, "shop.git");
  git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  git("push", "--quiet", bare, "main");
  seePushes(github, bare);
  const ssh = join(folder, "ssh");
  // Called as: ssh [options] host "git-receive-pack '/acme/shop.git'".
  writeFileSync(ssh, `#!/bin/sh\nfor last; do :; done\nexec "\${last%% *}" '${bare}'\n`);
  chmodSync(ssh, 0o755);
  git("remote", "add", "origin", "git@github.com:acme/shop.git");
  const gh = Object.fromEntries(
    Object.entries(github.env).filter(
      ([name, value]) => name.startsWith("GH_") && value !== undefined,
    ),
  ) as Record<string, string>;
  return { github, bare, env: { ...gh, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "simple" } };
}
