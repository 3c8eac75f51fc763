import { describe, expect, it } from "vitest";
import { blockerKey, setAsideBy } from "./blocker-key.ts";

const protectedFile = { rule: "protected", file: "a.yml", key: "modified *.yml" } as const;

describe("an override", () => {
  it("applies to the same finding in the same file", () => {
    const isSetAside = setAsideBy([blockerKey(protectedFile)]);
    expect(isSetAside(protectedFile)).toBe(true);
    expect(isSetAside({ ...protectedFile, file: "b.yml" })).toBe(false);
    expect(isSetAside({ ...protectedFile, key: "deleted *.yml" })).toBe(false);
    expect(isSetAside({ ...protectedFile, rule: "saga" })).toBe(false);
  });

  it("that names nothing applies to nothing", () => {
    expect(setAsideBy(undefined)(protectedFile)).toBe(false);
    expect(setAsideBy([])(protectedFile)).toBe(false);
  });
});
