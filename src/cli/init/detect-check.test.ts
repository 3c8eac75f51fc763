import { expect, it } from "vitest";
import { detectCheck } from "./detect-check.ts";

const npmInit = 'echo "Error: no test specified" && exit 1';

it.each([
  ["package.json", JSON.stringify({ scripts: { test: "vitest" } }), "npm test"],
  ["package.json", JSON.stringify({ scripts: { test: npmInit } }), undefined],
  ["package.json", "{", undefined],
  ["Makefile", "build:\n\tcc\ntest: build\n\t./run\n", "make test"],
  ["Makefile", "test := yes\nlatest: x\n", undefined],
  ["pyproject.toml", "[tool.pytest.ini_options]\n", "python -m pytest"],
  ["pyproject.toml", "[project]\n", undefined],
  ["go.mod", "module example.org/shop\n", "go test ./..."],
  ["Cargo.toml", "[package]\n", "cargo test"],
  ["README.md", "# Shop\n", undefined],
])("%s: %j runs %s", (file, text, expected) => {
  expect(detectCheck((name) => (name === file ? text : undefined))).toBe(expected);
});
