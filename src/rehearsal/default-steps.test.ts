import { describe, expect, it } from "vitest";
import { ANYWHERE, defaultSteps } from "./default-steps.ts";

const FILES: Readonly<Record<string, { text: string } | "folder">> = {
  src: "folder",
  "src/main.ts": { text: "main();\n" },
  "notes.md": { text: "Notes.\n" },
};
const place = (...globs: string[]) => ({ globs, look: (path: string) => FILES[path] });

/** The only file that is written. */
function writtenFor(...globs: string[]): unknown {
  const steps = defaultSteps("form", place(...globs));
  expect(steps).toHaveLength(1);
  return steps[0] && "write" in steps[0] ? steps[0].write : undefined;
}

describe("the change of a rehearsal", () => {
  it("is in its own folder where all files are allowed", () => {
    const [step] = defaultSteps("form", ANYWHERE);
    expect(step).toEqual({
      write: "rehearsal/form.md",
      content: "The rehearsal of form was here.\n",
    });
  });

  it.each([
    ["src/**", "src/rehearsal-form.md"],
    ["src/", "src/rehearsal-form.md"],
    ["src", "src/rehearsal-form.md"],
    ["./lib", "lib/rehearsal-form.md"],
    ["**/*.ts", "rehearsal-form.ts"],
    ["src/**/*.{ts,tsx}", "src/rehearsal-form.ts"],
    ["docs/*/page-?.md", "docs/rehearsal-form/page-x.md"],
    ["app/[id]/*", "app/[id]/rehearsal-form"],
    ["**", "rehearsal-form.md"],
    ["new.txt", "new.txt"],
  ])("is in a new file that %s allows: %s", (glob, path) => {
    expect(writtenFor(glob)).toBe(path);
  });

  it.each([
    ["docs/**", "The rehearsal of form was here.\n"],
    ["notes/*.txt", "The rehearsal of form was here.\n"],
    ["src/**/*.ts", "\n"],
    ["tools/*.py", "\n"],
  ])("is a sentence in a text, and an empty line in code: %s", (glob, content) => {
    expect(defaultSteps("form", place(glob))).toMatchObject([{ content }]);
  });

  it("is in a new file rather than an existing one, and respects exclusions", () => {
    expect(writtenFor("notes.md", "src/main.ts", "docs/*.md")).toBe("docs/rehearsal-form.md");
    expect(writtenFor("src/**", "!src/*.md", "lib/**")).toBe("lib/rehearsal-form.md");
  });

  it("is an empty line where only an existing file is allowed", () => {
    expect(defaultSteps("form", place("src/main.ts"))).toEqual([
      { tool: "Read", input: { file_path: "src/main.ts" } },
      { write: "src/main.ts", content: "main();\n\n" },
    ]);
  });

  it("is refused by the gate when no file is allowed", () => {
    expect(writtenFor()).toBe("rehearsal/form.md");
    expect(writtenFor("!src/**")).toBe("rehearsal/form.md");
  });
});
