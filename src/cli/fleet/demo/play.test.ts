import { expect, it } from "vitest";
import { newFolder } from "../../../../test/support/project.ts";
import { builtSaga } from "../../../../test/support/programs.ts";
import { processesWith } from "../../../machine/processes/process-tree.ts";
import { playFleetDemo } from "./play.ts";

it("ends what it has started when it is stopped", { timeout: 60_000 }, async () => {
  const { path } = newFolder();
  const sentences: string[] = [];
  const stopped = playFleetDemo({
    folder: path,
    env: { PATH: process.env["PATH"], HOME: path },
    program: [process.execPath, builtSaga],
    printLine: (sentence) => sentences.push(sentence),
    stop: AbortSignal.abort(),
  });
  await expect(stopped).rejects.toThrow("The demo was stopped.");
  expect(sentences.at(-1)).toBe("Ending the members and the database …");
  expect(processesWith("HOME", `${path}/ann`)).toEqual([]);
});
