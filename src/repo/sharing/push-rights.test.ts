import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { requirePushRights } from "./push-rights.ts";

it("accepts a remote that takes Saga's refs, and leaves none there", async () => {
  const { ann, remoteRefs } = await newClones();
  await requirePushRights(ann.repository);
  expect(Object.keys(remoteRefs())).toEqual(["refs/heads/main"]);
});

it("says why the remote refuses", async () => {
  const { ann, remote } = await newClones();
  writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\necho read-only >&2\nexit 1\n", {
    mode: 0o755,
  });
  await expect(requirePushRights(ann.repository)).rejects.toThrow(
    /cannot push to origin.*read-only/,
  );
});

it("refuses a repository without a remote", async () => {
  const repository = await newRepository().open();
  await expect(requirePushRights(repository)).rejects.toThrow("this repository has none");
});
