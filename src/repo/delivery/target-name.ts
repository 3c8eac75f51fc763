// What people call the branch that work lands on. Pure.

import { githubRepository } from "../../machine/forge/forge-github.ts";
import type { Lane } from "../../story/landing/entry.ts";

export interface TargetPlace {
  readonly remote: { readonly name: string; readonly url: string } | undefined;
  /** The host of a GitHub Enterprise, from GH_HOST. */
  readonly ghHost?: string | undefined;
}

/** `main`, `origin/main`, or `main on GitHub (owner/name)`. */
export function targetName({ branch, place }: Lane, { remote, ghHost }: TargetPlace): string {
  if (place === "here") return branch;
  if (remote === undefined) return `${branch} (remote)`;
  const github = githubRepository(remote.url, ghHost);
  if (github === undefined) return `${remote.name}/${branch}`;
  const host = github.host === "github.com" ? "GitHub" : github.host;
  return `${branch} on ${host} (${github.owner}/${github.name})`;
}
