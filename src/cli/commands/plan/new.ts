import { join } from "node:path";
import type { Command } from "commander";
import { SagaError } from "../../../errors.ts";
import { requireId, requireStoryName } from "../../../story/definition/names.ts";
import type { Plan } from "../../../story/plan/plan.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { listOption } from "../../program/list-option.ts";
import { asOption } from "../../edit/option-problems.ts";
import { applyPlan, stagedResult } from "../../start/apply-plan.ts";
import { wholeNumber } from "../../program/parse-number.ts";

interface TextOptions {
  readonly title?: string;
  readonly description?: string;
  readonly guidance?: string;
  readonly doneWhen?: string;
  readonly check?: string[];
  readonly write?: string[];
  readonly blockedBy?: string[];
}

interface StoryOptions extends TextOptions {
  readonly epic?: string;
  readonly avoid?: string;
  readonly label?: string[];
  readonly priority?: number;
  readonly needsTesting?: boolean;
  readonly needsReview?: boolean;
}

interface TaskOptions extends TextOptions {
  readonly subject?: string;
  readonly activeForm?: string;
  readonly lines?: number;
}

export const build: Build = (builder) => {
  const top = builder.command("new", "Create an epic, a story or a task.", [
    'saga new epic user-auth --title "User authentication" --description "…"',
    'saga new story setup-db --epic user-auth --description "…"',
    'saga new task user-auth--setup-db write-tests --subject "Write the tests" --description "…"',
  ]);
  for (const child of [epicCommand, storyCommand, taskCommand]) top.addCommand(child(builder));
  return top;
};

const epicCommand: Build = (builder) =>
  builder.action(
    builder
      .command("epic", "Create an epic.", ['saga new epic user-auth -d "Let people sign in."'])
      .argument("<id>", "such as user-auth")
      .option("-t, --title <text>", "title (default: from the id)")
      .requiredOption("-d, --description <text>", "the goal; - reads it from standard input"),
    async (context, [id = ""], options: TextOptions) => {
      requireId("epic", id);
      const description = await textOf(options.description, context);
      const epic = { id, title: options.title ?? titleOf(id), description, status: "pending" };
      const plan = { epics: [epic], stories: [], isPartial: false };
      return create(context, plan, `.saga/epics/${id}/epic.json`);
    },
  );

const storyCommand: Build = (builder) =>
  builder.action(
    withTextOptions(
      builder
        .command("story", "Create a story.", [
          'saga new story add-login -d "A page with a form that…"',
          'saga new story setup-db --epic user-auth --priority 1 -d "…"',
          'saga new story api --epic user-auth --blocked-by setup-db -d "…"',
          'saga new story add-login --write "src/**" "test/**" --check "npm test" -d "…"',
          "saga new story add-login -d - < login.md     the description from a file",
        ])
        .argument("<id>", "such as add-login; in an epic, the epic's id is added in front")
        .option("-t, --title <text>", "title (default: from the id)")
        .option("--epic <id>", "the epic that it belongs to")
        .option("--avoid <text>", "what not to do")
        .addOption(listOption("--label <labels...>", "labels"))
        .option("--priority <0-4>", "0 (most urgent) to 4 (default 3)", wholeNumber())
        .option("--needs-testing", "a second agent must test the finished story")
        .option("--needs-review", "a second agent must review the finished story"),
      "stories of the epic",
    ),
    async (context, [name = ""], options: StoryOptions) => {
      requireId("story", name);
      const epic = options.epic ?? (await epicInName(context, name));
      const id = requireStoryName(await canonicalId(context, name, epic));
      const story = {
        id,
        title: options.title ?? titleOf(id),
        description: await textOf(options.description, context),
        guidance: options.guidance,
        doneWhen: options.doneWhen,
        avoid: options.avoid,
        status: "pending",
        epic,
        labels: options.label,
        priority: options.priority,
        writeFiles: options.write,
        checks: options.check ?? (await defaultChecks(context)),
        needsTesting: options.needsTesting,
        needsReview: options.needsReview,
      };
      const fields = onlySet(story);
      const blockedBy = await canonicalBlockers(context, options.blockedBy, epic);
      const stories = [{ fields, blockedBy, tasks: [] }];
      const plan = { epics: [], stories, isPartial: false };
      return create(context, plan, `.saga/stories/${id}/story.json`);
    },
  );

/** Undefined if the project has none, so that the field is left out. */
async function defaultChecks({ openProject }: CommandContext): Promise<string[] | undefined> {
  const { plan } = await openProject().settings();
  return plan.checks.length === 0 ? undefined : [...plan.checks];
}

const taskCommand: Build = (builder) =>
  builder.action(
    withTextOptions(
      builder
        .command("task", "Create a task in a story.", [
          'saga new task add-login write-form -d "…"',
          'saga new task add-login write-tests --blocked-by write-form --check "npm test" -d "…"',
          "saga new task add-login write-form -d - < form.md     the description from a file",
        ])
        .argument("<story>", "the story")
        .argument("<id>", "such as write-tests")
        .option("-s, --subject <text>", "short imperative title (default: from the id)")
        .option("--active-form <text>", "text shown while it runs")
        .option("--lines <number>", "estimated number of changed lines", wholeNumber()),
      "tasks of the story",
    ),
    async (context, [storyId = "", id = ""], options: TaskOptions) => {
      requireId("task", id);
      await context.openProject().readStory(storyId);
      const task = onlySet({
        id,
        subject: options.subject ?? titleOf(id),
        description: await textOf(options.description, context),
        activeForm: options.activeForm,
        status: "pending",
        blockedBy: options.blockedBy ?? [],
        guidance: options.guidance,
        doneWhen: options.doneWhen,
        checks: options.check,
        writeFiles: options.write,
        estimatedLines: options.lines,
      });
      const stories = [{ fields: { id: storyId }, blockedBy: undefined, tasks: [task] }];
      const plan = { epics: [], stories, isPartial: true };
      return create(context, plan, `.saga/stories/${storyId}/${id}.json`);
    },
  );

const withTextOptions = (command: Command, what: string): Command =>
  command
    .requiredOption(
      "-d, --description <text>",
      "all context the agent needs; - reads standard input",
    )
    .option("--guidance <text>", "how to approach the work")
    .option("--done-when <text>", "how to tell that the work is done")
    .option("--check <commands...>", "commands that must succeed")
    .addOption(listOption("--write <globs...>", "files it may change"))
    .addOption(listOption("--blocked-by <ids...>", `${what} that must be completed first`));

async function create(context: CommandContext, plan: Plan, file: string) {
  const source = { name: join(context.openProject().project, file) };
  const files = await applyPlan(context, plan, { canUpdate: false, source }).catch(
    (error: unknown) => {
      throw aboutOptions(error, source.name);
    },
  );
  return stagedResult(files);
}

/** `user-auth--setup-db` belongs to the epic `user-auth`. Levels nest: the longest prefix that is an epic wins. */
async function epicInName(context: CommandContext, name: string): Promise<string | undefined> {
  const levels = name.split("--");
  const [top] = levels;
  if (top === undefined || levels.length === 1) return undefined;
  const { epics, broken } = await context.openProject().survey.epics();
  const parents = levels.slice(1).map((_, at) => levels.slice(0, at + 1).join("--"));
  const epic = parents.findLast((id) => epics.has(id) || broken.has(id));
  if (epic !== undefined) return epic;
  throw new SagaError("not-found", `Cannot create ${name}: there is no epic ${top}.`, {
    hint: `Create the epic first: \`saga new epic ${top} -d "…"\`. For a story without an epic, choose an id without \`--\`.`,
    missingId: top,
  });
}

function aboutOptions(error: unknown, file: string): unknown {
  if (!(error instanceof SagaError) || error.code !== "bad-plan") return error;
  const { code, message, hint, problems } = error;
  return new SagaError(code, message, {
    hint,
    problems: problems.map((problem) => asOption(problem, file)),
    cause: error,
  });
}

/** `setup-db` in the epic `user-auth` is `user-auth--setup-db`, unless the epic lists it as `setup-db`. */
async function canonicalId(
  context: CommandContext,
  name: string,
  epicId: string | undefined,
): Promise<string> {
  if (epicId === undefined || name.startsWith(`${epicId}--`)) return name;
  const { epic } = await context.openProject().readEpic(epicId);
  const isListed = epic.children.some((child) => child.id === name);
  return isListed ? name : requireId("story", `${epicId}--${name}`);
}

/** Blockers may be given by their short names too. */
async function canonicalBlockers(
  context: CommandContext,
  names: readonly string[] | undefined,
  epicId: string | undefined,
): Promise<readonly string[] | undefined> {
  if (names === undefined || epicId === undefined) return names;
  const { epic } = await context.openProject().readEpic(epicId);
  const listed = new Set(epic.children.map((child) => child.id));
  return names.map((name) => {
    const long = `${epicId}--${name}`;
    return !listed.has(name) && listed.has(long) ? long : name;
  });
}

async function textOf(option: string | undefined, { io }: CommandContext): Promise<string> {
  const text = option === "-" ? await io.readInput() : (option ?? "");
  if (text.trim() !== "") return text.trimEnd();
  throw new SagaError("usage", "The description is empty.", {
    hint: "Describe everything that an agent needs to know to do the work.",
  });
}

/** The default title of `user-auth--setup-db` is "Setup db". */
function titleOf(id: string): string {
  const words = (id.split("--").at(-1) ?? id).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const onlySet = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
