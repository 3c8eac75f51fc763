import { expect, it } from "vitest";
import { plainEnvironment } from "./environment.ts";

const env = { PATH: "/bin", GITHUB_TOKEN: "secret", FOO: "1", EMPTY: "", GONE: undefined };

it("a program gets no variable that is not named", () => {
  expect(plainEnvironment(env)).toEqual({ PATH: "/bin" });
});

it("further variables are passed if they are set, also when they are empty", () => {
  expect(plainEnvironment(env, ["FOO", "EMPTY", "GONE", "MISSING"])).toEqual({
    PATH: "/bin",
    FOO: "1",
    EMPTY: "",
  });
});
