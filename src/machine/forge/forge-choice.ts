// Which forge a project uses. Pure: what is there is passed in.

import { githubRepository, type GithubRepository } from "./forge-github.ts";
import { withoutSecrets } from "./gh.ts";

export interface ForgeWish {
  readonly kind: "auto" | "github" | "local";
  readonly remoteUrl: string | undefined;
  readonly hasGh: boolean;
  /** The host of a GitHub Enterprise, from GH_HOST. */
  readonly ghHost: string | undefined;
}

export type ForgeChoice =
  | { readonly kind: "github"; readonly repository: GithubRepository }
  | { readonly kind: "local" }
  /** GitHub was asked for. The reason is a sentence, the hint what to do about it. */
  | { readonly kind: "impossible"; readonly reason: string; readonly hint: string };

export function chooseForge(wish: ForgeWish): ForgeChoice {
  if (wish.kind === "local") return { kind: "local" };
  const choice = tryGithub(wish);
  return choice.kind === "impossible" && wish.kind === "auto" ? { kind: "local" } : choice;
}

function tryGithub({ remoteUrl, hasGh, ghHost }: ForgeWish): ForgeChoice {
  if (remoteUrl === undefined) {
    return {
      kind: "impossible",
      reason: "This repository has no remote, so it is not on GitHub.",
      hint: "Add one with `git remote add origin <address>`.",
    };
  }
  const repository = githubRepository(remoteUrl, ghHost);
  if (repository === undefined) {
    return {
      kind: "impossible",
      reason: `The remote ${withoutSecrets(remoteUrl)} is not a repository on GitHub.`,
      hint: "For a GitHub Enterprise, set GH_HOST to its host name.",
    };
  }
  if (!hasGh) {
    return {
      kind: "impossible",
      reason: "There is no gh on this machine, and GitHub is reached through it.",
      hint: "`saga doctor` says how to install it.",
    };
  }
  return { kind: "github", repository };
}
