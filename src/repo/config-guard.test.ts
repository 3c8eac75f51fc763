import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../test/support/repository.ts";
import { guardConfig } from "./config-guard.ts";
import type { Repository } from "./repository.ts";

async function start(
  before: (test: TestRepository) => void = () => undefined,
): Promise<{ test: TestRepository; guarded: Repository; said: string[]; ran: string }> {
  const test = newRepository();
  before(test);
  const said: string[] = [];
  const guarded = await guardConfig(await test.open(), (sentence) => said.push(sentence));
  return { test, guarded, said, ran: join(test.path, "../ran") };
}

const runs = (file: string): string => `touch ${file} && cat`;

describe("a command that appears in the configuration during a run", () => {
  it.each([
    ["filter.evil.clean", "* filter=evil\n"],
    ["filter.evil.process", "* filter=evil\n"],
    ["diff.evil.textconv", "* diff=evil\n"],
    ["diff.external", ""],
    ["core.sshCommand", ""],
    ["alias.x", ""],
  ])("(%s) is removed before git could run it, and named", async (key, attributes) => {
    const { test, guarded, said, ran } = await start();
    test.write(".gitattributes", attributes);
    test.git("config", key, runs(ran));
    test.write("read me.txt", "changed\n");
    await guarded.git.ask(["add", "--all"]);
    await guarded.git.ask(["diff", "HEAD"]);
    expect(existsSync(ran)).toBe(false);
    expect(said).toEqual([expect.stringContaining(key.toLowerCase())]);
    expect(test.git("config", "--list", "--local")).not.toContain("touch");
  });

  it("comes by an included file no more than by itself", async () => {
    const { test, guarded, said, ran } = await start();
    const file = join(test.path, "../more");
    writeFileSync(file, `[filter "evil"]\n\tclean = ${runs(ran)}\n`);
    test.git("config", "include.path", file);
    test.write(".gitattributes", "* filter=evil\n");
    await guarded.git.ask(["add", "--all"]);
    expect(existsSync(ran)).toBe(false);
    expect(said.join()).toContain("include.path");
  });

  it("is not reached by attributes that appear with it", async () => {
    const { test, guarded, said, ran } = await start((it) =>
      it.git("config", "filter.mine.clean", runs(join(it.path, "../ran"))),
    );
    writeFileSync(join(test.path, ".git/info/attributes"), "* filter=mine\n");
    test.write("read me.txt", "changed\n");
    await guarded.git.ask(["add", "--all"]);
    expect(existsSync(ran)).toBe(false);
    expect(said.join()).toContain("attributes was changed");
  });

  it("gives the place back to the person's own", async () => {
    const { test, guarded, ran } = await start((it) =>
      it.git("config", "filter.mine.clean", "tr a-z A-Z"),
    );
    test.git("config", "filter.mine.clean", runs(ran));
    test.write(".gitattributes", "*.up filter=mine\n");
    test.write("a.up", "text\n");
    await guarded.git.ask(["add", "--all"]);
    expect(existsSync(ran)).toBe(false);
    expect(await guarded.git.ask(["cat-file", "blob", ":a.up"])).toBe("TEXT");
  });
});

it("leaves alone what was there before, and what runs nothing", async () => {
  const { test, guarded, said } = await start((it) =>
    it.git("config", "filter.mine.clean", "tr a-z A-Z"),
  );
  test.git("config", "user.nickname", "someone");
  test.git("remote", "add", "other", "../other.git");
  test.write(".gitattributes", "*.up filter=mine\n");
  test.write("a.up", "text\n");
  await guarded.git.ask(["add", "--all"]);
  expect(await guarded.git.ask(["cat-file", "blob", ":a.up"])).toBe("TEXT");
  expect(said).toEqual([]);
  expect(readFileSync(join(test.path, ".git/config"), "utf8")).toContain("someone");
});
