import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { choose } from "./choose.ts";

const choices = [
  { value: "add-login", about: "ready: Log in" },
  { value: "add-logout", about: "review: Log out" },
  { value: "search", about: "blocked: Search" },
];

/** Types these keys, each when the picker has drawn itself. */
async function typed(...keys: string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = "";
  const left = [...keys];
  output.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    const key = left.shift();
    if (key !== undefined) setImmediate(() => input.write(key));
  });
  const chosen = await choose("Which story?", choices, { input, output });
  return { chosen, screen };
}

it.each([
  ["Enter", ["\r"], "add-login"],
  ["Down and Enter", ["\u001b[B", "\r"], "add-logout"],
  ["the beginning of a name and Enter", ["sea", "\r"], "search"],
  ["Ctrl-C", ["\u0003"], undefined],
])("%s chooses", async (_, keys, expected) => {
  const { chosen, screen } = await typed(...keys);
  expect(chosen).toBe(expected);
  expect(screen).toContain("Which story?");
  expect(screen).toContain("add-login  ready: Log in");
});
