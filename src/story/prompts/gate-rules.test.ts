import { describe, expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { brokenRules, gateRules, type GateFacts } from "./gate-rules.ts";

const facts: GateFacts = { limits: { ...defaults.gate, protected: [] }, checks: [] };

describe("the rules of the gate", () => {
  it("name the limits of files that tasks declared later", () => {
    const bound = { ...facts, writeFiles: ["src/a.ts", "docs/b.md"], bounds: [["src/**"], []] };
    expect(gateRules(bound)).toContain(
      "match `src/a.ts`, `docs/b.md`, and only those that also match `src/**`.",
    );
    expect(gateRules({ ...bound, bounds: [["src/a.ts", "docs/b.md"]] })).not.toContain("of those");
  });

  it("leave out rules that cannot be broken", () => {
    const words = gateRules({ ...facts, limits: { ...facts.limits, secrets: false } });
    for (const word of [
      "Allowed files",
      "Checks",
      "Protected",
      "Secrets",
      "Tester",
      "Definition",
    ]) {
      expect(words).not.toContain(word);
    }
  });

  it("are repeated when they were broken, and no others", () => {
    const text = brokenRules({ ...facts, writeFiles: ["src/**"] }, new Set(["undeclared"]));
    expect(text).toMatch(/^The rules for it:\n- Allowed files: .*`src\/\*\*`.*$/);
    expect(brokenRules(facts, new Set())).toBeUndefined();
  });
});
