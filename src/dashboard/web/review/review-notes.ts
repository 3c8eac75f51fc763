// What a person has looked at and written down while reviewing a story: marks on files, comments on lines and on the
// whole. Pure. Kept in the browser until the comments are sent.

export interface ReviewComment {
  readonly id: string;
  readonly file: string;
  /** Undefined for a comment on the whole file. */
  readonly line?: number | undefined;
  /** Of the line: before or after the change. */
  readonly side: "old" | "new";
  /** The line's text. */
  readonly code?: string | undefined;
  readonly text: string;
}

export interface ReviewNotes {
  /** By path: the git object of the file's content that was viewed. */
  readonly viewed: Readonly<Record<string, string>>;
  /** The story's last commit when a file was last marked. */
  readonly tip?: string | undefined;
  readonly comments: readonly ReviewComment[];
  /** The comment on the whole. */
  readonly overall: string;
}

export type ChangeNotes = (change: (notes: ReviewNotes) => ReviewNotes) => void;

export const NO_NOTES: ReviewNotes = { viewed: {}, comments: [], overall: "" };

/** `changed`: viewed, but its content is another one now. */
export function viewedState(
  { viewed }: Pick<ReviewNotes, "viewed">,
  path: string,
  revision: string,
): "new" | "viewed" | "changed" {
  const mark = Object.hasOwn(viewed, path) ? viewed[path] : undefined;
  if (mark === undefined) return "new";
  return mark === revision ? "viewed" : "changed";
}

export function withViewed(
  notes: ReviewNotes,
  path: string,
  mark: { readonly revision: string; readonly tip: string | undefined } | undefined,
): ReviewNotes {
  const { [path]: _, ...others } = notes.viewed;
  if (mark === undefined) return { ...notes, viewed: others };
  return { ...notes, viewed: { ...others, [path]: mark.revision }, tip: mark.tip ?? notes.tip };
}

export const withComment = (notes: ReviewNotes, comment: ReviewComment): ReviewNotes => ({
  ...notes,
  comments: [...notes.comments.filter(({ id }) => id !== comment.id), comment],
});

export const withoutComment = (notes: ReviewNotes, id: string): ReviewNotes => ({
  ...notes,
  comments: notes.comments.filter((comment) => comment.id !== id),
});

/** After they were sent. The marks stay: the next look shows what changed since. */
export const withoutComments = (notes: ReviewNotes): ReviewNotes => ({
  ...notes,
  comments: [],
  overall: "",
});

export const hasFeedback = ({ comments, overall }: ReviewNotes): boolean =>
  comments.length > 0 || overall.trim() !== "";

/** The agent's next task: its first line is the title, each comment has its file and line. */
export function feedbackText({ comments, overall }: ReviewNotes): string {
  const count = comments.length === 1 ? "the review comment" : `${comments.length} review comments`;
  const head = overall.trim() === "" ? `Address ${count}.` : overall.trim();
  return [head, ...comments.toSorted(byPlace).map(commentText)].join("\n\n");
}

const byPlace = (one: ReviewComment, other: ReviewComment): number =>
  one.file === other.file ? (one.line ?? 0) - (other.line ?? 0) : one.file < other.file ? -1 : 1;

function commentText({ file, line, side, code, text }: ReviewComment): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const removed = side === "old" && line !== undefined ? " (removed line)" : "";
  const quote = code === undefined || code.trim() === "" ? [] : [`> ${code.trim()}`];
  return [`\`${place}\`${removed}`, ...quote, text.trim()].join("\n");
}

/** What the browser kept may be from another version, or damaged: then it is empty. */
export function parseNotes(text: string | null): ReviewNotes {
  try {
    const value = JSON.parse(text ?? "") as Partial<ReviewNotes> | null;
    const { viewed, comments, overall, tip } = value ?? {};
    return {
      viewed: isRecord(viewed) ? viewed : {},
      comments: Array.isArray(comments) ? (comments as ReviewComment[]).filter(isComment) : [],
      overall: typeof overall === "string" ? overall : "",
      ...(typeof tip === "string" && { tip }),
    };
  } catch {
    return NO_NOTES;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((one) => typeof one === "string");

const isComment = (value: Partial<ReviewComment> | null): value is ReviewComment =>
  typeof value?.id === "string" &&
  typeof value.file === "string" &&
  typeof value.text === "string" &&
  (value.side === "old" || value.side === "new") &&
  (value.line === undefined || typeof value.line === "number");
