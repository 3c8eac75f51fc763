import { expect, it } from "vitest";
import { folder, path, variable } from "./section.ts";

it.each([
  ["config/local.json", "../secret", path],
  [".env", "/etc/passwd", path],
  ["a..b/c", "a/../../b", path],
  ["/var/cache", "cache", folder],
  ["~/.cargo", "~user/x", folder],
  ["DATABASE_URL", "TOKEN=x", variable],
])("a setting takes %j, and refuses %j", (good, bad, schema) => {
  expect([schema.safeParse(good).success, schema.safeParse(bad).success]).toEqual([true, false]);
});
