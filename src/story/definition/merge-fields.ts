// Two versions of a story's or task's file become one, field by field: text alone would conflict where
// a person added or changed the file on the target while the story's run wrote its state into it.

type Fields = Readonly<Record<string, unknown>>;

/** Written by runs: the story's own copy knows them best. */
const STATE_FIELDS: ReadonlySet<string> = new Set(["status", "branch", "pr", "worktree"]);

export interface FileVersions {
  /** What both versions started from. */
  readonly base: string;
  readonly target: string;
  readonly story: string;
}

/** Undefined when one of the versions cannot be read. Where both changed a field, the story's copy counts. */
export function mergeFields(versions: FileVersions): string | undefined {
  const [base, target, story] = [versions.base, versions.target, versions.story].map(parse);
  if (!base || !target || !story) return undefined;
  const names = new Set([...Object.keys(story), ...Object.keys(target)]);
  const merged = [...names].flatMap((name) => {
    const isTargets =
      !STATE_FIELDS.has(name) && isSame(story[name], base[name]) && name in base === name in story;
    const side = isTargets ? target : story;
    return name in side ? [[name, side[name]] as const] : [];
  });
  return `${JSON.stringify(Object.fromEntries(merged), undefined, 2)}\n`;
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function parse(text: string): Fields | undefined {
  try {
    const fields: unknown = JSON.parse(text);
    const isObject = typeof fields === "object" && fields !== null && !Array.isArray(fields);
    return isObject ? (fields as Fields) : undefined;
  } catch {
    return undefined;
  }
}
