import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newRemoval, onRemoval, takeUnreported } from "./removed-settings.ts";

it("what was removed is kept, and reported to one person once", () => {
  const { path, write, read } = newFolder();
  const env = { HOME: path, XDG_STATE_HOME: join(path, "state") };
  write("git/hooks/pre-commit", "#!/bin/sh\n");
  const received: string[] = [];
  const end = onRemoval((sentence) => received.push(sentence));
  const removal = newRemoval(join(path, "git"), env);
  removal.keep("hooks/pre-commit");
  removal.report("A hook was removed.");
  end();
  removal.report("And a setting.");
  expect(received).toEqual(["A hook was removed."]);
  expect(read(join(removal.folder.slice(path.length), "hooks/pre-commit"))).toBe("#!/bin/sh\n");
  expect(takeUnreported(env)).toEqual(["A hook was removed.", "And a setting."]);
  expect(takeUnreported(env)).toEqual([]);
});

it("nothing is reported where nothing was removed", () => {
  const { path } = newFolder();
  expect(takeUnreported({ HOME: path })).toEqual([]);
});
