import { describe, expect, it } from "vitest";
import { boundsOfWrites, declaredWrites, mayOverlap, newMatcher } from "./globs.ts";

const matches = (glob: string, path: string): boolean => newMatcher([glob])(path) !== undefined;

describe("a glob", () => {
  it.each([
    ["src/*.ts", "src/a.ts"],
    ["src/**", "src/a/b/c.ts"],
    ["src/**", "src"],
    ["src/**/*.ts", "src/a.ts"],
    ["**/*.lock", "deep/down/yarn.lock"],
    ["src/{a,b}/*.ts", "src/b/x.ts"],
    ["src/?.ts", "src/a.ts"],
    ["src/*.[ch]", "src/main.c"],
    ["*", ".env"],
    ["**", ".github/workflows/ci.yml"],
    [".claude/settings*.json", ".claude/settings.local.json"],
  ])("%s matches %s", (glob, path) => {
    expect(matches(glob, path)).toBe(true);
  });

  it.each([
    ["src/*.ts", "src/a/b.ts"],
    ["src/*", "src/a/b"],
    ["src/a.ts", "src/a.tsx"],
    ["src/a.ts", "lib/src/a.ts"],
    ["src", "srcs/a.ts"],
    ["src/*.ts", "src/a_ts"],
    ["src/A.ts", "src/a.ts"],
    ["a+b", "aab"],
    ["(a|b)", "a"],
  ])("%s does not match %s", (glob, path) => {
    expect(matches(glob, path)).toBe(false);
  });

  it("without wildcards means the file, or everything in the folder", () => {
    for (const glob of ["src/auth", "src/auth/", "./src/auth", "src//auth", "src/./auth"]) {
      expect(matches(glob, "src/auth"), glob).toBe(true);
      expect(matches(glob, "src/auth/deep/form.ts"), glob).toBe(true);
      expect(matches(glob, "src/auth.ts"), glob).toBe(false);
    }
    expect(matches(".", "any/file")).toBe(true);
  });

  it.each([
    ["app/(auth)/[id]/page.tsx", "app/(auth)/[id]/page.tsx"],
    ["app/(auth)/**", "app/(auth)/a/b.tsx"],
    ["app/[id]/**", "app/[id]/page.tsx"],
    ["app/[...all]/*", "app/[...all]/page.tsx"],
    ["app/@modal/*", "app/@modal/page.tsx"],
    ["routes/$id.*", "routes/$id.tsx"],
    ['it\'s "here"/*', 'it\'s "here"/a'],
    ["-rf/*", "-rf/a"],
    ["a\\*b", "a*b"],
    ["üñí/*", "üñí/ö"],
  ])("%s treats special characters in a name literally", (glob, path) => {
    expect(matches(glob, path)).toBe(true);
  });

  it("is not escaped by a line break in a name", () => {
    for (const glob of ["**", "a/**", "a/*", "**/*", "a/**/*.yml", "a", "{a,b}/**"]) {
      expect(matches(glob, "a/x\ny.yml"), glob).toBe(true);
    }
  });

  it("is case-sensitive unless asked otherwise", () => {
    expect(newMatcher([".github/**"], { ignoresCase: true })(".GitHub/X\n.yml")).toBe(".github/**");
    expect(newMatcher([".github/**"])(".GitHub/x.yml")).toBeUndefined();
  });
});

describe("a list of globs", () => {
  it("returns the glob that matched", () => {
    const match = newMatcher(["docs/**", "src/**"]);
    expect(match("src/a.ts")).toBe("src/**");
    expect(match("test/a.ts")).toBeUndefined();
    expect(newMatcher([])("a")).toBeUndefined();
  });

  it("may have exceptions at any position", () => {
    for (const globs of [
      ["src/**", "!src/gen/**"],
      ["!src/gen", "src/**"],
    ]) {
      const match = newMatcher(globs);
      expect(match("src/a.ts")).toBe("src/**");
      expect(match("src/gen/a.ts")).toBeUndefined();
      expect(match("other")).toBeUndefined();
    }
  });
});

describe("the files that a story may change", () => {
  it("are those that it and its tasks declare", () => {
    const tasks = [{ writeFiles: ["b", "a"] }, {}];
    expect(declaredWrites({ writeFiles: ["a"] }, tasks)).toEqual(["a", "b"]);
    expect(declaredWrites({ writeFiles: [] }, [])).toEqual([]);
    expect(declaredWrites({}, [{ writeFiles: ["a"] }, { writeFiles: [] }])).toEqual(["a"]);
  });

  it("are unlimited when a task declares none", () => {
    expect(declaredWrites({}, [{ writeFiles: ["a"] }, {}])).toBeUndefined();
    expect(declaredWrites({}, [])).toBeUndefined();
  });
});

describe("the bounds of a story's allowed files", () => {
  const declared = { story: {}, tasks: [{ writeFiles: ["a"] }] };
  const silent = { story: {}, tasks: [{}] };

  it("are each initial version, plus the current one", () => {
    expect(boundsOfWrites({ writeFiles: ["b"] }, [declared])).toEqual([["a"], ["b"]]);
    expect(boundsOfWrites({}, [declared, declared])).toEqual([["a"], ["a"], []]);
  });

  it("do not exist if the initial version had none or is unknown", () => {
    expect(boundsOfWrites({ writeFiles: ["b"] }, [declared, silent])).toBeUndefined();
    expect(boundsOfWrites({}, [])).toBeUndefined();
  });
});

describe("two lists of globs", () => {
  it.each([
    ["src/**", "src/a/b.ts"],
    ["src/*.ts", "src/a*"],
    ["**/*.ts", "src/**"],
    ["src", "src/a.ts"],
    ["src/{a,b}/**", "src/b/x"],
    ["a/**/z", "a/z"],
    ["a/[^x]c", "a/b/c"],
    ["SRC/a.ts", "src/A.ts"],
    ["\u00e9.txt", "e\u0301.txt"],
    ["İ", "?"],
    ["a\\*b", "a*b"],
    ["{1..3}.txt", "2.txt"],
    [`{a,b}${"{0,1}".repeat(12)}`, "zzz"],
  ])("with %s and %s may overlap", (one, other) => {
    expect(mayOverlap([one], [other])).toBe(true);
    expect(mayOverlap(["elsewhere/x", other], [one])).toBe(true);
  });

  it.each([
    ["src/**", "test/**"],
    ["src/*.ts", "src/*.tsx"],
    ["src/a.ts", "src/b.ts"],
    ["src/auth", "src/authority"],
    ["src/*/a", "src/b/c"],
    ["src/{a,b}/**", "src/c/**"],
    ["src/{a/x,b}/y", "src/a/y"],
    ["app/(auth)/**", "app/(shop)/**"],
    ["packages/*/src/**", "packages/*/test/**"],
    ["**/*.ts", "**/*.md"],
  ])("with %s and %s do not overlap", (one, other) => {
    expect(mayOverlap([one], [other])).toBe(false);
    expect(mayOverlap([other], [one, "*.none"])).toBe(false);
  });

  it("overlap if one is undeclared, and do not if one is empty", () => {
    expect(mayOverlap(undefined, ["a"])).toBe(true);
    expect(mayOverlap([], undefined)).toBe(true);
    expect(mayOverlap([], ["**"])).toBe(false);
    expect(mayOverlap(["!a"], ["**"])).toBe(false);
  });

  it("are never called disjoint if a path matches both", () => {
    const random = newRandom(7);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const names = ["a", "b", "ab", ".a", "a.b", "A", "é", "(a)", "[a]", "a\nb", "a+", "{a}", "a,b"];
    const parts = [...names, ..."* ** ? a* *b *.* a** {a,b} {a/b,b} {,a} [ab] [^a] !a".split(" ")];
    const odd = ["a|b", "+(a)", "{a,{b,ab}}", "{1..3}", "{a,[b]}", "\\*", "a\\,b", ".", "", "***"];
    const generate = (items: readonly string[], longest: number): string =>
      Array.from({ length: 1 + Math.floor(random() * longest) }, () => pick(items)).join("/");
    const paths = Array.from({ length: 400 }, () => generate(names, 3));
    const globs = Array.from({ length: 300 }, () => generate([...parts, ...odd], 3)).filter(
      (glob) => glob.trim() !== "",
    );
    const reached = globs.map((glob) => {
      const match = newMatcher([glob]);
      return new Set(paths.filter((path) => match(path) !== undefined));
    });
    const wrong: string[] = [];
    let apart = 0;
    for (const [i, one] of globs.entries()) {
      for (const [j, other] of globs.entries()) {
        if (j < i || mayOverlap([one], [other])) continue;
        apart++;
        const both = [...(reached[i] ?? [])].find((path) => reached[j]?.has(path));
        if (both !== undefined) wrong.push(`${one} and ${other}: ${JSON.stringify(both)}`);
      }
    }
    expect(wrong).toEqual([]);
    // Else it would prove nothing.
    expect(apart).toBeGreaterThan(5000);
    expect(reached.filter(({ size }) => size > 0).length).toBeGreaterThan(100);
  });
});

/** The same numbers every time, so that a failure can be looked at. */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
