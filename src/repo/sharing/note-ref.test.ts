import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { readRemoteRefs } from "../remote-branch.ts";
import { factsIn, readNote, writeNote } from "./note-ref.ts";

it("brings facts from one clone to another", async () => {
  const { ann, bob } = await newClones();
  const note = await writeNote(ann.repository.git, "lease: x", { Fence: "7", Machine: "ann" });
  ann.git("push", "--quiet", "origin", `${note}:refs/saga/lease/x`);
  const refs = await readRemoteRefs(bob.repository, ["refs/saga/*"]);
  expect([...refs]).toEqual([["refs/saga/lease/x", note]]);
  expect(await readNote(bob.repository, "refs/saga/lease/x", note)).toEqual({
    Fence: "7",
    Machine: "ann",
  });
});

it("fails when the remote cannot be asked: that is not the same as no ref", async () => {
  const { ann } = await newClones();
  ann.git("remote", "set-url", "origin", "/nowhere.git");
  await expect(readRemoteRefs(await ann.open(), ["refs/saga/*"])).rejects.toThrow(
    "origin could not be read",
  );
});

it.each([
  ["lease: x\n\nSaga-Fence: 7\nSaga-Machine: ann\n", { Fence: "7", Machine: "ann" }],
  ["some commit of a person\n", {}],
  ["Saga-Fence 7\nFence: 7\n", {}],
])("reads the facts in %j", (message, facts) => {
  expect(factsIn(message)).toEqual(facts);
});
