// The command that runs a project's tests, found by the files that tools leave at its top. Pure.

/** The text of a file at the top of the project. */
export type ReadTopFile = (name: string) => string | undefined;

/** Undefined if nothing is known: Saga does not guess. */
export function detectCheck(read: ReadTopFile): string | undefined {
  for (const [file, commandOf] of DETECTORS) {
    const text = read(file);
    const command = text === undefined ? undefined : commandOf(text);
    if (command !== undefined) return command;
  }
  return undefined;
}

const DETECTORS: readonly (readonly [string, (text: string) => string | undefined])[] = [
  ["package.json", npmTest],
  ["Makefile", (text) => (/^test\s*:(?!=)/m.test(text) ? "make test" : undefined)],
  ["pyproject.toml", (text) => (text.includes("pytest") ? "python -m pytest" : undefined)],
  ["go.mod", () => "go test ./..."],
  ["Cargo.toml", () => "cargo test"],
];

/** `npm init` writes a test that always fails. */
const NO_TEST = "no test specified";

function npmTest(text: string): string | undefined {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: { test?: unknown } };
    const test = scripts?.test;
    return typeof test === "string" && test !== "" && !test.includes(NO_TEST)
      ? "npm test"
      : undefined;
  } catch {
    return undefined;
  }
}
