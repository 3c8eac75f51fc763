import { expect, it } from "vitest";
import { languageOf } from "./language.ts";

it("knows a language by the file's name", () => {
  expect(languageOf("src/a.test.ts")).toBe("typescript");
  expect(languageOf("A.PY")).toBe("python");
  expect(languageOf("web/Dockerfile")).toBe("bash");
  expect(languageOf("LICENSE")).toBeUndefined();
  expect(languageOf("data.bin")).toBeUndefined();
});
