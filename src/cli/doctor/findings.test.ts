import { describe, expect, it } from "vitest";
import { findingsOn } from "./findings.ts";

describe("a missing program", () => {
  it("is installed by the system's own package manager", () => {
    expect(findingsOn("darwin").noTmux.fix).toBe("Run `brew install tmux`.");
    expect(findingsOn("linux").noTmux.fix).toMatch(/^Run `apt-get install tmux`/);
  });
});

it("every finding has a sentence on what it means, and one on what to do", () => {
  for (const { name, means, fix } of Object.values(findingsOn("linux"))) {
    expect([name, means]).toEqual([name, expect.stringMatching(/^[A-Z`].*\.$/s)]);
    expect([name, fix]).toEqual([name, expect.stringMatching(/^[A-Z`].*[.>]$/s)]);
  }
});
