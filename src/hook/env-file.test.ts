import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { envLines, writeEnvFile } from "./env-file.ts";

const NASTY = [
  "plain",
  "",
  " with  spaces ",
  "it's",
  "''",
  '"quoted" \\ back\\',
  "$(touch pwned) `touch pwned` $HOME ${HOME}",
  "a;b&&c|d>e#f",
  "line\nbreak\n",
  "tab\tand é ü 漢字 🙂",
  "!history ~ * ? [x]",
  "-n",
];

it.each(NASTY)("reaches a shell as it is: %j", (value) => {
  const folder = newFolder();
  folder.write("env", envLines({ SAGA_PROJECT_DIR: value }));
  for (const shell of ["sh", "bash"]) {
    const script = '. ./env && printf "%s" "$SAGA_PROJECT_DIR"';
    const output = execFileSync(shell, ["-c", script], { cwd: folder.path, encoding: "utf8" });
    expect(output).toBe(value);
  }
  expect(() => folder.read("pwned")).toThrow("ENOENT");
});

it("takes away what has no value", () => {
  const output = execFileSync("sh", ["-c", `${envLines({ SAGA_STORY_ID: undefined })}env`], {
    env: { SAGA_STORY_ID: "old", PATH: process.env["PATH"] },
    encoding: "utf8",
  });
  expect(output).not.toContain("SAGA_STORY_ID");
});

it("is added behind what others wrote, and once for each change", () => {
  const folder = newFolder();
  const file = join(folder.path, "env");
  folder.write("env", "export OTHER=1\n");
  writeEnvFile(file, { A: "1" });
  writeEnvFile(file, { A: "1" });
  expect(folder.read("env")).toBe("export OTHER=1\nexport A='1'\n");
  writeEnvFile(file, { A: "2" });
  expect(folder.read("env")).toBe("export OTHER=1\nexport A='1'\nexport A='2'\n");
});
