import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { STORY } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import type { CommandContext } from "../program/command.ts";
import { memberActions } from "./member-actions.ts";

it("reads a story as the remote has it, and starts Saga itself for the work", async () => {
  const { ann, bob } = await newClones();
  const store = openStore(bob.path);
  const written: string[] = [];
  const started =
    "require('fs').appendFileSync('started', process.argv.slice(1).join(' ') + '\\n')";
  const io = {
    env: bob.env,
    program: [process.execPath, "-e", started, "--"],
    writeError: (text: string) => void written.push(text),
  };
  const actions = memberActions({
    context: { io } as unknown as CommandContext,
    store,
    settings: await store.settings(),
    repository: bob.repository,
    elsewhere: { look: async () => undefined },
  });
  expect(await actions.readState(STORY)).toBe("ready");
  expect(await actions.readState("no-such-story")).toBeUndefined();
  ann.git("rm", "--quiet", "-r", `.saga/stories/${STORY}`);
  ann.git("commit", "--quiet", "--message=gone");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  expect(await actions.readState(STORY)).toBeUndefined();
  await actions.work(STORY);
  await actions.merge(STORY);
  expect(bob.read("started")).toBe(
    `worker ${STORY} -C${bob.path} --json\nmerge ${STORY} -C${bob.path} --json\n`,
  );
  expect(written).toEqual([]);
});
