import { describe, expect, it } from "vitest";
import { runsProgram, settingsIn } from "./program-settings.ts";

describe("a git setting can run a program", () => {
  it.each([
    ["filter.lfs.clean", "evil"],
    ["filter.a.b.process", "evil"],
    ["diff.external", "evil"],
    ["core.hookspath", ".evil"],
    ["core.sshcommand", "evil"],
    ["include.path", "evil"],
    ["includeif.gitdir:/x.path", "evil"],
    ["credential.https://a.example.helper", "evil"],
    ["url.ext::evil.insteadof", "https://"],
    ["remote.origin.uploadpack", "evil"],
    // A push to a folder of this machine runs the hooks there.
    ["remote.origin.url", "/tmp/evil"],
    ["remote.origin.pushurl", "ext::sh -c evil"],
  ])("%s", (key, value) => {
    expect(runsProgram({ key, value })).toBe(true);
  });
});

describe("a git setting runs nothing", () => {
  it.each([
    ["user.name", "Ann"],
    ["core.bare", "false"],
    ["remote.origin.url", "https://github.com/a/b.git"],
    ["remote.origin.url", "git@github.com:a/b.git"],
    ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
    ["filter.lfs.required", "true"],
  ])("%s = %s", (key, value) => {
    expect(runsProgram({ key, value })).toBe(false);
  });
});

it("a listing is split into keys and values, also with line breaks and without a value", () => {
  expect(settingsIn("user.name\nAnn\0alias.x\n!a\nb\0core.bare\0")).toEqual([
    { key: "user.name", value: "Ann" },
    { key: "alias.x", value: "!a\nb" },
    { key: "core.bare", value: undefined },
  ]);
});
