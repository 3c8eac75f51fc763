import {
  definitionLabel,
  storyOf,
  type DefinitionName,
} from "../../../store/write/definition-file.ts";
import { parseJson, rewriteDocument } from "../../../store/project/document.ts";
import type { Fields } from "../../../store/project/json-text.ts";
import type { StoryRecord } from "../../../store/project/read.ts";
import type { Store } from "../../../store/store.ts";
import { weakenedSince, type GateDefinition } from "../../../story/receipts/weakened-definition.ts";
import { brokenFiles } from "../../../store/project/require.ts";
import { epicSchema } from "../../../story/definition/epic.ts";
import { storySchema } from "../../../story/definition/story.ts";
import { taskSchema } from "../../../story/definition/task.ts";
import { SagaError, type Problem } from "../../../errors.ts";
import type { ApprovedEdit } from "../../../deliver/accept.ts";
import type { StoryWork } from "../../../deliver/story-work.ts";
import { isAgentEnvironment } from "../../../story/definition/names.ts";
import { deliverContext, withStoryLease } from "../../deliver/merge-command.ts";
import type { Build, CommandContext, CommandResult } from "../../program/command.ts";
import { personName } from "../../program/person.ts";
import { findDefinition } from "../../edit/definition-name.ts";
import { editText } from "../../edit/open-editor.ts";
import { describeProblem, plain } from "../../output/terminal.ts";
import { parseAssignment, withAssignments, type Assignment } from "../../edit/set-fields.ts";

interface Options {
  readonly set?: readonly Assignment[];
  readonly epic?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "edit",
        "Change a story, an epic or a task in your editor, or single fields with --set.",
        [
          "saga edit add-login                              opens $EDITOR",
          "saga edit add-login/write-form",
          'saga edit add-login --set priority=1 --set title="Sign in"',
          'saga edit add-login --set writeFiles="src/**,test/**"',
          "saga edit add-login --set guidance=              removes a field",
        ],
      )
      .argument("<story-or-epic>", "an id, or <story>/<task>")
      .argument("[task]", "a task of the story")
      .option("--epic", "edit the epic, if a story has the same id")
      .option(
        "--set <field=value>",
        "change one field without an editor; may be repeated",
        (text: string, before?: readonly Assignment[]) => [
          ...(before ?? []),
          parseAssignment(text),
        ],
      ),
    async (context, words, { set, epic = false }: Options) => {
      const store = context.openProject();
      const name = await findDefinition(store, words, epic);
      const found = await store.readDefinition(name);
      const started = await findStarted(context, store, name);
      const edit = await newEdit(context, store, { name, before: found.text, started });
      if (set !== undefined) {
        const after = withSetFields(name, found, set);
        const warnings = await edit.write(after);
        return changeResult(context, edit, { warnings, isChanged: after !== found.text });
      }
      const warnings = await editText(context.io, {
        fileName: `${definitionLabel(name).replace("/", ".")}.json`,
        text: found.text,
        accept: (after, file) => edit.write(after, file),
      });
      const isChanged = warnings !== undefined;
      return changeResult(context, edit, { warnings: warnings ?? [], isChanged });
    },
  );

const SHAPES = {
  story: storySchema.shape,
  epic: epicSchema.shape,
  task: taskSchema.shape,
} as const;

function withSetFields(
  name: DefinitionName,
  { path, text }: { readonly path: string; readonly text: string },
  set: readonly Assignment[],
): string {
  const json = parseJson(path, text);
  if (json.problem) throw brokenFiles([json.problem]);
  if (name.kind === "story" && set.some(({ field }) => field === "blockedBy")) {
    throw new SagaError("usage", "A story's `blockedBy` is set in its epic, not in the story.", {
      hint: "Edit the epic's `children`: `saga edit <epic>`.",
    });
  }
  const before = json.value as Fields;
  return rewriteDocument(
    text,
    before,
    withAssignments(before, set, Object.keys(SHAPES[name.kind])),
  );
}

interface StartedStory {
  /** Before the edit. */
  readonly record: StoryRecord;
  /** Undefined if git cannot tell: then the edit stays in the worktree, for the next run. */
  readonly work: StoryWork | undefined;
}

/** Undefined if the story has not started. */
async function findStarted(
  context: CommandContext,
  store: Store,
  name: DefinitionName,
): Promise<StartedStory | undefined> {
  if (name.kind === "epic") return undefined;
  const id = storyOf(name);
  const record = await store.readStory(id).catch(() => undefined);
  if (record?.source !== "worktree") return undefined;
  const { findWork } = await import("../../../deliver/story-work.ts");
  const { alreadyMerged, findEarlierMerge } = await import("../../../deliver/earlier-merge.ts");
  const delivery = deliverContext(context);
  const merged = await findEarlierMerge(delivery, id).catch(() => undefined);
  // Its worktree is a leftover: nothing would merge the edit.
  if (merged) throw alreadyMerged(merged);
  return { record, work: await findWork(delivery, id).catch(() => undefined) };
}

interface Edit {
  readonly name: DefinitionName;
  readonly path: string;
  /** Returns warnings. */
  readonly write: (after: string, file?: string) => Promise<readonly Problem[]>;
  /** Of the text that was written, for a story that has started. */
  readonly approval: () => Pick<ApprovedEdit, "lowered" | "isApproved">;
  /** Also for an edit that was written before and killed. Returns why it is not committed yet. */
  readonly commit: () => Promise<string | undefined>;
}

async function newEdit(
  context: CommandContext,
  store: Store,
  request: {
    readonly name: DefinitionName;
    readonly before: string;
    readonly started: StartedStory | undefined;
  },
): Promise<Edit> {
  const { name, before, started } = request;
  const { path } = await store.readDefinition(name);
  const work = started?.work;
  const person = async (): Promise<string | undefined> =>
    isAgentEnvironment(context.io.env) ? undefined : personName(context);
  let approval: Pick<ApprovedEdit, "lowered" | "isApproved"> = { lowered: [], isApproved: false };
  return {
    name,
    path,
    async write(after, file) {
      const text = { before, after, file };
      if (started === undefined || after === before) return store.writeDefinition(name, text);
      const warnings = await store.writeDefinition(name, { ...text, isDryRun: true });
      const definition = withDefinition(started.record, name, after);
      if (work === undefined) {
        approval = { lowered: weakenedSince([started.record], definition), isApproved: false };
        return store.writeDefinition(name, text);
      }
      const { approveStoryEdit } = await import("../../../deliver/accept.ts");
      const { journal, ...decided } = await approveStoryEdit(work, definition, await person());
      await store.writeDefinition(name, { ...text, journal });
      approval = decided;
      return warnings;
    },
    approval: () => approval,
    async commit() {
      if (work === undefined) return undefined;
      const { commitStoryEdit } = await import("../../../deliver/accept.ts");
      return withStoryLease(store, work.record.id, () => commitStoryEdit(work));
    },
  };
}

/** The story with another text of its file, or of a task's. The text is valid. */
function withDefinition(
  { story, tasks }: StoryRecord,
  name: DefinitionName,
  text: string,
): GateDefinition {
  const value: unknown = JSON.parse(text);
  if (name.kind !== "task") return { story: storySchema.parse(value), tasks };
  const task = taskSchema.parse(value);
  return { story, tasks: tasks.map((one) => (one.id === name.id ? task : one)) };
}

async function changeResult(
  context: CommandContext,
  { name, path, approval, commit }: Edit,
  { warnings, isChanged }: { readonly warnings: readonly Problem[]; readonly isChanged: boolean },
): Promise<CommandResult> {
  const label = definitionLabel(name);
  const commitError = await (isChanged ? commit() : commit().catch(() => undefined));
  const { lowered, isApproved } = approval();
  const notes = isChanged ? advice(storyOf(name), { lowered, isApproved, commitError }) : [];
  return {
    json: {
      kind: name.kind,
      id: label,
      file: path,
      isChanged,
      warnings,
      lowered,
      isApproved,
      notes,
    },
    text: (paint) =>
      [
        isChanged ? `Changed ${name.kind} ${label} (${plain(path)}).` : "Nothing was changed.",
        ...warnings.map((problem) => describeProblem(problem, paint, context.cwd)),
        ...notes,
        "",
      ].join("\n"),
  };
}

interface Advice extends Pick<ApprovedEdit, "lowered" | "isApproved"> {
  readonly commitError: string | undefined;
}

function advice(story: string, { lowered, isApproved, commitError }: Advice): string[] {
  const uncommitted =
    commitError === undefined
      ? []
      : [`It is not committed yet; the next run or merge does that: ${plain(commitError)}`];
  if (lowered.length === 0) return uncommitted;
  return [
    ...uncommitted,
    isApproved
      ? `The story now asks for less than when it started. That is recorded as your decision, and its gate accepts it. Continue: \`saga run ${story}\`.`
      : `The story now asks for less than when it started, so its gate will refuse it. Approve that when its tasks are completed: \`saga accept ${story} --override definition --why "…"\`.`,
  ];
}
