import { expect, it } from "vitest";
import { defaults } from "../../test/support/default-settings.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { canPush, targetPlace } from "./open-forge.ts";
import type { Repository } from "./repository.ts";

const asked = (push: "auto" | "always" | "never", kind: Forge["kind"], hasRemote = true) =>
  [
    { remote: hasRemote ? { name: "origin", url: "x" } : undefined } as unknown as Repository,
    { ...defaults, git: { ...defaults.git, push } },
    { kind } as Forge,
  ] as const;
const pushes = (...about: Parameters<typeof asked>): boolean => canPush(...asked(...about));

it("pushes to GitHub unless the settings forbid it, and elsewhere only if they ask for it", () => {
  expect(pushes("auto", "github")).toBe(true);
  expect(pushes("never", "github")).toBe(false);
  expect(pushes("auto", "local")).toBe(false);
  expect(pushes("always", "local")).toBe(true);
});

it("pushes nothing without a remote", () => {
  expect(pushes("always", "github", false)).toBe(false);
});

it("what is pushed goes into the remote's branch, and anything else into the one here", () => {
  expect(targetPlace(...asked("auto", "github"))).toBe("remote");
  expect(targetPlace(...asked("auto", "local"))).toBe("here");
});
