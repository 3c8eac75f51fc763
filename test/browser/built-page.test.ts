// The page as it is shipped: how much has to be loaded first, and that it keeps to the strictest policy.

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
  it("loads less than 150 kB of compressed JavaScript first", () => {
    const scripts = [
      ...index.matchAll(/(?:src|modulepreload"[^>]*href)="(?<path>\/[^"]+\.js)"/g),
    ].map((match) => match.groups?.["path"] ?? "");
    expect(scripts.length).toBeGreaterThan(1);
    const bytes = scripts.reduce((sum, path) => sum + compressedBytes(path), 0);
    expect(bytes).toBeLessThan(150_000);
  });

  it("keeps the graph, markdown, diffs and long lists out of the first load", () => {
    for (const part of ["flow", "rendered-markdown", "diff-tab", "log-tab", "story-page"]) {
      expect(assets.some((name) => name.startsWith(`${part}-`) && name.endsWith(".js"))).toBe(true);
      expect(index).not.toContain(`/${part}-`);
    }
  });

  it("has no inline script, style or handler, and asks nobody else for anything", () => {
    expect(index).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|style=/);
    expect(index).not.toMatch(/(?:src|href)="(?!\/)/);
    const styles = assets.filter((name) => name.endsWith(".css"));
    for (const name of styles) {
      const text = readFileSync(join(folder, "assets", name), "utf8");
      expect(text, name).not.toMatch(/url\(["']?(?:https?:)?\/\//);
      expect(text, name).not.toMatch(/@import/);
    }
  });

  it("passes on the licences of what it contains", () => {
    const licences = readFileSync(join(root, "dist/THIRD-PARTY.txt"), "utf8");
    const names = [
      "react",
      "react-dom",
      "wouter",
      "@xyflow/react",
      "@dagrejs/dagre",
      "react-markdown",
      "react-diff-view",
      "@tanstack/react-virtual",
      "@fontsource-variable/inter",
      "@fontsource-variable/jetbrains-mono",
      "@radix-ui/react-dropdown-menu",
    ];
    for (const name of names) expect(licences).toContain(`\n${name}\n\n`);
  });
});
