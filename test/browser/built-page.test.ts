// The built page: the size of its first load, and its content policy.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { root } from "../support/programs.ts";

const folder = join(root, "dist/dashboard");
const index = readFileSync(join(folder, "index.html"), "utf8");
const assets = readdirSync(join(folder, "assets"));
const compressedBytes = (path: string): number =>
  gzipSync(readFileSync(join(folder, path)), { level: 9 }).length;

describe("the built page", () => {
  it("has a first load of less than 150 kB of compressed JavaScript", () => {
    const scripts = [
      ...index.matchAll(/(?:src|modulepreload"[^>]*href)="(?<path>\/[^"]+\.js)"/g),
    ].map((match) => match.groups?.["path"] ?? "");
    expect(scripts.length).toBeGreaterThan(1);
    const bytes = scripts.reduce((sum, path) => sum + compressedBytes(path), 0);
    expect(bytes).toBeLessThan(150_000);
  });

  it("keeps the graph, markdown, diffs and long lists out of the first load", () => {
    for (const part of [
      "flow",
      "rendered-markdown",
      "diff-tab",
      "highlight",
      "log-tab",
      "story-page",
    ]) {
      expect(assets.some((name) => name.startsWith(`${part}-`) && name.endsWith(".js"))).toBe(true);
      expect(index).not.toContain(`/${part}-`);
    }
  });

  it("has no inline script, style or handler, and loads nothing from other servers", () => {
    expect(index).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|style=/);
    expect(index).not.toMatch(/(?:src|href)="(?!\/)/);
    const styles = assets.filter((name) => name.endsWith(".css"));
    for (const name of styles) {
      const text = readFileSync(join(folder, "assets", name), "utf8");
      expect(text, name).not.toMatch(/url\(["']?(?:https?:)?\/\//);
      expect(text, name).not.toMatch(/@import/);
    }
  });

  it("contains the licences of its packages", () => {
    const licences = readFileSync(join(root, "dist/THIRD-PARTY.txt"), "utf8");
    const names = [
      "react",
      "react-dom",
      "wouter",
      "@xyflow/react",
      "@dagrejs/dagre",
      "react-markdown",
      "react-diff-view",
      "refractor",
      "@tanstack/react-virtual",
      "@fontsource-variable/inter",
      "@fontsource-variable/jetbrains-mono",
      "@radix-ui/react-dropdown-menu",
    ];
    for (const name of names) expect(licences).toContain(`\n${name}\n\n`);
  });
});
