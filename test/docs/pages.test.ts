// What holds for every page, and the pages that need no agents of their own.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf } from "../support/docs/blocks.ts";
import { followPage } from "../support/docs/page.ts";
import { root } from "../support/programs.ts";

const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((name) =>
    name.endsWith(".md") ? join(folder, name) : [],
  );
const PAGES = ["README.md", ...markdownIn("docs"), ...markdownIn("docs/reference")];
const OTHERS = [
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "plugin/README.md",
  ...markdownIn("docs/decisions"),
];
/** They have a test with agents. */
const ELSEWHERE = new Set(["README.md", "docs/guide.md"]);
const isGenerated = (page: string): boolean => page.startsWith("docs/reference/");

const textOf = (page: string): string => readFileSync(join(root, page), "utf8");

it.each(PAGES.filter((page) => !ELSEWHERE.has(page) && !isGenerated(page)))(
  "%s does what it says",
  { timeout: 120_000 },
  async (page) => {
    const { blocks, run, notRun } = await followPage(page, {
      scenes: { "set-up": async ({ type }) => void (await type("saga init")) },
    });
    expect(run + notRun.length).toBeGreaterThanOrEqual(blocks > 0 ? 1 : 0);
  },
);

it("CONTRIBUTING.md names every npm script, and no other", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const named = [...textOf("CONTRIBUTING.md").matchAll(/npm (?:run )?(?<name>[\w:]+)/g)];
  expect(new Set(named.map(({ groups }) => groups?.["name"]))).toEqual(
    new Set(Object.keys(scripts).filter((name) => name !== "prepack")),
  );
});

it("has a page for each test that follows one", () => {
  expect([...ELSEWHERE].filter((page) => !PAGES.includes(page))).toEqual([]);
});

it.each(PAGES.filter(isGenerated))("%s shows nothing that could be taken for a command", (page) => {
  expect(blocksOf(textOf(page)).filter(({ language }) => language === "sh")).toEqual([]);
});

it("docs/safety.md names a test for every claim, and it is there", () => {
  const rows = textOf("docs/safety.md")
    .split("\n")
    .filter((line) => /^\| (?!-|claim|event)/.test(line));
  expect(rows.length).toBeGreaterThan(40);
  const unproven = rows.filter((row) => {
    const { fact = "", file = "" } =
      /"(?<fact>[^|]+)" in \[[\w.-]+\]\(\.\.\/(?<file>[^)]+)\) +\|$/.exec(row)?.groups ?? {};
    return fact === "" || !existsSync(join(root, file)) || !textOf(file).includes(`"${fact}"`);
  });
  expect(unproven).toEqual([]);
});

it.each(PAGES)("%s has no word in angle brackets that a browser would swallow", (page) => {
  const visible = textOf(page)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
    .replaceAll(/`[^`\n]*`|<!--.*?-->/g, "");
  const tags = [...visible.matchAll(/<\/?(?<tag>[a-zA-Z-]+)/g)].map(
    ({ groups }) => groups?.["tag"],
  );
  const meant = new Set(["picture", "source", "img", "table", "tr", "td", "br"]);
  expect(tags.filter((tag) => !meant.has(tag ?? ""))).toEqual([]);
});

describe("the links of", () => {
  it.each([...PAGES, ...OTHERS])("%s lead somewhere", (page) => {
    const links = [...textOf(page).matchAll(/(?:\]\(|src="|srcset=")(?<to>[^)"\s]+)/g)].map(
      ({ groups }) => groups?.["to"] ?? "",
    );
    const broken = links.filter((to) => !/^https?:/.test(to) && !leadsSomewhere(page, to));
    expect(broken).toEqual([]);
  });
});

function leadsSomewhere(page: string, to: string): boolean {
  const [path = "", anchor] = to.split("#");
  const file = path === "" ? page : relative(root, join(root, dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || headingsOf(file).includes(anchor);
}

/** As GitHub names them. */
const headingsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (?<heading>.+)$/gm)].map(({ groups }) =>
    (groups?.["heading"] ?? "")
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
