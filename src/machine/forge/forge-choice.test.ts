import { describe, expect, it } from "vitest";
import { chooseForge, type ForgeFacts } from "./forge-choice.ts";
import { githubRepository } from "./forge-github.ts";

const SHOP = { host: "github.com", owner: "acme", name: "shop" };

const wish = (more: Partial<ForgeFacts>): ForgeFacts => ({
  kind: "auto",
  remoteUrl: "git@github.com:acme/shop.git",
  hasGh: true,
  ghHost: undefined,
  ...more,
});

describe("the forge of a project", () => {
  it("is GitHub with a remote there and gh", () => {
    expect(chooseForge(wish({}))).toEqual({ kind: "github", repository: SHOP });
    expect(chooseForge(wish({ kind: "github" }))).toEqual({ kind: "github", repository: SHOP });
  });

  it("is local when something is missing, or when it is set", () => {
    for (const more of [
      { remoteUrl: undefined },
      { remoteUrl: "https://gitlab.com/acme/shop" },
      { hasGh: false },
      { kind: "local" as const },
    ]) {
      expect(chooseForge(wish(more))).toEqual({ kind: "local" });
    }
  });

  it("is impossible, with the reason, when GitHub is set and something is missing", () => {
    const reason = (more: Partial<ForgeFacts>): string => {
      const choice = chooseForge(wish({ kind: "github", ...more }));
      return choice.kind === "impossible" ? choice.reason : choice.kind;
    };
    expect(reason({ remoteUrl: undefined })).toBe(
      "Cannot use GitHub: this repository has no remote.",
    );
    expect(reason({ hasGh: false })).toBe("Cannot use GitHub: gh is not installed.");
    expect(reason({ remoteUrl: "https://me:secret@gitlab.com/acme/shop" })).toBe(
      "Cannot use GitHub: the remote https://…@gitlab.com/acme/shop is not a GitHub repository.",
    );
  });
});

describe("the repository of a remote", () => {
  it.each([
    "https://github.com/acme/shop.git",
    "https://github.com/acme/shop",
    "https://github.com/acme/shop/",
    "https://me:secret@GitHub.com/acme/shop.git",
    "https://www.github.com/acme/shop",
    "git@github.com:acme/shop.git",
    "git@github.com:acme/shop",
    "git@github.com:/acme/shop.git",
    "github.com:acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:22/acme/shop",
    "ssh://git@ssh.github.com:443/acme/shop.git",
    "git://github.com/acme/shop.git\n",
  ])("is read from %s", (url) => {
    expect(githubRepository(url)).toEqual(SHOP);
  });

  it("may have dots in its name", () => {
    expect(githubRepository("https://github.com/acme/acme.github.io.git")).toMatchObject({
      name: "acme.github.io",
    });
  });

  it.each([
    "https://gitlab.com/acme/shop.git",
    "https://github.com.evil.org/acme/shop",
    "https://evil.org/github.com/acme/shop",
    "https://github.com@evil.org/acme/shop",
    "https://gist.github.com/acme/shop",
    "https://github.com/acme",
    "https://github.com/acme/shop/pull/1",
    "https://github.com/acme/..",
    "https://github.com/acme/shop?x=1",
    "git@github-work:acme/shop.git",
    "/srv/git/shop.git",
    "../shop",
    "file:///github.com/acme/shop",
    "",
  ])("is not on GitHub: %s", (url) => {
    expect(githubRepository(url)).toBeUndefined();
  });

  it("is on a GitHub Enterprise only when GH_HOST names it", () => {
    const url = "git@git.acme.example:acme/shop.git";
    expect(githubRepository(url)).toBeUndefined();
    expect(githubRepository(url, "Git.acme.example")).toEqual({
      ...SHOP,
      host: "git.acme.example",
    });
    expect(githubRepository("https://github.com/acme/shop", "git.acme.example")).toEqual(SHOP);
  });
});
