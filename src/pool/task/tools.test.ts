import { expect, it } from "vitest";
import { poolTools } from "./tools.ts";

it("an agent finishes with one of two outcomes and a summary, or asks", async () => {
  const calls: object[] = [];
  const answer = async (call: object): Promise<string> => {
    calls.push(call);
    return "Noted.";
  };
  const [finish, ask] = poolTools({ finish: answer, reportBlocker: answer });
  expect(await finish?.run({ outcome: "no_changes", summary: "It is right." })).toEqual({
    text: "Noted.",
  });
  await expect(finish?.run({ outcome: "failed", summary: "x" })).rejects.toThrow("outcome");
  await expect(finish?.run({ outcome: "done", summary: "" })).rejects.toThrow("summary");
  await ask?.run({ title: "Which?" });
  expect(calls).toEqual([
    { outcome: "no_changes", summary: "It is right." },
    { title: "Which?", body: "" },
  ]);
});
