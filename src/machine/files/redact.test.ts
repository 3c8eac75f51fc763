import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newRedactor, redactorFor, secretsIn, valuesIn } from "./redact.ts";

describe("a redacted text", () => {
  const redact = newRedactor(["hunter2-hunter2", "short"]);

  it.each([
    ["a known secret", "it is hunter2-hunter2!", "it is …!"],
    ["a token of GitHub", `token ghp_${"a1".repeat(18)} used`, "token … used"],
    ["a key of the model's service", "sk-ant-api03-abcdefghijklmnop is it", "… is it"],
    ["a key of a cloud", "AKIAIOSFODNN7EXAMPLE", "…"],
    ["a password in an address", "https://me:secret@example.com/x", "https://…@example.com/x"],
    ["a bearer token", "Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer …"],
    [
      "a value after a name like token",
      "DB_PASSWORD=correcthorse npm test",
      "DB_PASSWORD=… npm test",
    ],
    ["the same as JSON", '{"apiKey": "correcthorse"}', '{"apiKey": "…"}'],
    ["the same as YAML", "password: correcthorse # Ada\nuser: me", "password: … # Ada\nuser: me"],
    ["the same in a header", "X-Api-Key:correcthorse", "X-Api-Key:…"],
    ["the same in a line of a log", "12:00 INFO token: correcthorse", "12:00 INFO token: …"],
    ["the same in a sentence", "Its token: a1b2c3d4e is old.", "Its token: … is old."],
    [
      "a private key",
      "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest",
      "…\nrest",
    ],
  ])("has a mark in place of %s", (_, text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it("has no part of a secret in which it was cut", () => {
    expect(redact("echo is it hunter2-hun…")).toBe("echo is it …");
    expect(redact("echo is it hunter2…")).toBe("echo is it hunter2…");
    expect(redact("echo is it hunter2-hun")).toBe("echo is it hunter2-hun");
  });

  it.each([
    "short",
    "git commit --message 'Add the token list'",
    "const key = 5",
    "the primary key: id",
    "The key: everything is cached by the user's id",
    "Of the password: required, and never shown",
    "This looks like a secret: Anthropic Claude API key.",
    "PASSWORD=$(cat file)",
    "src/tokens/secret-santa.ts",
  ])("is unchanged without a secret: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

it("finds the secrets of an environment by their names", () => {
  expect(
    secretsIn({ API_KEY: "one", PATH: "/bin", GH_TOKEN: "two", EMPTY_SECRET: undefined }),
  ).toEqual(["one", "two"]);
  expect(
    secretsIn({ DB_PASS: "one", SSH_PASSPHRASE: "two", AZURE_PAT: "three", PASSENGERS: "four" }),
  ).toEqual(["one", "two", "three"]);
});

it("keeps words that are common values of settings", () => {
  const redact = newRedactor(["development", "localhost", "hunter2-hunter2"]);
  const text = "The development server listens on localhost.";
  expect(redact(`${text} hunter2-hunter2`)).toBe(`${text} …`);
});

it("reads the values of a file like .env", () => {
  const text = 'A=plain\n# B=comment\nexport C="quoted value"\n D = spaced \n\nnot a line\n';
  expect(valuesIn(text)).toEqual(["plain", "quoted value", "spaced"]);
});

it("redacts the secrets of the environment and of existing files", () => {
  const folder = newFolder();
  folder.write(".env", "DATABASE=postgres-of-mine\n");
  const redact = redactorFor({ API_KEY: "key-of-mine" }, folder.path, [".env", "gone", "."]);
  expect(redact("postgres-of-mine and key-of-mine")).toBe("… and …");
});
