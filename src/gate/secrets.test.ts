import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { findSecrets } from "./secrets.ts";

const LETTERS = "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUxQ3bR7tYh2MzG8sDv9EjK1oAqLiCeBn";
/** Put together here, so that a search for secrets does not find them in this file. */
const some = (length: number): string => LETTERS.repeat(8).slice(0, length);
const plain = (length: number): string => some(600).replaceAll(/\d/g, "").slice(0, length);
const hex = (length: number): string => "0123456789abcdef".repeat(8).slice(0, length);

const GITHUB = `ghp_${some(36)}`;
const AWS_ID = ["AKIA", "IOSFODNN7QWERTYU"].join("");
const AWS_EXAMPLE = "AKIAIOSFODNN7EXAMPLE";

function privateKey(): string {
  const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

const search = (text: string, { path = "src/a.ts", allow = [] as string[] } = {}) =>
  findSecrets([{ path, text }], allow);

/** A name of a rule, a file, and the secret in it. */
const samples: readonly (readonly [rule: string, path: string, text: string])[] = [
  ["aws", "a.env", `AWS_SECRET_ACCESS_KEY=${some(40)}`],
  ["aws", "a.env", AWS_ID],
  ["gcp", "key.json", JSON.stringify({ private_key_id: "1", private_key: privateKey() })],
  ["privatekey", "id_rsa", privateKey()],
  ["npm", ".npmrc", `//registry.example/:_authToken=${some(30)}`],
  ["npm", "a.txt", `npm_${some(36)}`],
  ["npm", "package.json", `https://${some(20)}:x-oauth-basic@github.com/a/b`],
  ["basicauth", "a.md", `https://joe:${some(12)}@example.com/x`],
  ["slack", "a.ts", `xoxb-${"1".repeat(12)}-${some(24)}`],
  ["slack", "a.ts", `https://hooks.slack.com/services/T${some(8)}/B${some(8)}/${some(24)}`],
  ["sendgrid", "a.ts", `SG.${some(22)}.${some(43)}`],
  ["shopify", "a.ts", `shpat_${hex(32)}`],
  ["stripe", "a.ts", `sk_live_${some(24)}`],
  ["github", "a.ts", GITHUB],
  ["github", "a.ts", `github_pat_${some(82)}`],
  ["gitlab", "a.ts", `glpat-${some(20)}`],
  ["grafana", "a.ts", `glsa_${some(32)}_${hex(8)}`],
  ["openai", "a.ts", `sk-proj-${some(74)}T3BlbkFJ${some(74)}`],
  ["anthropic", "a.ts", `sk-ant-api03-${some(93)}AA`],
  ["groq", "a.ts", `gsk_${some(52)}`],
  ["huggingface", "a.ts", `hf_${plain(34)}`],
  ["linear", "a.ts", `lin_api_${some(40)}`],
  ["notion", "a.ts", `ntn_${"1".repeat(11)}${some(35)}`],
  ["database-connection-string", "a.ts", `postgres://joe:${some(12)}@db.internal/x`],
  ["database-connection-string", "a.ts", `mongodb+srv://joe:${some(12)}@db.internal/x`],
  ["hashicorp-vault", "a.ts", `hvs.${some(95)}`],
  ["vercel", "a.ts", `vcp_${some(24)}`],
  ["databricks", "a.ts", `dapi${hex(32)}`],
  ["docker", "a.ts", `dckr_pat_${some(27)}`],
  ["figma", "a.ts", `figd_${some(40)}`],
  ["cloudflare", "a.ts", `cfut_${some(40)}${hex(8)}`],
  ["tailscale", "a.ts", `tskey-auth-${some(12)}-${some(32)}`],
];
/** Needs a signed token to be believed, and a comment is not a secret. */
const NOT_TRIED = ["1password", "filter-comments"];

describe("a search for secrets", () => {
  it.each(samples)("finds one of %s in %s, and does not repeat it", async (_, path, text) => {
    const findings = await search(`${text}\n`, { path });
    expect(findings[0]).toMatchObject({ rule: "secret", file: path });
    // Any six characters in a row of it, where they are not the name of its kind.
    const parts = Array.from({ length: text.length }, (_, i) => text.slice(i, i + 6));
    const telling = parts.filter((part) => /\d/.test(part) && part.length === 6);
    for (const { message } of findings) {
      expect(message).toMatch(/^This looks like a secret: \w[^:]+\.$/);
      expect(telling.filter((part) => message.includes(part))).toEqual([]);
    }
  });

  it("covers every rule, so that a new one fails this test", () => {
    const names = rules.map(({ meta }) => meta.id.replace("@secretlint/secretlint-rule-", ""));
    expect(new Set([...samples.map(([rule]) => rule), ...NOT_TRIED])).toEqual(new Set(names));
  });

  it("reports kind and line in order, each once per line", async () => {
    const text = `\n\nkey = "${GITHUB}", "${GITHUB}"\n\nid: ${AWS_ID}\n${GITHUB}`;
    expect(await search(text)).toEqual([
      {
        rule: "secret",
        file: "src/a.ts",
        line: 3,
        key: "added GitHub Token (GitHub personal access tokens)",
        message: "This looks like a secret: GitHub Token (GitHub personal access tokens).",
      },
      {
        rule: "secret",
        file: "src/a.ts",
        line: 5,
        key: "added AWS Access Key ID",
        message: "This looks like a secret: AWS Access Key ID.",
      },
      expect.objectContaining({ line: 6 }),
    ]);
  });

  it.each([
    ["ordinary code", "export const token = await readToken(env.GITHUB_TOKEN);\n"],
    ["the examples of the manuals", `key = ${AWS_EXAMPLE}`],
    ["an account, which is not a secret", "aws_account_id = 1234-5678-9012"],
    ["a place for a token", "//registry.example/:_authToken=${NPM_TOKEN}"],
    ["a place for a password", "https://user:${PASSWORD}@example.com/"],
    ["nothing", ""],
  ])("ignores %s", async (_, text) => {
    expect(await search(text, { path: ".npmrc" })).toEqual([]);
  });

  it("cannot be switched off by a comment in the searched text", async () => {
    const text = `// secretlint-disable\nconst a = "${GITHUB}"; // secretlint-disable-line\n`;
    expect(await search(text)).toMatchObject([{ line: 2 }]);
  });

  it("ignores allowed texts and files", async () => {
    expect(await search(GITHUB, { allow: [GITHUB] })).toEqual([]);
    expect(await search(GITHUB, { allow: ["src/**"] })).toEqual([]);
    expect(await search(GITHUB, { allow: ["test/**", "ghp_"] })).toHaveLength(1);
    expect(await search(`${GITHUB}\n${AWS_ID}`, { allow: [GITHUB] })).toMatchObject([{ line: 2 }]);
  });

  it("reads no file from the disk", async () => {
    const folder = newFolder();
    const path = join(folder.path, "key.p12");
    writeFileSync(path, "not a key");
    expect(await search("text", { path })).toEqual([]);
  });

  it("is fast for many files and for large ones", async () => {
    const small = Array.from({ length: 10_000 }, (_, i) => ({
      path: `src/${i}.ts`,
      text: `export const a${i} = ${i};\n`,
    }));
    const line = `${some(60)} = "${some(60)}"\n`;
    const large = { path: "large.json", text: line.repeat(80_000) };
    const last = { path: "last.ts", text: GITHUB };
    const before = process.cpuUsage();
    expect(await findSecrets([...small, large, last], [])).toMatchObject([{ file: "last.ts" }]);
    // Of the processor's time: a busy machine says nothing about us.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });
});
