import { expect, it } from "vitest";
import { sections } from "./sections.ts";

const accepts = (section: keyof typeof sections, fields: Record<string, unknown>): boolean =>
  sections[section].safeParse(fields).success;

it("every section is complete without a single setting", () => {
  for (const [name, section] of Object.entries(sections)) {
    expect([name, section.safeParse({}).success]).toEqual([name, true]);
  }
});

it("a fleet's name can be that of a schema in its database", () => {
  for (const name of ["a", "our-fleet", "x".repeat(40)]) {
    expect([name, accepts("fleet", { name })]).toEqual([name, true]);
  }
  for (const name of ["", "Our", "a_b", "-a", "a--b", "1a", 'a"; drop', "x".repeat(41)]) {
    expect([name, accepts("fleet", { name })]).toEqual([name, false]);
  }
});

it("a sandbox is opened for domains, not for addresses with a scheme or a path", () => {
  const opens = (domain: string): boolean => accepts("claude", { sandbox_network: [domain] });
  expect(["*", "example.com", "*.npmjs.org"].map(opens)).toEqual([true, true, true]);
  expect(["https://example.com", "a/b", "**", ""].map(opens)).not.toContain(true);
});

it("limits of nothing are refused where they would stop all work", () => {
  expect(accepts("run", { max_cycles: 0 })).toBe(false);
  expect(accepts("run", { max_cost: 0 })).toBe(true);
  expect(accepts("run", { max_costs: 1 })).toBe(false);
});
