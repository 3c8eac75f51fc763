import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { addressText, newKey, openText, portsFor, readAddress, writeAddress } from "./address.ts";

describe("the address of a dashboard", () => {
  it("is read back for its own project, from a file that only the user can read", () => {
    const env = { XDG_STATE_HOME: newFolder().path };
    const folder = join(env.XDG_STATE_HOME, "saga/dashboard");
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    const address = { project: "/a", port: 21_000, key: newKey() };
    writeAddress(env, address);
    expect(readAddress(env, "/a")).toEqual(address);
    expect(readAddress(env, "/b")).toBeUndefined();
    const [name = ""] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder, name), JSON.stringify({ ...address, key: "short" }));
    expect(readAddress(env, "/a")).toBeUndefined();
  });

  it("has the key, or a ticket in its place", () => {
    const address = { project: "/a", port: 21_000, key: newKey() };
    expect(addressText(address)).toBe(`http://127.0.0.1:21000/?key=${address.key}`);
    expect(openText(address, 0)).toMatch(/^http:\/\/127\.0\.0\.1:21000\/\?ticket=/);
    expect(openText(address, 0)).not.toContain(address.key);
  });
});

it("the ports to try are the known one, then the project's own", () => {
  const own = portsFor("/a", undefined);
  expect(portsFor("/a", 5)).toEqual([5, ...own]);
  expect(new Set(own).size).toBe(20);
  expect(own.every((port) => port >= 21_000 && port < 30_000)).toBe(true);
  expect(portsFor("/b", undefined)).not.toEqual(own);
});
