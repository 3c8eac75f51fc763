import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { prepare, STORY } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import { shareBranch } from "./share-branch.ts";

it("pushes the story with what a person has edited since, and tells when it cannot", async () => {
  const { ann, remote, remoteRefs } = await newClones();
  const { folder } = await prepare(ann);
  const warnings: string[] = [];
  const context = {
    store: openStore(ann.path),
    env: ann.env,
    now: Date.now,
    onWarning: (sentence: string) => void warnings.push(sentence),
  };
  const ref = `refs/heads/story/${STORY}`;
  for (const note of ["# One\n", "# Two\n"]) {
    writeFileSync(join(folder, `.saga/stories/${STORY}/journal.md`), note);
    expect(await shareBranch(context, STORY)).toBe(true);
    expect(remoteRefs()[ref]).toBe(ann.git("rev-parse", ref));
    expect(ann.git("show", `${ref}:.saga/stories/${STORY}/journal.md`)).toBe(note.trim());
  }
  expect(await shareBranch(context, STORY)).toBe(true);
  expect(warnings).toEqual([]);
  writeFileSync(join(folder, `.saga/stories/${STORY}/journal.md`), "# Three\n");
  writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  expect(await shareBranch(context, STORY)).toBe(false);
  expect(warnings.join()).toContain(`No other machine can merge ${STORY}: `);
});
