import { expect, it } from "vitest";
import { GLOB, readCommands, UNKNOWN } from "./parse.ts";

/** The commands of a text, one a line: words, then the files that it writes; brackets around subshells. */
function read(text: string): string[] {
  const found: string[] = [];
  readCommands(text, {
    command: (words, writes) =>
      found.push([...words, ...writes.map((file) => `> ${file}`)].join(" ")),
    enter: () => found.push("("),
    leave: () => found.push(")"),
    variable: (name) => (name === "HOME" ? "/home/me" : undefined),
  });
  return found.map((line) => line.replaceAll(UNKNOWN, "?").replaceAll(GLOB, "*"));
}

it.each<[string, string[]]>([
  ["a; b && c | d & e\nf", ["a", "b", "c", "d", "e", "f"]],
  ["X=1 if true; then a; fi", ["true", "a"]],
  ["a 'b c' \"d $HOME\" e\\ f", ["a b c d /home/me e f"]],
  ["a > b 2>> c >| d < e 2>&1", ["a > b > c > d"]],
  ["a &> b", ["a > b"]],
  ["(a; b) c", ["(", "a", "b", ")", "c"]],
  ["a $(b `c`) d", ["(", "(", "c", ")", "b ?", ")", "a ? d"]],
  ["cat <<EOF > x\nrm -rf /\nEOF\nls", ["cat > x", "ls"]],
  ["cat <<-'E'\n\trm\n\tE\nls", ["cat", "ls"]],
  ["a <<< 'rm x'", ["a"]],
  ["rm *.log {a,b} ~/x ~you/y $Z", ["rm *.log * /home/me/x ?you/y ?"]],
  ["a # > b\nc#d", ["a", "c#d"]],
  ["echo $((1 > 0)) $X", ["echo ? ?"]],
  ["git stash@{1} {}", ["git stash@{1} {}"]],
  ["", []],
])("reads %j", (text, commands) => {
  expect(read(text)).toEqual(commands);
});

it("reads text that no shell would accept, and ends", () => {
  for (const text of ["'", '"', "$(", "`", "a >", "<<E", "((", ")", "\\", "${", "~"]) {
    expect(Array.isArray(read(text))).toBe(true);
  }
});

it("does not follow a million brackets", () => {
  expect(read("(".repeat(1_000_000)).filter((line) => line === "(")).toHaveLength(40);
});
