// Matches files against a list of globs, and decides whether two lists can match the same file.
//
// The syntax is what people write without a manual: `*` and `?` within a name, `**` across folders, `{a,b}`, `[abc]`, and
// a leading `!` for an exception. Everything else is literal, because names like `app/(auth)/[id]/page.tsx` are real. A
// name without wildcards means the file, or the whole folder.

import picomatch from "picomatch";

/** Returns the glob that matches a path relative to the top of the repository. */
export type Matcher = (path: string) => string | undefined;

export interface MatchOptions {
  /** For rules where a false match is safer than a missed one: some file systems ignore case. */
  readonly ignoresCase?: boolean | undefined;
}

export function newMatcher(
  globs: readonly string[],
  { ignoresCase = false }: MatchOptions = {},
): Matcher {
  // The flag `s` makes wildcards match line breaks, which a name may contain.
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
 * The files that a story may change: what it and its tasks declare. Undefined if the story declares nothing and not every
 * task does. Tasks from a split do not count for that: their files are an estimate of a planning run.
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
 * Lists of which at least one must also allow a file: what each initial version of the story declared, and what the story
 * itself declares now. Tasks that were added later cannot widen that. Undefined if an initial version declared nothing.
 */
export function boundsOfWrites(
  story: Writer,
  initial: readonly { readonly story: Writer; readonly tasks: readonly Writer[] }[],
): readonly (readonly string[])[] | undefined {
  if (initial.length === 0) return undefined;
  const declared = initial.map((version) => declaredWrites(version.story, version.tasks));
  const bounds = declared.filter((globs) => globs !== undefined);
  return bounds.length < declared.length ? undefined : [...bounds, story.writeFiles ?? []];
}

/** Whether both lists may match the same path; false only if that is certain to be impossible. Undefined overlaps with everything. */
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

/** The glob without a leading `!` and without redundant parts like `./` and `//`. */
function bodyOf(glob: string): string {
  const plain = glob.replace(/^!/, "").replaceAll(/\/{2,}|\/(?:\.\/)+/g, "/");
  // picomatch does not escape a dot before three stars.
  const body = plain.replace(/^(?:\.\/)+/, "").replaceAll(/\*{3,}/g, "**");
  if (body === "" || body === ".") return "**";
  return body.endsWith("/") ? `${body}**` : body;
}

const isLiteral = (body: string): boolean => !/[*?{]/.test(body);

/** Characters that are special in picomatch but literal here. */
const PLAIN = /\\.|[()|!@+"'`$^]/gs;
const PLAIN_WITH_BRACKETS = /\\.|[()|!@+"'`$^[\]]/gs;

/** The patterns for picomatch. Brackets may be a character class or a part of a name: both match. */
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

/** The glob's segments, with special parts widened: a shape matches at least what the glob matches. */
function shapesOf(glob: string): readonly (readonly string[])[] {
  // An exception only removes files.
  if (glob.startsWith("!")) return [];
  const body = bodyOf(glob);
  const alternatives = expandBraces(body) ?? [ANY_FOLDERS];
  return alternatives.map((text) => {
    const segments = (isLiteral(body) ? `${body}/**` : text).split("/");
    // A class like `[^a]` may match a slash, so nothing after it is certain.
    const odd = segments.findIndex((segment) => /[[\]{}\\]/.test(segment));
    const known = odd === -1 ? segments : [...segments.slice(0, odd), ANY_FOLDERS];
    return known
      .filter((segment) => segment !== "" && segment !== ".")
      .map((segment) => (segment.includes(ANY_FOLDERS) ? ANY_FOLDERS : widened(segment)));
  });
}

/** `?` may match half of a surrogate pair, and some file systems ignore case and Unicode composition. */
const widened = (segment: string): string =>
  segment.replaceAll("?", ANY_TEXT).normalize("NFC").toLowerCase();

/** Beyond this, the glob is treated as matching anything. */
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

/** Expands the first innermost pair of braces that contains a comma. */
function expandOnce(text: string): readonly string[] {
  // Next to these characters a brace may mean something else; it stays and is widened later.
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
