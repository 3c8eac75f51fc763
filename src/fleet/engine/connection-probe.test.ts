import { expect, it } from "vitest";
import { connectionText, startProbe } from "./connection-probe.ts";

type Answer = "yes" | "no" | "silence";

/** Plays the answers, one per probe, and returns what was reported. */
async function play(answers: readonly Answer[]): Promise<string[]> {
  const reported: string[] = [];
  const left = [...answers];
  await new Promise<void>((resolve) => {
    const probe = startProbe({
      everyMs: 1,
      deadlineMs: 30,
      async ask(): Promise<unknown> {
        const answer = left.shift();
        if (answer === undefined) {
          probe.end();
          resolve();
        }
        if (answer === "silence") return new Promise(() => undefined);
        if (answer === "no") throw new Error("refused");
        return undefined;
      },
      onDead: () => reported.push("dead"),
      onState: ({ kind }) => reported.push(kind),
    });
  });
  return reported;
}

it("tells a loss and a return once, and drops what is dead after each failure", async () => {
  expect(await play(["yes", "silence", "no", "yes", "yes", "no", "yes"])).toEqual([
    "dead",
    "lost",
    "dead",
    "back",
    "dead",
    "lost",
    "back",
  ]);
});

it("says it in a sentence", () => {
  expect(connectionText({ kind: "lost" })).toContain("does not answer");
  expect(connectionText({ kind: "back", afterMs: 12_400 })).toContain("after 12 s");
});
