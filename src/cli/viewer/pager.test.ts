import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import type { Io } from "../program/io.ts";
import { writePaged } from "./pager.ts";

function page(env: Record<string, string>, isTerminal = true) {
  const folder = newFolder();
  let written = "";
  const io = {
    cwd: folder.path,
    env: { PATH: process.env["PATH"], ...env },
    isTerminal,
    writeOut: (text: string) => void (written += text),
  } as unknown as Io;
  writePaged(io, "a long text\n");
  return { folder, written };
}

it("passes a text to the pager that a person chose, with Saga's own variable first", () => {
  const { folder, written } = page({ SAGA_PAGER: "cat > paged.txt", PAGER: "false" });
  expect(readFileSync(`${folder.path}/paged.txt`, "utf8")).toBe("a long text\n");
  expect(written).toBe("");
});

it.each([
  ["without a terminal", { PAGER: "cat > paged.txt" }, false],
  ["with an empty pager", { PAGER: "" }, true],
  ["with cat", { PAGER: "cat" }, true],
  ["without the program", { PAGER: "no-such-pager" }, true],
])("writes it %s", (_, env, isTerminal) => {
  expect(page(env, isTerminal).written).toBe("a long text\n");
});
