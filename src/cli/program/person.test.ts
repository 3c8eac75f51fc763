import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import type { CommandContext } from "./command.ts";
import { personName } from "./person.ts";

const nameIn = (path: string, env: Record<string, string> = {}): Promise<string> =>
  personName({
    cwd: path,
    io: {
      env: { PATH: process.env["PATH"], HOME: path, ...env },
    } as unknown as CommandContext["io"],
  });

it("a person has the name of their commits", async () => {
  const { path, write } = newFolder();
  write(".gitconfig", "[user]\n\tname = Ada Lovelace\n");
  expect(await nameIn(path)).toBe("Ada Lovelace");
  expect(await nameIn(path, { GIT_AUTHOR_NAME: "Grace" })).toBe("Grace");
});

it("a person without a name in git has their login name", async () => {
  expect(await nameIn(newFolder().path)).toBe(userInfo().username);
});
