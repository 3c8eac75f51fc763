import { definitionLabel, type DefinitionName } from "../../../store/write/definition-file.ts";
import { parseJson, rewriteDocument } from "../../../store/project/document.ts";
import type { Fields } from "../../../store/project/json-text.ts";
import type { Store } from "../../../store/store.ts";
import { brokenFiles } from "../../../store/project/require.ts";
import { epicSchema } from "../../../story/definition/epic.ts";
import { storySchema } from "../../../story/definition/story.ts";
import { taskSchema } from "../../../story/definition/task.ts";
import { weakenedSince, type GateDefinition } from "../../../story/receipts/weakened-definition.ts";
import { SagaError, type Problem } from "../../../errors.ts";
import type { CommandResult, Build } from "../../program/command.ts";
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
      const definition = name.kind === "epic" ? undefined : await definitionOf(store, name);
      if (set !== undefined) {
        const after = withSetFields(name, found, set);
        const warnings = await store.writeDefinition(name, { before: found.text, after });
        const isChanged = after !== found.text;
        return changeResult(store, { name, isChanged, warnings, definition }, context.cwd);
      }
      const warnings = await editText(context.io, {
        fileName: `${definitionLabel(name).replace("/", ".")}.json`,
        text: found.text,
        accept: (after, file) => store.writeDefinition(name, { before: found.text, after, file }),
      });
      const isChanged = warnings !== undefined;
      return changeResult(
        store,
        { name, isChanged, warnings: warnings ?? [], definition },
        context.cwd,
      );
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
    throw new SagaError("usage", "`blockedBy` of a story is a field of its epic.", {
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

/** The definition that the gate of a started story uses. */
async function definitionOf(
  store: Store,
  name: DefinitionName,
): Promise<GateDefinition | undefined> {
  const id = name.kind === "task" ? name.story : name.id;
  const record = await store.readStory(id).catch(() => undefined);
  return record?.source === "worktree" ? record : undefined;
}

interface DefinitionChange {
  readonly name: DefinitionName;
  readonly isChanged: boolean;
  readonly warnings: readonly Problem[];
  readonly definition: GateDefinition | undefined;
}

async function changeResult(
  store: Store,
  { name, isChanged, warnings, definition }: DefinitionChange,
  cwd: string,
): Promise<CommandResult> {
  const { path } = await store.readDefinition(name);
  const label = definitionLabel(name);
  const story = name.kind === "task" ? name.story : name.id;
  const after = definition && (await store.readStory(story));
  const lowered = definition && after ? weakenedSince([definition], after) : [];
  return {
    json: { kind: name.kind, id: label, file: path, isChanged, warnings, lowered },
    text: (paint) =>
      [
        isChanged ? `Changed ${name.kind} ${label} (${plain(path)}).` : "Nothing was changed.",
        ...warnings.map((problem) => describeProblem(problem, paint, cwd)),
        // In a worktree, a person's edit cannot be distinguished from an agent's.
        ...(lowered.length === 0
          ? []
          : [
              `The story is already started, and now asks for less than at its start, so its gate will refuse it. Approve the change with \`saga accept ${story} --override definition --why "…"\`.`,
            ]),
        "",
      ].join("\n"),
  };
}
