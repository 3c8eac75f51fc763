import { expect, it } from "vitest";
import { finding, ok } from "./diagnosis.ts";

it("puts what was found into the text of a finding", () => {
  expect(finding("oldGit", "2.30")).toMatchObject({ name: "git", verdict: "fail", found: "2.30" });
  expect(finding("unexamined", "It broke.", { name: "disk" })).toMatchObject({
    name: "disk",
    found: "It broke.",
  });
  expect(ok("git", "2.45")).toEqual({ name: "git", verdict: "ok", found: "2.45" });
});
