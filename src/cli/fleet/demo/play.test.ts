import { expect, it } from "vitest";
import { newFolder } from "../../../../test/support/project.ts";
import { builtSaga } from "../../../../test/support/programs.ts";
import { processesWith } from "../../../machine/processes/process-tree.ts";
import { movesOf, playFleetDemo } from "./play.ts";

it("reads where each push moved a ref, without its deletion", () => {
  const [none, one, two] = ["0", "1", "2"].map((digit) => digit.repeat(40));
  const log = `${none} ${one} refs/a\n${none} ${two} refs/b\n${one} ${two} refs/a\n${two} ${none} refs/a\n`;
  expect(movesOf(log, "refs/a")).toEqual([one, two]);
  expect(movesOf("", "refs/a")).toEqual([]);
});

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
