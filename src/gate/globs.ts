// Which files a list of globs means, and whether two lists can mean the same file.
//
// The language is what people write without a manual: `*` and `?` within a name, `**` across folders,
// `{a,b}`, `[abc]`, and `!` in front for an exception. All else stands for itself, because names like
// `app/(auth)/[id]/page.tsx` are real. A name without wildcards means the file, or all of the folder.

import picomatch from "picomatch";

/** Answers with the glob that matches the path, from the top of the repository. */
export type Matcher = (path: string) => string | undefined;

export interface MatchOptions {
  /** Where one more file is safer than one fewer: some disks hold `.GitHub` for `.github`. */
  readonly ignoresCase?: boolean | undefined;
}

export function newMatcher(
  globs: readonly string[],
  { ignoresCase = false }: MatchOptions = {},
): Matcher {
  // With `s`, because a name may hold a line break, and must not escape by it.
  const options = { dot: true, noextglob: true, windows: false, flags: ignoresCase ? "is" : "s" };
  const testers = globs.map((glob) => ({
    glob,
    isException: glob.startsWith("!"),
    isMatch: picomatch(readingsOf(bodyOf(glob)), options),
  }));
  const wanted = testers.filter(({ isException }) => !isException);
  const exceptions = testers.filter(({ isException }) => isException);
  return (path) => {
    const found = wanted.find(({ isMatch }) => isMatch(path));
    return exceptions.some(({ isMatch }) => isMatch(path)) ? undefined : found?.glob;
  };
}

interface Writer {
  readonly writeFiles?: readonly string[] | undefined;
  readonly splitFrom?: string | undefined;
}

/**
 * What a story may write: what it and its tasks declare. Nothing when that is not known, which is when
 * the story declares nothing and not every task does. What a planning run estimated when a task was
 * split does not bind a story that declared nothing.
 */
export function declaredWrites(
  story: Writer,
  tasks: readonly Writer[],
): readonly string[] | undefined {
  const people = tasks.filter(({ splitFrom }) => splitFrom === undefined);
  const isDeclared =
    story.writeFiles !== undefined ||
    (people.length > 0 && people.every(({ writeFiles }) => writeFiles !== undefined));
  if (!isDeclared) return undefined;
  return [...new Set([story, ...tasks].flatMap(({ writeFiles }) => writeFiles ?? []))];
}

/**
 * Lists of which one must allow a file besides: what the story declared when it began, in whichever
 * version, and what it declares itself now. Tasks that came later may say how they keep to that, not
 * more. Nothing when it began without saying.
 */
export function boundsOfWrites(
  story: Writer,
  began: readonly { readonly story: Writer; readonly tasks: readonly Writer[] }[],
): readonly (readonly string[])[] | undefined {
  if (began.length === 0) return undefined;
  const declared = began.map((version) => declaredWrites(version.story, version.tasks));
  const bounds = declared.filter((globs) => globs !== undefined);
  return bounds.length < declared.length ? undefined : [...bounds, story.writeFiles ?? []];
}

/**
 * Whether some path may be matched by both lists; no only when that is certain. Who declares nothing
 * overlaps with everyone.
 */
export function mayOverlap(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  if (one === undefined || other === undefined) return true;
  const others = other.flatMap(shapesOf);
  return one
    .flatMap(shapesOf)
    .some((shape) => others.some((another) => canMeet(shape, another, ANY_FOLDERS, segmentsMeet)));
}

/** Without what makes it an exception, and without what says nothing. */
function bodyOf(glob: string): string {
  const plain = glob.replace(/^!/, "").replaceAll(/\/{2,}|\/(?:\.\/)+/g, "/");
  // The library forgets to escape a dot before three stars.
  const body = plain.replace(/^(?:\.\/)+/, "").replaceAll(/\*{3,}/g, "**");
  if (body === "" || body === ".") return "**";
  return body.endsWith("/") ? `${body}**` : body;
}

const isLiteral = (body: string): boolean => !/[*?{]/.test(body);

/** Characters that the library reads as more than themselves, and we do not. */
const PLAIN = /\\.|[()|!@+"'`$^]/gs;
const PLAIN_WITH_BRACKETS = /\\.|[()|!@+"'`$^[\]]/gs;

/** As the library is to read it. Brackets are a choice of characters, or part of a name: both count. */
function readingsOf(body: string): string[] {
  const spellings = isLiteral(body) ? [body, `${body}/**`] : [body];
  return spellings.flatMap((text) => [
    ...(text.includes("[") ? [text.replaceAll(PLAIN, escaped)] : []),
    text.replaceAll(PLAIN_WITH_BRACKETS, escaped),
  ]);
}

const escaped = (found: string): string => (found.startsWith("\\") ? found : `\\${found}`);

const ANY_FOLDERS = "**";
const ANY_TEXT = "*";

/** Its segments, with everything that is not plain made wider: never narrower than what it matches. */
function shapesOf(glob: string): readonly (readonly string[])[] {
  // An exception only takes away.
  if (glob.startsWith("!")) return [];
  const body = bodyOf(glob);
  const alternatives = expandBraces(body) ?? [ANY_FOLDERS];
  return alternatives.map((text) => {
    const segments = (isLiteral(body) ? `${body}/**` : text).split("/");
    // A set like `[^a]` may hold the slash, so that nothing behind it is certain.
    const odd = segments.findIndex((segment) => /[[\]{}\\]/.test(segment));
    const known = odd === -1 ? segments : [...segments.slice(0, odd), ANY_FOLDERS];
    return known
      .filter((segment) => segment !== "" && segment !== ".")
      .map((segment) => (segment.includes(ANY_FOLDERS) ? ANY_FOLDERS : widened(segment)));
  });
}

/** `?` may be half of a letter, and some disks do not tell `É` from `é`, or from `e` with an accent. */
const widened = (segment: string): string =>
  segment.replaceAll("?", ANY_TEXT).normalize("NFC").toLowerCase();

/** Past this many, it is simply taken to match anything. */
const MAX_ALTERNATIVES = 256;

function expandBraces(text: string): readonly string[] | undefined {
  let texts: readonly string[] = [text];
  for (;;) {
    const next = texts.flatMap(expandOnce);
    if (next.length > MAX_ALTERNATIVES) return undefined;
    if (next.length === texts.length) return next;
    texts = next;
  }
}

/** The first innermost pair with a choice in it. */
function expandOnce(text: string): readonly string[] {
  // Next to these a brace may mean something else. It stays, and is made wider afterwards.
  const inner = /[\\[\]]|\.\./.test(text) ? null : /\{(?<choice>[^{}]*,[^{}]*)\}/.exec(text);
  if (inner === null) return [text];
  const [before, after] = [text.slice(0, inner.index), text.slice(inner.index + inner[0].length)];
  const choices = inner.groups?.["choice"]?.split(",") ?? [];
  return choices.map((choice) => `${before}${choice}${after}`);
}

const segmentsMeet = (one: string, other: string): boolean =>
  one === other || canMeet(one.split(""), other.split(""), ANY_TEXT, (a, b) => a === b);

/** Whether two lists with a wildcard for any run of items can be the same list. */
function canMeet(
  one: readonly string[],
  other: readonly string[],
  wildcard: string,
  itemsMeet: (one: string, other: string) => boolean,
): boolean {
  // From the end: whether the rest of one can meet the rest of the other.
  let below: boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = other.length; j >= 0; j--) {
      const [item, another] = [one[i], other[j]];
      const skipsOne = (below[j] ?? false) && (item === wildcard || another === wildcard);
      const skipsOther = (row[j + 1] ?? false) && (item === wildcard || another === wildcard);
      const takesBoth =
        item !== undefined &&
        another !== undefined &&
        (below[j + 1] ?? false) &&
        itemsMeet(item, another);
      row[j] = (item === undefined && another === undefined) || skipsOne || skipsOther || takesBoth;
    }
    below = row;
  }
  return below[0] ?? false;
}
