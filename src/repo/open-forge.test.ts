import { expect, it } from "vitest";
import { defaults } from "../../test/support/default-settings.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { canPush } from "./open-forge.ts";
import type { Repository } from "./repository.ts";

const pushes = (push: "auto" | "always" | "never", kind: Forge["kind"], hasRemote = true) =>
  canPush(
    { remote: hasRemote ? { name: "origin", url: "x" } : undefined } as unknown as Repository,
    { ...defaults, git: { ...defaults.git, push } },
    { kind } as Forge,
  );

it("pushes to GitHub unless the settings forbid it, and elsewhere only if they ask for it", () => {
  expect(pushes("auto", "github")).toBe(true);
  expect(pushes("never", "github")).toBe(false);
  expect(pushes("auto", "local")).toBe(false);
  expect(pushes("always", "local")).toBe(true);
});

it("pushes nothing without a remote", () => {
  expect(pushes("always", "github", false)).toBe(false);
});
