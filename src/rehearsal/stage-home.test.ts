import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { rehearsalEnv } from "./stage-home.ts";

it("a rehearsal finds no login of the person, and writes only below its folder", () => {
  const { path: folder } = newFolder();
  const own = { HOME: "/home/ann", ANTHROPIC_API_KEY: "secret", CLAUDE_CODE_OAUTH_TOKEN: "secret" };
  const env = rehearsalEnv(own, { folder, modelUrl: "http://127.0.0.1:1" });
  expect(JSON.stringify(env)).not.toContain("secret");
  expect(env["CLAUDE_CONFIG_DIR"]).toBe(`${folder}/claude`);
  expect(env["XDG_STATE_HOME"]).toBe(`${folder}/state`);
  expect(env["ANTHROPIC_BASE_URL"]).toBe("http://127.0.0.1:1");
  expect(existsSync(`${folder}/claude`)).toBe(true);
});
