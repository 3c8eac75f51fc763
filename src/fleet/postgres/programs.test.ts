import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { findPostgres } from "./programs.ts";

it("finds the programs of the installed package", () => {
  const { initdb = "", postgres = "" } = findPostgres() ?? {};
  for (const program of [initdb, postgres]) expect(statSync(program).mode & 0o111).not.toBe(0);
});

it("finds nothing where the package is not installed", () => {
  expect(findPostgres(join(newFolder().path, "index.js"))).toBeUndefined();
});
