import { expect, it } from "vitest";
import { painter } from "../output/terminal.ts";
import type { OverseerEnd } from "../../pool/overseer/overseer.ts";
import { overseerResult } from "./oversee.ts";

const paint = painter(false);
const end: OverseerEnd = {
  exitCode: 0,
  gaveUp: undefined,
  answer: '{"ended":"done"}\n',
  starts: 1,
  repairs: 0,
};

it("a pool that ended well has its own answer, and nothing more", () => {
  const result = overseerResult({ ...end, answer: "All done.\n" });
  expect(result.text(paint)).toBe("All done.\n");
  expect(overseerResult(end).json).toEqual({
    ended: "done",
    overseer: { starts: 1, repairs: 0, gaveUp: null },
  });
});

it("restarts and repairs are counted, and a person reads why it gave up", () => {
  const gaveUp = { failure: undefined, why: "It failed three times." };
  const result = overseerResult({ ...end, exitCode: 1, gaveUp, answer: "", starts: 3, repairs: 1 });
  expect(result.text(paint)).toBe(
    "The overseer gave up. It failed three times.\nThe pool was started 3 times, with 1 repair.\n",
  );
  expect(result.exitCode).toBe(1);
});

it("an answer that is not JSON does not break the JSON form", () => {
  expect(overseerResult({ ...end, answer: "killed" }).json).toMatchObject({
    overseer: { starts: 1 },
  });
});
