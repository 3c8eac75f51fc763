import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { publishFiles, type Publication } from "./publish-files.ts";

const publication = (more: Partial<Publication> = {}): Publication => ({
  branch: "main",
  message: "Share",
  filesFor: async () => new Map([[".saga/epics/loose/epic.json", "{}\n"]]),
  judge: async () => undefined,
  ...more,
});

it("adds a commit to the remote's branch, and touches nothing here", async () => {
  const { ann, bob, remoteRefs } = await newClones();
  const before = ann.git("rev-parse", "main");
  expect(await publishFiles(ann.repository, publication())).toEqual([
    ".saga/epics/loose/epic.json",
  ]);
  expect(ann.git("rev-parse", "main")).toBe(before);
  expect(ann.git("status", "--porcelain")).toBe("");
  bob.git("pull", "--quiet", "--ff-only");
  expect(bob.git("rev-parse", "main^")).toBe(before);
  expect(bob.read(".saga/epics/loose/epic.json")).toBe("{}\n");
  const none = publication({ filesFor: async () => new Map() });
  expect(await publishFiles(ann.repository, none)).toEqual([]);
  expect(remoteRefs()["refs/heads/main"]).toBe(bob.git("rev-parse", "main"));
});

it("tries again on top of what others pushed meanwhile", async () => {
  const { ann, bob } = await newClones();
  let attempts = 0;
  const judge = async (): Promise<void> => {
    if (attempts++ > 0) return;
    bob.write("theirs.txt", "theirs");
    bob.git("add", "--all");
    bob.git("commit", "--quiet", "--message=theirs");
    bob.git("push", "--quiet", "origin", "main");
  };
  await publishFiles(ann.repository, publication({ judge }));
  expect(attempts).toBe(2);
  bob.git("pull", "--quiet", "--ff-only");
  expect(bob.git("log", "--format=%s", "-2")).toBe("Share\ntheirs");
});

it("pushes nothing that is refused", async () => {
  const { ann, remote, remoteRefs } = await newClones();
  const before = remoteRefs();
  const judge = (): Promise<void> => Promise.reject(new Error("a secret"));
  await expect(publishFiles(ann.repository, publication({ judge }))).rejects.toThrow("a secret");
  ann.write("../remote.git/hooks/pre-receive", "#!/bin/sh\necho protected branch >&2\nexit 1\n");
  ann.git("-C", remote, "config", "core.hooksPath", "hooks");
  const { chmodSync } = await import("node:fs");
  chmodSync(`${remote}/hooks/pre-receive`, 0o755);
  await expect(publishFiles(ann.repository, publication())).rejects.toThrow("protected branch");
  expect(remoteRefs()).toEqual(before);
});
