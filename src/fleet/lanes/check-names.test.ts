import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { openCheckNames } from "./check-names.ts";
import { keyOfCheck } from "./lane-rows.ts";

it("names the checks that any process of this machine has learned, and leaves others as they are", () => {
  const at = layoutOf(newFolder().path);
  const [one, other] = [openCheckNames(at), openCheckNames(at)];
  expect(other.nameOf(keyOfCheck("npm test"))).toBe(keyOfCheck("npm test"));
  one.learn(["npm test", "npm run lint"]);
  expect(other.nameOf(keyOfCheck("npm test"))).toBe("npm test");
  other.learn(["make"]);
  expect(openCheckNames(at).nameOf(keyOfCheck("npm run lint"))).toBe("npm run lint");
  expect(one.nameOf("check-0000000000000000")).toBe("check-0000000000000000");
});

it("remembers a limited number, the newest", () => {
  const at = layoutOf(newFolder().path);
  const names = openCheckNames(at);
  names.learn(["first", ...Array.from({ length: 200 }, (_, at) => `check ${at}`)]);
  const again = openCheckNames(at);
  expect(again.nameOf(keyOfCheck("first"))).toBe(keyOfCheck("first"));
  expect(again.nameOf(keyOfCheck("check 199"))).toBe("check 199");
});
