// Which epic each story of a plan joins, and what is wrong with that. Pure.

import type { FieldPath } from "../../errors.ts";
import { checkMembership } from "../definition/validate.ts";
import { type EpicInput } from "../definition/epic.ts";
import { errorAt, type FieldProblem } from "../definition/explain-error.ts";
import { epicAfter, type FileFields } from "./fields-after-plan.ts";
import { possibleEpics } from "../definition/names.ts";
import type { Plan, PlanStory } from "./plan.ts";
import { storySchema, type Story } from "../definition/story.ts";
import { type CurrentProject, type StagedFile, type StagingRules } from "./stage.ts";

export function joinEpics(
  current: CurrentProject,
  plan: Plan,
  rules: StagingRules,
): { after: Map<string, FileFields>; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const after = new Map(
    plan.epics.map((epic) => [idOf(epic), epicAfter(current.epics.get(idOf(epic)), epic, plan)]),
  );
  const homes = new Map(
    [...current.epics, ...after].flatMap(([id, epic]) =>
      childrenOf(epic).map((child) => [child.id, id]),
    ),
  );
  plan.stories.forEach((story, at) => {
    const id = storyIdOf(story);
    const epicId = [
      story.fields["epic"] as string | undefined,
      homes.get(id),
      ...possibleEpics(id),
    ].find((one) => one !== undefined && (after.has(one) || current.epics.has(one)));
    if (epicId === undefined) {
      if (story.blockedBy?.length) problems.push(orderOutsideEpic(id, at));
      return;
    }
    const epic = after.get(epicId) ?? current.epics.get(epicId) ?? {};
    const children = childrenOf(epic);
    const child = children.find((one) => one.id === id);
    const blockedBy = [...(story.blockedBy ?? child?.blockedBy ?? [])];
    if (child && blockedBy.join() === (child.blockedBy ?? []).join()) return;
    const isMove = child !== undefined && current.epics.has(epicId) && !rules.canUpdate;
    if (isMove) problems.push(changedOrder(id, epicId, at));
    const joined = { ...child, id, blockedBy };
    after.set(epicId, {
      ...epic,
      children: child
        ? children.map((one) => (one.id === id ? joined : one))
        : [...children, joined],
    });
  });
  return { after, problems };
}

/** Each story of the plan is in at most one epic, and that epic exists. */
export function checkMemberships(
  current: CurrentProject,
  plan: Plan,
  files: readonly StagedFile[],
): FieldProblem[] {
  const epics = new Map(current.epics);
  for (const file of files) if (file.kind === "epic") epics.set(file.id, file.fields);
  return plan.stories.flatMap((planned, at) => {
    const file = files.find((one) => one.kind === "story" && one.id === storyIdOf(planned));
    const story: Story | undefined = storySchema.safeParse(file?.fields).data;
    if (!story) return [];
    const homes = [...epics].flatMap(([id, epic]) =>
      childrenOf(epic).some((child) => child.id === story.id) ? [id] : [],
    );
    return within(
      ["stories", at],
      checkMembership(story, homes, (id) => epics.has(id)),
    );
  });
}

const orderOutsideEpic = (id: string, at: number): FieldProblem =>
  errorAt(
    ["stories", at, "blockedBy"],
    `Story ${id} waits for others, but has no epic to record that order.`,
    "Name its epic, or remove blockedBy.",
  );

const changedOrder = (id: string, epicId: string, at: number): FieldProblem =>
  errorAt(
    ["stories", at, "blockedBy"],
    `Epic ${epicId} already has other blockers for the story ${id}.`,
    "Run `saga stage --update` to change it.",
  );

export const within = (path: FieldPath, problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));

export const idOf = (fields: FileFields): string => String(fields["id"]);

export const storyIdOf = (story: PlanStory): string => idOf(story.fields);

export const childrenOf = (epic: FileFields): EpicInput["children"] =>
  (epic["children"] as EpicInput["children"] | undefined) ?? [];
