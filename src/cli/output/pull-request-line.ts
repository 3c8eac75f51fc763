// A story's pull request as far as this machine knows it: the local forge's record. A pull request on GitHub is only
// named, because `saga show` must not wait for the network.

import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import type { PullRequest } from "../../machine/forge/forge.ts";
import { openLocalForge } from "../../machine/forge/forge-local.ts";
import { openGit } from "../../machine/programs/git.ts";
import type { Story } from "../../story/definition/story.ts";
import { pullRequestName } from "../../text/pull-request-name.ts";

export async function localPullRequest(
  { pr }: Story,
  project: string,
  env: Environment,
): Promise<PullRequest | undefined> {
  const number = /^local\/(?<number>\d+)$/.exec(pr ?? "")?.groups?.["number"];
  if (number === undefined) return undefined;
  const git = openGit(project, env);
  const found = await git.attempt(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (!found.isOk) return undefined;
  return openLocalForge(join(found.stdout, "saga", "pulls"), Date.now).view(Number(number));
}

export function describePullRequest(
  ref: string | undefined,
  record: PullRequest | undefined,
): string | undefined {
  if (ref === undefined) return undefined;
  const name = pullRequestName(ref);
  if (record === undefined) return name;
  const state =
    record.state !== "open" ? record.state : record.isDraft ? "draft" : "ready for review";
  return `${name}, ${state}: ${record.head} into ${record.base}`;
}
