import { describe, expect, it } from "vitest";
import { lastWordsIn, newSilence } from "./daemon-child.ts";

describe("why a daemon ended", () => {
  it("is the message of its JSON error, if it printed one", () => {
    const stdout = JSON.stringify({ error: { message: "No login." } });
    expect(lastWordsIn(stdout, "a warning\n")).toBe("No login.");
  });

  it("is otherwise the end of its error output, without a stack trace", () => {
    const stderr =
      "one\ntwo\nTypeError: x is not a function\n    at main (a.js:1)\n\nNode.js v20.1\n";
    expect(lastWordsIn("done\n", stderr)).toBe("one two TypeError: x is not a function");
  });

  it("is the end of its normal output, if that is all there is", () => {
    expect(lastWordsIn("1\n2\n3\n4\n", " \n")).toBe("2 3 4");
    expect(lastWordsIn('{"error":{"message":7}}', "")).toBe('{"error":{"message":7}}');
    expect(lastWordsIn("", "")).toBe("");
  });
});

describe("a daemon's silence", () => {
  it("ends with each new sign", () => {
    const silence = newSilence(100, 0);
    expect(silence("a", 100)).toBe(0);
    expect(silence("a", 200)).toBe(100);
    expect(silence("a", 300)).toBe(200);
    expect(silence("b", 400)).toBe(0);
  });

  it("does not grow while the machine slept: the daemon slept too", () => {
    const silence = newSilence(100, 0);
    silence("a", 100);
    expect(silence("a", 8 * 3_600_000)).toBe(200);
  });

  it("counts from the start, if no sign ever comes", () => {
    const silence = newSilence(100, 0);
    expect(silence("", 100)).toBe(100);
    expect(silence("", 200)).toBe(200);
  });
});
