import { describe, expect, it } from "vitest";
import { aPart as part } from "../../../test/support/parts.ts";
import { parseProposal, problemSentences } from "./split-proposal.ts";

const CHAIN = [part("walls"), part("windows", { blockedBy: ["walls"] })];

describe("a proposal as JSON", () => {
  const read = (json: unknown): string[] => problemSentences(parseProposal(json).problems ?? []);

  it("is a list, or an object with the list", () => {
    expect(parseProposal(CHAIN).proposal).toEqual(CHAIN);
    expect(parseProposal({ tasks: CHAIN }).proposal).toEqual(CHAIN);
  });

  it("is refused in any other form", () => {
    for (const json of [undefined, null, "tasks", 7, {}, { tasks: "all" }]) {
      expect(read(json)).toEqual([
        'The list of new tasks is missing. List 2 to 8 tasks under "tasks".',
      ]);
    }
  });

  it("has two to eight tasks", () => {
    expect(read([part("a")])[0]).toContain("1 task proposed");
    const nine = Array.from({ length: 9 }, (_, at) => part(`p${at}`));
    expect(read(nine)[0]).toContain("9 tasks proposed; 2 to 8 are allowed.");
    expect(read(nine.slice(0, 8))).toEqual([]);
  });

  it("must say which files and how many lines each changes", () => {
    const rest = { ...part("a"), writeFiles: undefined, estimatedLines: undefined };
    expect(read({ tasks: [rest, part("b")] })).toEqual([
      '`tasks[0].writeFiles` is missing. Add "writeFiles": [].',
      '`tasks[0].estimatedLines` is missing. Add "estimatedLines": 1.',
    ]);
  });

  it.each([
    ["an invalid id", part("Not An Id"), "tasks[0].id"],
    ["digits only, as Claude numbers its own", part("17"), "all digits"],
    ["an id that is a file of the story", part("story"), "is reserved: story.json"],
    ["an empty subject", part("a", { subject: " " }), "tasks[0].subject"],
    [
      "an unknown field",
      { ...part("a"), status: "completed" },
      "`tasks[0].status` is not a known field",
    ],
    ["a path out of the project", part("a", { writeFiles: ["../x"] }), "leads out"],
    ["half a line", part("a", { estimatedLines: 0.5 }), "estimatedLines"],
  ])("is refused for %s", (_, first, says) => {
    expect(read({ tasks: [first, part("b")] }).join("\n")).toContain(says);
  });
});
