import { expect, it } from "vitest";
import { SagaError } from "../../errors.ts";
import { fileIn, ifReadable, unreadable } from "./unreadable.ts";

const denied = Object.assign(new Error("no"), { code: "EACCES", path: "/a/b" });
const wrapped = new SagaError("bad-file", "Cannot read it.", { cause: denied });

it("a file that cannot be read is a problem with the reason, also when the error was wrapped", () => {
  const problem = {
    file: "x.json",
    severity: "error",
    message: "This cannot be read: permission denied.",
  };
  expect(unreadable("x.json", denied)).toMatchObject(problem);
  expect(unreadable("x.json", wrapped)).toMatchObject(problem);
});

it("the path is taken from the error of the system, if it has one", () => {
  expect([fileIn(denied), fileIn(wrapped), fileIn(new Error("x")), fileIn(undefined)]).toEqual([
    "/a/b",
    "/a/b",
    undefined,
    undefined,
  ]);
});

it("what cannot be read may be nothing", () => {
  expect(ifReadable(() => "text")).toBe("text");
  expect(
    ifReadable(() => {
      throw wrapped;
    }),
  ).toBeUndefined();
});
