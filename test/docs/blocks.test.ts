import { describe, expect, it } from "vitest";
import { blocksOf, commandsOf, notPrinted } from "../support/docs/blocks.ts";

const page = (...lines: string[]): string => lines.join("\n");
const always = (): boolean => true;

describe("a page's blocks", () => {
  it("are found with their line, their language and the comments before them", () => {
    const text = page(
      "<!-- exits 3: saga run -->",
      "",
      "```sh",
      "saga run api   # asks",
      "```",
      "```text",
      "api …",
      "```",
    );
    expect(blocksOf(text)).toEqual([
      {
        line: 3,
        language: "sh",
        text: "saga run api   # asks",
        notes: [{ kind: "exits", code: 3, command: "saga run" }],
      },
      { line: 6, language: "text", text: "api …", notes: [] },
    ]);
  });

  it("are directly behind a comment", () => {
    const text = page("<!-- scene: empty -->", "Then:", "```sh", "ls", "```");
    expect(() => blocksOf(text)).toThrow("before line 2 speaks of no block");
    expect(blocksOf(page("<!-- for people -->", "Then:", "```sh", "ls", "```"))).toHaveLength(1);
  });

  it.each(["exits: saga run", "Ctrl-C: saga auto", "not run: npm link", "scene a"])(
    "are refused with a comment that says too little: %s",
    (comment) => {
      expect(() => blocksOf(`<!-- ${comment} -->`)).toThrow("not understood");
    },
  );

  it("are refused without an end", () => {
    expect(() => blocksOf(page("```sh", "ls"))).toThrow("line 1 has no end");
  });
});

describe("a block's commands", () => {
  const [block] = blocksOf(
    page("<!-- exits 1: b -->", "```sh", "# first", "a 'one", "two'", "", "b   # second", "```"),
  );
  if (!block) throw new Error("There is none.");

  it("may have several lines, and know their comments", () => {
    const commands = commandsOf(block, (text) => text.split("'").length !== 2);
    expect(commands).toEqual([
      { line: 4, text: "a 'one\ntwo'", notes: [] },
      { line: 7, text: "b   # second", notes: [{ kind: "exits", code: 1, command: "b" }] },
    ]);
  });

  it("are not what a comment speaks of that has grown old", () => {
    const notes = [{ kind: "not-run", why: "it is gone", command: "c" }] as const;
    expect(() => commandsOf({ ...block, notes }, always)).toThrow("No command in line 2 is `c`");
  });
});

describe("what a page shows", () => {
  const printed = "api is running\n  for 3 s\nweb is ready\n";

  it("was printed, in this order, with … for what differs", () => {
    expect(notPrinted("api is …\nweb is ready", printed)).toBeUndefined();
    expect(notPrinted("web is ready\napi is …", printed)).toBe("api is …");
  });

  it("is a whole line", () => {
    expect(notPrinted("api is", printed)).toBe("api is");
  });
});
