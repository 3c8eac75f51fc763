import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../test/support/programs.ts";
import { programVersion } from "./program-version.ts";

it("is the version of the package", () => {
  const text = readFileSync(join(root, "package.json"), "utf8");
  expect(programVersion()).toBe((JSON.parse(text) as { readonly version: string }).version);
});
