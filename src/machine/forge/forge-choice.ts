// Which forge a project uses. Pure.

import { githubRepository, type GithubRepository } from "./forge-github.ts";
import { withoutSecrets } from "./gh.ts";

export interface ForgeFacts {
  readonly kind: "auto" | "github" | "local";
  readonly remoteUrl: string | undefined;
  readonly hasGh: boolean;
  /** The host of a GitHub Enterprise, from GH_HOST. */
  readonly ghHost: string | undefined;
}

export type ForgeChoice =
  | { readonly kind: "github"; readonly repository: GithubRepository }
  | { readonly kind: "local" }
  /** GitHub is required and cannot be used. */
  | { readonly kind: "impossible"; readonly reason: string; readonly hint: string };

export function chooseForge(facts: ForgeFacts): ForgeChoice {
  if (facts.kind === "local") return { kind: "local" };
  const choice = tryGithub(facts);
  return choice.kind === "impossible" && facts.kind === "auto" ? { kind: "local" } : choice;
}

function tryGithub({ remoteUrl, hasGh, ghHost }: ForgeFacts): ForgeChoice {
  if (remoteUrl === undefined) {
    return {
      kind: "impossible",
      reason: "Cannot use GitHub: this repository has no remote.",
      hint: "Add one: `git remote add origin <address>`.",
    };
  }
  const repository = githubRepository(remoteUrl, ghHost);
  if (repository === undefined) {
    return {
      kind: "impossible",
      reason: `Cannot use GitHub: the remote ${withoutSecrets(remoteUrl)} is not a GitHub repository.`,
      hint: "For GitHub Enterprise, set GH_HOST to its host name.",
    };
  }
  if (!hasGh) {
    return {
      kind: "impossible",
      reason: "Cannot use GitHub: gh is not installed.",
      hint: "Run `saga doctor` to see how to install it.",
    };
  }
  return { kind: "github", repository };
}
