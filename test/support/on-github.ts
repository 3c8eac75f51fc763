// A project "on GitHub" with the real git and the real gh; nothing leaves this machine.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGithubServer, type GithubServer } from "./github-server.ts";
import { newStage, type Stage, type StageOptions } from "./stage.ts";

/** A repository "on GitHub": `ssh` is a script that serves a bare one beside it, `gh` talks to a socket. */
export async function onGithub(options: StageOptions = {}): Promise<{
  stage: Stage;
  github: GithubServer;
  env: Record<string, string>;
}> {
  const stage = await newStage(options);
  const github = await startGithubServer();
  const bare = join(stage.home, "shop.git");
  stage.git("clone", "--quiet", "--bare", stage.path, bare);
  const ssh = join(stage.home, "ssh");
  // Called as: ssh [options] host "git-receive-pack '/acme/shop.git'".
  writeFileSync(ssh, `#!/bin/sh\nfor last; do :; done\nexec "\${last%% *}" '${bare}'\n`);
  chmodSync(ssh, 0o755);
  stage.git("remote", "add", "origin", "git@github.com:acme/shop.git");
  const gh = Object.fromEntries(
    Object.entries(github.env).filter(
      ([name, value]) => name.startsWith("GH_") && value !== undefined,
    ),
  ) as Record<string, string>;
  return { stage, github, env: { ...gh, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "simple" } };
}
