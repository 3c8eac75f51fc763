import { describe, expect, it } from "vitest";
import { changesOf, parseArguments } from "./programs.ts";

const changes = (command: string): string[] => {
  const [program = "", ...args] = command.split(" ");
  return changesOf(program, args).map(({ word, isRemoval }) => (isRemoval ? `-${word}` : word));
};

describe("a program changes", () => {
  it.each([
    ["rm -rf a b", ["-a", "-b"]],
    ["rm -- -x", ["--x"]],
    ["touch -r other a", ["a"]],
    ["cp a b c", ["c"]],
    ["cp -t folder a b", ["folder"]],
    ["cp --target-directory=folder a", ["folder"]],
    ["mv a b", ["-a", "b"]],
    ["rsync a host:b", []],
    ["chmod -R 644 a b", ["a", "b"]],
    ["sed -i s/a/b/ f", ["f"]],
    ["sed -i -e s/a/b/ f g", ["f", "g"]],
    ["sed s/a/b/ f", []],
    ["perl -i f", []],
    ["perl -i -e x f", ["f"]],
    ["find a b -name x -delete", ["a", "b"]],
    ["find a -name x", []],
    ["unknown a b", []],
  ])("%s: %j", (command, expected) => {
    expect(changes(command)).toEqual(expected);
  });

  it("the file after an empty backup suffix", () => {
    expect(changesOf("sed", ["-i", "", "s/a/b/", "f"]).map(({ word }) => word)).toEqual(["f"]);
  });
});

it("an option takes its value from the same word or from the next one", () => {
  const { operands, has, values } = parseArguments(["-xt", "a", "--mode=1", "-tb", "c"], "t");
  expect(operands).toEqual(["c"]);
  expect(values("t")).toEqual(["a", "b"]);
  expect(values("mode")).toEqual(["1"]);
  expect([has("x"), has("y")]).toEqual([true, false]);
});
